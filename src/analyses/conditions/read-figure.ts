import type { Interval, MismatchReport } from "../../results/report.ts";
import type { SeriesReport } from "../../results/series.ts";
import type { FigureName } from "./figure-name.ts";
import { mayBeUnknown } from "./vocabulary.ts";

/** What a gate or an alert reads: a report on dumps, or on logged metrics alone. */
export type Results = MismatchReport | SeriesReport;

/** One value of a figure. */
export interface Reading {
  /** Null if the figure describes the whole run. */
  readonly step: number | null;
  /** NaN or infinite if the run has no finite value for it. */
  readonly value: number;
  /**
   * 95 % interval over prompts; null for kinds of figures without one. If the report withholds it, the widest of what
   * it would be and what remains without any one prompt.
   */
  readonly interval: Pick<Interval, "low" | "high" | "clusters"> | null;
  /** Why the report withholds the interval; null if it does not. */
  readonly withheld: string | null;
}

/** The readings of a figure, or why the run has none. */
export type FigureReadings = { readonly readings: readonly Reading[] } | { readonly missing: string };

/** Reads a figure of a result; pure, and safe with parsed JSON. */
export function readFigures(results: Results, name: FigureName): FigureReadings {
  const found = readAll(results, name);
  if ("missing" in found) return found;
  const { step, pooling, isAbsolute } = name;
  const some = step === null ? found.readings : found.readings.filter((one) => one.step === step);
  if (some.length === 0) return { missing: step === null ? "the run has no steps" : `no step ${step}` };
  const pooled = pooling === null ? some : [pool(some, pooling)];
  return { readings: isAbsolute ? pooled.map(takeSize) : pooled };
}

function readAll(results: Results, { group, key, text }: FigureName): FigureReadings {
  if (group === "logged") return readLogged(results.kind === "series" ? results : results.logged, key);
  if (group === "non_finite_metrics")
    return countMetrics(results.kind === "series" ? results : results.logged);
  if (results.kind === "series") return { missing: "logged metrics only: no dumps were read" };
  if (group === "per_step") return readSteps(results, key);
  if (group === "metrics") return { readings: [readPooled(results, key)] };
  if (group === "non_finite_tokens") {
    const { delta_negative_infinite: down, delta_positive_infinite: up, missing } = results.excluded;
    return { readings: [plain(toNumber(down) + toNumber(up) + toNumber(missing))] };
  }
  if (group === "identity" && key === "failures")
    return { readings: [plain(results.identity.failures.length)] };
  const holder: unknown = group === "verdict" ? undefined : results[group];
  const value = key.split(".").reduce<unknown>((at, part) => {
    return typeof at === "object" && at !== null ? (at as Record<string, unknown>)[part] : at;
  }, holder);
  // `identity.surprisal` itself is null if no entropies were recorded.
  const isThere = key.includes(".")
    ? results.identity[key.split(".")[0] as "surprisal"] !== null
    : holder !== undefined;
  return isThere ? { readings: [plain(toNumber(value))] } : { missing: `the run has no ${text}` };
}

function readPooled({ metrics, intervals }: MismatchReport, key: string): Reading {
  const value = toNumber((metrics as unknown as Record<string, unknown>)[key]);
  const interval = Object.hasOwn(intervals, key) ? intervals[key] : undefined;
  if (interval === undefined) return plain(value);
  const { clusters, leave_one_out, withheld, reason } = interval;
  const given = [interval.low, interval.high].map(toNumber);
  if (given.every(Number.isFinite))
    return { ...plain(value), interval: { low: given[0]!, high: given[1]!, clusters } };
  const known = [...(leave_one_out ?? []), ...(withheld ?? [])].map(toNumber).filter(Number.isFinite);
  const range = known.length === 0 ? null : { low: Math.min(...known), high: Math.max(...known), clusters };
  return { ...plain(value), interval: range, withheld: reason ?? "no interval" };
}

function readSteps({ per_step: steps }: MismatchReport, key: string): FigureReadings {
  const values = steps.map((one) => ({
    step: one.step,
    value: (one as unknown as Record<string, unknown>)[key],
  }));
  const known = values.filter(({ value }) => value !== undefined && !(value === null && mayBeUnknown(key)));
  if (known.length === 0) return { missing: `no step has ${key}` };
  return { readings: known.map(({ step, value }) => ({ ...plain(toNumber(value)), step })) };
}

function readLogged(logged: SeriesReport | undefined, key: string): FigureReadings {
  if (logged === undefined) return { missing: "no logged metrics were read" };
  const series = logged.series.filter(({ metric }) => metric === key);
  const [first] = series;
  if (first === undefined) {
    const known = logged.series.slice(0, 5).map(({ metric }) => metric);
    return { missing: known.length === 0 ? "no such logged metric" : `logged are ${known.join(", ")}` };
  }
  return {
    readings: series.flatMap(({ steps, values }) =>
      steps.map((step, at) => ({ ...plain(toNumber(values[at])), step })),
    ),
  };
}

/** Reports written by older versions do not say. */
function countMetrics(logged: SeriesReport | undefined): FigureReadings {
  const finite: SeriesReport["finite"] | undefined = logged?.finite;
  if (finite === undefined) return { missing: "no logged metrics were read" };
  return { readings: [plain(finite.found.filter(({ breaks }) => breaks).length)] };
}

function plain(value: number): Reading {
  return { step: null, value, interval: null, withheld: null };
}

/** Accepts both a report in memory and its JSON, where NaN is null and infinities are spelled out. */
function toNumber(value: unknown): number {
  if (typeof value === "number") return value;
  return value === "Infinity" || value === "-Infinity" ? Number(value) : Number.NaN;
}

function pool(readings: readonly Reading[], pooling: NonNullable<FigureName["pooling"]>): Reading {
  const values = readings.map(({ value }) => value);
  if (pooling === "mean") return plain(values.reduce((sum, value) => sum + value, 0) / values.length);
  if (pooling === "last") {
    const last = readings.reduce((a, b) => ((b.step ?? 0) >= (a.step ?? 0) ? b : a));
    return { ...plain(last.value), step: last.step };
  }
  // A value that is not finite is not an extreme: it becomes the reading itself.
  const odd = readings.find(({ value }) => Number.isNaN(value));
  const extreme = readings.reduce((a, b) =>
    (pooling === "max" ? b.value > a.value : b.value < a.value) ? b : a,
  );
  const { step, value } = odd ?? extreme;
  return { ...plain(value), step };
}

function takeSize({ interval, value, ...rest }: Reading): Reading {
  const size = Math.abs(value);
  if (interval === null) return { ...rest, interval, value: size };
  const ends = [Math.abs(interval.low), Math.abs(interval.high)];
  const low = interval.low <= 0 && interval.high >= 0 ? 0 : Math.min(...ends);
  return { ...rest, value: size, interval: { ...interval, low, high: Math.max(...ends) } };
}
