/**
 * One pass over a run, from which all answers are written:
 *
 *     batches ─┬─► RunPass      sequences.bin, briefs.bin, topk.bin, deltas.bin as it goes; table, sums, top lists
 *              ├─► DoctorPass                                             ┐
 *              ├─► DigitsPass   where there is a tokenizer                ├─► write: the files of cache-files.ts, sealed
 *              └─► RunSummary   what the report is made of                ┘
 *
 * For a followed run, the same pass reads on and writes the answers again.
 *
 * @module
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { summarizeBatches } from "../../../../analyses/parallel/index.ts";
import { buildReport, RunSummary } from "../../../../analyses/report/index.ts";
import { sourceSummaries } from "../../../../analyses/runs/index.ts";
import { EmptyInputError, resultJson } from "../../../../core/base/index.ts";
import type { Finding, RecordBatch } from "../../../../core/schema/index.ts";
import { openRun, type Run } from "../../../../input/ingest/index.ts";
import { openTokenizer, TokenTexts } from "../../../../input/tokens/index.ts";
import type { MismatchReport, TopTokens } from "../../../../results/index.ts";
import { encodeArrays, encodeTable } from "../../../../results/wire/index.ts";
import { type DigitsPass, startDigits } from "../pass/digits-pass.ts";
import { DoctorPass } from "../pass/doctor-pass.ts";
import { RunPass } from "../pass/run-pass.ts";
import { ANSWER_FILES, type CacheFacts, DIGITS_FILE, OFFSETS_FILE, VOCABULARY_FILE } from "./cache-files.ts";
import { CACHE_FACTS } from "./cache-place.ts";
import type { Inputs } from "./inputs.ts";
import type { PrepareOptions } from "./options.ts";
import { buildRunInfo } from "./run-info.ts";
import { sealFiles } from "./seal.ts";
import type { StatesSoFar } from "./states-so-far.ts";
import { judgeFindings } from "./unfinished.ts";

/** The files that were read, and findings of reading them. */
export interface ReadSoFar {
  readonly run: Pick<Run, "name" | "sources"> & Partial<Pick<Run, "promptSummary">>;
  readonly findings: readonly Finding[];
  /** Files that are part of the run and were not read yet. */
  readonly waiting: readonly string[];
  /** The version of the answers when no file is still being written. */
  readonly version: string;
  /** Changed a moment ago: what could not be read of them may still be on its way. */
  readonly unsettled: ReadonlySet<string>;
}

/**
 * One read of a run, from which answers are written: once, or after each part of it.
 */
export class AnswerPass {
  readonly #paths: readonly string[];
  readonly #options: PrepareOptions;
  readonly #hasTexts: boolean;
  readonly #texts: TokenTexts;
  readonly #digits: DigitsPass | undefined;
  readonly #pass: RunPass;
  readonly #doctor = new DoctorPass();
  readonly #summary = new RunSummary();
  readonly #batches = new Map<string, number>();

  private constructor(
    paths: readonly string[],
    options: PrepareOptions,
    parts: { hasTexts: boolean; texts: TokenTexts; digits: DigitsPass | undefined; pass: RunPass },
  ) {
    this.#paths = paths;
    this.#options = options;
    this.#hasTexts = parts.hasTexts;
    this.#texts = parts.texts;
    this.#digits = parts.digits;
    this.#pass = parts.pass;
  }

  /** Creates the files that grow with the run in `directory`, which must not have them yet. */
  static async start(
    directory: string,
    paths: readonly string[],
    options: PrepareOptions,
  ): Promise<AnswerPass> {
    const { tokenizer, redact } = options;
    const showsTexts = redact !== "text";
    const hasTexts = showsTexts && tokenizer !== undefined;
    const decoder = hasTexts ? await openTokenizer(tokenizer) : undefined;
    const texts = new TokenTexts(decoder);
    const digits = decoder && (await startDigits(decoder, options));
    const pass = await RunPass.start(directory, { texts, hasTexts, showsTexts });
    return new AnswerPass(paths, options, { hasTexts, texts, digits, pass });
  }

