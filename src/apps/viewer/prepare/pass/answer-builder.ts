/**
 * Builds every part of a cache that needs single tokens, in any thread: for a large run one thread reads and sums for
 * the report, and another takes the same batches in the same order. The cache is byte for byte the same as from one
 * thread, which small runs use, because a second one would not be worth starting.
 *
 * @module
 */
import { Doctor, fillPaths } from "../../../../analyses/doctor/index.ts";
import { resultJson } from "../../../../core/base/index.ts";
import type { RowSums } from "../../../../core/kernels/index.ts";
import type { RecordBatch } from "../../../../core/schema/index.ts";
import { openTokenizer, TokenTexts } from "../../../../input/tokens/index.ts";
import type { Diagnosis } from "../../../../results/diagnosis.ts";
import type { StepMetrics } from "../../../../results/report.ts";
import type { TopTokens } from "../../../../results/view.ts";
import { encodeArrays } from "../../../../results/wire/arrays.ts";
import { encodeTable } from "../../../../results/wire/table.ts";
import {
  ANSWER_FILES,
  CACHE_FACTS,
  type CacheFacts,
  DIGITS_FILE,
  OFFSETS_FILE,
  VOCABULARY_FILE,
} from "../cache/cache-files.ts";
import type { FileSeal } from "../cache/seal.ts";
import { type DigitsPass, startDigits } from "./digits-pass.ts";
import { type PassFacts, RunPass } from "./run-pass.ts";
import type { RunRead } from "./run-read.ts";
import type { TokenSums } from "./top-tokens.ts";

/** Plain data, which can be sent to another thread. */
export interface AnswerOptions {
  /** An empty directory for the files that grow with the run. */
  readonly directory: string;
  readonly tokenizer: string | undefined;
  readonly redact: "text" | undefined;
  /** Whether both sides' log-probs are the same column. */
  readonly oneSided: boolean;
  /** Where ground truth comes from; undefined without one. */
  readonly truthSource: string | undefined;
}

export type NamedContent = readonly [name: string, content: string | Uint8Array];

/** Results of the report that complete the answers. */
export interface ReportParts {
  readonly read: RunRead;
  readonly perStep: readonly StepMetrics[];
  readonly sums: TokenSums;
}

export interface BuiltAnswers {
  readonly facts: PassFacts;
  readonly hasTexts: boolean;
  readonly hasDigits: boolean;
  /** All answers but those that the report's sums give. */
  readonly files: readonly NamedContent[];
  /** Of the files that grow. */
  readonly seals: Readonly<Record<string, FileSeal>>;
}

/** The same in this thread ({@link AnswerBuilder}) and in another one (`answer-thread.ts`). */
export interface Answering {
  /**
   * Takes the next batch. Its arrays and those of `sums` may be empty afterwards.
   *
   * @param sums of the report, for the batch's rows
   * @param truths of its sequences, as text
   */
  add(batch: RecordBatch, sums: RowSums, truths?: readonly (string | undefined)[]): Promise<void>;
  /** Writes buffered data, so that the files that grow are as long as the offsets say. */
  flush(): Promise<void>;
  /** The diagnosis of everything added; `sampleTokens` as in `Doctor`. */
  diagnose(read: RunRead, sampleTokens?: number): Promise<Diagnosis>;
  /** The other answers; more batches may follow. */
  finish(parts: ReportParts): Promise<BuiltAnswers>;
  /** Of the files that grow. */
  close(): Promise<void>;
}

export class AnswerBuilder implements Answering {
  readonly #hasTexts: boolean;
  readonly #texts: TokenTexts;
  readonly #digits: DigitsPass | undefined;
  readonly #pass: RunPass;
  readonly #doctor = new Doctor();

  private constructor(parts: {
    hasTexts: boolean;
    texts: TokenTexts;
    digits: DigitsPass | undefined;
    pass: RunPass;
  }) {
    this.#hasTexts = parts.hasTexts;
    this.#texts = parts.texts;
    this.#digits = parts.digits;
    this.#pass = parts.pass;
  }

  static async start(options: AnswerOptions): Promise<AnswerBuilder> {
    const { directory, tokenizer, redact } = options;
    const showsTexts = redact !== "text";
    const hasTexts = showsTexts && tokenizer !== undefined;
    const decoder = hasTexts ? await openTokenizer(tokenizer) : undefined;
    const texts = new TokenTexts(decoder);
    const digits = decoder && startDigits(decoder, options);
    const pass = await RunPass.start(directory, { texts, hasTexts, showsTexts });
    return new AnswerBuilder({ hasTexts, texts, digits, pass });
  }

  async add(batch: RecordBatch, sums: RowSums, truths?: readonly (string | undefined)[]): Promise<void> {
    await this.#pass.add(batch, sums);
    this.#doctor.add(batch);
    this.#digits?.add(batch, truths);
  }

  flush(): Promise<void> {
    return this.#pass.flush();
  }

  async diagnose({ findings, sources }: RunRead, sampleTokens?: number): Promise<Diagnosis> {
    const asked = { findings, ...(sampleTokens !== undefined && { sampleTokens }) };
    return fillPaths(this.#doctor.diagnose(asked), sources);
  }

  async finish({ read, perStep, sums }: ReportParts): Promise<BuiltAnswers> {
    const digits = this.#digits?.finish(read);
    const { steps, tokens } = this.#pass;
    const [texts, hasTexts] = [this.#texts, this.#hasTexts];
    const topTokens: TopTokens = {
      ...tokens.topTokens.finish(sums, texts, hasTexts),
      turns: tokens.topTurns.finish(texts, hasTexts),
    };
    return {
      facts: this.#pass.facts(),
      hasTexts,
      hasDigits: digits !== undefined,
      files: [
        [ANSWER_FILES.steps, resultJson(steps.finish(perStep))],
        [ANSWER_FILES.tokens, resultJson(topTokens)],
        [ANSWER_FILES["correct-bins"], resultJson(tokens.bins.finish())],
        ...(digits === undefined ? [] : [[DIGITS_FILE, resultJson(digits)] as const]),
        ...this.#finishTables(),
      ],
      seals: this.#pass.seals(),
    };
  }

  close(): Promise<void> {
    return this.#pass.close();
  }

  /** The tables of offsets into the files that grow. */
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
