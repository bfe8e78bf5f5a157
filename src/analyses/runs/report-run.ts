/**
 * From paths to the report: what `logratio report` prints, as an object.
 *
 * @module
 */
import { EmptyInputError, UsageError } from "../../core/base/index.ts";
import type { RecordBatch } from "../../core/schema/index.ts";
import { plural } from "../../core/text/index.ts";
import { openRun, type Progress, type Run } from "../../input/ingest/index.ts";
import type { MismatchReport, PolicyReport } from "../../results/index.ts";
import { PARITY_TRAINERS, type ParityTrainer } from "../../trainers/index.ts";
import { type Answer, answerRun, answerRunBeside } from "../evidence/index.ts";
import { defaultThreads, summarizeBatches, testApart } from "../parallel/index.ts";
import { buildPolicyReport, PolicyRun } from "../policy/index.ts";
import { compileFilter, type FilterOptions } from "./filter-option.ts";
import { inputFlags, parseRunInput, type RunInput } from "./input-options.ts";
import { nothingToCompare } from "./nothing-to-compare.ts";
import { readBatches, sourceSummaries } from "./read-batches.ts";
import { openSpeller, spellReport } from "./spell-report.ts";
import { type ApartOptions, chooseFiles, summarizeFiles } from "./summarize-files.ts";

/** The flags of `logratio report` that decide what is in the report, under the same names. */
export interface ReportRunOptions extends RunInput, FilterOptions {
  /** Trainers whose own metrics stand beside ours: `verl`, `xtuner`. */
  readonly parity?: readonly string[];
  /** Threads that read and sum; default: 1 on one or two processors, else one per processor, at most 4. */
  readonly threads?: number;
  /** Ends the work before the next batch; the promise is rejected with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called while files are read, again and again. */
  readonly onProgress?: (progress: Progress) => void;
}

/** Not flags of the command line, or none that the command to run next needs. */
const NOT_INPUT = ["parity", "threads", "signal", "onProgress"];

/**
 * Reads a run once and reports on it: the same object that `logratio report PATHS --json` prints. Nothing is written,
 * and memory hardly grows with the run.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { reportRun } from "logratio/node";
 *
 * const report = await reportRun(["examples/demo/stale"], { steps: "10..30", parity: ["verl"] });
 * assert.equal(report.metrics.steps, 3);
 * assert(report.metrics.k3 > 0 && report.metrics.delta_abs_mean > 0.001); // nats
 * assert(report.metrics.ess > 0.99 && report.metrics.ess <= 1); // a fraction of the tokens
 * assert.equal(report.worst_tokens[0]?.handle, "s30.q48.t39");
 * assert.equal(report.parity[0]?.trainer, "verl");
 * ```
 *
 * @param paths files and directories, read as one run; `-` is standard input
 * @returns metrics (Δ, k1, k2, k3 in nats; shares, ESS and probabilities as fractions from 0 to 1), slices, the worst
 * tokens by handle, verdict, facts, and what was left out
 * @throws UsageError when options contradict each other or the paths
 * @throws NotFoundError when a path does not exist
 * @throws MissingSideError when the files hold one policy's log-probs only
 * @throws EmptyInputError when no token is left to compare
 * @throws LogratioError the first one, when no file could be read; single files that fail are findings of the report
 */
export async function reportRun(
  paths: string | readonly string[],
  options: ReportRunOptions = {},
): Promise<MismatchReport> {
  const { signal, onProgress, threads } = options;
  const list = typeof paths === "string" ? [paths] : paths;
  const parity = parseParity(options.parity ?? []);
  const filter = await compileFilter(options);
  const run = await openRun(list, { ...parseRunInput(options), ...(onProgress && { onProgress }) });
  const isStopped = (): boolean => {
    signal?.throwIfAborted();
    return false;
  };
  return reportOpenRun(run, readBatches(run, { filter, isStopped }), {
    paths: list,
    flags: inputFlags(options, NOT_INPUT),
    parity,
    ...(options.tokenizer !== undefined && { tokenizer: options.tokenizer }),
    apart: { input: options, filter, isStopped, ...(onProgress && { onProgress }) },
    ...(threads !== undefined && { threads }),
  });
}

