/**
 * Logged metrics: which of them are mismatch metrics, how they stand to the published baselines, and whether they are
 * what the dumps of the same steps give. Reading files belongs in `ingest/series`, drawing in `render/series`.
 *
 * @module
 */
import type { Finding } from "../../core/schema/index.ts";
import { formatCount, formatNumber, plural } from "../../core/text/index.ts";
import type { Finite } from "../../results/finite.ts";
import type { ReadingLevel } from "../../results/report.ts";
import {
  SERIES_SCHEMA_VERSION,
  type SeriesFigures,
  type SeriesPoint,
  type SeriesReport,
} from "../../results/series.ts";
import {
  type RecognisedMetric,
  recogniseLookAlike,
  recogniseMetric,
  recogniseRunMetric,
} from "../../trainers/index.ts";
import { type FigureReading, findWorstLevel } from "../assessment/baselines.ts";
import { tellLoggedBeside } from "../assessment/beside.ts";
import { isBroken } from "../assessment/finite.ts";
import { assessLogged } from "../assessment/logged.ts";
import { readLogged } from "./baselines.ts";
import { assessMetrics, type LoggedValues } from "./finite-metrics.ts";
import { labelRuns } from "./label-runs.ts";
import { findLoggedBeside } from "./logged-beside.ts";
import type { SeriesInput } from "./series-input.ts";
import { findSmallWeights } from "./small-weights.ts";

/** The mismatch metrics of some files, each judged by its worst value; all others are listed by name. */
export function buildSeriesReport(files: readonly SeriesInput[], findings: readonly Finding[]): SeriesReport {
  const series: SeriesFigures[] = [];
  const areBroken: boolean[] = [];
  const others = new Set<string>();
  const labelled = labelRuns(files);
  for (const { file, series: logged } of labelled) {
    for (const each of logged) {
      const metric = recogniseMetric(each.metric);
      if (metric === undefined) others.add(each.metric);
      else {
        series.push({ ...describe(each, metric), file });
        areBroken.push(isBroken(assessMetrics([each])));
      }
    }
  }
  const levels = series.flatMap(({ level }) => level ?? []);
  const level = levels.length === 0 ? null : findWorstLevel(levels);
  const unknown = [...others].filter(isUnknown).sort();
  const weights = findSmallWeights(labelled);
  const judged = sayHeadline(series, level, others.size, unknown.length) + (weights?.words ?? "");
  const beside = findLoggedBeside(labelled);
  const finite = assessMetrics(files.flatMap(({ series: logged }) => logged));
  const told = isBroken(finite) ? judged : tellLoggedBeside(level, judged, beside);
  const answer = {
    level: isBroken(finite) ? ("broken" as const) : level,
    headline: putFinite(finite, told, level),
    finite,
    beside,
  };
  return {
    schemaVersion: SERIES_SCHEMA_VERSION,
    kind: "series",
    assessment: assessLogged(answer),
    files: files.map(({ file, form, series: logged }) => ({ file, form, metrics: logged.length })),
    series: series.map((one, at) => (areBroken[at] ? { ...one, level: "broken" } : one)),
    others: [...others].sort(),
    unknown,
    ...answer,
    findings: weights === undefined ? findings : [weights.finding, ...findings],
  };
}

const isUnknown = (name: string): boolean =>
  recogniseLookAlike(name) === undefined && recogniseRunMetric(name) === undefined;

/** Non-finite values that break the run come before the verdict on the rest; the others come after it. */
function putFinite(finite: Finite, judged: string, level: ReadingLevel | null): string {
  if (finite.sentence === null) return judged;
  if (!isBroken(finite)) return `${judged}; ${finite.sentence}`;
  return level === null
    ? `${finite.sentence}; ${judged}`
    : `${finite.sentence}. Of what is finite, ${judged}`;
}

