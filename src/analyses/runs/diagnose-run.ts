/**
 * From paths to the diagnosis: what `logratio doctor` prints, as an object.
 *
 * @module
 */
import { UsageError } from "../../core/base/index.ts";
import type { RecordBatch } from "../../core/schema/index.ts";
import type { Run } from "../../ingest/index.ts";
import type { DoctorReport } from "../../results/doctor.ts";
import { PRESETS } from "../../trainers/index.ts";
import { type Answer, makeDoctorReport } from "../evidence/answer.ts";
import type { RunEvidence } from "../evidence/run-evidence.ts";
import type { FilterOptions } from "./filter-option.ts";
import { type RunInput, readFlags } from "./input-options.ts";
import { nothingToCompare } from "./nothing-to-compare.ts";
import { answerOpenRun } from "./report-run.ts";
import { listPaths, type ReadingOptions, startReading } from "./start-reading.ts";

/** The flags of `logratio doctor` that affect the diagnosis, under the same names. */
export interface DiagnoseRunOptions extends RunInput, FilterOptions, ReadingOptions {
  /** The trainer whose flags the fixes name first: `verl`, `slime`, …; default the trainer that wrote the files. */
  readonly for?: string;
}

/**
 * Reads a run once and says what causes its mismatch: the same object that `logratio doctor PATHS --json` prints.
 * Nothing is written, and memory hardly grows with the run.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { diagnoseRun } from "logratio/node";
 *
 * const { verdict, causes } = await diagnoseRun(["examples/demo/stale"], { steps: "10..30" });
 * assert(["healthy", "fault", "cannot_tell", "too_few"].includes(verdict));
 * const competing = causes.filter(({ coexists }) => !coexists);
 * const total = competing.reduce((sum, { probability }) => sum + probability, 0);
 * assert(total > 0 && total < 1 + 1e-9); // fractions of 1, most likely first
 * ```
 *
 * @param paths files and directories, read as one run; `-` is standard input
 * @returns verdict, causes with probabilities (fractions of 1), evidence (weights in nats of log-odds) and fixes, the
 * guilty leg if there is a re-scored column, the next experiment, and what could not be tested
 * @throws UsageError if options contradict each other or the paths
 * @throws NotFoundError if a path does not exist
 * @throws MissingSideError if the files have only one policy's log-probs
 * @throws EmptyInputError if no token is left to compare
 * @throws LogratioError the first one, if no file could be read; single files that fail become findings of the result
 */
export async function diagnoseRun(
  paths: string | readonly string[],
  options: DiagnoseRunOptions = {},
): Promise<DoctorReport> {
  const trainer = parseTrainer(options.for);
  const list = listPaths(paths);
  const { run, batches } = await startReading(list, options, { allowPositive: true });
  const { report } = await diagnoseOpenRun(run, batches, {
    paths: list,
    flags: readFlags(options),
    trainer,
    tokenizer: options.tokenizer,
  });
  return report;
}

const TRAINERS: readonly string[] = PRESETS.map(({ name }) => name);

/** The trainer of `--for`. @throws UsageError listing the known trainers */
export function parseTrainer(name: string | undefined): string | undefined {
  if (name === undefined || TRAINERS.includes(name)) return name;
  throw new UsageError(`--for: unknown trainer "${name}"`, { hint: `known: ${TRAINERS.join(", ")}` });
}

export interface OpenRunDiagnosis {
  /** As given by the user. */
  readonly paths: readonly string[];
  /** The flags that chose what was read, verbatim. */
  readonly flags: readonly string[];
  /** The trainer whose flags the fixes name first; default the trainer that wrote the files. */
  readonly trainer: string | undefined;
  /** For the texts of mistakes. */
  readonly tokenizer?: string | undefined;
}

/**
 * The diagnosis of an open run, from its batches, with the evidence, whose sample of sequences can be examined further.
 *
 * @throws EmptyInputError if no token is left to compare, and that is not the fault itself
 */
export async function diagnoseOpenRun(
  run: Run,
  batches: AsyncIterable<RecordBatch>,
  asked: OpenRunDiagnosis,
): Promise<{ readonly report: DoctorReport; readonly evidence: RunEvidence }> {
  const answer = await answerOpenRun(run, batches, { ...asked, parity: [] });
  return { report: diagnosisOf(answer), evidence: answer.evidence };
}

/**
 * The diagnosis in an answer, from one process or from merged parts.
 *
 * @throws EmptyInputError if no token is left to compare, and that is not the fault itself
 */
export function diagnosisOf(answer: Answer): DoctorReport {
  const report = makeDoctorReport(answer);
  if (!report.metrics.tokens && report.verdict !== "fault") refuseEmpty(report);
  return report;
}

function refuseEmpty({ metrics, excluded, findings }: DoctorReport): never {
  const missing = (excluded.rollout_missing ?? 0) + (excluded.trainer_missing ?? 0);
  throw nothingToCompare({
    excluded: { missing, delta_negative_infinite: 0, delta_positive_infinite: 0 },
    metrics: { sequences: metrics.sequences ?? 0 },
    findings,
  });
}
