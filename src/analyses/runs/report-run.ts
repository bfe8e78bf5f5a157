/**
 * From paths to the report: what `logratio report` prints, as an object.
 *
 * @module
 */
import type { RecordBatch } from "../../core/schema/index.ts";
import type { Run } from "../../ingest/index.ts";
import type { MismatchReport } from "../../results/report.ts";
import type { ParityTrainer } from "../../trainers/index.ts";
import { type Answer, answerRun, answerRunBeside } from "../evidence/answer.ts";
import type { RunEvidence } from "../evidence/run-evidence.ts";
import { testApart } from "../parallel/place-tests.ts";
import { defaultThreads, summarizeBatches } from "../parallel/summarize-batches.ts";
import { type ApartOptions, chooseFiles } from "./choose-files.ts";
import type { FilterOptions } from "./filter-option.ts";
import { type RunInput, readFlags } from "./input-options.ts";
import { nothingToCompare } from "./nothing-to-compare.ts";
import { parseParity } from "./parity-option.ts";
import { sourceSummaries } from "./read-batches.ts";
import { openSpeller, spellReport } from "./spell-report.ts";
import { listPaths, type ReadingOptions, startReading } from "./start-reading.ts";

/** The flags of `logratio report` that affect the report, under the same names. */
export interface ReportRunOptions extends RunInput, FilterOptions, ReadingOptions {
  /** Trainers whose own metrics are shown next to ours: `verl`, `xtuner`. */
  readonly parity?: readonly string[];
  /** Threads that read and sum; default: 1 on one or two processors, else one per processor, at most 4. */
  readonly threads?: number;
}

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
 * @throws UsageError if options contradict each other or the paths
 * @throws NotFoundError if a path does not exist
 * @throws MissingSideError if the files have only one policy's log-probs
 * @throws EmptyInputError if no token is left to compare
 * @throws LogratioError the first one, if no file could be read; single files that fail become findings of the report
 */
export async function reportRun(
  paths: string | readonly string[],
  options: ReportRunOptions = {},
): Promise<MismatchReport> {
  const { tokenizer, threads } = options;
  const list = listPaths(paths);
  const parity = await parseParity(options.parity ?? []);
  const { run, batches, ...reading } = await startReading(list, options);
  return reportOpenRun(run, batches, {
    paths: list,
    flags: readFlags(options),
    parity,
    tokenizer,
    apart: { ...options, ...reading, input: options },
    ...(threads !== undefined && { threads }),
  });
}

export interface OpenRunReport {
  /** As given by the user, for the next command. */
  readonly paths: readonly string[];
  /** The flags that chose what was read, verbatim, for the next command. */
  readonly flags: readonly string[];
  readonly parity: readonly ParityTrainer[];
  readonly threads?: number;
  /** Directory of the tokenizer, for the texts of mistakes. */
  readonly tokenizer?: string | undefined;
  /** Given if threads may read whole files themselves, instead of receiving batches. */
  readonly apart?: ApartOptions;
}

/**
 * The report on an open run, from its batches: shared by {@link reportRun} and the command line.
 *
 * @throws EmptyInputError if no token is left to compare
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

/** An answer with the evidence that it was made of. */
export interface EvidencedAnswer extends Answer {
  readonly evidence: RunEvidence;
}

/** The answer about an open run, from its batches, even if no token can be compared. */
export async function answerOpenRun(
  run: Run,
  batches: AsyncIterable<RecordBatch>,
  { threads = defaultThreads(), apart, ...asked }: OpenRunReport & Pick<AnswerOptions, "trainer">,
): Promise<EvidencedAnswer> {
  const files = apart && chooseFiles(run, threads, apart);
  if (files === undefined)
    return answerEvidence(run, await summarizeBatches(batches, { threads }), { ...asked, threads });
  // Late: only large runs are shared out among threads.
  const { summarizeFiles } = await import("./summarize-files.ts");
  return answerEvidence(run, await summarizeFiles(run, files, threads, apart!), { ...asked, threads });
}

/** How to answer from the evidence of a run. */
export interface AnswerOptions extends Omit<OpenRunReport, "apart"> {
  /** The trainer whose flags the fixes name first. */
  readonly trainer?: string | undefined;
}

/** The answer from the evidence of a run that was read completely, with the texts of its mistakes. */
export async function answerEvidence(
  run: Run,
  evidence: RunEvidence,
  { threads = 1, tokenizer, ...asked }: AnswerOptions,
): Promise<EvidencedAnswer> {
  const input = {
    run: run.name,
    ...asked,
    evidence,
    prompts: run.promptSummary(),
    // Reading adds findings until it ends, so they are listed afterwards.
    findings: run.findings.list(),
    sources: sourceSummaries(run),
  };
  const { report, diagnosis } = threads > 1 ? await answerRunBeside(input, testApart) : answerRun(input);
  const open = tokenizer === undefined ? undefined : () => openSpeller(tokenizer);
  return { report: await spellReport(report, open), diagnosis, evidence };
}
