import { median } from "../../../core/statistics/median.ts";
import type { RunMetricKind } from "../../../trainers/index.ts";

/** One quantity over the steps: finite values, steps ascending. */
export interface StepSeries {
  /** The logged metric, or `dump`. */
  readonly name: string;
  /** Which reward or evaluation it is; empty if it has no name. */
  readonly part: string;
  readonly steps: readonly number[];
  readonly values: readonly number[];
}

/** The series of one run by kind; among several of a kind, the first is the most informative. */
export type RunSeries = ReadonlyMap<RunMetricKind, readonly StepSeries[]>;

/** With fewer values nothing is reported; as in rldoctor 0.2.0. */
export const FEWEST = 8;

/** The first series of a kind with enough values. */
export function takeSeries(run: RunSeries, kind: RunMetricKind, least = FEWEST): StepSeries | undefined {
  return run.get(kind)?.find(({ values }) => values.length >= least);
}

/** Levels at the beginning and at the end: medians of a tenth of the values, but at least three. */
export const startOf = (values: readonly number[]): number => median(values.slice(0, tenth(values)));
export const endOf = (values: readonly number[]): number => median(values.slice(-tenth(values)));

/** The level by which shares are judged: the median of the last quarter, but at least three values. */
export const recentOf = (values: readonly number[]): number =>
  median(values.slice(-Math.max(3, Math.floor(values.length / 4))));

const tenth = (values: readonly number[]): number => Math.max(3, Math.floor(values.length / 10));

/** Running medians of `width` values around each; at the ends, of those available. NaN for none. */
export function runningMedian(values: readonly number[], width: number): number[] {
  const half = width >> 1;
  return values.map((_, at) => median(values.slice(Math.max(0, at - half), at + half + 1)));
}
