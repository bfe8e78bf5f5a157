/**
 * One pass over a run's batches: everything that the page needs and `report` does not compute.
 *
 * @module
 */
import { join } from "node:path";
import { orNull } from "../../../../core/base/index.ts";
import { type RowSums, turnMarks } from "../../../../core/kernels/index.ts";
import type { RecordBatch } from "../../../../core/schema/index.ts";
import type { SequenceOutcome } from "../../../../core/summaries/index.ts";
import type { SamplingInfo } from "../../../../results/view.ts";
import { encodeBrief } from "../../../../results/wire/briefs.ts";
import { encodeSequence } from "../../../../results/wire/sequence.ts";
import { FileAppender } from "../cache/file-appender.ts";
import type { FileSeal } from "../cache/seal.ts";
import { buildBrief, type OwnTexts } from "./build-brief.ts";
import { buildSequence, type Row, readPrompt, type SequenceOptions } from "./build-sequence.ts";
import { addSlices, addVersionSlices } from "./slices.ts";
import { StepSeriesBuilder } from "./step-series.ts";
import { TableBuilder } from "./table-builder.ts";
import { tableRow } from "./table-row.ts";
import { TokenPass } from "./token-pass.ts";
import { encodeAlternatives } from "./top-k-store.ts";
import { type ValueScale, valueScale } from "./value-scale.ts";

/** The files of the pass. */
export const PASS_FILES = {
  sequences: "sequences.bin",
  briefs: "briefs.bin",
  topK: "topk.bin",
  deltas: "deltas.bin",
} as const;

/** Where sequences are in the files: sequence i starts at entry i; the last entry is the end. */
export interface Offsets {
  /** Bytes. */
  readonly sequences: number[];
  readonly briefs: number[];
  readonly topK: number[];
  /** Numbers of Δ. */
  readonly deltas: number[];
}

/** Features of the run's sequences, for `RunInfo`. */
export interface RunFeatures {
  readonly entropies: Set<string>;
  readonly policies: Set<string>;
  /** Keyed by content. */
  readonly sampling: Map<string, SamplingInfo>;
  briefs: boolean;
  prompts: boolean;
  advantages: boolean;
  rewards: boolean;
  correctness: boolean;
  groups: boolean;
  weightVersions: boolean;
  responseTokens: number;
}

/** What `RunInfo` and the answers' files are made of, besides sums; plain data. */
export interface PassFacts {
  readonly sequences: number;
  /** Policies with alternatives, in the order in which the file of alternatives counts them. */
  readonly topK: readonly string[];
  readonly features: RunFeatures;
  /** Null where no token has such a value. */
  readonly scales: {
    readonly entropy: ValueScale | null;
    readonly impact: ValueScale | null;
  };
}

export class RunPass {
  readonly table = new TableBuilder();
  readonly steps = new StepSeriesBuilder();
  readonly tokens = new TokenPass();
  readonly offsets: Offsets = { sequences: [0], briefs: [0], topK: [0], deltas: [0] };
  readonly topK: string[] = [];
  readonly features: RunFeatures = {
    entropies: new Set(),
    policies: new Set(),
    sampling: new Map(),
    briefs: false,
    prompts: false,
    advantages: false,
    rewards: false,
    correctness: false,
    groups: false,
    weightVersions: false,
    responseTokens: 0,
  };
  readonly #options: SequenceOptions;
  readonly #files: Readonly<Record<keyof typeof PASS_FILES, FileAppender>>;
  readonly #spelled = new Set<number>();

  private constructor(
    options: SequenceOptions,
    files: Readonly<Record<keyof typeof PASS_FILES, FileAppender>>,
  ) {
    this.#options = options;
    this.#files = files;
  }

  /** Creates the files of the pass in `directory`, which must not have them yet. */
  static async start(directory: string, options: SequenceOptions): Promise<RunPass> {
    const create = (name: string): Promise<FileAppender> => FileAppender.create(join(directory, name));
    return new RunPass(options, {
      sequences: await create(PASS_FILES.sequences),
      briefs: await create(PASS_FILES.briefs),
      topK: await create(PASS_FILES.topK),
      deltas: await create(PASS_FILES.deltas),
    });
  }