export interface OpenRunReport {
  /** As they were given, for the command to run next. */
  readonly paths: readonly string[];
  /** The flags that chose what was read, word by word, for the same. */
  readonly flags: readonly string[];
  readonly parity: readonly ParityTrainer[];
  readonly threads?: number;
  /** Directory of the tokenizer, for the texts of mistakes. */
  readonly tokenizer?: string | undefined;
  /** Given where threads may read whole files themselves, in place of the batches: the same in another way. */
  readonly apart?: ApartOptions;
}

/**
 * The report of a run that is open, from its batches: what {@link reportRun} and the command line share.
 *
 * @throws EmptyInputError when no token is left to compare
 */
export async function reportOpenRun(
  run: Run,
  batches: AsyncIterable<RecordBatch>,
  options: OpenRunReport,
): Promise<MismatchReport> {
  const { report } = await answerOpenRun(run, batches, options);
  if (report.metrics.tokens === 0) throw nothingToCompare(report);
  return report;
}

/** The answer about a run that is open, from its batches, also where no token can be compared. */
export async function answerOpenRun(
  run: Run,
  batches: AsyncIterable<RecordBatch>,
  {
    threads = defaultThreads(),
    apart,
    tokenizer,
    ...asked
  }: OpenRunReport & { readonly trainer?: string | undefined },
): Promise<Answer> {
  const files = apart && chooseFiles(run, threads, apart);
  const evidence =
    files === undefined
      ? await summarizeBatches(batches, { threads })
      : await summarizeFiles(run, files, threads, apart!);
  const input = {
    run: run.name,
    ...asked,
    evidence,
    prompts: run.promptSummary(),
    // Reading adds to them until it ends, so they are listed after it.
    findings: run.findings.list(),
    sources: sourceSummaries(run),
  };
  const { report, diagnosis } = threads > 1 ? await answerRunBeside(input, testApart) : answerRun(input);
  const open = tokenizer === undefined ? undefined : () => openSpeller(tokenizer);
  return { report: await spellReport(report, open), diagnosis };
}

/** As {@link reportOpenRun}, of a run with one policy's log-probs only. @throws EmptyInputError when no token is left */
export async function reportOnePolicy(
  run: Run,
  batches: AsyncIterable<RecordBatch>,
  { has, error, what }: NonNullable<Run["onePolicy"]>,
  { paths, flags }: Pick<OpenRunReport, "paths" | "flags">,
): Promise<PolicyReport> {
  const policy = new PolicyRun(has);
  for await (const batch of batches) policy.add(batch);
  const result = policy.result();
  if (result.metrics.tokens === 0) {
    throw new EmptyInputError(
      `none of ${plural(result.metrics.sequences, "sequence")} has a token with mask 1 and a finite ${has} log-prob`,
      { hint: "run with --explain to see how each column was read; --mask COLUMN names another mask" },
    );
  }
  return buildPolicyReport({
    run: run.name,
    result,
    error,
    what,
    paths,
    flags,
    findings: run.findings.list(),
    sources: sourceSummaries(run),
  });
}

/** The trainers of `--parity`, by their names. @throws UsageError naming those there are. */
export function parseParity(names: readonly string[]): ParityTrainer[] {
  const given = names.map((name) => name.trim()).filter(Boolean);
  return given.map((name) => {
    const trainer = PARITY_TRAINERS.find((candidate) => candidate.name === name);
    if (!trainer) {
      throw new UsageError(`--parity: unknown trainer "${name}"`, {
        hint: `known: ${PARITY_TRAINERS.map((known) => known.name).join(", ")}`,
      });
    }
    return trainer;
  });
}
