import * as F from "./layout.ts";
import { changeUnit, ratioUnit, unitOf } from "./ratio-units.ts";

/** Fields that {@link mergeMoments}, {@link mergeProbabilities} and the extremes merge; all others add up. */
const MERGED = new Set<number>([
  ...[F.DELTA_MEAN, F.DELTA_M2, F.DELTA_MIN, F.DELTA_MAX, F.EXCESS_MEAN, F.EXCESS_M2, F.RATIO_MEAN],
  ...Array.from({ length: F.PROB_DIFF_RESIDUAL + 1 - F.PROB_DIFF_MEAN }, (_, i) => F.PROB_DIFF_MEAN + i),
]);
const ADDED = Array.from({ length: F.FIELDS }, (_, field) => field).filter((field) => !MERGED.has(field));

/** The sums of no tokens: the neutral element of {@link mergeSums}. */
export function emptySums(): Float64Array {
  return clearSums(new Float64Array(F.FIELDS), 0);
}

/** Resets the vector at `offset` to the sums of no tokens. */
export function clearSums(sums: Float64Array, offset: number): Float64Array {
  sums.fill(0, offset, offset + F.FIELDS);
  sums[offset + F.DELTA_MIN] = Number.POSITIVE_INFINITY;
  sums[offset + F.DELTA_MAX] = Number.NEGATIVE_INFINITY;
  return sums;
}

/**
 * Adds one vector of sums to another, which then holds the sums of both.
 *
 * Combines means and second moments by the pairwise formulas of Chan, Golub and LeVeque (1979), and the regression of
 * Δp on p by their counterpart for residuals, in which every term is non-negative. Exact if either side is empty;
 * otherwise commutative and associative up to float64 rounding.
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
 * @param into vector of `FIELDS` sums to change, at `intoOffset`
 * @param from vector to add, at `fromOffset`
 * @returns nothing; sums are counts, nats, fractions and their squares, by field
 */
export function mergeSums(into: Float64Array, from: Float64Array, fromOffset = 0, intoOffset = 0): void {
  if (unitOf(into, intoOffset) !== unitOf(from, fromOffset)) {
    mergeUnits(into, from.slice(fromOffset, fromOffset + F.FIELDS), intoOffset);
    return;
  }
  mergeMoments(into, intoOffset, from, fromOffset);
  mergeProbabilities(into, intoOffset, from, fromOffset);
  for (const field of ADDED) into[intoOffset + field]! += from[fromOffset + field]!;
  into[intoOffset + F.DELTA_MIN] = Math.min(into[intoOffset + F.DELTA_MIN]!, from[fromOffset + F.DELTA_MIN]!);
  into[intoOffset + F.DELTA_MAX] = Math.max(into[intoOffset + F.DELTA_MAX]!, from[fromOffset + F.DELTA_MAX]!);
}

/** Converts both to the larger unit of ρ first; changes `from`. */
function mergeUnits(into: Float64Array, from: Float64Array, intoOffset: number): void {
  const most = Math.max(into[intoOffset + F.DELTA_MAX]!, from[F.DELTA_MAX]!);
  for (const [sums, offset] of [
    [into, intoOffset],
    [from, 0],
  ] as const) {
    changeUnit(sums, offset, ratioUnit(most));
    sums[offset + F.DELTA_MAX] = most;
  }
  mergeSums(into, from, 0, intoOffset);
}

