/**
 * One side's logits are the other's times a factor: another temperature, or a soft-cap, which scales sure tokens less.
 *
 * @module
 */
import { formatNumber, formatShare } from "../../../core/text/index.ts";
import type { EvidencePicture } from "../../../results/diagnosis.ts";
import { type Clue, hold } from "../clue.ts";
import { SURENESS_EDGES } from "../features/confidence.ts";
import type { Scale } from "../features/scale.ts";
import type { Figures } from "../features/shape.ts";

/** |z| of an identity that does not hold. */
export const IDENTITY_Z = 3;
/** Temperatures differ by a twentieth or more; an update of the weights sharpens a policy by less. */
const LEAST_TAU = 0.03;
/** Nobody samples at a third or at three times of the trainer's temperature; positions and packs reach 1.7. */
const MOST_TAU = 1.2;
/** Share of tokens that the fit follows: 0.46 to 1 for temperatures and soft-caps, up to 0.35 where text or positions differ. */
const FOLLOWED = 0.42;
/**
 * Share of ΣΔ² that a factor explains: at least 0.86 for temperatures and soft-caps of real models on engines with ordinary
 * noise, 0.79 for peaked softmaxes over thousands of words without entropies; at most 0.6 for other weights.
 */
const MOST_OF_IT = 0.75;
const SOME_OF_IT = 0.1;
const CERTAIN_Z = 8;
/** log of the number of alternatives: 0 to that of a vocabulary, and a little for the error of the fit. */
const ALTERNATIVES = [-0.3, 11] as const;
/** Mass that is taken from all tokens bends the fit this far, and gives nearly all of them one sign. */
const MASS_IS_LOST = -0.12;
const ONE_SIGN = 0.95;

/** Whether Δ is a factor on the logits, and nothing else but noise. `oneSigned`: share of Δ with the majority's sign. */
export function isScaled(scale: Scale, rest: (scale: Scale) => boolean, oneSigned: number): boolean {
  const { tau, explained, followed, z, alternatives, curvature } = scale;
  if (Math.abs(tau) < LEAST_TAU || Math.abs(tau) > MOST_TAU || Math.abs(z) < CERTAIN_Z) return false;
  if (curvature < MASS_IS_LOST && oneSigned > ONE_SIGN) return false;
  if (alternatives < ALTERNATIVES[0] || alternatives > ALTERNATIVES[1]) return false;
  return (explained > MOST_OF_IT && followed > FOLLOWED) || (explained > SOME_OF_IT && rest(scale));
}

/** Nats by which a temperature is more frequent in public threads than a soft-cap. */
const TEMPERATURE_PRIOR = 1.5;
/** Curvature of temperatures: −0.02 to 0.1; of soft-caps: −0.01 to −0.05. */
const FLAT = -0.005;
const PER_CURVATURE = 0.01;
/** What a temperature leaves of ΣΔ² with recorded entropies: up to 0.02, mostly noise; a soft-cap 0.025 and more. */
const LEFT_BY_TEMPERATURE = 0.018;

/** A temperature scales all logits alike, a soft-cap sure ones less. */
export function judgeScale({ confidence, spread }: Figures, scale: Scale): Clue[] {
  const { tau, explained, curvature, left, by, alternatives } = scale;
  const factor = Math.exp(tau);
  const drawnFrom = findSampled(spread);
  let odds = TEMPERATURE_PRIOR + hold((curvature - FLAT) / PER_CURVATURE) / 2;
  if (Number.isFinite(left)) odds += 3 * Math.log(LEFT_BY_TEMPERATURE / Math.max(left, 1e-3));
  // An engine with a soft-cap samples with it; a raw column beside processed samples is a matter of temperature.
  if (drawnFrom === "trainer") odds += 6;
  odds = hold(odds);
  const said = `The trainer's logits are ${formatNumber(factor)} times the rollout's`;
  const fit = `${formatShare(explained)} of ΣΔ²${by === "entropies" ? ", by entropies" : ""}`;
  const figures = { scale: factor, explained, curvature, temperature: 1 / factor, alternatives, left };
  const listed = Number.isNaN(confidence.listSlope)
    ? ""
    : `; in the top-k lists the factor is ${formatNumber(confidence.listSlope)} within ${formatNumber(confidence.listSpread)}`;
  const picture = drawRatios(confidence.ratioBySureness);
  return [
    {
      cause: "temperature_mismatch",
      weight: 6 + odds,
      sentence: `${said}, as at ${formatNumber(1 / factor)} times its temperature (${fit}${listed}). ${SAMPLED[drawnFrom]}`,
      figures: leaveOutMissing(figures),
      picture,
    },
    {
      cause: "softcap_mismatch",
      weight: 6 - odds,
      sentence: `${said} (${fit}), ${curvature < FLAT ? "less at sure tokens than at unsure ones, as a soft-cap does" : "at sure and unsure tokens alike; a soft-cap scales sure ones less"}.`,
      figures: leaveOutMissing(figures),
      picture,
    },
  ];
}

const SAMPLED = {
  rollout:
    "The samples fit the rollout's column (mean ρ is nearer 1 than mean 1/ρ), so the trainer divides its logits by another temperature.",
  trainer:
    "The samples fit the trainer's column (mean 1/ρ is nearer 1 than mean ρ), so the rollout's is raw: it lacks the sampling temperature.",
  unknown: "The samples do not show which side is right.",
} as const;

/** Which column the samples were drawn from, by mean ρ = 1 and mean 1/ρ = 1. */
function findSampled({ unitMeanZ, inverseMeanZ }: Figures["spread"]): keyof typeof SAMPLED {
  const [rollout, trainer] = [Math.abs(unitMeanZ), Math.abs(inverseMeanZ)];
  if (Math.max(rollout, trainer) < IDENTITY_Z) return "unknown";
  if (rollout < Math.max(IDENTITY_Z, trainer / 2)) return "rollout";
  return trainer < Math.max(IDENTITY_Z, rollout / 2) ? "trainer" : "unknown";
}

function leaveOutMissing(figures: Readonly<Record<string, number>>): Record<string, number> {
  return Object.fromEntries(Object.entries(figures).filter(([, value]) => Number.isFinite(value)));
}

function drawRatios(ratios: readonly number[]): EvidencePicture {
  return {
    kind: "bars",
    title: "Trainer's logits over the rollout's, by how sure the rollout is",
    x_label: "p of the rollout, up to",
    y_label: "median ratio of logits",
    x: SURENESS_EDGES.slice(1).map(String),
    series: [{ name: "ratio", y: ratios.map((ratio) => (Number.isFinite(ratio) ? ratio : null)) }],
  };
}
