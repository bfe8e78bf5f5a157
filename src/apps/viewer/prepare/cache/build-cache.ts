/**
 * One pass over a run, from which all answers are written:
 *
 *     batches ─┬─► RunSummary                     the report ──────────────┐
 *              └─► Answering ─┬─► RunPass     sequences.bin, briefs.bin,   ├─► write: the files of cache-files.ts, sealed
 *                             │               topk.bin, deltas.bin as it   │
 *                             │               goes; table, sums, top lists │
 *                             ├─► Doctor                                   │
 *                             └─► DigitsPass  where there is a tokenizer  ─┘
 *
 * `Answering` is a thread of its own where there is much to read (`pass/answer-thread.ts`). For a followed run, the
 * same pass reads on and writes the answers again.
 *
 * @module
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type EventSpeller, withoutTexts } from "../../../../analyses/assessment/index.ts";
import { makeDoctorReport } from "../../../../analyses/evidence/index.ts";
import { buildReportBeside, RunSummary } from "../../../../analyses/report/index.ts";
import { sourceSummaries } from "../../../../analyses/runs/read-batches.ts";
import { openSpeller, spellReport } from "../../../../analyses/runs/spell-report.ts";
import { EmptyInputError, resultJson } from "../../../../core/base/index.ts";
import { FIELDS, type RowSums } from "../../../../core/kernels/index.ts";
import type { Finding, RecordBatch } from "../../../../core/schema/index.ts";
import { openRun, type Run } from "../../../../ingest/index.ts";
import type { Diagnosis } from "../../../../results/diagnosis.ts";
import type { MismatchReport } from "../../../../results/report.ts";
import type { Answering, AnswerOptions, NamedContent } from "../pass/answer-builder.ts";
import { startAnswers } from "../pass/answer-thread.ts";
import type { RunRead } from "../pass/run-read.ts";
import { tokenSums } from "../pass/top-tokens.ts";
import { ANSWER_FILES } from "./cache-files.ts";
import type { Inputs } from "./inputs.ts";
import type { PrepareOptions, TruthSource } from "./options.ts";
import { buildRunInfo } from "./run-info.ts";
import { sealFiles } from "./seal.ts";
import type { StatesSoFar } from "./states-so-far.ts";
import { judgeFindings } from "./unfinished.ts";

/** Tokens that a diagnosis examines while the run is still being read: all sampled tokens would take a second. */
const SAMPLE_SO_FAR = 50_000;

/** The files read so far, and findings from reading them. */
export interface ReadSoFar {
  readonly run: Pick<Run, "name" | "sources"> & Partial<Pick<Run, "promptSummary">>;
  readonly findings: readonly Finding[];
  /** Files of the run that have not been read yet. */
  readonly waiting: readonly string[];
  /** The version of the answers when no file is still being written. */
  readonly version: string;
  /** Changed a moment ago: parts that could not be read may still be written. */
  readonly unsettled: ReadonlySet<string>;
}

/**
 * One read of a run, from which answers are written: once, or after each part of it.
 */
export class AnswerPass {
  readonly #paths: readonly string[];
  readonly #options: PrepareOptions;
  readonly #truths: TruthSource | undefined;
  /** Once for all states of the run. */
  #speller: Promise<EventSpeller> | undefined;
  readonly #answers: Answering;
  readonly #summary = new RunSummary({ onRows: (sums) => this.#rows.push(sums) });
  /** Sums of the rows of the batch that was added last. */
  readonly #rows: RowSums[] = [];

  private constructor(
    paths: readonly string[],
    options: PrepareOptions,
    parts: { truths: TruthSource | undefined; answers: Answering },
  ) {
    this.#paths = paths;
    this.#options = options;
    this.#truths = parts.truths;
    this.#answers = parts.answers;
  }

  /**
   * Creates the files that grow with the run in `directory`, which must not have them yet.
   *
   * @param files inputs as far as they are known by now
   */
  static async start(
    directory: string,
    paths: readonly string[],
    options: PrepareOptions,
    files: Inputs["files"],
  ): Promise<AnswerPass> {
    const { tokenizer, redact, read, truth } = options;
    const { rollout, trainer } = read?.mapping ?? {};
    const truths = tokenizer !== undefined && redact !== "text" ? await truth?.open() : undefined;
    const asked: AnswerOptions = {
      ...{ directory, tokenizer, redact },
      oneSided: rollout !== undefined && rollout === trainer,
      truthSource: truths?.source,
    };
    const answers = await startAnswers(
      asked,
      files.reduce((sum, { bytes }) => sum + bytes, 0),
    );
    return new AnswerPass(paths, options, { truths, answers });
  }

