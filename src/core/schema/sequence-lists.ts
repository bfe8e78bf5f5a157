import type { ArrayPlaces, RecordBatch } from "./record.ts";
import type { SequenceDraft } from "./sequence-draft.ts";

/** The columns of a batch with one element per sequence. */
type SequenceColumns = Pick<
  RecordBatch,
  | "steps"
  | "ranks"
  | "rows"
  | "packs"
  | "rewards"
  | "correctness"
  | "sourceOffsets"
  | "arrays"
  | "sampleIds"
  | "groupIds"
  | "environments"
  | "finishReasons"
  | "engineIds"
  | "recorders"
  | "cachedTokens"
  | "promptTexts"
  | "responseTexts"
  | "tokenTexts"
>;

/** Text, or undefined when the source has none. */
type Texts = (string | undefined)[];

/** Values of which each sequence has one: lists while a batch grows, typed arrays when it is finished. */
export class SequenceLists {
  #steps: number[] = [];
  #ranks: number[] = [];
  #rows: number[] = [];
  #packs: number[] = [];
  #rewards: number[] = [];
  #correctness: number[] = [];
  #sourceOffsets: number[] = [];
  #layout: ArrayPlaces["layout"] | undefined;
  #arrayStarts: number[] = [];
  #arrayWidths: number[] = [];
  #sampleIds: Texts = [];
  #groupIds: Texts = [];
  #environments: Texts = [];
  // Sparse lists, empty when no sequence has a value: most sources lack these.
  #finishReasons: string[] = [];
  #engineIds: string[] = [];
  #recorders: string[] = [];
  #cachedTokens: number[] = [];
  #promptTexts: Texts = [];
  #responseTexts: Texts = [];
  /** Sparse, as above. */
  #tokenTexts: (readonly string[])[] = [];

  /** @param index index of the sequence in its batch: its row if the source does not number rows */
  push(draft: SequenceDraft, index: number): void {
    // NaN and not 0 when unknown, since step 0 and rank 0 exist.
    this.#steps.push(draft.step ?? NaN);
    this.#ranks.push(draft.rank ?? NaN);
    this.#rows.push(draft.row ?? index);
    this.#packs.push(draft.pack ?? 0);
    this.#rewards.push(draft.reward ?? NaN);
    this.#correctness.push(draft.correctness ?? NaN);
    this.#sourceOffsets.push(draft.sourceOffset ?? -1);
    if (draft.array !== undefined) {
      this.#layout = draft.array.layout;
      this.#arrayStarts.push(draft.array.start);
      this.#arrayWidths.push(draft.array.width);
    }
    this.#sampleIds.push(draft.sampleId);
    this.#groupIds.push(draft.groupId);
    this.#environments.push(draft.environment);
    if (draft.finishReason !== undefined) this.#finishReasons[index] = draft.finishReason;
    if (draft.engineId !== undefined) this.#engineIds[index] = draft.engineId;
    if (draft.recorder !== undefined) this.#recorders[index] = draft.recorder;
    if (draft.cachedTokens !== undefined && !Number.isNaN(draft.cachedTokens))
      this.#cachedTokens[index] = draft.cachedTokens;
    this.#promptTexts.push(draft.promptText);
    this.#responseTexts.push(draft.responseText);
    // With ids, the texts would only take memory.
    const { responseTokens: texts } = draft;
    if (draft.responseTokenIds === undefined && texts?.length === draft.length)
      this.#tokenTexts[index] = texts;
  }

  /** The columns since the last call. */
  take(): SequenceColumns {
    const arrays = this.#places();
    const columns: SequenceColumns = {
      steps: Float64Array.from(this.#steps),
      ranks: Float64Array.from(this.#ranks),
      rows: Int32Array.from(this.#rows),
      packs: Int32Array.from(this.#packs),
      rewards: Float64Array.from(this.#rewards),
      correctness: Float64Array.from(this.#correctness),
      sourceOffsets: Float64Array.from(this.#sourceOffsets),
      ...(arrays && { arrays }),
      sampleIds: this.#sampleIds,
      groupIds: this.#groupIds,
      environments: this.#environments,
      ...this.#takeOptional(),
      promptTexts: this.#promptTexts,
      responseTexts: this.#responseTexts,
    };
    this.#clear();
    return columns;
  }

  /** Columns that some sequence has. */
  #takeOptional(): Pick<
    SequenceColumns,
    "finishReasons" | "engineIds" | "recorders" | "cachedTokens" | "tokenTexts"
  > {
    const { length } = this.#steps;
    const texts = (list: readonly string[]): Texts => Array.from({ length }, (_, i) => list[i]);
    const cached = this.#cachedTokens;
    const tokens = this.#tokenTexts;
    return {
      ...(this.#finishReasons.length > 0 && { finishReasons: texts(this.#finishReasons) }),
      ...(this.#engineIds.length > 0 && { engineIds: texts(this.#engineIds) }),
      ...(this.#recorders.length > 0 && { recorders: texts(this.#recorders) }),
      ...(cached.length > 0 && {
        cachedTokens: Float64Array.from({ length }, (_, i) => cached[i] ?? NaN),
      }),
      ...(tokens.length > 0 && { tokenTexts: Array.from({ length }, (_, i) => tokens[i]) }),
    };
  }

  /** Absent unless every sequence has a position: an incomplete list would misplace others. */
  #places(): ArrayPlaces | undefined {
    if (this.#layout === undefined || this.#arrayStarts.length !== this.#steps.length) return undefined;
    return {
      layout: this.#layout,
      starts: Int32Array.from(this.#arrayStarts),
      widths: Int32Array.from(this.#arrayWidths),
    };
  }

  #clear(): void {
    // Numbers were copied, so their lists keep their capacity; the lists of texts now belong to the batch.
    for (const list of [this.#steps, this.#ranks, this.#rows, this.#packs]) list.length = 0;
    for (const list of [this.#rewards, this.#correctness, this.#sourceOffsets]) list.length = 0;
    this.#arrayStarts.length = this.#arrayWidths.length = 0;
    this.#layout = undefined;
    this.#sampleIds = [];
    this.#groupIds = [];
    this.#environments = [];
    this.#finishReasons = [];
    this.#engineIds = [];
    this.#recorders = [];
    this.#cachedTokens = [];
    this.#promptTexts = [];
    this.#responseTexts = [];
    this.#tokenTexts = [];
  }
}
