import { formatColumn, isFigure } from "../../core/text/index.ts";
import { isRunMetric, metricsAt, runMetric } from "../../results/metrics/run-metrics.ts";
import type { BaselineReading, Interval, MismatchReport } from "../../results/report.ts";
import { printable } from "../text/printable.ts";
import { rankSeverity, worstReadings } from "./verdict-level.ts";

/** One line of the first screen. */
export interface KeyFigure {
  readonly key: string;
  readonly label: string;
  readonly meaning: string;
  readonly value: string;
  /** 95 % interval over prompts in the style of `value`; undefined where the report has none. */
  readonly interval: { readonly low: string; readonly high: string } | undefined;
  /** Why the data allow no interval: `one prompt holds 52 %`. */
  readonly reason: string | undefined;
  /** The range of the figure with any one prompt left out, `0.0019 – 0.0041`. */
  readonly leaveOneOut: string | undefined;
  /** The worst published reading of this metric. */
  readonly reading: BaselineReading | undefined;
}

const FIRST_SCREEN = metricsAt("first");

/**
 * The figures of the first screen, and after them any other metric that the verdict found worse than normal, so that
 * the verdict's basis is always shown.
 */
export function keyFigures(report: MismatchReport): KeyFigure[] {
  const readings = worstReadings(report.verdict.readings);
  const further = [...readings.values()]
    .filter((reading) => rankSeverity(reading.level) > rankSeverity("normal"))
    .map((reading) => reading.metric)
    .filter((metric) => !FIRST_SCREEN.some((key) => key === metric));
  return [...FIRST_SCREEN, ...further].map((key) => keyFigure(report, key, readings.get(key)));
}

/** A pooled figure with its interval, as text. */
export function keyFigure(report: MismatchReport, key: string, reading?: BaselineReading): KeyFigure {
  const { label, kind, meaning } = runMetric(key);
  const pooled = isRunMetric(key) ? report.metrics[key] : reading?.value;
  const interval = findInterval(report, key);
  const known = interval !== undefined && isFigure(interval.low) && isFigure(interval.high);
  const range = known ? [interval.low, interval.high] : (interval?.leave_one_out ?? []);
  const [value = "", low = "", high = ""] = formatColumn([pooled, ...range], kind);
  return {
    key,
    label: printable(label),
    meaning,
    value,
    interval: known ? { low, high } : undefined,
    reason: interval?.reason ?? undefined,
    leaveOneOut: known || low === "" ? undefined : `${low} – ${high}`,
    reading,
  };
}

export function findInterval(report: MismatchReport, key: string): Interval | undefined {
  return Object.hasOwn(report.intervals, key) ? report.intervals[key] : undefined;
}

/** `— (one prompt holds 52 %; 0.0019 – 0.0041 without any one)`; empty where there is an interval or none was sought. */
export function noInterval({ reason, leaveOneOut }: KeyFigure): string {
  if (reason === undefined) return "";
  return `— (${reason}${leaveOneOut === undefined ? "" : `; ${leaveOneOut} without any one`})`;
}