/** Merges the moments of Δ and of ρ − 1. */
function mergeMoments(a: Float64Array, at: number, b: Float64Array, bt: number): void {
  const na = a[at + F.COUNT]!;
  const nb = b[bt + F.COUNT]!;
  mergePair(a, at + F.DELTA_MEAN, at + F.DELTA_M2, na, b, bt + F.DELTA_MEAN, bt + F.DELTA_M2, nb);

  const within = na - a[at + F.OVER_COUNT]!;
  const added = nb - b[bt + F.OVER_COUNT]!;
  if (added === 0) return;
  if (within === 0) {
    for (const field of [F.EXCESS_MEAN, F.EXCESS_M2, F.RATIO_MEAN]) a[at + field] = b[bt + field]!;
    return;
  }
  const difference =
    unitOf(a, at) < 0
      ? b[bt + F.RATIO_MEAN]! - a[at + F.RATIO_MEAN]!
      : accurateDifference(
          b[bt + F.RATIO_MEAN]!,
          a[at + F.RATIO_MEAN]!,
          b[bt + F.EXCESS_MEAN]!,
          a[at + F.EXCESS_MEAN]!,
        );
  const share = added / (within + added);
  a[at + F.EXCESS_M2]! += b[bt + F.EXCESS_M2]! + difference * difference * within * share;
  a[at + F.EXCESS_MEAN]! += (b[bt + F.EXCESS_MEAN]! - a[at + F.EXCESS_MEAN]!) * share;
  a[at + F.RATIO_MEAN]! += (b[bt + F.RATIO_MEAN]! - a[at + F.RATIO_MEAN]!) * share;
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

/** `b − a` from the smaller, more accurate pair: `x` or its complement `1 − x`. */
function accurateDifference(b: number, a: number, complementB: number, complementA: number): number {
  return Math.abs(a) + Math.abs(b) < Math.abs(complementA) + Math.abs(complementB)
    ? b - a
    : complementB - complementA;
}

/** Merges everything over PROB_COUNT tokens. */
function mergeProbabilities(a: Float64Array, at: number, b: Float64Array, bt: number): void {
  const na = a[at + F.PROB_COUNT]!;
  const nb = b[bt + F.PROB_COUNT]!;
  if (nb === 0) return;
  if (na === 0) {
    for (let field = F.PROB_DIFF_MEAN; field <= F.PROB_DIFF_RESIDUAL; field++) a[at + field] = b[bt + field]!;
    return;
  }
  const share = nb / (na + nb);
  const weight = na * share;
  const dp = accurateDifference(
    b[bt + F.PROB_MEAN]!,
    a[at + F.PROB_MEAN]!,
    -b[bt + F.TAIL_MASS_MEAN]!,
    -a[at + F.TAIL_MASS_MEAN]!,
  );
  const dd = b[bt + F.PROB_DIFF_MEAN]! - a[at + F.PROB_DIFF_MEAN]!;
  const ma = a[at + F.TAIL_MASS_M2]!;
  const mb = b[bt + F.TAIL_MASS_M2]!;
  const sa = a[at + F.PROB_DIFF_SLOPE]!;
  const sb = b[bt + F.PROB_DIFF_SLOPE]!;
  const m2 = ma + mb + weight * dp * dp;
  const slope = m2 > 0 ? (sa * ma + sb * mb + weight * dp * dd) / m2 : 0;
  const miss = dd - slope * dp;
  a[at + F.PROB_DIFF_RESIDUAL]! +=
    b[bt + F.PROB_DIFF_RESIDUAL]! + ma * (sa - slope) ** 2 + mb * (sb - slope) ** 2 + weight * miss * miss;
  a[at + F.PROB_DIFF_SLOPE] = slope;
  a[at + F.TAIL_MASS_M2] = m2;
  a[at + F.PROB_MEAN]! += (b[bt + F.PROB_MEAN]! - a[at + F.PROB_MEAN]!) * share;
  a[at + F.TAIL_MASS_MEAN]! += (b[bt + F.TAIL_MASS_MEAN]! - a[at + F.TAIL_MASS_MEAN]!) * share;
  mergePair(
    a,
    at + F.PROB_DIFF_MEAN,
    at + F.PROB_DIFF_M2,
    na,
    b,
    bt + F.PROB_DIFF_MEAN,
    bt + F.PROB_DIFF_M2,
    nb,
  );
  mergePair(
    a,
    at + F.ABS_PROB_DIFF_MEAN,
    at + F.ABS_PROB_DIFF_M2,
    na,
    b,
    bt + F.ABS_PROB_DIFF_MEAN,
    bt + F.ABS_PROB_DIFF_M2,
    nb,
  );
  a[at + F.ABS_PROB_DIFF_MAX] = Math.max(a[at + F.ABS_PROB_DIFF_MAX]!, b[bt + F.ABS_PROB_DIFF_MAX]!);
}