function describe(
  { run, metric: name, steps, values }: LoggedValues,
  metric: RecognisedMetric,
): Omit<SeriesFigures, "file"> {
  const points = steps.flatMap((step, at): SeriesPoint[] => {
    const value = values[at];
    return value !== undefined && Number.isFinite(value) ? [{ step, value }] : [];
  });
  const pointAt = (at: number): SeriesPoint | null => {
    const [step, value] = [steps.at(at), values.at(at)];
    return step === undefined || value === undefined || !Number.isFinite(value) ? null : { step, value };
  };
  const worst = findWorst(points, metric);
  const reading = worst === undefined ? undefined : readLogged(metric, worst.value);
  return {
    metric: name,
    run,
    trainer: metric.trainer,
    figure: metric.figure ?? null,
    meaning: metric.meaning,
    unit: metric.unit,
    worse: metric.worse,
    quirk: metric.quirk ?? null,
    steps,
    values: values.map((value) => (Number.isFinite(value) ? value : null)),
    non_finite: values.length - points.length,
    first: pointAt(0),
    last: pointAt(-1),
    worst: worst ?? null,
    level: reading?.level ?? null,
    band: reading?.band ?? null,
    source: reading?.source ?? null,
    thresholds: reading === undefined ? null : finiteThresholds(reading),
    ...countWorst(points, metric, reading?.level),
    comparison: null,
  };
}

/** The steps on which a metric reads as badly as at its worst. */
function countWorst(
  points: readonly SeriesPoint[],
  metric: RecognisedMetric,
  level: ReadingLevel | undefined,
): Pick<SeriesFigures, "steps_at_worst" | "last_at_worst"> {
  if (level === undefined) return { steps_at_worst: null, last_at_worst: null };
  const alike = points.filter(({ value }) => readLogged(metric, value)?.level === level);
  return { steps_at_worst: alike.length, last_at_worst: alike.at(-1)?.step ?? null };
}

function finiteThresholds({ thresholds }: FigureReading): SeriesFigures["thresholds"] {
  const orNull = (value: number): number | null => (Number.isFinite(value) ? value : null);
  const { elevated, high, broken } = thresholds;
  return { elevated: orNull(elevated), high: orNull(high), broken: orNull(broken) };
}

/** The first of the worst values. */
function findWorst(
  points: readonly SeriesPoint[],
  { worse, neutral = 0 }: RecognisedMetric,
): SeriesPoint | undefined {
  // A third is as far from 1 as three times as much.
  const distance = (value: number): number =>
    neutral === 1 ? Math.abs(Math.log(Math.max(0, value))) : Math.abs(value - neutral);
  const badness = ({ value }: SeriesPoint): number =>
    worse === "larger" ? value : worse === "smaller" ? -value : distance(value);
  let worst: SeriesPoint | undefined;
  for (const point of points) if (worst === undefined || badness(point) > badness(worst)) worst = point;
  return worst;
}

function sayHeadline(
  series: readonly SeriesFigures[],
  level: ReadingLevel | null,
  others: number,
  unknown: number,
): string {
  if (series.length === 0) {
    const more = unknown === 0 ? "" : ` (${formatCount(unknown)} of them are unknown here)`;
    if (others === 1)
      return "the one logged metric is not known to measure the mismatch of rollout and trainer";
    return `none of the ${plural(others, "logged metric")} is known to measure the mismatch of rollout and trainer${more}`;
  }
  const judged = series.filter((each) => each.level === level && level !== null);
  const [first] = judged;
  if (first?.worst == null || level === null) {
    return `${plural(series.length, "mismatch metric")}, none of them with a published baseline`;
  }
  const { metric, run, worst } = first;
  const hasOthers = run !== "" && series.some((each) => each.run !== run);
  const more = judged.length === 1 ? "" : `, and ${plural(judged.length - 1, "more metric")}`;
  return level === "normal"
    ? sayWithin(series.filter((each) => each.level !== null).length)
    : `${metric}${hasOthers ? ` (${run})` : ""} reaches ${formatNumber(worst.value)} at step ${worst.step} ${sayBand(first)}${more}`;
}

/** The band, and on how many steps the metric was beyond it as far as at its worst. */
function sayBand({ band, level, values, steps, ...of }: SeriesFigures): string {
  const { steps_at_worst: count, last_at_worst: last } = of;
  const finite = values.filter((value) => value !== null).length;
  if (finite < 2 || count === null) return `(${band})`;
  const until = last === steps.at(-1) ? "" : `, the last ${last}`;
  return `(${band}; ${level} on ${formatCount(count)} of ${plural(finite, "step")}${count === 1 ? "" : until})`;
}

function sayWithin(judged: number): string {
  return judged === 1
    ? "the one metric with a published baseline stays within it"
    : `all ${formatCount(judged)} metrics with a published baseline stay within it`;
}
