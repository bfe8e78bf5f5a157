/**
 * The on-disk form of the record, version 1: one row per sequence, per-token columns as lists. docs/formats/record.md
 * describes it for writers.
 *
 * This module only describes columns; the Parquet writer writes the bytes.
 *
 * @module
 */
import type { NumericArray } from "../base/arrays.ts";
import { DIGITS, type RecordBatch, type Sampling, type SideFacts, type Sides } from "./record.ts";

/** Per-sequence scalars. */
export const SCALAR_COLUMNS = {
  step: "step",
  rank: "rank",
  row: "row",
  pack: "pack",
  sampleId: "sample_id",
  groupId: "group_id",
  environment: "environment",
  finishReason: "finish_reason",
  engineId: "engine_id",
  recorder: "recorder",
  cachedTokens: "cached_tokens",
  reward: "reward",
  correctness: "correctness",
  promptText: "prompt_text",
  responseText: "response_text",
  sourceOffset: "source_offset",
} as const;

/** Lists with one element per response token (in prompt columns, per prompt token). */
export const LIST_COLUMNS = {
  responseTokenIds: "response_token_ids",
  responseMask: "response_mask",
  rolloutLogprobs: "rollout_logprobs",
  trainerLogprobs: "trainer_logprobs",
  digitLogprobs: "digit_logprobs",
  advantages: "advantages",
  positionIds: "position_ids",
  weightVersions: "weight_versions",
  keptMass: "kept_mass",
  routeAgreement: "route_agreement",
  promptTokenIds: "prompt_token_ids",
  trainerPromptTokenIds: "trainer_prompt_token_ids",
} as const;

/** Prefixes of lists that exist once per policy; the policy's name follows. */
export const POLICY_PREFIXES = {
  policyLogprobs: "policy_logprobs.",
  entropies: "entropy.",
  /** One list of k per response token. */
  topKIds: "topk_ids.",
  topKLogprobs: "topk_logprobs.",
} as const;

/** Origin and sampling of a sequence, the same for all sequences of a batch. */
export const ORIGIN_COLUMNS = {
  file: "source_file",
  format: "source_format",
  trainer: "trainer",
  alignment: "alignment",
  temperature: "temperature",
  topP: "top_p",
  topK: "top_k",
  logprobsMode: "logprobs_mode",
} as const;

/** Further sampling parameters, each a column only if known. */
export const SAMPLING_COLUMNS = {
  minP: "min_p",
  repetitionPenalty: "repetition_penalty",
  presencePenalty: "presence_penalty",
  frequencyPenalty: "frequency_penalty",
} as const satisfies Partial<Record<keyof Sampling, string>>;

/** Facts about a side: `rollout_weights`, `trainer_config`, …; each a column only if known. */
export const SIDE_FACTS = [
  "software",
  "weights",
  "config",
  "topology",
  "precision",
] as const satisfies (keyof SideFacts)[];
export const SIDE_NAMES = ["rollout", "trainer"] as const satisfies (keyof Sides)[];

/** Values of one column for all rows of a batch. */
export type LayoutColumn =
  | { readonly kind: "text"; readonly name: string; readonly values: readonly (string | undefined)[] }
  /** NaN is written as null. */
  | { readonly kind: "number"; readonly name: string; readonly values: Float64Array | Int32Array }
  | ListColumn;

export interface ListColumn {
  readonly kind: "list";
  readonly name: string;
  /** NaN stays NaN. */
  readonly values: NumericArray;
  /** Row i holds entries `[offsets[i], offsets[i + 1])`. */
  readonly offsets: Int32Array;
  /** Values per entry; undefined: entries are numbers. */
  readonly inner: number | undefined;
}

/**
 * Columns of a batch in the order in which they are written. Scalars and texts are always present; lists, and columns
 * that most sources lack (finish reason, engine, …), only if the batch has them.
 */
export function layoutColumns(batch: RecordBatch): LayoutColumn[] {
  const columns = new ColumnList(batch.offsets);
  addRowColumns(columns, batch);
  addTokenColumns(columns, batch);
  columns.text(SCALAR_COLUMNS.promptText, batch.promptTexts);
  columns.text(SCALAR_COLUMNS.responseText, batch.responseTexts);
  columns.number(
    SCALAR_COLUMNS.sourceOffset,
    batch.sourceOffsets.map((offset) => (offset < 0 ? NaN : offset)),
  );
  addOriginColumns(columns, batch);
  return columns.all;
}

/** Columns in the order in which they are added. */
class ColumnList {
  readonly all: LayoutColumn[] = [];
  readonly #offsets: Int32Array;

  constructor(offsets: Int32Array) {
    this.#offsets = offsets;
  }

  number(name: string, values: Float64Array | Int32Array): void {
    this.all.push({ kind: "number", name, values });
  }

  text(name: string, values: readonly (string | undefined)[]): void {
    this.all.push({ kind: "text", name, values });
  }

