import {
  ABS_DELTA_SUM,
  ABS_PROB_DIFF_M2,
  ABS_PROB_DIFF_MAX,
  ABS_PROB_DIFF_MEAN,
  COUNT,
  DELTA_M2,
  DELTA_MAX,
  DELTA_MEAN,
  DELTA_MIN,
  EXCESS_M2,
  EXCESS_MEAN,
  FIELDS,
  K3_SUM,
  NEGATIVE_COUNT,
  NEGATIVE_INFINITE_COUNT,
  NEGATIVE_SUM,
  OVER_COUNT,
  OVER_EXCESS_SQUARE_SUM,
  OVER_EXCESS_SUM,
  POSITIVE_COUNT,
  POSITIVE_INFINITE_COUNT,
  POSITIVE_SUM,
  PROB_COUNT,
  PROB_DIFF_M2,
  PROB_DIFF_MEAN,
  PROB_DIFF_RESIDUAL,
  PROB_DIFF_SLOPE,
  PROB_MEAN,
  RATIO_MEAN,
  ROLLOUT_SUM,
  TAIL_MASS_M2,
  TAIL_MASS_MEAN,
  TRAINER_SUM,
  UNDEFINED_COUNT,
} from "./layout.ts";

const ADDED = [
  COUNT,
  ABS_DELTA_SUM,
  POSITIVE_COUNT,
  POSITIVE_SUM,
  NEGATIVE_COUNT,
  NEGATIVE_SUM,
  K3_SUM,
  OVER_COUNT,
  OVER_EXCESS_SUM,
  OVER_EXCESS_SQUARE_SUM,
  PROB_COUNT,
  ROLLOUT_SUM,
  TRAINER_SUM,
  NEGATIVE_INFINITE_COUNT,
  POSITIVE_INFINITE_COUNT,
  UNDEFINED_COUNT,
] as const;

/** The sums of no tokens: the neutral element of {@link mergeSums}. */
export function emptySums(): Float64Array {
  return clearSums(new Float64Array(FIELDS), 0);
}

/** Makes the vector at `offset` the sums of no tokens. */
export function clearSums(sums: Float64Array, offset: number): Float64Array {
  sums.fill(0, offset, offset + FIELDS);
  sums[offset + DELTA_MIN] = Number.POSITIVE_INFINITY;
  sums[offset + DELTA_MAX] = Number.NEGATIVE_INFINITY;
  return sums;
}

/**
 * Adds the tokens behind one vector of sums to another, which then holds the sums of both.
 *
 * Means and second moments by the pairwise formulas of Chan, Golub and LeVeque (1979); the regression of Δp on p by
 * their counterpart for residuals, in which every term is non-negative. Exact when either side is empty; otherwise
 * commutative and associative up to float64 rounding.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { FIELDS, k1, mergeSums, mismatchSums } from "logratio/kernels";
 *
 * const { rows } = mismatchSums({
 *   rollout: Float32Array.of(-1, -2),
 *   trainer: Float32Array.of(-1.5, -1),
 *   mask: Uint8Array.of(1, 1),
 *   offsets: Int32Array.of(0, 1, 2),
 * });
 * const both = rows.slice(0, FIELDS);
 * mergeSums(both, rows, FIELDS);
 * assert.equal(k1(both), -0.25); // nats: the mean of 0.5 and -1
 * ```
 *
 * @param into vector of `FIELDS` sums that is changed, at `intoOffset`
 * @param from vector that is added, at `fromOffset`
 * @returns nothing; sums are counts, nats, fractions and their squares, field by field
 */
export function mergeSums(into: Float64Array, from: Float64Array, fromOffset = 0, intoOffset = 0): void {
  mergeMoments(into, intoOffset, from, fromOffset);
  mergeProbabilities(into, intoOffset, from, fromOffset);
  for (const field of ADDED) into[intoOffset + field]! += from[fromOffset + field]!;
  into[intoOffset + DELTA_MIN] = Math.min(into[intoOffset + DELTA_MIN]!, from[fromOffset + DELTA_MIN]!);
  into[intoOffset + DELTA_MAX] = Math.max(into[intoOffset + DELTA_MAX]!, from[fromOffset + DELTA_MAX]!);
}

