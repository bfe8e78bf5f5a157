/**
 * Compares logged values with those that the dumps of the same steps give.
 *
 * @module
 */
import { formatCount, formatPair, plural } from "../../core/text/index.ts";
import type { MismatchReport, StepMetrics } from "../../results/report.ts";
import type { SeriesComparison, SeriesFigures, SeriesReport } from "../../results/series.ts";
import { type RecognisedMetric, recogniseMetric } from "../../trainers/index.ts";
import { agrees, type ComparedStep, expected, findReason } from "./reasons.ts";

/** How many steps a log may be ahead of the dumps or behind them. */
const SHIFTS = [1, -1, 2, -2];

/** Compares each series with the report on the dumps; a series without a common step stays as it is. */
export function compareSeries(logged: SeriesReport, report: MismatchReport): SeriesReport {
  const series = logged.series.map((each) => ({ ...each, comparison: compareOne(each, report) }));
  return { ...logged, series };
}

function compareOne(series: SeriesFigures, report: MismatchReport): SeriesComparison | null {
  const metric = recogniseMetric(series.metric);
  const steps = metric === undefined ? [] : pairSteps(series, report, metric, 0);
  if (metric === undefined || steps.length === 0) return null;
  const agreeing = steps.filter((step) => agrees(step.logged, expected(step), metric));
  return {
    steps: steps.length,
    is_bent: metric.isBent === true,
    agreeing: agreeing.length,
    ...sayComparison(steps, agreeing.length, metric, () => findShift(series, report, metric)),
    per_step: steps.map(({ metrics: _, ...rest }) => rest),
  };
}

/** @param shift of the log relative to the dumps: 1 if its step 4 is the dumps' step 3 */
function pairSteps(
  series: SeriesFigures,
  report: MismatchReport,
  metric: RecognisedMetric,
  shift: number,
): ComparedStep[] {
  const perStep = new Map(report.per_step.map((step) => [step.step, step]));
  return series.steps.flatMap((step, at): ComparedStep[] => {
    const metrics = perStep.get(step - shift);
    if (metrics === undefined) return [];
    const formula = computeFormula(metric, report, step - shift);
    const right = readFigure(metric, metrics);
    return formula === null && right === null
      ? []
      : [{ step, logged: series.values[at] ?? null, formula, right, metrics }];
  });
}

/** Uses the trainer's own formula, if parity computes it. */
function computeFormula(
  { key, trainer }: RecognisedMetric,
  report: MismatchReport,
  step: number,
): number | null {
  const block = report.parity.find((each) => each.trainer === trainer);
  const value = block?.per_step.find((each) => each.step === step)?.metrics[key];
  return value === undefined || !Number.isFinite(value) ? null : value;
}

function readFigure({ figure }: RecognisedMetric, metrics: StepMetrics): number | null {
  const value = figure === undefined ? undefined : metrics[figure];
  return value === undefined || !Number.isFinite(value) ? null : value;
}

function sayComparison(
  steps: readonly ComparedStep[],
  agreeing: number,
  metric: RecognisedMetric,
  findShiftReason: () => string | null,
): { text: string; reason: string | null } {
  const [quirk, first] = [metric.quirk ?? null, steps[0]!];
  if (metric.isBent) {
    const { step, logged, right } = findFurthest(steps, ({ right }) => right) ?? first;
    return { text: `step ${step}: logged ${sayPair(logged, right)}; ${quirk}`, reason: quirk };
  }
  const said = `${formatCount(agreeing)} of ${plural(steps.length, "step")} as the dump gives it`;
  if (agreeing === steps.length) {
    const off = findFurthest(
      steps.filter(
        ({ formula, right }) => formula !== null && right !== null && !agrees(formula, right, metric),
      ),
      ({ right }) => right,
    );
    if (off === undefined) return { text: said, reason: null };
    const why = quirk === null ? "" : `; ${quirk}`;
    return {
      text: `${said} by ${metric.trainer}'s formula; step ${off.step}: logged ${sayPair(off.logged, off.right)}${why}`,
      reason: quirk,
    };
  }
  const different = steps.filter((step) => !agrees(step.logged, expected(step), metric));
  const { step, logged, ...rest } = findFurthest(different, expected) ?? different[0]!;
  const reason = findShiftReason() ?? findReason(steps, metric);
  const why = reason === null ? "" : `; ${reason}`;
  const others = agreeing === 0 ? "" : `${said}; `;
  return {
    text: `${others}step ${step}: logged ${sayPair(logged, expected({ ...rest, step, logged }))}${why}`,
    reason,
  };
}

/** `0.31, the dump gives 0.92`. */
function sayPair(logged: number | null, right: number | null): string {
  if (logged === null) return `NaN or infinite, the dump gives ${formatPair(right, right)[0]}`;
  const [left, true_] = formatPair(logged, right);
  return `${left}, the dump gives ${true_}`;
}

function findFurthest(
  steps: readonly ComparedStep[],
  of: (step: ComparedStep) => number | null,
): ComparedStep | undefined {
  const distance = (step: ComparedStep): number =>
    step.logged === null ? Number.POSITIVE_INFINITY : Math.abs(step.logged - (of(step) ?? step.logged));
  let furthest: ComparedStep | undefined;
  for (const step of steps)
    if (furthest === undefined || distance(step) > distance(furthest)) furthest = step;
  return furthest;
}

/** Whether the log is shifted: at least two steps agree, and all of them do, once it is moved. */
function findShift(series: SeriesFigures, report: MismatchReport, metric: RecognisedMetric): string | null {
  for (const shift of SHIFTS) {
    const moved = pairSteps(series, report, metric, shift);
    if (moved.length < 2 || !moved.every((step) => agrees(step.logged, expected(step), metric))) continue;
    const steps = plural(Math.abs(shift), "step");
    return `the log counts ${steps} ${shift > 0 ? "ahead of" : "behind"} the dumps: its step ${moved[0]!.step} is their step ${moved[0]!.step - shift}`;
  }
  return null;
}