  /** After an error, the pass must not be used. */
  async read(batches: AsyncIterable<RecordBatch>): Promise<void> {
    const { signal } = this.#options;
    for await (const batch of batches) {
      signal?.throwIfAborted();
      const { responseTokenIds, rolloutLogprobs } = batch;
      const truths = responseTokenIds && rolloutLogprobs && (await this.#truths?.of(batch));
      // First: afterwards the batch's arrays may be in another thread.
      this.#summary.add(batch);
      await this.#answers.add(batch, joinRows(this.#rows.splice(0)), truths);
      // Summing is synchronous: without yielding to the event loop, an interrupt would wait until the end.
      await new Promise(setImmediate);
    }
    signal?.throwIfAborted();
    await this.#answers.flush();
  }

  /** Closes the files that grow. */
  close(): Promise<void> {
    return this.#answers.close();
  }

  /**
   * Writes all answers except the files that grow.
   *
   * @param isKept whether the directory becomes a cache that others may find
   * @returns the version of what was written: the wanted one, or another if some files were not finished
   * @throws EmptyInputError if no token can be compared
   */
  async write(
    directory: string,
    { run, findings: noticed, waiting, version: wanted, unsettled }: ReadSoFar,
    isKept = true,
  ): Promise<string> {
    const { findings, writing } = judgeFindings(noticed, waiting, unsettled);
    const version = writing.length === 0 ? wanted : `${wanted}-unfinished`;
    const read: RunRead = { name: run.name, sources: sourceSummaries(run), findings };
    const diagnosing = this.#answers.diagnose(read, isKept ? undefined : SAMPLE_SO_FAR);
    const found = await this.#buildReport(run, read, diagnosing);
    if (found.metrics.tokens === 0) refuse(found);
    const report = await this.#showTexts(found);
    const doctor = makeDoctorReport({ report, diagnosis: await diagnosing });
    const built = await this.#answers.finish({
      read,
      perStep: report.per_step,
      sums: tokenSums(this.#summary),
    });
    const info = buildRunInfo(
      {
        ...{ name: run.name, version, paths: this.#paths, options: this.#options, writing },
        ...{ hasTexts: built.hasTexts, hasDigits: built.hasDigits },
      },
      built.facts,
      this.#summary,
      report,
    );
    await writeFiles(directory, [
      [ANSWER_FILES.run, resultJson(info)],
      [ANSWER_FILES.report, resultJson(report)],
      [ANSWER_FILES.doctor, resultJson(doctor)],
      ...built.files,
    ]);
    // Last: it records length and hash of everything written.
    if (isKept) await sealFiles(directory, built.seals);
    return version;
  }

  /** Omits texts if none may be sent. */
  async #showTexts(report: MismatchReport): Promise<MismatchReport> {
    const { tokenizer, redact } = this.#options;
    if (redact !== "text") {
      const open = (): Promise<EventSpeller> => {
        this.#speller ??= openSpeller(tokenizer!);
        return this.#speller;
      };
      return spellReport(report, tokenizer === undefined ? undefined : open);
    }
    const { assessment } = report;
    return { ...report, assessment: { ...assessment, events: withoutTexts(assessment.events) } };
  }

  /** @param diagnosis made in another thread in the meantime, if there is one */
  #buildReport(
    run: ReadSoFar["run"],
    { name, findings, sources }: RunRead,
    diagnosis: Promise<Diagnosis>,
  ): Promise<MismatchReport> {
    const input = {
      run: name,
      paths: this.#paths,
      flags: this.#options.flags ?? [],
      summary: this.#summary,
      prompts: run.promptSummary?.(),
      parity: [],
      findings,
      sources,
    };
    return buildReportBeside(input, { diagnosis });
  }
}

/** Concatenates the parts. */
function joinRows(parts: readonly RowSums[]): RowSums {
  const rows = new Float64Array(parts.reduce((sum, part) => sum + part.rows.length, 0));
  const rowTurns = new Int32Array(rows.length / FIELDS);
  let at = 0;
  for (const part of parts) {
    rows.set(part.rows, at * FIELDS);
    rowTurns.set(part.rowTurns, at);
    at += part.rowTurns.length;
  }
  return { rows, rowTurns };
}

async function writeFiles(directory: string, files: readonly NamedContent[]): Promise<void> {
  for (const [name, content] of files) await writeFile(join(directory, name), content);
}

/**
 * Reads a run once and writes all answers into an empty directory.
 *
 * @returns the version of what was written: that of the inputs, or another if some of them were not finished
 * @throws what `report` throws for such input; `EmptyInputError` if no token can be compared
 */
export async function buildCache(
  directory: string,
  paths: readonly string[],
  { version, unsettled, files }: Inputs,
  options: PrepareOptions,
  states: StatesSoFar,
): Promise<string> {
  const { read, onProgress } = options;
  let share: number | undefined;
  const run = await openRun(paths, {
    ...read,
    onProgress(progress) {
      const { bytesRead, bytesTotal } = progress;
      if (bytesTotal > 0) share = bytesRead / bytesTotal;
      onProgress?.(progress);
    },
  });
  const pass = await AnswerPass.start(directory, paths, options, files);
  const write = (to: string, named: string, isKept: boolean): Promise<string> =>
    pass.write(to, { run, findings: run.findings.list(), waiting: [], version: named, unsettled }, isKept);
  const batches = run.batches()[Symbol.asyncIterator]();
  try {
    let next = await batches.next();
    const untilDue = async function* (): AsyncGenerator<RecordBatch> {
      while (!next.done) {
        yield next.value;
        next = await batches.next();
        if (states.isDue) return;
      }
    };
    while (!next.done) {
      await pass.read(untilDue());
      // After the last batch, the complete run follows at once.
      if (!next.done)
        await states.show(directory, share, (to, count) => write(to, `${version}-so-far-${count}`, false));
    }
    return await write(directory, version, true);
  } finally {
    await batches.return?.(undefined);
    await pass.close();
  }
}

function refuse({ metrics }: MismatchReport): never {
  throw new EmptyInputError(
    `nothing to show: no token of ${metrics.sequences + metrics.sequences_empty} sequences has mask 1 and a finite log-prob on both sides`,
    {
      likely: "the wrong columns were read, or the mask is inverted",
      hint: "logratio report --explain shows how each column was read",
    },
  );
}
