/**
 * Rewards shaped by confidence in digits or by number-token loss.
 *
 * @module
 */

/** What shapes a reward; a {@link DigitProxy} has it. */
export interface DigitConfidence {
  /** Mean log-prob of the sampled digits, nats; null without digits. */
  readonly avg_digit_log_prob: number | null;
  /** Number of digits that the mean is over. */
  readonly total_digits: number;
}

/**
 * Shapes a reward by confidence in digits: `base · (0.5 + 0.5 · exp(avg))`, half the reward at no confidence, all of it
 * at certainty.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { confidenceReward } from "logratio/digits";
 *
 * const sure = { avg_digit_log_prob: Math.log(0.8), total_digits: 4 }; // nats; a digitProxy is one
 * assert.equal(confidenceReward(1, sure), 0.9);
 * ```
 *
 * @param base the reward, in any unit
 * @param confidence mean log-prob of the digits in nats, null if not known, and their number
 * @returns the reward in the same unit; `base` without digits
 */
export function confidenceReward(base: number, confidence: DigitConfidence | null | undefined): number {
  const average = readAverage(confidence);
  return average === null ? base : base * (0.5 + 0.5 * Math.exp(average));
}

/**
 * Adds a tenth to a reward if the policy was sure of its digits: `base · 1.1` if their mean log-prob is above -0.5 nats
 * (a geometric mean of 0.61), else `base`.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { bonusReward } from "logratio/digits";
 *
 * const sure = { avg_digit_log_prob: Math.log(0.8), total_digits: 4 }; // nats; a digitProxy is one
 * assert.equal(bonusReward(10, sure), 11);
 * ```
 *
 * @param base the reward, in any unit
 * @param confidence mean log-prob of the digits in nats, null if not known, and their number
 * @returns the reward in the same unit; `base` without digits
 */
export function bonusReward(base: number, confidence: DigitConfidence | null | undefined): number {
  const average = readAverage(confidence);
  return average !== null && average > -0.5 ? base * 1.1 : base;
}

/**
 * Turns a number-token loss into a reward: `exp(-loss)`.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { lossReward } from "logratio/digits";
 *
 * assert.equal(lossReward(0), 1);
 * assert(lossReward(2) < 0.14);
 * ```
 *
 * @param loss from `numberTokenLoss`: digits, or digits squared
 * @returns a fraction, 1 at no loss
 */
export function lossReward(loss: number): number {
  return Math.exp(-loss);
}

function readAverage(confidence: DigitConfidence | null | undefined): number | null {
  return confidence && confidence.total_digits > 0 ? confidence.avg_digit_log_prob : null;
}
