/**
 * From paths to a gate's result, and from a history of runs to a baseline.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { basename } from "node:path";
import { NotFoundError, UsageError } from "../../core/base/index.ts";
import { readTextIfPresent } from "../../input/io/index.ts";
import type { GateReport } from "../../results/gate.ts";
import type { MismatchReport } from "../../results/report.ts";
import type { SeriesReport } from "../../results/series.ts";
import { parseCondition } from "../conditions/condition.ts";
import type { Baseline } from "../gate/baseline.ts";
import { evaluateGate } from "../gate/evaluate-gate.ts";
import { distinctRuns, type LearnedRun, type LearnOptions, learnBaseline } from "../gate/learn.ts";
import { parseBaseline, writeBaseline } from "../rule-files/baseline-file.ts";
import { digestFiles } from "./compare-inputs.ts";
import { compileFilter, type FilterOptions } from "./filter-option.ts";
import { type RunInput, readFlags } from "./input-options.ts";
import { filesOfLogged, hasNoDumps, readLogged, reportBesideLogged } from "./read-logged.ts";
import { readReportFile } from "./read-report-file.ts";
import { reportOpenRun } from "./report-run.ts";
import { listPaths, type ReadingOptions, startReading } from "./start-reading.ts";

/** How the runs of a gate are read: flags of the command line, under the same names. */
export interface GateInput extends RunInput, FilterOptions, ReadingOptions {
  /** For the texts of mistakes, if `tokenizer` is not given. */
  readonly foundTokenizer?: string;
}

/** What a run is checked against, and how it is read. */
export interface GateRunOptions extends GateInput {
  /** File of the baseline. */
  readonly against?: string;
  /** Conditions that must hold: `delta_abs_mean <= 0.015`. */
  readonly limits?: readonly string[];
  /** Chance that a healthy run fails, without a baseline; default 0.01. */
  readonly alpha?: number;
  /** Whether undecidable checks pass. */
  readonly allowUndecidable?: boolean;
}

/**
 * Judges a run by limits and by the baseline of a history, as `logratio gate PATHS --json` does. Nothing is written.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { gateRun } from "logratio/node";
 *
 * const report = await gateRun("examples/demo/stale", { limits: ["delta_abs_mean <= 0.1", "ess >= 0.9999"] });
 * assert.equal(report.passed, false);
 * assert.deepEqual(
 *   report.checks.map(({ metric, outcome }) => [metric, outcome]),
 *   [["non_finite_tokens", "pass"], ["delta_abs_mean", "pass"], ["ess", "fail"]],
 * );
 * ```
 *
 * @param paths files and directories, read as one run; a single file of `logratio report --json` replaces its run
 * @returns each check with its figure, its interval and its outcome (figures in the units of `reportRun`), and whether all passed
 * @throws UsageError if options contradict each other, or there is nothing to check
 * @throws NotFoundError if a path or the baseline does not exist
 * @throws SchemaError, FormatError, VersionError if the baseline cannot be read
 * @throws LogratioError like `reportRun`, if the run cannot be read
 */
export async function gateRun(
  paths: string | readonly string[],
  options: GateRunOptions = {},
): Promise<GateReport> {
  const { against, limits = [], alpha, allowUndecidable } = options;
  const conditions = limits.map((text) => ({ condition: parseCondition(text) }));
  if (alpha !== undefined) checkAlpha(alpha);
  if (against !== undefined && alpha !== undefined)
    throw new UsageError("--alpha belongs to the baseline and is set when the baseline is learned", {
      hint: "add --update, or leave out --alpha",
    });
  const baseline = against === undefined ? undefined : await openBaseline(against);
  const results = await readResults(listPaths(paths), options);
  return evaluateGate(results, {
    ...(baseline !== undefined && { baseline }),
    ...(against !== undefined && { baselineName: against }),
    limits: conditions,
    ...(alpha !== undefined && { alpha }),
    ...(allowUndecidable !== undefined && { allowUndecidable }),
  });
}

async function openBaseline(file: string): Promise<Baseline> {
  const text = await readTextIfPresent(file);
  if (text === undefined)
    throw new NotFoundError(`there is no baseline ${file}`, {
      at: { file },
      hint: `learn one from sound runs: logratio gate RUN RUN RUN --update --against ${file}`,
    });
  return parseBaseline(text, file);
}

