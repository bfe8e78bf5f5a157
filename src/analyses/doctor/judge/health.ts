/**
 * Whether the difference is no more than an engine's precision. Its size is judged as logit noise σ, which is
 * comparable between policies, in the form √(π/2) · Σ|Δ| / Σ(1 − p) (`features/logit-noise.ts`): of the three forms it
 * separates healthy recordings from faulty ones best. A few tokens dominate the plain form (healthy int8 0.054, a
 * slight fault in a few tokens 0.065 to 0.089), and the median does not see a fault in few tokens at all (0.04, as
 * without one).
 *
 * @module
 */
import { formatNumber, plural } from "../../../core/text/index.ts";
import { type Clue, hold } from "../clue.ts";
import type { Figures } from "../features/shape.ts";
import type { Spread } from "../features/spread.ts";
import { listUnlikeNoise, type Structure } from "./noise.ts";

/**
 * Nats: the most that a healthy engine has if Δ looks like noise. bfloat16 against float32: 0.025 to 0.032 for the
 * lab's model, 0.06 to 0.13 for SmolLM2-135M and 0.17 at temperature 0.6, 0.13 for the lab's model at temperature 0.2: a
 * temperature divides the logits and so multiplies their noise. The size of the vocabulary therefore bounds nothing.
 */
const LIKE_NOISE = 0.2;
/**
 * If Δ does not look like noise, a healthy run has no more than the lab's: bfloat16 and int8 up to 0.048, faults from
 * 0.07.
 */
const UNLIKE_NOISE = 0.058;
/**
 * If the same token always differs alike, weights differ, and only differences below bfloat16's own noise go unnoticed.
 */
const BY_TOKEN = 0.035;
/** Share of the difference explained by the token's id that proves different weights. */
const CLEARLY_BY_TOKEN = 0.25;
/** Steps of a healthy run are within this factor of its median step, and all ages of its freshest weights. */
const STEP_MARGIN = 1.5;
/** If neither leg of three columns is guilty, each has the engine's noise, and together they have at least √2 of it. */
const LEGS_MARGIN = 2;
/** Nats of log-odds per decade of σ: from even odds to ten to one within 7 % of a decade. */
const PER_DECADE = 31;

/** The engine's noise σ that this run itself shows, nats, and what shows it. */
export interface NoiseFloor {
  readonly sigma: number;
  readonly of: "third column" | "freshest weights" | "own steps";
}

export interface HealthInput {
  readonly structure?: Structure;
  /** Mean |Δ| that storing the log-probs adds, nats. */
  readonly roundingAbs?: number;
  readonly floor?: NoiseFloor | undefined;
}

export interface Level {
  /** Log-odds of "the precision of an engine" against a fault in the policies, nats. */
  readonly logOdds: number;
  /** σ up to which precision is the more likely explanation, nats. */
  readonly threshold: number;
  /** Empty if Δ looks like noise. */
  readonly unlike: readonly string[];
}

export interface Health extends Level {
  readonly clue: Clue;
}

/** Judges the level of a set of tokens. */
export function weighLevel(spread: Spread, { structure, roundingAbs = 0, floor }: HealthInput = {}): Level {
  const unlike = listUnlikeNoise(spread, structure);
  const rounding = spread.unsure === 0 ? 0 : (Math.sqrt(Math.PI / 2) * roundingAbs) / spread.unsure;
  const byToken = structure?.byToken ?? 0;
  const most = unlike.length === 0 ? boundNoise(floor) : byToken > CLEARLY_BY_TOKEN ? BY_TOKEN : UNLIKE_NOISE;
  const threshold = most + rounding;
  const logOdds = hold(PER_DECADE * Math.log10(threshold / Math.max(spread.logitNoiseMean, 1e-9)));
  return { threshold, logOdds, unlike };
}

function boundNoise(floor: NoiseFloor | undefined): number {
  if (floor?.of === "third column") return Math.max(UNLIKE_NOISE, LEGS_MARGIN * floor.sigma);
  // Own steps, or the freshest weights.
  if (floor !== undefined && floor.sigma < LIKE_NOISE)
    return Math.min(LIKE_NOISE, Math.max(UNLIKE_NOISE, STEP_MARGIN * floor.sigma));
  return LIKE_NOISE;
}

const FLOOR_WORDS = {
  "third column": ", twice what the engine's decoding and its own prefill differ by",
  "freshest weights": ", by the freshest weights of this run",
  "own steps": ", by the median step of this run",
} as const;

export function judgeHealth(
  { spread }: Pick<Figures, "spread">,
  structure: Structure,
  more: Omit<HealthInput, "structure"> = {},
): Health {
  const level = weighLevel(spread, { ...more, structure });
  return {
    ...level,
    clue: {
      cause: "healthy",
      weight: level.logOdds,
      sentence: describeLevel(spread, level, more.floor),
      figures: {
        logit_noise: spread.logitNoise,
        logit_noise_mean: spread.logitNoiseMean,
        threshold: level.threshold,
        delta_abs_mean: spread.meanAbs,
        unsure: spread.unsure,
      },
    },
  };
}

function describeLevel(spread: Spread, { threshold, unlike }: Level, floor: NoiseFloor | undefined): string {
  const size = `The noise on logits that explains Δ is ${formatNumber(spread.logitNoiseMean)} nats over ${plural(spread.tokens, "token")} (mean |Δ| ${formatNumber(spread.meanAbs)})`;
  const most = formatNumber(threshold);
  if (unlike.length > 0)
    return `${size}, but Δ is not like noise: ${unlike.join("; ")}. The precision of an engine explains up to ${most} of that kind.`;
  const of = floor === undefined ? "" : FLOOR_WORDS[floor.of];
  return `${size}, with light tails, both signs and no structure. The precision of an engine explains up to ${most}${of}.`;
}

/** Nats for "none of these" if Δ is noise beyond an engine's: it shows no trace of any cause. */
const NAMELESS = 1;

/** Noise beyond an engine's precision, without any structure that would point to a cause. */
export function judgeNamelessNoise({ spread }: Pick<Figures, "spread">, level: Level): Clue | undefined {
  if (level.unlike.length > 0 || level.logOdds >= 0) return undefined;
  const { logitNoiseMean } = spread;
  return {
    cause: "cannot_tell",
    weight: NAMELESS,
    sentence: `Δ is like noise on logits of ${formatNumber(logitNoiseMean)} nats, with light tails, both signs and no structure: quantization, a precision coarser than bfloat16 and a low sampling temperature all look so.`,
    figures: { logit_noise: spread.logitNoise, logit_noise_mean: logitNoiseMean, threshold: level.threshold },
  };
}
