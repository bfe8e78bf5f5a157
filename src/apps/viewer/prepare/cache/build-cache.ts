/**
 * One pass over a run, and all answers written of it.
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
import type { ValueSketch } from "../../../../core/summaries/index.ts";
import { openRun, type Run } from "../../../../input/ingest/index.ts";
import { openTokenizer, TokenTexts } from "../../../../input/tokens/index.ts";
import type { MismatchReport } from "../../../../results/index.ts";
import { type RunInfo, type TopTokens, VIEW_SCHEMA_VERSION } from "../../../../results/index.ts";
import { encodeArrays, encodeTable } from "../../../../results/wire/index.ts";
import { shippedCorrections } from "../correct/shipped.ts";
import { type DigitsPass, startDigits } from "../pass/digits-pass.ts";
import { DoctorPass } from "../pass/doctor-pass.ts";
import { RunPass } from "../pass/run-pass.ts";
import { CACHE_FACTS } from "./cache-place.ts";
import type { Inputs } from "./inputs.ts";
import type { PrepareOptions } from "./options.ts";
import { sealFiles } from "./seal.ts";

/** Answers that are sent as they are written, by their path below `api/`. */
export const ANSWER_FILES = {
  run: "run.json",
  report: "report.json",
  steps: "steps.json",
  tokens: "tokens.json",
  "correct-bins": "correct-bins.json",
  doctor: "doctor.json",
  sequences: "table.bin",
} as const;
export type AnswerName = keyof typeof ANSWER_FILES;
/** Only where `RunInfo.has.digits`. */
export const DIGITS_FILE = "digits.json";
export const OFFSETS_FILE = "offsets.bin";
export const VOCABULARY_FILE = "vocabulary.json";

/** What opening a cache has to know that no answer says. */
export interface CacheFacts {
  readonly sequences: number;
  /** Policies with alternatives, as `topk.bin` counts them. */
  readonly topK: readonly string[];
}

/** p99.5: all but the most extreme tokens are told apart by color. */
const SCALE_QUANTILE = 0.995;

/** Of which files the answers are, and what reading them noticed. */
export interface ReadSoFar {
  readonly run: Pick<Run, "name" | "sources"> & Partial<Pick<Run, "promptSummary">>;
  readonly findings: readonly Finding[];
  /** Files that are part of the run and were not read yet. */
  readonly waiting: readonly string[];
  /** The version of the answers when no file is still being written. */
  readonly version: string;
  /** Changed a moment ago: what could not be read of them is still to come. */
  readonly unsettled: ReadonlySet<string>;
}

