import type { BaselineReading, MismatchReport } from "../../protocol/report.ts";
import { formatColumn, isFigure } from "../format.ts";
import { printable } from "../printable.ts";
import { intervalOf, isMetricKey, type MetricKey, metricName } from "./metric-names.ts";
import { severityOf, worstReadings } from "./verdict-level.ts";

/** One line of the first screen. */
export interface KeyFigure {
  readonly key: string;
  readonly label: string;
  readonly meaning: string;
  readonly value: string;
  /** 95 % bootstrap interval over sequences in the style of `value`; undefined where the report has none. */
  readonly interval: { readonly low: string; readonly high: string } | undefined;
  /** The worst published reading of this metric. */
  readonly reading: BaselineReading | undefined;
}

const FIRST_SCREEN: readonly MetricKey[] = [
  "delta_abs_mean",
  "delta_abs_p99",
  "delta_abs_p999",
  "delta_abs_max",
  "k3",
  "prob_diff_max",
  "pearson",
  "ess",
];

/**
 * The figures of the first screen, and after them any other metric that the verdict found worse than normal, so
 * that nothing the verdict rests on is out of sight.
 */
export function keyFigures(report: MismatchReport): KeyFigure[] {
  const readings = worstReadings(report.verdict.readings);
  const further = [...readings.values()]
    .filter((reading) => severityOf(reading.level) > severityOf("normal"))
    .map((reading) => reading.metric)
    .filter((metric) => !FIRST_SCREEN.some((key) => key === metric));
  return [...FIRST_SCREEN, ...further].map((key) => keyFigure(report, key, readings.get(key)));
}

/** A pooled figure with its interval, as text. */
export function keyFigure(report: MismatchReport, key: string, reading?: BaselineReading): KeyFigure {
  const { label, kind, meaning } = metricName(key);
  const pooled = isMetricKey(key) ? report.metrics[key] : reading?.value;
  const interval = intervalOf(report, key);
  const known = interval !== undefined && isFigure(interval.low) && isFigure(interval.high);
  const [value = "", low = "", high = ""] = formatColumn(
    [pooled, ...(known ? [interval.low, interval.high] : [])],
    kind,
  );
  return {
    key,
    label: printable(label),
    meaning,
    value,
    interval: known ? { low, high } : undefined,
    reading,
  };
}
