/**
 * Which leg is guilty. No threshold is tuned: noise has a size that the number format gives and a shape that the normal
 * law gives, the two legs are each other's yardstick, and an identity holds whatever the weights are.
 *
 * @module
 */
import type { GuiltyLeg } from "../../../results/diagnosis.ts";
import type { LegSums } from "./leg-sums.ts";
import { boundRatio, type LegMeasure, measureLeg } from "./measure.ts";

/**
 * σ of two sides that each round logits below 32 once to bfloat16: 8 significant bits, so a spacing of 2^(4 − 7) = 1/8 in
 * [16, 32), a rounding error of (1/8)/√12, and √2 of it for a difference.
 */
export const BFLOAT16_SCALE = (Math.SQRT2 * 0.125) / Math.sqrt(12);
/** √(mean square) over mean size of Student's t with three degrees of freedom. Numerics are lighter: sums of many errors. */
const HEAVY = Math.PI / 2;
/** Deep models add up the errors of their layers; with the square root of the number of layers, √25 = 5 for 25 of them. */
const DEEP = 5;
/** An identity fails at this many half-widths of its 95 % interval: about five standard errors. */
const IDENTITY_MARGINS = 2.5;
/** A mean ratio within this of 1 is what storing log-probs rounds. */
const IDENTITY_ROUNDING = 1e-4;
/** One leg is not the other's noise when it is twice as wide. */
const TWICE = 2;

/**
 * The decode leg is guilty when it is wider than the trainer leg, with which it shares weights and precision on one side
 * and has less to cross; when its tails are heavier than noise; or when mean ρ is not 1, which it is for every policy B
 * while tokens are drawn from A as recorded. The trainer leg is guilty when it is beyond what numerics explain and clearly
 * wider than the decode leg, which measures the numerics of this engine.
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