/**
 * One read of a run, of which answers are written: once, or after each part of it.
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

  /** The files that grow with the run are made in `directory`, which must be empty of them. */
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

  /** After an error the pass is of no use. */
  async read(batches: AsyncIterable<RecordBatch>): Promise<void> {
    const passes = [this.#pass, this.#doctor, ...(this.#digits ? [this.#digits] : [])];
    const { signal } = this.#options;
    await summarizeBatches(passedOver(batches, passes, signal), { onto: this.#summary });
    await this.#pass.flush();
  }

  /** Of the files that grow. */
  close(): Promise<void> {
    return this.#pass.close();
  }

  /**
   * Writes all answers but the files that grow.
   *
   * @returns the version of what was written: the wanted one, or another where some files were not finished
   * @throws EmptyInputError when no token can be compared
   */
  async write(
    directory: string,
    { run, findings: noticed, waiting, version: wanted, unsettled }: ReadSoFar,
  ): Promise<string> {
    const [pass, summary, options] = [this.#pass, this.#summary, this.#options];
    const [texts, hasTexts] = [this.#texts, this.#hasTexts];
    const unfinished = noticed.filter((finding) => isUnfinished(finding, unsettled));
    const findings = [
      ...noticed.map((finding) =>
        unfinished.includes(finding) ? stillWritten(finding.at.file!, finding.count) : finding,
      ),
      ...waiting.map((file) => stillWritten(file, 1)),
    ];
    const writing = [...new Set([...unfinished.map(({ at }) => at.file!), ...waiting])];
    const version = writing.length === 0 ? wanted : `${wanted}-unfinished`;
    const report = buildReport({
      run: run.name,
      paths: this.#paths,
      flags: this.#options.flags ?? [],
      summary,
      prompts: run.promptSummary?.(),
      parity: [],
      findings,
      sources: sourceSummaries(run),
    });
    if (report.metrics.tokens === 0) refuse(report);
    const digits = this.#digits?.finish(run, findings);
    const answers: Record<Exclude<AnswerName, "sequences">, unknown> = {
      run: runInfo(run, pass, summary, report, {
        version,
        paths: this.#paths,
        options,
        hasTexts,
        hasDigits: digits !== undefined,
        writing,
      }),
      report,
      steps: pass.steps.finish(report.per_step),
      tokens: {
        ...pass.tokens.topTokens.finish(summary, texts, hasTexts),
        turns: pass.tokens.topTurns.finish(texts, hasTexts),
      } satisfies TopTokens,
      "correct-bins": pass.tokens.bins.finish(),
      doctor: this.#doctor.finish(run, findings),
    };
    const write = (name: string, content: string | Uint8Array): Promise<void> =>
      writeFile(join(directory, name), content);
    for (const [name, answer] of Object.entries(answers))
      await write(ANSWER_FILES[name as AnswerName], resultJson(answer));
    if (digits !== undefined) await write(DIGITS_FILE, resultJson(digits));
    await write(ANSWER_FILES.sequences, encodeTable(pass.table.finish()));
    const { sequences, topK, deltas } = pass.offsets;
    await write(
      OFFSETS_FILE,
      encodeArrays(null, {
        sequences: Float64Array.from(sequences),
        topK: Float64Array.from(topK),
        deltas: Float64Array.from(deltas),
      }),
    );
    await write(VOCABULARY_FILE, JSON.stringify(pass.alternativeTexts()));
    const facts: CacheFacts = { sequences: pass.table.length, topK: pass.topK };
    await write(CACHE_FACTS, JSON.stringify(facts));
    await sealFiles(directory, pass.seals());
    return version;
  }
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
): Promise<string> {
  const { read, onProgress } = options;
  const run = await openRun(paths, { ...read, ...(onProgress && { onProgress }) });
  const pass = await AnswerPass.start(directory, paths, options);
  try {
    await pass.read(run.batches());
  } finally {
    await pass.close();
  }
  return pass.write(directory, { run, findings: run.findings.list(), waiting: [], version, unsettled });
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
    // Summing is synchronous: without a turn of the event loop an interrupt would wait for the end.
    await new Promise(setImmediate);
  }
  signal?.throwIfAborted();
}

/** What could not be read of a file that was changed a moment ago is still to come. */
export function isUnfinished({ at, severity, code }: Finding, unsettled: ReadonlySet<string>): boolean {
  if (at.file === undefined || !unsettled.has(at.file)) return false;
  return severity === "skipped" || code === "partial-line";
}

function stillWritten(file: string, count: number): Finding {
  const message = `${file} is still being written and will be read when it is complete`;
  return { code: "note", severity: "info", message, count, at: { file } };
}

function refuse({ metrics }: MismatchReport): never {
  throw new EmptyInputError(
    `nothing to show: of ${metrics.sequences + metrics.sequences_empty} sequences no token has mask 1 and a finite log-prob on both sides`,
    {
      likely: "the wrong columns were read, or the mask is inverted",
      hint: "logratio report --explain shows how each column was read",
    },
  );
}

function runInfo(
  run: ReadSoFar["run"],
  { features, topK, table, k3, tokens }: RunPass,
  { total, ranks, environments }: RunSummary,
  { metrics, per_step, findings }: MismatchReport,
  {
    version,
    paths,
    options,
    hasTexts,
    hasDigits,
    writing,
  }: {
    version: string;
    paths: readonly string[];
    options: PrepareOptions;
    hasTexts: boolean;
    hasDigits: boolean;
    writing: readonly string[];
  },
): RunInfo {
  return {
    schemaVersion: VIEW_SCHEMA_VERSION,
    kind: "view-run",
    name: run.name,
    version,
    sequences: table.length,
    tokens: metrics.tokens,
    all_tokens: features.responseTokens,
    steps: per_step.flatMap(({ step }) => step ?? []),
    ranks: ranks.sorted().map(([rank]) => rank),
    environments: environments.sorted().map(([name]) => name),
    turns_max: metrics.turns_max,
    top_k: topK,
    entropies: [...features.entropies],
    policies: [...features.policies],
    has: {
      texts: hasTexts,
      prompts: features.prompts,
      advantages: features.advantages,
      rewards: features.rewards,
      correctness: features.correctness,
      groups: features.groups,
      weight_versions: features.weightVersions,
      digits: hasDigits,
    },
    shipped: shippedCorrections(),
    scales: {
      delta: chooseScale(total.deltas.absolute()),
      k3: chooseScale(k3),
      prob_diff: chooseScale(total.probDiffs!.absolute()),
      entropy: tokens.entropy.count > 0 ? chooseScale(tokens.entropy) : null,
    },
    tokenizer: options.tokenizer ?? null,
    input: { paths, flags: options.flags ?? [] },
    sampling: [...features.sampling.values()],
    compared: null,
    status: options.following ? "reading" : "ready",
    ...(writing.length > 0 && { writing }),
    redacted: options.redact === "text",
    findings,
  };
}

/** Where almost all values are 0 the largest one, and 1e-6 where all are: no scale is empty. */
function chooseScale(sketch: ValueSketch): number {
  const [value = 0] = sketch.quantiles([SCALE_QUANTILE]);
  if (value > 0) return value;
  return sketch.max > 0 ? sketch.max : 1e-6;
}
