/**
 * Columns of the table of sequences derived from a sequence's kernel sums: one definition for the viewer's table and
 * for filters on batches.
 *
 * @module
 */
import {
  ABS_DELTA_SUM,
  ABS_PROB_DIFF_MAX,
  COUNT,
  DELTA_MAX,
  DELTA_MEAN,
  DELTA_MIN,
  effectiveSampleSize,
  FIELDS,
  K3_SUM,
  ROLLOUT_SUM,
} from "../../core/kernels/index.ts";
import type { SequenceColumn } from "../../results/metrics/sequence-columns.ts";

type OfSums = (field: (place: number) => number, rows: Float64Array, offset: number) => number;

const FROM_SUMS = {
  delta_mean: (field) => field(DELTA_MEAN),
  delta_abs_mean: (field) => field(ABS_DELTA_SUM) / field(COUNT),
  delta_abs_max: (field) => Math.max(field(DELTA_MAX), -field(DELTA_MIN)),
  delta_sum: (field) => field(COUNT) * field(DELTA_MEAN),
  k3_mean: (field) => field(K3_SUM) / field(COUNT),
  prob_diff_max: (field) => field(ABS_PROB_DIFF_MAX),
  ess: (_, rows, offset) => effectiveSampleSize(rows, offset),
  rollout_logprob_mean: (field) => field(ROLLOUT_SUM) / field(COUNT),
} satisfies Partial<Record<SequenceColumn, OfSums>>;

export type SumColumn = keyof typeof FROM_SUMS;
export const SUM_COLUMNS = Object.keys(FROM_SUMS) as SumColumn[];

/**
 * @param rows `[sequences × FIELDS]`, as returned by `mismatchSums`
 * @returns NaN for a sequence without tokens that count
 */
export function figureOfSums(column: SumColumn, rows: Float64Array, row: number): number {
  const offset = row * FIELDS;
  const field = (place: number): number => rows[offset + place]!;
  return field(COUNT) > 0 ? FROM_SUMS[column](field, rows, offset) : Number.NaN;
}
