/**
 * Number-token loss of whole digit distributions: `[10]` probabilities or log-probs of 0 to 9 at a position.
 *
 * @module
 */
import { LengthMismatchError } from "../../core/base/index.ts";
import { lossReward } from "./rewards.ts";

/** How a distribution is judged against a digit t; formulas in `docs/digits.md`. */
export interface DigitLosses {
  /** Σ d·P(d). */
  readonly expected: number;
  /** (E[d] − t)². */
  readonly mse: number;
  /** Wasserstein-1 distance to all mass on t: Σ P(d)·|d − t|. */
  readonly wasserstein: number;
  /** |E[d] − t|. */
  readonly mae: number;
  /** The likeliest digit, the lowest on a tie. */
  readonly argmax: number;
}

/**
 * Log-softmax over the ten digits alone, from the logits (or log-probs) of a position.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { digitLogProbs } from "logratio/digits";
 *
 * const logits = Float32Array.of(5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0); // of 11 tokens; digit d is token d + 1
 * const logprobs = digitLogProbs(logits, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
 * assert(Math.abs((logprobs[3] ?? NaN) - Math.log(0.1)) < 1e-12); // nats
 * ```
 *
 * @param logits `[vocabulary]`
 * @param ids `[10]`: `ids[d]` is the token of digit d
 * @returns `[10]`, nats
 */
export function digitLogProbs(logits: ArrayLike<number>, ids: readonly number[]): Float64Array {
  const own = Float64Array.from(ids, (id) => logits[id] ?? Number.NEGATIVE_INFINITY);
  const total = logSumExp(own);
  return own.map((logit) => logit - total);
}

/** log Σ exp x, computed from the largest so that it cannot overflow; -Infinity if every x is. */
export function logSumExp(values: ArrayLike<number>): number {
  let most = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < values.length; i++) most = Math.max(most, values[i]!);
  if (!Number.isFinite(most)) return most;
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += Math.exp(values[i]! - most);
  return most + Math.log(sum);
}

/**
 * Losses of the masses of digits 0 to 9 against the true digit. Masses that sum to 1 give the losses as defined; masses
 * within a whole vocabulary give them without renormalization.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { digitLosses } from "logratio/digits";
 *
 * const losses = digitLosses([0, 0, 0, 0.5, 0.5, 0, 0, 0, 0, 0], 3);
 * assert.deepEqual([losses.expected, losses.wasserstein, losses.argmax], [3.5, 0.5, 3]); // digits
 * ```
 *
 * @param masses `[10]`: the probability of each digit, a fraction
 * @param truth 0 to 9
 * @returns digits (`mse`: their square)
 */
export function digitLosses(masses: ArrayLike<number>, truth: number): DigitLosses {
  let expected = 0;
  let wasserstein = 0;
  let argmax = 0;
  for (let digit = 0; digit < 10; digit++) {
    const mass = masses[digit]!;
    expected += digit * mass;
    wasserstein += Math.abs(digit - truth) * mass;
    if (mass > masses[argmax]!) argmax = digit;
  }
  return { expected, mse: (expected - truth) ** 2, wasserstein, mae: Math.abs(expected - truth), argmax };
}

/** How the distance of a digit is measured: squared, Wasserstein, or absolute. */
export type NtlMethod = "mse" | "wasserstein" | "mae";

/**
 * Means over all digit positions. Without positions: loss 0, reward 1, accuracy 0, as in the reference implementation.
 */
export interface NtlResult {
  /** Mean loss over digits: squared digits for `mse`, digits for the others. */
  readonly ntl_loss: number;
  /** exp(−loss). */
  readonly ntl_reward: number;
  /** Share of positions whose likeliest digit is the true one. */
  readonly digit_accuracy: number;
  /** Number of digits that the loss is averaged over. */
  readonly total_digits: number;
  /** Number of those whose likeliest digit is the true one. */
  readonly correct_digits: number;
  /** Which loss it is. */
  readonly method: NtlMethod;
}

/** The digit positions of each sequence, and the true digit at each. */
export interface DigitTargets {
  /** `[B][]` indices of digits in each sequence. */
  readonly digit_positions: readonly (readonly number[])[];
  /** `[B][]` the true digits at those positions, 0 to 9. */
  readonly digit_ground_truth: readonly (readonly number[])[];
}

/**
 * Number-token loss of `[B][T][10]` digit log-probs at the given positions.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { numberTokenLoss } from "logratio/digits";
 *
 * const sure = Array.from({ length: 10 }, (_, digit) => (digit === 7 ? 0 : -Infinity)); // nats
 * const targets = { digit_positions: [[0]], digit_ground_truth: [[9]] };
 * const { ntl_loss, digit_accuracy } = numberTokenLoss([[sure]], targets, "wasserstein");
 * assert.deepEqual([ntl_loss, digit_accuracy], [2, 0]); // off by two digits; a fraction
 * ```
 *
 * @param digitLogProbsOf `[B][T][10]`, nats
 * @param targets the digit positions of each sequence, and the true digit at each
 * @returns the loss in digits (`mse`: their square), accuracy and reward as fractions
 * @throws LengthMismatchError if a position lies outside its sequence, or positions and digits differ in number
 */
export function numberTokenLoss(
  digitLogProbsOf: readonly (readonly ArrayLike<number>[])[],
  targets: DigitTargets,
  method: NtlMethod,
): NtlResult {
  let [sum, total, correct] = [0, 0, 0];
  targets.digit_positions.forEach((positions, row) => {
    const truths = targets.digit_ground_truth[row] ?? [];
    if (truths.length !== positions.length) {
      throw new LengthMismatchError(
        `sequence ${row} has ${positions.length} digit positions and ${truths.length} true digits`,
        { found: truths.length, expected: positions.length, at: { row } },
      );
    }
    positions.forEach((t, i) => {
      const logprobs = digitLogProbsOf[row]?.[t];
      if (!logprobs) {
        throw new LengthMismatchError(
          `digit position ${t} of sequence ${row} is outside its ${digitLogProbsOf[row]?.length ?? 0} tokens`,
          { at: { row } },
        );
      }
      const truth = truths[i]!;
      const losses = digitLosses(Float64Array.from(logprobs, Math.exp), truth);
      sum += losses[method];
      total++;
      if (losses.argmax === truth) correct++;
    });
  });
  const loss = total === 0 ? 0 : sum / total;
  return {
    ntl_loss: loss,
    ntl_reward: lossReward(loss),
    digit_accuracy: total === 0 ? 0 : correct / total,
    total_digits: total,
    correct_digits: correct,
    method,
  };
}