  /** Adds nothing when the batch lacks the column. */
  list(
    name: string,
    values: NumericArray | undefined,
    offsets: Int32Array | undefined = this.#offsets,
    inner?: number,
  ): void {
    if (values !== undefined && offsets !== undefined)
      this.all.push({ kind: "list", name, values, offsets, inner });
  }

  /** A list of entries of several values for each response token. */
  wideList(name: string, values: NumericArray | undefined, inner: number): void {
    this.list(name, values, this.#offsets, inner);
  }
}

function addRowColumns(columns: ColumnList, batch: RecordBatch): void {
  columns.number(SCALAR_COLUMNS.step, batch.steps);
  columns.number(SCALAR_COLUMNS.rank, batch.ranks);
  columns.number(SCALAR_COLUMNS.row, batch.rows);
  columns.number(SCALAR_COLUMNS.pack, batch.packs);
  columns.text(SCALAR_COLUMNS.sampleId, batch.sampleIds);
  columns.text(SCALAR_COLUMNS.groupId, batch.groupIds);
  columns.text(SCALAR_COLUMNS.environment, batch.environments);
  if (batch.finishReasons) columns.text(SCALAR_COLUMNS.finishReason, batch.finishReasons);
  if (batch.engineIds) columns.text(SCALAR_COLUMNS.engineId, batch.engineIds);
  if (batch.recorders) columns.text(SCALAR_COLUMNS.recorder, batch.recorders);
  if (batch.cachedTokens) columns.number(SCALAR_COLUMNS.cachedTokens, batch.cachedTokens);
  columns.number(SCALAR_COLUMNS.reward, batch.rewards);
  columns.number(SCALAR_COLUMNS.correctness, batch.correctness);
}

function addTokenColumns(columns: ColumnList, batch: RecordBatch): void {
  columns.list(LIST_COLUMNS.responseTokenIds, batch.responseTokenIds);
  columns.list(LIST_COLUMNS.responseMask, batch.responseMask);
  columns.list(LIST_COLUMNS.rolloutLogprobs, batch.rolloutLogprobs);
  columns.list(LIST_COLUMNS.trainerLogprobs, batch.trainerLogprobs);
  for (const [name, values] of Object.entries(batch.policyLogprobs))
    columns.list(POLICY_PREFIXES.policyLogprobs + name, values);
  for (const [name, values] of Object.entries(batch.entropies))
    columns.list(POLICY_PREFIXES.entropies + name, values);
  for (const [name, { k, ids, logprobs }] of Object.entries(batch.topK)) {
    columns.wideList(POLICY_PREFIXES.topKIds + name, ids, k);
    columns.wideList(POLICY_PREFIXES.topKLogprobs + name, logprobs, k);
  }
  columns.wideList(LIST_COLUMNS.digitLogprobs, batch.digitLogprobs, DIGITS);
  columns.list(LIST_COLUMNS.advantages, batch.advantages);
  columns.list(LIST_COLUMNS.positionIds, batch.positionIds);
  columns.list(LIST_COLUMNS.weightVersions, batch.weightVersions);
  columns.list(LIST_COLUMNS.keptMass, batch.keptMass);
  columns.list(LIST_COLUMNS.routeAgreement, batch.routeAgreement);
  columns.list(LIST_COLUMNS.promptTokenIds, batch.promptTokenIds, batch.promptOffsets);
  columns.list(LIST_COLUMNS.trainerPromptTokenIds, batch.trainerPromptTokenIds, batch.trainerPromptOffsets);
}

/** Values that are the same for every row of a batch. */
function addOriginColumns(columns: ColumnList, { length, provenance, sampling, sides }: RecordBatch): void {
  const text = (name: string, value: string | undefined): void =>
    columns.text(name, new Array<string | undefined>(length).fill(value));
  const number = (name: string, value: number | undefined): void =>
    columns.number(name, new Float64Array(length).fill(value ?? NaN));
  text(ORIGIN_COLUMNS.file, provenance.file);
  text(ORIGIN_COLUMNS.format, provenance.format);
  text(ORIGIN_COLUMNS.trainer, provenance.trainer);
  text(ORIGIN_COLUMNS.alignment, provenance.alignment);
  number(ORIGIN_COLUMNS.temperature, sampling.temperature);
  number(ORIGIN_COLUMNS.topP, sampling.topP);
  number(ORIGIN_COLUMNS.topK, sampling.topK);
  text(ORIGIN_COLUMNS.logprobsMode, sampling.logprobsMode);
  for (const field of Object.keys(SAMPLING_COLUMNS) as (keyof typeof SAMPLING_COLUMNS)[])
    if (sampling[field] !== undefined) number(SAMPLING_COLUMNS[field], sampling[field]);
  for (const side of SIDE_NAMES)
    for (const fact of SIDE_FACTS) {
      const value = sides?.[side]?.[fact];
      if (value !== undefined) text(`${side}_${fact}`, value);
    }
}