export interface UpdateOptions extends GateInput, Pick<LearnOptions, "metrics" | "alpha"> {
  readonly against: string;
  readonly limits?: readonly string[];
  /** Discards the runs, figures and limits of the file. */
  readonly replace?: boolean;
  /** Date of the new runs, as it should be written. */
  readonly date?: string;
}

/** A baseline that was learned, and the text of its file. */
export interface UpdatedBaseline {
  readonly text: string;
  readonly baseline: Baseline;
  readonly before: Baseline | undefined;
  readonly results: readonly (MismatchReport | SeriesReport)[];
  /** Paths of runs with the same files as an earlier one: they are learned from once. */
  readonly repeated: readonly string[];
}

/** Reads each path as one run and adds it to the runs of the file to learn a baseline. Writes nothing. */
export async function learnFromRuns(
  paths: readonly string[],
  options: UpdateOptions,
): Promise<UpdatedBaseline> {
  const { against, limits = [], alpha, metrics, date, replace = false } = options;
  if (alpha !== undefined) checkAlpha(alpha);
  const added = limits.map((text) => ({ condition: parseCondition(text) }));
  const textBefore = replace ? undefined : await readTextIfPresent(against);
  const before = textBefore === undefined ? undefined : parseBaseline(textBefore, against);
  const runs: LearnedRun[] = [];
  for (const path of paths) {
    const results = await readResults([path], options);
    runs.push({ run: await describeRun(path, results, date), results });
  }
  const learned = learnBaseline(runs, before, {
    ...(metrics !== undefined && { metrics }),
    ...(alpha !== undefined && { alpha }),
  });
  const known = new Set(learned.limits.map(({ condition }) => condition.text));
  const fresh = added.filter(({ condition }) => !known.has(condition.text));
  const baseline = { ...learned, limits: [...learned.limits, ...fresh] };
  // New limits rewrite the list; otherwise its comments are kept.
  const text = writeBaseline(baseline, fresh.length === 0 ? textBefore : undefined);
  const distinct = new Set(distinctRuns(runs));
  const repeated = paths.filter((_, i) => !distinct.has(runs[i]!));
  return { text, baseline, before, results: runs.map(({ results }) => results), repeated };
}

async function describeRun(
  path: string,
  results: MismatchReport | SeriesReport,
  date: string | undefined,
): Promise<LearnedRun["run"]> {
  const isReport = (await readReportFile(path)) !== undefined;
  const listed = results.kind === "series" ? results.files : results.sources;
  const files = isReport ? [path] : [...new Set(listed.map(({ file }) => file))];
  const digests = await digestFiles(files);
  const areKnown = digests.every((digest) => digest !== null);
  const whole = createHash("sha256")
    .update([...digests].sort().join("\n"))
    .digest("hex");
  return {
    // Not the path: the file is shared, and one machine's directories mean nothing to others.
    name: basename(path.replace(/[/\\]+$/, "")) || path,
    date: date ?? null,
    files: files.length,
    sha256: areKnown ? whole : null,
  };
}

function checkAlpha(alpha: number): void {
  if (!(alpha > 0 && alpha < 1)) throw new UsageError(`--alpha must lie between 0 and 1, not ${alpha}`);
}

/** The report on one run: from its dumps, from logged metrics, from both, or from a report's file. */
async function readResults(
  paths: readonly string[],
  options: GateInput,
): Promise<MismatchReport | SeriesReport> {
  const [first] = paths;
  const written = paths.length === 1 && first !== undefined ? await readReportFile(first) : undefined;
  if (written !== undefined) return written;
  const filter = await compileFilter(options);
  const { logged, others, areDirectories } = await readLogged(paths);
  if (logged !== undefined && others.length === 0) return logged;
  const readApart = filesOfLogged(logged);
  const started = await startReading(others, options, { readApart }, filter).catch((error: unknown) => {
    if (logged !== undefined && areDirectories && hasNoDumps(error)) return undefined;
    throw error;
  });
  if (started === undefined) return logged!;
  const { run, batches, ...reading } = started;
  return reportBesideLogged(logged, [], (parity) =>
    reportOpenRun(run, batches, {
      paths: others,
      flags: readFlags(options),
      tokenizer: options.tokenizer ?? options.foundTokenizer,
      parity,
      apart: { ...options, ...reading, input: options },
    }),
  );
}
