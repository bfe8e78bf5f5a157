/**
 * Rewards shaped by confidence in digits or by number-token loss.
 *
 * @module
 */

/** What a reward looks at: a {@link DigitProxy} is one. */
export interface DigitConfidence {
  readonly avg_digit_log_prob: number | null;
  readonly total_digits: number;
}

/** `base · (0.5 + 0.5 · exp(avg))`: half the reward at no confidence, all of it at certainty. Without digits `base`. */
export function confidenceReward(
  base: number,
  { avg_digit_log_prob: average, total_digits }: DigitConfidence,
): number {
  return average === null || total_digits === 0 ? base : base * (0.5 + 0.5 * Math.exp(average));
}

/** `base · 1.1` when the average log-prob of the digits is above -0.5 nats (a geometric mean of 0.61), else `base`. */
export function bonusReward(
  base: number,
  { avg_digit_log_prob: average, total_digits }: DigitConfidence,
): number {
  return average !== null && total_digits > 0 && average > -0.5 ? base * 1.1 : base;
}

/** `exp(-loss)`: 1 at no loss. */
export function lossReward(loss: number): number {
  return Math.exp(-loss);
}
