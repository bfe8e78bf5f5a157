/**
 * How much better one checkpoint explains a column of log-probs than another.
 *
 * A token's distance to the right checkpoint is noise on logits, times 1 − p, where p is its probability. It is given a
 * Student t, whose heavy tails let single tokens be far off under any checkpoint, and whose scale is that of the
 * nearest checkpoint. Tokens of a prompt depend on each other, so prompts are the unit: what one of them says is
 * bounded, and the sum over prompts is reduced to the log-odds that its own variation between prompts allows.
 *
 * @module
 */
import { MOST_WEIGHT } from "../clue.ts";

/** Distances of the tokens of one prompt to each checkpoint. */
export interface PromptDistances {
  /** `[tokens]`: 1 − p. */
  readonly unsure: Float64Array;
  /** By checkpoint, `[tokens]`: Δ, nats. */
  readonly deltas: readonly Float64Array[];
}

const DEGREES_OF_FREEDOM = 4;
/** 1 − p of a sure token: rounding moves its log-prob further than noise on its logit. */
const LEAST_UNSURE = 0.01;
/** Nats: below it, the scale is the rounding of float32. */
const LEAST_SCALE = 1e-5;
/** Nats that one prompt may add. */
const MOST_OF_A_PROMPT = 3;

/**
 * Log-odds of each checkpoint against the nearest one, nats.
 *
 * @param scale σ of the nearest checkpoint's logit noise
 */
export function compareCheckpoints(
  prompts: readonly PromptDistances[],
  nearest: number,
  scale: number,
): number[] {
  const fits = prompts.map(({ unsure, deltas }) => deltas.map((own) => logLikelihood(own, unsure, scale)));
  return (fits[0] ?? []).map((_, checkpoint) =>
    checkpoint === nearest ? 0 : temper(fits.map((of) => clip(of[checkpoint]! - of[nearest]!))),
  );
}

/** Up to a constant. */
function logLikelihood(deltas: Float64Array, unsure: Float64Array, scale: number): number {
  let sum = 0;
  for (let i = 0; i < deltas.length; i++) {
    const z = deltas[i]! / (Math.max(scale, LEAST_SCALE) * Math.max(unsure[i]!, LEAST_UNSURE));
    sum -= Math.log1p((z * z) / DEGREES_OF_FREEDOM);
  }
  return ((DEGREES_OF_FREEDOM + 1) / 2) * sum;
}

function clip(logOdds: number): number {
  return Math.max(-MOST_OF_A_PROMPT, Math.min(MOST_OF_A_PROMPT, logOdds));
}

/**
 * The sum of log-likelihood ratios, reduced so that its size is at most half its variance, as that of a true one is.
 * This is how composite likelihoods are calibrated (Chandler and Bate, Biometrika 2007), here from the variation
 * between prompts.
 */
function temper(ratios: readonly number[]): number {
  const sum = ratios.reduce((total, ratio) => total + ratio, 0);
  const n = ratios.length;
  if (n < 2 || sum === 0) return sum;
  const variance = (n / (n - 1)) * ratios.reduce((total, ratio) => total + (ratio - sum / n) ** 2, 0);
  const share = Math.min(1, (2 * Math.abs(sum)) / variance);
  return Math.max(-MOST_WEIGHT, Math.min(MOST_WEIGHT, share * sum));
}
