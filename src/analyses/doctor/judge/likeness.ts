/**
 * Which causes a real difference of two policies resembles. Each cause has a profile: where the numbers of {@link
 * Shape} lie in recordings with that fault, and how much they vary. Data unlike any profile is judged by Student's t,
 * whose tails tolerate one number that is off.
 *
 * @module
 */
import { capitalize, formatNumber } from "../../../core/text/index.ts";
import type { Clue } from "../clue.ts";
import type { Shape, ShapeName } from "../features/shape.ts";
import { weighBeforehand } from "./kin.ts";
import { BACKGROUND, type Place, PROFILES } from "./profiles.ts";

export interface Likeness {
  /** A cause, or the one that represents several with the same traces. */
  readonly kin: string;
  /** Given that the cause is one of these. */
  readonly probability: number;
  readonly clues: readonly Clue[];
}

const FREEDOM = 4;
/** The numbers are correlated, so each counts for about half of what it would alone. */
export const SHARE = 0.55;
/** The most nats that one number can add for or against a cause, before {@link SHARE}. */
export const MOST = 5;
/** How many numbers are quoted as evidence. */
const QUOTED = 4;

/** Most likely first. */
export function compareLikeness(shape: Shape): Likeness[] {
  const scored = Object.entries(PROFILES).map(([kin, profile]) => {
    const weights = (Object.entries(profile) as [ShapeName, Place][]).flatMap(([name, place]) => {
      const value = shape[name];
      const background = BACKGROUND[name];
      if (Number.isNaN(value) || background === undefined) return [];
      const ratio = logDensity(value, place) - logDensity(value, background);
      return [{ name, place, weight: SHARE * Math.max(-MOST, Math.min(MOST, ratio)) }];
    });
    return { kin, weights, score: weights.reduce((sum, { weight }) => sum + weight, weighBeforehand(kin)) };
  });
  const highest = Math.max(...scored.map(({ score }) => score));
  const total = scored.reduce((sum, { score }) => sum + Math.exp(score - highest), 0);
  return scored
    .map(({ kin, weights, score }) => ({
      kin,
      probability: Math.exp(score - highest) / total,
      clues: weights
        .sort((x, y) => y.weight - x.weight)
        .slice(0, QUOTED)
        .map(({ name, place, weight }) => quote(kin, name, shape[name], place, weight)),
    }))
    .sort((x, y) => y.probability - x.probability);
}

/** Log density of Student's t around a center, up to a constant. */
export function logDensity(value: number, [center, spread]: Place): number {
  const z = (value - center) / spread;
  return -Math.log(spread) - ((FREEDOM + 1) / 2) * Math.log(1 + (z * z) / FREEDOM);
}

const asIs = (value: number): string => formatNumber(value);
const power = (value: number): string => formatNumber(10 ** value);

/** What each number means and how it is written: logarithms are shown as the number itself. */
const WORDS: Readonly<Record<ShapeName, readonly [label: string, write: (value: number) => string]>> = {
  level: ["mean |Δ|, in nats,", power],
  noise: ["the noise on logits that explains Δ at unsure tokens", power],
  asymmetry: ["−mean Δ / mean |Δ| (0 if signs cancel, 1 if the trainer is always lower)", asIs],
  concentration: ["the gap of the worst 1 % of tokens, as a multiple of the median gap,", power],
  slope: [
    "the factor between the rollout's and the trainer's logits",
    (value) => formatNumber(Math.exp(value)),
  ],
  scatter: [
    "the scatter about one common factor of the logits, relative to the noise at unsure tokens,",
    power,
  ],
  positive: ["the share of tokens with Δ > 0", asIs],
  bend: ["the scaling of logits at sure tokens over that at unsure ones", asIs],
  early: ["the gap at the first four tokens, as a multiple of that at later ones,", power],
  position: ["the gap in the last quarter of positions, as a multiple of that in the first,", power],
  prefixTrainer: ["the trainer's difference from itself in equal contexts, as a share of |Δ|,", power],
  prefixRollout: ["the rollout's difference from itself in equal contexts, as a share of |Δ|,", power],
  packing: ["the gap of the other rows, as a multiple of the gap of every n-th row,", power],
  promptLength: ["the rank correlation of a row's gap with the length of its prompt", asIs],
  advantage: ["the rank correlation of a row's Σ Δ with its advantage", asIs],
  alongTrainer: ["the correlation of Δ with trainer − reference", asIs],
  referenceDistance: ["the rollout's distance from the reference, as a multiple of the trainer's,", power],
  repeats: ["the dependence of Δ on whether a token occurred before", asIs],
  zeros: ["the share of exact zeros where the other side is not 0", asIs],
  surplus: ["z of the rollout's mean surprisal minus its mean entropy", asIs],
  trainerSurprised: ["the share of tokens that the rollout was sure of and the trainer was not", power],
  rolloutSurprised: ["the share of tokens that the trainer was sure of and the rollout was not", power],
  rowSpread: ["the 85th percentile of row gaps, as a multiple of the 15th,", power],
  unitMean: ["z of mean ρ − 1", asIs],
  byToken: ["the share of the difference that the token's id explains", asIs],
  byPair: ["the share of the difference that the token and the one before it explain", asIs],
  byPrompt: ["the share of the difference that the prompt explains", asIs],
  neighbors: ["the correlation of the gap with that of the token before", asIs],
  sureness: ["the correlation of the gap with how sure the rollout is", asIs],
  turnStarts: ["the gap at the first three tokens of later turns, as a multiple of that elsewhere,", power],
  copied: ["the gap at tokens that occur in the prompt, as a multiple of that at others,", power],
};

function quote(cause: string, name: ShapeName, value: number, place: Place, weight: number): Clue {
  const [label, write] = WORDS[name];
  const subject = capitalize(label);
  return {
    cause,
    weight,
    sentence: `${subject} is ${write(value)}; the average for this cause is ${write(place[0])}.`,
    figures: { [name]: value, expected: place[0], spread: place[1] },
    profile: { name, label: subject.replace(/,$/, ""), value: write(value), expected: write(place[0]) },
  };
}
