/**
 * Which leg is guilty. No threshold is tuned: noise has a size given by the number format and a shape given by the
 * normal law, each leg is the other's yardstick, and an identity holds whatever the weights are.
 *
 * @module
 */
import type { GuiltyLeg } from "../../../results/diagnosis.ts";
import type { LegSums } from "./leg-sums.ts";
import { boundRatio, type LegMeasure, measureLeg } from "./measure.ts";

/**
 * σ of the difference of two sides that each round logits below 32 once to bfloat16: 8 significant bits, so a spacing
 * of 2^(4 − 7) = 1/8 in [16, 32), a rounding error of (1/8)/√12, and √2 times that for a difference.
 */
export const BFLOAT16_SCALE = (Math.SQRT2 * 0.125) / Math.sqrt(12);
/**
 * √(mean square) over mean size of Student's t with three degrees of freedom. Numerics have lighter tails: they sum
 * many errors.
 */
const HEAVY = Math.PI / 2;
/** Deep models accumulate the errors of their layers; with the square root of their number, √25 = 5 for 25 layers. */
const DEEP = 5;
/** An identity fails at this many half-widths of its 95 % interval: about five standard errors. */
const IDENTITY_MARGINS = 2.5;
/** Rounding of stored log-probs can move a mean ratio this far from 1. */
const IDENTITY_ROUNDING = 1e-4;
/** A leg twice as wide as the other is not explained by the other's noise. */
const TWICE = 2;

/**
 * The decode leg is guilty if it is wider than the trainer leg, with which it shares weights and one side's precision,
 * although it has less to cross; if its tails are heavier than noise; or if mean ρ is not 1, which it is for every
 * policy B as long as tokens are drawn from A as recorded. The trainer leg is guilty if it is beyond what numerics
 * explain and clearly wider than the decode leg, which measures this engine's numerics.
 *
 * @returns null with fewer than two clusters
 */
export function judgeLegs(decode: LegSums, trainer: LegSums): GuiltyLeg | null {
  const [left, right] = [measureLeg(decode), measureLeg(trainer)];
  if (left === undefined || right === undefined) return null;
  const isDecode =
    failsIdentity(left) ||
    (left.scale > BFLOAT16_SCALE / 2 && boundRatio(decode, trainer) > 1) ||
    (left.interval.low > BFLOAT16_SCALE && left.shapeLow > HEAVY);
  const isBeyond = right.interval.low > BFLOAT16_SCALE;
  const isTrainer = isDecode
    ? isBeyond && (right.shapeLow > HEAVY || right.interval.low > DEEP * BFLOAT16_SCALE)
    : failsIdentity(right) || (isBeyond && boundRatio(trainer, decode) > TWICE);
  if (isDecode && isTrainer) return "both";
  return isDecode ? "decode" : isTrainer ? "trainer" : "none";
}

function failsIdentity({ excess, excessMargin }: LegMeasure): boolean {
  const size = Math.abs(excess);
  return size > IDENTITY_ROUNDING && size > IDENTITY_MARGINS * excessMargin;
}
