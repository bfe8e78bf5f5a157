/**
 * The on-disk form of the record, version 1: one row per sequence, per-token columns as lists. docs/formats/record.md
 * is the description for those who write it.
 *
 * Only what can be said in columns is here; the bytes are the Parquet writer's.
 *
 * @module
 */
import type { NumericArray } from "../base/index.ts";
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
  cachedTokens: "cached_tokens",
  reward: "reward",
  correctness: "correctness",
  promptText: "prompt_text",
  responseText: "response_text",
  sourceOffset: "source_offset",
} as const;

/** Lists with one element per response token (those of prompts: per prompt token). */
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

/** Where a sequence came from and how it was sampled; the same for all sequences of a batch. */
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

/** Further sampling parameters, each a column only where it is known. */
export const SAMPLING_COLUMNS = {
  minP: "min_p",
  repetitionPenalty: "repetition_penalty",
  presencePenalty: "presence_penalty",
  frequencyPenalty: "frequency_penalty",
} as const satisfies Partial<Record<keyof Sampling, string>>;

/** What is known of a side: `rollout_weights`, `trainer_config`, …; each a column only where it is known. */
export const SIDE_FACTS = [
  "software",
  "weights",
  "config",
  "topology",
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
 * Columns of a batch in the order in which they are written. Scalars and texts are always there, lists and the columns
 * that most sources lack (why it stopped, which engine, …) only when the batch has them.
 */
export function layoutColumns(batch: RecordBatch): LayoutColumn[] {
  const { length, offsets } = batch;
  const columns: LayoutColumn[] = [];
  const number = (name: string, values: Float64Array | Int32Array): void => {
    columns.push({ kind: "number", name, values });
  };
  const text = (name: string, values: readonly (string | undefined)[]): void => {
    columns.push({ kind: "text", name, values });
  };
  const list = (
    name: string,
    values: NumericArray | undefined,
    at: Int32Array | undefined = offsets,
    inner?: number,
  ): void => {
    if (values !== undefined && at !== undefined)
      columns.push({ kind: "list", name, values, offsets: at, inner });
  };

  number(SCALAR_COLUMNS.step, batch.steps);
  number(SCALAR_COLUMNS.rank, batch.ranks);
  number(SCALAR_COLUMNS.row, batch.rows);
  number(SCALAR_COLUMNS.pack, batch.packs);
  text(SCALAR_COLUMNS.sampleId, batch.sampleIds);
  text(SCALAR_COLUMNS.groupId, batch.groupIds);
  text(SCALAR_COLUMNS.environment, batch.environments);
  if (batch.finishReasons) text(SCALAR_COLUMNS.finishReason, batch.finishReasons);
  if (batch.engineIds) text(SCALAR_COLUMNS.engineId, batch.engineIds);
  if (batch.cachedTokens) number(SCALAR_COLUMNS.cachedTokens, batch.cachedTokens);
  number(SCALAR_COLUMNS.reward, batch.rewards);
  number(SCALAR_COLUMNS.correctness, batch.correctness);
  list(LIST_COLUMNS.responseTokenIds, batch.responseTokenIds);
  list(LIST_COLUMNS.responseMask, batch.responseMask);
  list(LIST_COLUMNS.rolloutLogprobs, batch.rolloutLogprobs);
  list(LIST_COLUMNS.trainerLogprobs, batch.trainerLogprobs);
  for (const [name, values] of Object.entries(batch.policyLogprobs))
    list(POLICY_PREFIXES.policyLogprobs + name, values);
  for (const [name, values] of Object.entries(batch.entropies))
    list(POLICY_PREFIXES.entropies + name, values);
  for (const [name, { k, ids, logprobs }] of Object.entries(batch.topK)) {
    list(POLICY_PREFIXES.topKIds + name, ids, offsets, k);
    list(POLICY_PREFIXES.topKLogprobs + name, logprobs, offsets, k);
  }
  list(LIST_COLUMNS.digitLogprobs, batch.digitLogprobs, offsets, DIGITS);
  list(LIST_COLUMNS.advantages, batch.advantages);
  list(LIST_COLUMNS.positionIds, batch.positionIds);
  list(LIST_COLUMNS.weightVersions, batch.weightVersions);
  list(LIST_COLUMNS.keptMass, batch.keptMass);
  list(LIST_COLUMNS.routeAgreement, batch.routeAgreement);
  list(LIST_COLUMNS.promptTokenIds, batch.promptTokenIds, batch.promptOffsets);
  list(LIST_COLUMNS.trainerPromptTokenIds, batch.trainerPromptTokenIds, batch.trainerPromptOffsets);
  text(SCALAR_COLUMNS.promptText, batch.promptTexts);
  text(SCALAR_COLUMNS.responseText, batch.responseTexts);
  number(
    SCALAR_COLUMNS.sourceOffset,
    batch.sourceOffsets.map((offset) => (offset < 0 ? NaN : offset)),
  );

  const { provenance, sampling } = batch;
  const same = (name: string, value: string | undefined): void =>
    text(name, new Array<string | undefined>(length).fill(value));
  const sameNumber = (name: string, value: number | undefined): void =>
    number(name, new Float64Array(length).fill(value ?? NaN));
  same(ORIGIN_COLUMNS.file, provenance.file);
  same(ORIGIN_COLUMNS.format, provenance.format);
  same(ORIGIN_COLUMNS.trainer, provenance.trainer);
  same(ORIGIN_COLUMNS.alignment, provenance.alignment);
  sameNumber(ORIGIN_COLUMNS.temperature, sampling.temperature);
  sameNumber(ORIGIN_COLUMNS.topP, sampling.topP);
  sameNumber(ORIGIN_COLUMNS.topK, sampling.topK);
  same(ORIGIN_COLUMNS.logprobsMode, sampling.logprobsMode);
  for (const field of Object.keys(SAMPLING_COLUMNS) as (keyof typeof SAMPLING_COLUMNS)[])
    if (sampling[field] !== undefined) sameNumber(SAMPLING_COLUMNS[field], sampling[field]);
  for (const side of SIDE_NAMES)
    for (const fact of SIDE_FACTS) {
      const value = batch.sides?.[side]?.[fact];
      if (value !== undefined) same(`${side}_${fact}`, value);
    }
  return columns;
}