/** Of Δ and of ρ − 1. */
function mergeMoments(a: Float64Array, at: number, b: Float64Array, bt: number): void {
  const na = a[at + COUNT]!;
  const nb = b[bt + COUNT]!;
  mergePair(a, at + DELTA_MEAN, at + DELTA_M2, na, b, bt + DELTA_MEAN, bt + DELTA_M2, nb);

  const within = na - a[at + OVER_COUNT]!;
  const added = nb - b[bt + OVER_COUNT]!;
  if (added === 0) return;
  if (within === 0) {
    for (const field of [EXCESS_MEAN, EXCESS_M2, RATIO_MEAN]) a[at + field] = b[bt + field]!;
    return;
  }
  const difference = accurateDifference(
    b[bt + RATIO_MEAN]!,
    a[at + RATIO_MEAN]!,
    b[bt + EXCESS_MEAN]!,
    a[at + EXCESS_MEAN]!,
  );
  const share = added / (within + added);
  a[at + EXCESS_M2]! += b[bt + EXCESS_M2]! + difference * difference * within * share;
  a[at + EXCESS_MEAN]! += (b[bt + EXCESS_MEAN]! - a[at + EXCESS_MEAN]!) * share;
  a[at + RATIO_MEAN]! += (b[bt + RATIO_MEAN]! - a[at + RATIO_MEAN]!) * share;
}

function mergePair(
  a: Float64Array,
  mean: number,
  m2: number,
  na: number,
  b: Float64Array,
  otherMean: number,
  otherM2: number,
  nb: number,
): void {
  if (nb === 0) return;
  if (na === 0) {
    a[mean] = b[otherMean]!;
    a[m2] = b[otherM2]!;
    return;
  }
  const difference = b[otherMean]! - a[mean]!;
  const share = nb / (na + nb);
  a[m2]! += b[otherM2]! + difference * difference * na * share;
  a[mean]! += difference * share;
}

/** `b − a`, where the pair that is known more accurately is the smaller one: `x` or its complement `1 − x`. */
function accurateDifference(b: number, a: number, complementB: number, complementA: number): number {
  return Math.abs(a) + Math.abs(b) < Math.abs(complementA) + Math.abs(complementB)
    ? b - a
    : complementB - complementA;
}

/** Everything over PROB_COUNT tokens. */
function mergeProbabilities(a: Float64Array, at: number, b: Float64Array, bt: number): void {
  const na = a[at + PROB_COUNT]!;
  const nb = b[bt + PROB_COUNT]!;
  if (nb === 0) return;
  if (na === 0) {
    for (let field = PROB_DIFF_MEAN; field <= PROB_DIFF_RESIDUAL; field++) a[at + field] = b[bt + field]!;
    return;
  }
  const share = nb / (na + nb);
  const weight = na * share;
  const dp = accurateDifference(
    b[bt + PROB_MEAN]!,
    a[at + PROB_MEAN]!,
    -b[bt + TAIL_MASS_MEAN]!,
    -a[at + TAIL_MASS_MEAN]!,
  );
  const dd = b[bt + PROB_DIFF_MEAN]! - a[at + PROB_DIFF_MEAN]!;
  const ma = a[at + TAIL_MASS_M2]!;
  const mb = b[bt + TAIL_MASS_M2]!;
  const sa = a[at + PROB_DIFF_SLOPE]!;
  const sb = b[bt + PROB_DIFF_SLOPE]!;
  const m2 = ma + mb + weight * dp * dp;
  const slope = m2 > 0 ? (sa * ma + sb * mb + weight * dp * dd) / m2 : 0;
  const miss = dd - slope * dp;
  a[at + PROB_DIFF_RESIDUAL]! +=
    b[bt + PROB_DIFF_RESIDUAL]! + ma * (sa - slope) ** 2 + mb * (sb - slope) ** 2 + weight * miss * miss;
  a[at + PROB_DIFF_SLOPE] = slope;
  a[at + TAIL_MASS_M2] = m2;
  a[at + PROB_MEAN]! += (b[bt + PROB_MEAN]! - a[at + PROB_MEAN]!) * share;
  a[at + TAIL_MASS_MEAN]! += (b[bt + TAIL_MASS_MEAN]! - a[at + TAIL_MASS_MEAN]!) * share;
  mergePair(a, at + PROB_DIFF_MEAN, at + PROB_DIFF_M2, na, b, bt + PROB_DIFF_MEAN, bt + PROB_DIFF_M2, nb);
  mergePair(
    a,
    at + ABS_PROB_DIFF_MEAN,
    at + ABS_PROB_DIFF_M2,
    na,
    b,
    bt + ABS_PROB_DIFF_MEAN,
    bt + ABS_PROB_DIFF_M2,
    nb,
  );
  a[at + ABS_PROB_DIFF_MAX] = Math.max(a[at + ABS_PROB_DIFF_MAX]!, b[bt + ABS_PROB_DIFF_MAX]!);
}
