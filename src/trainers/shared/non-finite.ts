import {
  COUNT,
  NEGATIVE_INFINITE_COUNT,
  POSITIVE_INFINITE_COUNT,
  PROB_COUNT,
  UNDEFINED_COUNT,
} from "../../core/kernels/index.ts";

/**
 * What decides PyTorch's masked mean of Δ-like terms when some masked-in log-probs are not finite; our own sums leave
 * such tokens out and count them.
 */
export interface NonFinite {
  /** Some Δ are NaN, so every mean is. */
  readonly undefined: boolean;
  /** Some trainer log-probs are -Infinity (Δ = -Infinity). */
  readonly trainerZero: boolean;
  /** Some rollout log-probs are -Infinity (Δ = +Infinity). */
  readonly rolloutZero: boolean;
  /** Some probabilities are NaN or infinite. */
  readonly probabilities: boolean;
}

export function countNonFinite(sums: Float64Array): NonFinite {
  const at = (field: number): number => sums[field]!;
  const masked = countMasked(sums);
  return {
    undefined: at(UNDEFINED_COUNT) > 0,
    trainerZero: at(NEGATIVE_INFINITE_COUNT) > 0,
    rolloutZero: at(POSITIVE_INFINITE_COUNT) > 0,
    probabilities: masked > at(PROB_COUNT),
  };
}

/** Tokens with mask 1, whether or not their log-probs are finite. */
export function countMasked(sums: Float64Array): number {
  return [COUNT, NEGATIVE_INFINITE_COUNT, POSITIVE_INFINITE_COUNT, UNDEFINED_COUNT].reduce(
    (count, field) => count + sums[field]!,
    0,
  );
}

/** The sum of the infinite terms, by which log-prob is -Infinity; absent if e^-Infinity = 0 adds nothing. */
export interface InfiniteTerms {
  readonly trainerZero?: number;
  readonly rolloutZero?: number;
}

/** `value` as PyTorch computes it with the non-finite tokens: unchanged, ±Infinity, or NaN. */
export function poison(value: number, state: NonFinite, terms: InfiniteTerms): number {
  if (state.undefined) return Number.NaN;
  const trainer = state.trainerZero ? terms.trainerZero : undefined;
  const rollout = state.rolloutZero ? terms.rolloutZero : undefined;
  if (trainer === undefined) return rollout ?? value;
  return rollout === undefined || rollout === trainer ? trainer : Number.NaN;
}
