/**
 * What the WebAssembly kernel sums per segment: plain sums around 0. Records of several segments add up.
 *
 * @module
 */
import * as F from "../layout.ts";
import * as RECORD_FIELDS from "./record-fields.ts";
import {
  ABS_DIFF,
  ADDED,
  DELTA,
  DELTA_SQUARE,
  DIFF,
  DIFF_MAX,
  DIFF_SQUARE,
  DOWN,
  DOWN_COUNT,
  EXCESS_SQUARE,
  K3,
  MAX,
  MIN,
  N,
  PRODUCT,
  RECORD,
  TAIL,
  TAIL_SQUARE,
  UP,
  UP_COUNT,
} from "./record-fields.ts";

export function clearRecord(record: Float64Array, offset: number): void {
  record.fill(0, offset, offset + RECORD);
  record[offset + MIN] = Number.POSITIVE_INFINITY;
  record[offset + MAX] = Number.NEGATIVE_INFINITY;
}

export function addRecord(
  into: Float64Array,
  intoOffset: number,
  from: Float64Array,
  fromOffset: number,
): void {
  for (let field = 0; field < ADDED; field++) into[intoOffset + field]! += from[fromOffset + field]!;
  into[intoOffset + MIN] = Math.min(into[intoOffset + MIN]!, from[fromOffset + MIN]!);
  into[intoOffset + MAX] = Math.max(into[intoOffset + MAX]!, from[fromOffset + MAX]!);
  into[intoOffset + DIFF_MAX] = Math.max(into[intoOffset + DIFF_MAX]!, from[fromOffset + DIFF_MAX]!);
}

export function readCount(record: Float64Array, offset: number): number {
  return record[offset + N]!;
}

/**
 * The kernel fills the last vector of a segment with Δ = 0. If all Δ of the segment have one sign, that is a false
 * extreme: this finds the right one among the segment's `deltas`.
 */
export function correctExtremes(
  record: Float64Array,
  offset: number,
  deltas: Float32Array,
  start: number,
): void {
  const count = record[offset + N]!;
  if (count % 4 === 0 || count === 0) return;
  if (record[offset + UP_COUNT] !== count && record[offset + DOWN_COUNT] !== count) return;
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (let i = start; i < start + count; i++) {
    min = Math.min(min, deltas[i]!);
    max = Math.max(max, deltas[i]!);
  }
  record[offset + MIN] = min;
  record[offset + MAX] = max;
}

/**
 * A single-precision value has a relative error of about 1e-7, so a second moment around 0 can lose that much, and a
 * variance that is 256 times smaller loses 256 times as much. Beyond that a record is not used.
 */
const LOSS = 1 / 256;
/** Errors of a few tokens do not average out. */
const LOSS_OF_FEW = 1 / 16;
const FEW = 32;
/** Below this, squares underflow in single precision. */
const TINY = 1e-15;
/** Below this, ρ = 1 + (ρ − 1) loses digits. */
const LEAST_MEAN_RATIO = 0.25;

/**
 * Whether every figure that follows from the record is accurate to about 1e-6. If not (nearly constant Δ or p, p'
 * nearly a multiple of p, tiny values, fewer than three tokens), the tokens must be summed in float64.
 */
export function isAccurate(record: Float64Array, offset: number): boolean {
  const n = record[offset + N]!;
  if (n === 0) return true;
  const loss = n < FEW ? LOSS_OF_FEW : LOSS;
  const deltaMax = Math.max(record[offset + MAX]!, -record[offset + MIN]!);
  if (deltaMax > 0 && deltaMax < TINY) return false;
  const mean = record[offset + DELTA]! / n;
  const deltaSquare = record[offset + DELTA_SQUARE]! / n;
  if (deltaSquare - mean * mean < loss * deltaSquare) return false;
  const excess = mean + record[offset + K3]! / n;
  const excessSquare = record[offset + EXCESS_SQUARE]! / n;
  if (1 + excess < LEAST_MEAN_RATIO || excessSquare - excess * excess < loss * excessSquare) return false;

  const diffMax = record[offset + DIFF_MAX]!;
  if (diffMax > 0 && diffMax < TINY) return false;
  const absDiff = record[offset + ABS_DIFF]! / n;
  const diffSquare = record[offset + DIFF_SQUARE]! / n;
  if (diffSquare - absDiff * absDiff < loss * diffSquare) return false;

  const tail = record[offset + TAIL]! / n;
  const tailSquare = record[offset + TAIL_SQUARE]! / n;
  if (tail !== 0 && tailSquare < TINY * TINY) return false;
  const tailVariance = tailSquare - tail * tail;
  if (tailVariance < loss * tailSquare) return false;
  if (tailVariance === 0) return true;
  const diff = record[offset + DIFF]! / n;
  const slope = (record[offset + PRODUCT]! / n - tail * diff) / tailVariance;
  const residual = diffSquare - diff * diff - slope * slope * tailVariance;
  return residual >= loss * diffSquare && residual >= loss * slope * slope * tailSquare;
}

