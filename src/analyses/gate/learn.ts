import { EmptyInputError, SchemaError } from "../../core/base/index.ts";
import { isEnough } from "../../core/statistics/enough.ts";
import { formatPlain, plural } from "../../core/text/index.ts";
import { type MetricScale, metricsAt } from "../../results/metrics/run-metrics.ts";
import { type FigureName, findScale, parseFigureName } from "../conditions/figure-name.ts";
import { type Results, readFigures } from "../conditions/read-figure.ts";
import type { Baseline, BaselineCheck, BaselineRun } from "./baseline.ts";
import { errorOnScale } from "./scales.ts";

/** A run that a baseline is learned from. */
export interface LearnedRun {
  readonly run: Omit<BaselineRun, "prompts">;
  readonly results: Results;
}

export interface LearnOptions {
  /** Names of figures; default those of the previous baseline, or {@link DEFAULT_METRICS}. */
  readonly metrics?: readonly string[];
  readonly alpha?: number;
}

/** Few, because all share the chance of a false alarm: size, bias, tail, both KL-like sums, agreement. */
const DEFAULT_METRICS = metricsAt("gate");

/** One red build in a hundred without cause. */
export const DEFAULT_ALPHA = 0.01;

/** Older runs say less about what is normal today, and a file that people review should stay short. */
const MOST_RUNS = 50;

/**
 * Builds a baseline from runs assumed to be healthy, appended to those of `before`. A run already in it, by its files
 * or by its figures (the same data in another format), replaces its entry, and duplicates among the given runs count
 * once; beyond 50 the oldest are dropped. Limits stay.
 *
 * @throws SchemaError if a run has a figure that is not finite: it is not a run to learn from
 * @throws EmptyInputError if a run has too few tokens or sequences for a verdict, or none of the figures
 */
export function learnBaseline(
  given: readonly LearnedRun[],
  before: Baseline | undefined,
  { metrics, alpha }: LearnOptions = {},
): Baseline {
  for (const one of given) refuseSmall(one);
  const runs = distinctRuns(given);
  const kept = (before?.runs ?? [])
    .map((run, at) => ({ run, at }))
    .filter(({ run, at }) => !runs.some((one) => isSame(one.run, run) || isRepeated(one, before!, at)));
  const dropped = Math.max(0, kept.length + runs.length - MOST_RUNS);
  const old = kept.slice(dropped);
  const added = runs.slice(Math.max(0, runs.length - MOST_RUNS));
  const checks = listFigures(added, before, metrics).map((figure): BaselineCheck => {
    const known = before?.checks.find((check) => check.figure.text === figure.text);
    const scale = known?.scale ?? findScale(figure);
    const fresh = added.map((one) => readForHistory(one, figure, scale));
    return {
      figure,
      scale,
      values: [...old.map(({ at }) => known?.values[at] ?? null), ...fresh.map(({ value }) => value)],
      errors: [...old.map(({ at }) => known?.errors[at] ?? null), ...fresh.map(({ error }) => error)],
    };
  });
  return {
    alpha: alpha ?? before?.alpha ?? DEFAULT_ALPHA,
    runs: [
      ...old.map(({ run }) => run),
      ...added.map(({ run: { sha256, ...run }, results }) => ({
        ...run,
        prompts: countPrompts(results),
        sha256,
      })),
    ],
    checks,
    limits: before?.limits ?? [],
  };
}

/** The runs without duplicates of files or data: the first of each stays. */
export function distinctRuns(runs: readonly LearnedRun[]): LearnedRun[] {
  return runs.filter(
    ({ run, results }, at) =>
      !runs
        .slice(0, at)
        .some(
          (one) =>
            (run.sha256 !== null && one.run.sha256 === run.sha256) || hasSameData(one.results, results),
        ),
  );
}

/** Non-zero figures that must agree for two runs to have the same data: fewer may agree by chance. */
const FEWEST_EQUAL = 3;
/** A baseline keeps seven digits. */
const ROUNDING = 1e-6;

/** Whether two runs have the same data, whatever their files: all their figures agree. */
function hasSameData(a: Results, b: Results): boolean {
  const list = (results: Results): number[] =>
    results.kind === "series"
      ? results.series.flatMap(({ values }) => values.map(Number))
      : Object.values(results.metrics);
  return agreeing(list(a), list(b)) >= FEWEST_EQUAL;
}

