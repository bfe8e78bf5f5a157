/**
 * The meaning of bounds, signs and divergence. All code that applies a correction (token by token, on the sums of a
 * sweep, under the pointer on the page) uses this module, so that a rule has one meaning.
 *
 * @module
 */
import type { AdvantageSign, Bounds, Step } from "./correction.ts";

/** Both sides of a rule; a side that does not bind is infinite. */
export type Limits = Required<Bounds>;

export function readLimits({
  lower = Number.NEGATIVE_INFINITY,
  upper = Number.POSITIVE_INFINITY,
}: Bounds): Limits {
  return { lower, upper };
}

/** Both ends included. NaN is not inside. */
export function isInside(value: number, { lower, upper }: Limits): boolean {
  return value >= lower && value <= upper;
}

/** Not the negation of {@link isInside}: NaN is not beyond, so a veto ignores it and a rejection does not. */
export function isBeyond(value: number, { lower, upper }: Limits): boolean {
  return value < lower || value > upper;
}

/** NaN stays NaN. */
export function clamp(value: number, { lower, upper }: Limits): number {
  return value < lower ? lower : Math.min(value, upper);
}

/** NaN, a missing advantage, has none of the signs. */
export function hasSign(advantage: number, sign: AdvantageSign): boolean {
  if (sign === "positive") return advantage > 0;
  return sign === "negative" ? advantage < 0 : advantage <= 0;
}

/** Whether the token's update moves the two policies further apart. */
export function diverges(advantage: number, delta: number): boolean {
  return Math.sign(delta) * advantage > 0;
}

/** True for steps that read or write weights. The first of them fixes the tokens of a weight `over` kept tokens. */
export function needsWeights(step: Step): boolean {
  if (step.action === "truncate" || step.action === "normalize" || step.action === "zero") return true;
  return step.measure === "weight";
}
