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
  /** Wasserstein-1 to all mass on t: Σ P(d)·|d − t|. */
  readonly wasserstein: number;
  /** |E[d] − t|. */
  readonly mae: number;
  /** The likeliest digit, the lowest on a tie. */
  readonly argmax: number;
}

/** Log-softmax over the ten digits alone, from the logits (or log-probs) of a position: `ids[d]` is digit d. */
export function digitLogProbs(logits: ArrayLike<number>, ids: readonly number[]): Float64Array {
  const own = Float64Array.from(ids, (id) => logits[id] ?? Number.NEGATIVE_INFINITY);
  const total = logSumExp(own);
  return own.map((logit) => logit - total);
}

/** log Σ exp x, from the largest: no overflow, -Infinity where every x is. */
export function logSumExp(values: ArrayLike<number>): number {
  let most = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < values.length; i++) most = Math.max(most, values[i]!);
  if (!Number.isFinite(most)) return most;
  let sum = 0;
  for (let i = 0; i < values.length; i++) sum += Math.exp(values[i]! - most);
  return most + Math.log(sum);
}

/**
 * Losses of masses 0 to 9 against digit `truth`. With masses that add up to 1 these are the losses as defined; with the
 * masses of a whole vocabulary they are those without renormalisation.
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

/** Wasserstein-1 between two digit distributions: Σ over d of the distance of the cumulative sums. */
export function wassersteinBetween(p: ArrayLike<number>, q: ArrayLike<number>): number {
  let [gap, distance] = [0, 0];
  for (let digit = 0; digit < 9; digit++) {
    gap += p[digit]! - q[digit]!;
    distance += Math.abs(gap);
  }
  return distance;
}

export type NtlMethod = "mse" | "wasserstein" | "mae";

/** Means over all digit positions. Without positions: loss 0, reward 1, accuracy 0, as the reference has it. */
export interface NtlResult {
  readonly ntl_loss: number;
  /** exp(−loss). */
  readonly ntl_reward: number;
  /** Share of positions whose likeliest digit is the true one. */
  readonly digit_accuracy: number;
  readonly total_digits: number;
  readonly correct_digits: number;
  readonly method: NtlMethod;
}

/** Which positions of which sequence, and the digit that belongs there. */
export interface DigitTargets {
  readonly digit_positions: readonly (readonly number[])[];
  readonly digit_ground_truth: readonly (readonly number[])[];
}

/**
 * Number-token loss of `[B][T][10]` digit log-probs at the positions given.
 *
 * @throws LengthMismatchError when a position lies outside its sequence, or positions and digits differ in number
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