  /** Writes buffered bytes, so that the files are as long as the offsets say. */
  async flush(): Promise<void> {
    await Promise.all(Object.values(this.#files).map((file) => file.drain()));
  }

  /** Seals by file name; call after {@link flush} or {@link close}. */
  seals(): Record<string, FileSeal> {
    const names = Object.keys(PASS_FILES) as (keyof typeof PASS_FILES)[];
    return Object.fromEntries(names.map((name) => [PASS_FILES[name], this.#files[name].seal()]));
  }

  /** Writes buffered bytes and closes the files. */
  async close(): Promise<void> {
    await Promise.all(Object.values(this.#files).map((file) => file.close()));
  }

  /** A batch that lacks either policy's log-probs is skipped: summing it reports the error. */
  async add(batch: RecordBatch, sums: RowSums): Promise<void> {
    if (!batch.rolloutLogprobs || !batch.trainerLogprobs) return;
    this.#note(batch);
    this.tokens.beginBatch(batch, this.table.length);
    for (let row = 0; row < batch.length; row++) {
      this.#addRow(batch, row, sums);
      for (const file of Object.values(this.#files)) if (file.isFull) await file.drain();
    }
  }

  #note(batch: RecordBatch): void {
    const { features } = this;
    for (const name of Object.keys(batch.entropies)) features.entropies.add(name);
    for (const name of Object.keys(batch.policyLogprobs)) features.policies.add(name);
    const sampling = {
      temperature: orNull(batch.sampling.temperature ?? Number.NaN),
      top_p: orNull(batch.sampling.topP ?? Number.NaN),
      top_k: orNull(batch.sampling.topK ?? Number.NaN),
      logprobs_mode: batch.sampling.logprobsMode ?? null,
    };
    features.sampling.set(JSON.stringify(sampling), sampling);
    features.advantages ||= batch.advantages !== undefined;
    features.weightVersions ||= batch.weightVersions?.some((version) => version >= 0) === true;
    features.rewards ||= batch.rewards.some((value) => !Number.isNaN(value));
    features.correctness ||= batch.correctness.some((value) => !Number.isNaN(value));
    features.groups ||= batch.groupIds.some((id) => id !== undefined);
    features.responseTokens += batch.offsets[batch.length]!;
    for (const { ids } of Object.values(batch.topK)) for (const id of ids) if (id >= 0) this.#spelled.add(id);
  }

  #addRow(batch: RecordBatch, row: number, sums: RowSums): void {
    const [start, end] = [batch.offsets[row]!, batch.offsets[row + 1]!];
    const prompt = readPrompt(batch, row, this.#options);
    const marks = turnMarks(batch.responseMask, start, end);
    const sequence: Row = { batch, row, index: this.table.length, turnMarks: marks, prompt };
    const figures = this.tokens.addRow(sequence);
    const facts: SequenceOutcome = {
      responseTokens: end - start,
      entropySum: figures.entropySum,
      entropyTokens: figures.entropyTokens,
      reward: batch.rewards[row]!,
      correct: batch.correctness[row]!,
    };
    this.features.prompts ||= prompt.length > 0;
    this.table.add(tableRow(sequence, sums, figures), {
      sample: batch.sampleIds[row],
      group: batch.groupIds[row],
      environment: batch.environments[row],
      finish_reason: batch.finishReasons?.[row],
      engine: batch.engineIds?.[row],
      recorder: batch.recorders?.[row],
      file: batch.provenance.file,
    });
    addSlices(this.steps, batch, row, sums, figures.deltas, facts);
    addVersionSlices(this.steps, batch, row, facts);
    this.#write(sequence, figures.deltas);
  }

  #write(sequence: Row, deltas: Float64Array): void {
    const { batch, row } = sequence;
    const files = this.#files;
    const wire = buildSequence(sequence, this.#options);
    encodeSequence(wire, (bytes) => files.sequences.reserve(bytes));
    const brief = buildBrief(wire, this.#ownTexts(batch, row));
    this.features.briefs ||= brief.prompt !== "" || brief.answer !== "";
    files.briefs.append(encodeBrief(brief));
    files.deltas.append(new Uint8Array(deltas.buffer, deltas.byteOffset, deltas.byteLength));
    const alternatives = encodeAlternatives(
      batch.topK,
      this.topK,
      batch.offsets[row]!,
      batch.offsets[row + 1]!,
    );
    if (alternatives) files.topK.append(alternatives);
    this.offsets.sequences.push(files.sequences.length);
    this.offsets.briefs.push(files.briefs.length);
    this.offsets.topK.push(files.topK.length);
    this.offsets.deltas.push(files.deltas.length / 8);
  }

  #ownTexts(batch: RecordBatch, row: number): OwnTexts | undefined {
    const { hasTexts, showsTexts } = this.#options;
    if (hasTexts && batch.responseTokenIds !== undefined) return undefined;
    return {
      prompt: showsTexts ? batch.promptTexts[row] : undefined,
      answer: showsTexts ? batch.responseTexts[row] : undefined,
    };
  }

  facts(): PassFacts {
    const { entropy, impact } = this.tokens;
    return {
      sequences: this.table.length,
      topK: this.topK,
      features: this.features,
      scales: {
        entropy: entropy.count > 0 ? valueScale(entropy) : null,
        impact: impact.count > 0 ? valueScale(impact) : null,
      },
    };
  }

  /** Texts of the ids among alternatives. */
  alternativeTexts(): [id: number, text: string][] {
    return [...this.#spelled].map((id) => [id, this.#options.texts.nameOf(id)]);
  }
}