  /** After an error, the pass cannot be used. */
  async read(batches: AsyncIterable<RecordBatch>): Promise<void> {
    const passes = [this.#pass, this.#doctor, ...(this.#digits ? [this.#digits] : [])];
    const { signal } = this.#options;
    await summarizeBatches(passedOver(batches, passes, signal), {
      onto: this.#summary,
      numbers: this.#batches,
    });
    await this.#pass.flush();
  }

  /** Closes the files that grow. */
  close(): Promise<void> {
    return this.#pass.close();
  }

  /**
   * Writes all answers but the files that grow.
   *
   * @param isKept whether the directory becomes a cache that others may find
   * @returns the version of what was written: the wanted one, or another where some files were not finished
   * @throws EmptyInputError when no token can be compared
   */
  async write(
    directory: string,
    { run, findings: noticed, waiting, version: wanted, unsettled }: ReadSoFar,
    isKept = true,
  ): Promise<string> {
    const { findings, writing } = judgeFindings(noticed, waiting, unsettled);
    const version = writing.length === 0 ? wanted : `${wanted}-unfinished`;
    const report = this.#buildReport(run, findings);
    if (report.metrics.tokens === 0) refuse(report);
    const digits = this.#digits?.finish(run, findings);
    const info = buildRunInfo(
      {
        ...{ name: run.name, version, paths: this.#paths, options: this.#options, writing },
        ...{ hasTexts: this.#hasTexts, hasDigits: digits !== undefined },
      },
      this.#pass,
      this.#summary,
      report,
    );
    const answers = { ...this.#finishAnswers(report), run: info, doctor: this.#doctor.finish(run, findings) };
    await writeFiles(directory, [
      ...Object.entries(answers).map(
        ([name, answer]) => [ANSWER_FILES[name as keyof typeof answers], resultJson(answer)] as const,
      ),
      ...(digits === undefined ? [] : [[DIGITS_FILE, resultJson(digits)] as const]),
      ...this.#finishTables(),
    ]);
    // Last: it records length and hash of everything written.
    if (isKept) await sealFiles(directory, this.#pass.seals());
    return version;
  }

  #buildReport(run: ReadSoFar["run"], findings: readonly Finding[]): MismatchReport {
    return buildReport({
      run: run.name,
      paths: this.#paths,
      flags: this.#options.flags ?? [],
      summary: this.#summary,
      prompts: run.promptSummary?.(),
      parity: [],
      findings,
      sources: sourceSummaries(run),
    });
  }

  /** Answers that only the pass sums. */
  #finishAnswers(report: MismatchReport) {
    const [texts, hasTexts] = [this.#texts, this.#hasTexts];
    const { steps, tokens } = this.#pass;
    const topTokens: TopTokens = {
      ...tokens.topTokens.finish(this.#summary, texts, hasTexts),
      turns: tokens.topTurns.finish(texts, hasTexts),
    };
    return {
      report,
      steps: steps.finish(report.per_step),
      tokens: topTokens,
      "correct-bins": tokens.bins.finish(),
    };
  }

  /** Tables with positions in the files that grow. */
  #finishTables(): NamedContent[] {
    const pass = this.#pass;
    const { sequences, briefs, topK, deltas } = pass.offsets;
    const offsets = encodeArrays(null, {
      sequences: Float64Array.from(sequences),
      briefs: Float64Array.from(briefs),
      topK: Float64Array.from(topK),
      deltas: Float64Array.from(deltas),
    });
    const facts: CacheFacts = { sequences: pass.table.length, topK: pass.topK };
    return [
      [ANSWER_FILES.sequences, encodeTable(pass.table.finish())],
      [OFFSETS_FILE, offsets],
      [VOCABULARY_FILE, JSON.stringify(pass.alternativeTexts())],
      [CACHE_FACTS, JSON.stringify(facts)],
    ];
  }
}

type NamedContent = readonly [name: string, content: string | Uint8Array];

async function writeFiles(directory: string, files: readonly NamedContent[]): Promise<void> {
  for (const [name, content] of files) await writeFile(join(directory, name), content);
}

/**
 * Reads a run once and writes all answers into an empty directory.
 *
 * @returns the version of what was written: that of the inputs, or another where some of them were not finished
 * @throws what `report` throws for such input; `EmptyInputError` when no token can be compared
 */
export async function buildCache(
  directory: string,
  paths: readonly string[],
  { version, unsettled }: Inputs,
  options: PrepareOptions,
  states: StatesSoFar,
): Promise<string> {
  const { read, onProgress } = options;
  const run = await openRun(paths, { ...read, ...(onProgress && { onProgress }) });
  const pass = await AnswerPass.start(directory, paths, options);
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
        await states.show(directory, (to, count) => write(to, `${version}-so-far-${count}`, false));
    }
  } finally {
    await batches.return?.(undefined);
    await pass.close();
  }
  return write(directory, version, true);
}

async function* passedOver(
  batches: AsyncIterable<RecordBatch>,
  passes: readonly { add(batch: RecordBatch): Promise<void> }[],
  signal: AbortSignal | undefined,
): AsyncGenerator<RecordBatch> {
  for await (const batch of batches) {
    signal?.throwIfAborted();
    for (const pass of passes) await pass.add(batch);
    yield batch;
    // Summing is synchronous: without a turn of the event loop, an interrupt would wait until the end.
    await new Promise(setImmediate);
  }
  signal?.throwIfAborted();
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