const SUMS: Readonly<Record<string, number>> = F;

/** A sum that both have is NAME in the record and NAME_SUM in the layout: K3, ROLLOUT, TRAINER. */
const COPIED = Object.entries(RECORD_FIELDS).flatMap(([name, from]): [from: number, to: number][] => {
  const to = SUMS[`${name}_SUM`];
  return to === undefined ? [] : [[from, to]];
});

/**
 * Overwrites the (empty) sums at `at` with the sums of `layout.ts` that follow from an {@link isAccurate} record.
 */
export function writeSums(record: Float64Array, offset: number, sums: Float64Array, at: number): void {
  const n = record[offset + N]!;
  if (n === 0) return;
  const delta = record[offset + DELTA]!;
  const k3 = record[offset + K3]!;
  const diff = record[offset + DIFF]!;
  const absDiff = record[offset + ABS_DIFF]!;
  const tail = record[offset + TAIL]!;
  // ρ − 1 = Δ + k3: Σ Δ is exact and k3 is never negative, so this has no cancellation that the mean itself lacks.
  const excessMean = (delta + k3) / n;
  const tailM2 = secondMoment(record[offset + TAIL_SQUARE]!, tail, n);
  const diffM2 = secondMoment(record[offset + DIFF_SQUARE]!, diff, n);
  const comoment = (tail / n) * diff - record[offset + PRODUCT]!;
  const slope = tailM2 > 0 ? comoment / tailM2 : 0;

  sums[at + F.COUNT] = n;
  sums[at + F.DELTA_MEAN] = delta / n;
  sums[at + F.DELTA_M2] = secondMoment(record[offset + DELTA_SQUARE]!, delta, n);
  sums[at + F.DELTA_MIN] = record[offset + MIN]!;
  sums[at + F.DELTA_MAX] = record[offset + MAX]!;
  sums[at + F.ABS_DELTA_SUM] = record[offset + UP]! - record[offset + DOWN]!;
  sums[at + F.POSITIVE_COUNT] = record[offset + UP_COUNT]!;
  sums[at + F.POSITIVE_SUM] = record[offset + UP]!;
  sums[at + F.NEGATIVE_COUNT] = record[offset + DOWN_COUNT]!;
  sums[at + F.NEGATIVE_SUM] = record[offset + DOWN]!;
  sums[at + F.EXCESS_MEAN] = excessMean;
  sums[at + F.EXCESS_M2] = secondMoment(record[offset + EXCESS_SQUARE]!, delta + k3, n);
  sums[at + F.RATIO_MEAN] = 1 + excessMean;
  sums[at + F.PROB_COUNT] = n;
  sums[at + F.PROB_DIFF_MEAN] = diff / n;
  sums[at + F.PROB_DIFF_M2] = diffM2;
  sums[at + F.ABS_PROB_DIFF_MEAN] = absDiff / n;
  sums[at + F.ABS_PROB_DIFF_M2] = secondMoment(record[offset + DIFF_SQUARE]!, absDiff, n);
  sums[at + F.ABS_PROB_DIFF_MAX] = record[offset + DIFF_MAX]!;
  sums[at + F.TAIL_MASS_MEAN] = tail / n;
  sums[at + F.TAIL_MASS_M2] = tailM2;
  sums[at + F.PROB_MEAN] = 1 - tail / n;
  sums[at + F.PROB_DIFF_SLOPE] = slope;
  sums[at + F.PROB_DIFF_RESIDUAL] = Math.max(diffM2 - slope * comoment, 0);
  for (const [from, to] of COPIED) sums[at + to] = record[offset + from]!;
}

/** Σ (x − mean x)² from Σ x² and Σ x. */
function secondMoment(square: number, sum: number, n: number): number {
  return Math.max(square - (sum * sum) / n, 0);
}
