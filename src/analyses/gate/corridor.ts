import { studentQuantile } from "../../core/statistics/mean-bound.ts";
import type { MetricScale } from "../../results/metrics/run-metrics.ts";
import { fromScale, isTurned, settleScale, toScale } from "./scales.ts";

/**
 * With fewer runs their spread is not known: with two, a corridor would be a hundred times as wide as their distance.
 */
export const FEWEST_RUNS = 3;

/** A spread below 1 % does not matter in practice and may be luck. */
const LEAST_HALF_WIDTH = 0.01;

/** What a corridor is learned from: one figure of several runs. */
export interface History {
  readonly scale: MetricScale;
  readonly values: readonly number[];
  /** Standard errors of the values on the scale, over prompts; null if a report gave no interval. */
  readonly errors: readonly (number | null)[];
}

/** Where another run of the same kind should lie; the ends have the figure's own unit. */
export interface Corridor {
  readonly scale: MetricScale;
  readonly runs: number;
  readonly low: number;
  readonly high: number;
}

/** The run being judged: its sampling error on the scale, if known, and its number of prompts. */
export interface OwnError {
  readonly error: number;
  readonly clusters: number;
}

/**
 * The prediction interval for one more run, after k runs with mean m and standard deviation s on the scale:
 *
 *     m ± t · √(s² (1 + 1/k) + e²),   t of Student's distribution at alpha/2
 *
 * (Hahn and Meeker, "Statistical Intervals", 1991, section 4.7). s² covers differences between runs as well as the
 * sampling errors of runs like those in the history, so only a run with a larger error has e² > 0: its variance minus
 * the mean of theirs. The degrees of freedom are k − 1, or those of the sum (Satterthwaite 1946).
 *
 * @param alpha chance that a run like those in the history lies outside
 * @returns undefined with fewer than {@link FEWEST_RUNS} runs
 */
export function predictRun(history: History, alpha: number, own?: OwnError): Corridor | undefined {
  const { values } = history;
  const runs = values.length;
  if (runs < FEWEST_RUNS) return undefined;
  const scale = settleScale(history.scale, values);
  const places = values.map((value) => toScale(scale, value));
  const center = places.reduce((sum, one) => sum + one, 0) / runs;
  const spread = places.reduce((sum, one) => sum + (one - center) ** 2, 0) / (runs - 1);
  const between = spread * (1 + 1 / runs);
  const extra = scale === history.scale ? excessVariance(history.errors, own) : 0;
  const freedom =
    extra === 0 || own === undefined
      ? runs - 1
      : (between + extra) ** 2 / (between ** 2 / (runs - 1) + extra ** 2 / Math.max(1, own.clusters - 1));
  // Runs that are all 0 have a corridor of 0: a run that is no longer equal bit for bit is outside.
  const isRelative = scale === "log" || scale === "below_one";
  const half = Math.max(
    studentQuantile(alpha / 2, freedom) * Math.sqrt(between + extra),
    LEAST_HALF_WIDTH * (isRelative ? 1 : Math.max(...places.map(Math.abs))),
  );
  const ends = [fromScale(scale, center - half), fromScale(scale, center + half)] as const;
  const [low, high] = isTurned(scale) ? [ends[1], ends[0]] : ends;
  return { scale, runs, low, high };
}

/** How much the run's sampling variance exceeds that of the runs in the history. */
function excessVariance(errors: History["errors"], own: OwnError | undefined): number {
  const known = errors.filter((error) => error !== null);
  if (own === undefined || known.length === 0) return 0;
  const usual = known.reduce((sum, error) => sum + error * error, 0) / known.length;
  return Math.max(0, own.error ** 2 - usual);
}
