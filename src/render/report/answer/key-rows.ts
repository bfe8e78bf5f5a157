import { formatColumn, formatCount, formatNumber, isFigure, plural } from "../../../core/text/index.ts";
import { isRunMetric, runMetric } from "../../../results/metrics/run-metrics.ts";
import type { BaselineReading, MismatchReport, VerdictLevel } from "../../../results/report.ts";
import { findInterval } from "../key-figures.ts";
import { rankSeverity, worstReadings } from "../verdict-level.ts";

/** One of the few figures of the first screen, as text. */
export interface KeyRow {
  readonly key: string;
  readonly label: string;
  readonly value: string;
  /** The usual values in sound runs. */
  readonly usual: string;
  /** The worse end of its 95 % interval, if that changes the level; else empty. */
  readonly worstTo: string;
  readonly level: VerdictLevel;
  /** Whether the figure cannot be trusted, so that its level means nothing. */
  readonly isUnreliable: boolean;
  /** What the figure alone does not show: since when it is sound, or why it is not to be trusted. */
  readonly note: string;
}

const FIRST = ["delta_abs_mean", "k3", "prob_diff_above_half", "ess"];
const LABELS: Readonly<Record<string, string>> = { k3: "KL (k3)" };
/** Number of further figures that a level rests on. */
const MOST_FURTHER = 2;

/** Four figures with their usual values, and any other that the verdict found worse than normal. */
export function keyRows(report: MismatchReport): KeyRow[] {
  const readings = worstReadings(report.verdict.readings);
  const further = [...readings.values()]
    .filter(({ level, metric }) => rankSeverity(level) > rankSeverity("normal") && !FIRST.includes(metric))
    .slice(0, MOST_FURTHER);
  return [...FIRST, ...further.map(({ metric }) => metric)].flatMap((key) => {
    const reading = readings.get(key);
    return reading === undefined ? [] : [keyRow(report, key, reading)];
  });
}

function keyRow(report: MismatchReport, key: string, reading: BaselineReading): KeyRow {
  const { label, kind } = runMetric(key);
  const pooled = isRunMetric(key) ? report.metrics[key] : reading.value;
  const interval = findInterval(report, key);
  const [mildest, severest] = reading.level_range;
  const isOpen =
    mildest !== severest && interval !== undefined && isFigure(interval.low) && isFigure(interval.high);
  const worse = key === "ess" || key === "pearson" ? interval?.low : interval?.high;
  const [value = "", worst = ""] = formatColumn([pooled, ...(isOpen ? [worse] : [])], kind);
  return {
    key,
    label: LABELS[key] ?? label,
    value: key === "prob_diff_above_half" ? sayTokens(report) : isAlmostOne(key, pooled) ? ">0.99999" : value,
    usual: reading.usual,
    worstTo: isOpen ? worst : "",
    level: reading.level,
    isUnreliable: reading.caution !== undefined,
    note:
      reading.caution === undefined ? sayNote(report, key) : "unreliable: large ratios are hardly sampled",
  };
}

/** Whether a figure is so close to 1 that its digits say nothing a reader needs; `--json` has them. */
function isAlmostOne(key: string, value: number): boolean {
  return key === "ess" && value > 0.99999 && value < 1;
}

function sayTokens({ metrics }: MismatchReport): string {
  const count = Math.round(metrics.prob_diff_above_half * metrics.tokens);
  return count === 0 ? "no token" : plural(count, "token");
}

/** Since when the figure is sound, and where most of it is. */
function sayNote({ assessment }: MismatchReport, key: string): string {
  const { segments } = assessment.when;
  const last = segments.at(-1);
  if (key === "k3" && segments.length > 1 && last !== undefined && last.level === "normal")
    return `${formatNumber(last.k3)} since step ${last.from_step}`;
  const [event] = assessment.events.by_raw;
  if (key === "prob_diff_above_half" && event !== undefined && event.tokens > 1)
    return `${formatCount(event.tokens)} of them the same mistake`;
  return "";
}