/** Whether a run repeats an entry of the baseline, judged without file digests. */
function isRepeated({ results }: LearnedRun, before: Baseline, at: number): boolean {
  const pairs = before.checks.flatMap(({ figure, values }): [number, number][] => {
    const found = readFigures(results, figure);
    const known = values[at] ?? null;
    return known === null || "missing" in found ? [] : [[found.readings[0]!.value, known]];
  });
  return (
    agreeing(
      pairs.map(([value]) => value),
      pairs.map(([, known]) => known),
    ) >= FEWEST_EQUAL
  );
}

/** Number of non-zero values that agree; 0 if any two differ. */
function agreeing(a: readonly number[], b: readonly number[]): number {
  const areAlike =
    a.length === b.length &&
    a.every((value, i) => Object.is(value, b[i]!) || Math.abs(value - b[i]!) <= ROUNDING * Math.abs(value));
  return areAlike ? a.filter((value) => value !== 0 && Number.isFinite(value)).length : 0;
}

/** What a run's figures were drawn from. */
export function countPrompts(results: Results): number | null {
  if (results.kind === "series") return null;
  const [any] = Object.values(results.intervals);
  return any?.clusters ?? results.metrics.sequences;
}

function isSame(a: LearnedRun["run"], b: BaselineRun): boolean {
  return a.sha256 === null ? b.sha256 === null && a.name === b.name : a.sha256 === b.sha256;
}

function refuseSmall({ run, results }: LearnedRun): void {
  if (results.kind === "series" || isEnough(results.metrics)) return;
  const { tokens, sequences } = results.metrics;
  throw new EmptyInputError(
    `${run.name} has ${plural(tokens, "token")} of ${plural(sequences, "sequence")}: too few to learn from`,
    { at: { file: run.name }, hint: "give whole runs; several files of one run belong in one directory" },
  );
}

/** The figures to learn: a figure with one reading per step becomes one figure for each step that every new run has. */
function listFigures(
  runs: readonly LearnedRun[],
  before: Baseline | undefined,
  metrics: readonly string[] | undefined,
): FigureName[] {
  const isChosen = metrics !== undefined && metrics.length > 0;
  if (!isChosen && before !== undefined && before.checks.length > 0)
    return before.checks.map(({ figure }) => figure);
  const names = isChosen ? metrics.map(parseFigureName) : listDefaults(runs);
  const figures = names.flatMap((name) => expandSteps(name, runs));
  if (figures.length > 0) return [...new Map(figures.map((one) => [one.text, one])).values()];
  throw new EmptyInputError("the runs have no figure in common", {
    hint: `name figures with --metrics, such as --metrics ${DEFAULT_METRICS.slice(0, 2).join(",")}`,
  });
}

function listDefaults(runs: readonly LearnedRun[]): FigureName[] {
  const pooled = DEFAULT_METRICS.map(parseFigureName);
  const logged = runs.flatMap(({ results }) => {
    const series = results.kind === "series" ? results.series : [];
    return series.map(({ metric }) => parseFigureName(`mean(logged.${metric})`));
  });
  return [...pooled, ...logged].filter(
    (name) =>
      runs.every(({ results }) => "readings" in readFigures(results, name)) &&
      // Pearson's r of a column of one value is undefined in every run; in one of them it is a fault of that run.
      runs.some(({ results }) => {
        const found = readFigures(results, name);
        return "readings" in found && found.readings.every(({ value }) => Number.isFinite(value));
      }),
  );
}

function expandSteps(name: FigureName, runs: readonly LearnedRun[]): FigureName[] {
  const isSteps = (name.group === "per_step" || name.group === "logged") && name.pooling === null;
  if (!isSteps || name.step !== null) return [name];
  const steps = runs.map(({ results }) => {
    const found = readFigures(results, name);
    return "readings" in found ? found.readings.map(({ step }) => step) : [];
  });
  const common = (steps[0] ?? []).filter(
    (step) => step !== null && steps.every((others) => others.includes(step)),
  );
  const bare = name.isAbsolute ? name.text.slice(1, -1) : name.text;
  return common.map((step) => parseFigureName(name.isAbsolute ? `|${bare}[${step}]|` : `${bare}[${step}]`));
}

function readForHistory(
  { run, results }: LearnedRun,
  figure: FigureName,
  scale: MetricScale,
): { value: number | null; error: number | null } {
  const found = readFigures(results, figure);
  if ("missing" in found) return { value: null, error: null };
  const { value, interval, withheld } = found.readings[0]!;
  if (!Number.isFinite(value))
    throw new SchemaError(
      `${figure.text} of ${run.name} is ${formatPlain(value)}, so nothing can be learned from this run`,
      {
        at: { file: run.name },
        hint: "leave the run out of the history, or choose other figures with --metrics",
      },
    );
  return { value, error: withheld === null ? errorOnScale(scale, interval) : null };
}
