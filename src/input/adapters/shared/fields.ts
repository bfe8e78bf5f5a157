/**
 * The fields that a batch of sequences can have, and the tables that say what a trainer calls them.
 *
 * @module
 */
import { SchemaError } from "../../../core/base/index.ts";

/** The name of each field in messages. */
export const FIELD_LABELS = {
  rollout: "rollout log-probs",
  trainer: "trainer log-probs",
  reference: "reference log-probs",
  rescore: "re-scored rollout log-probs",
  float32: "float32 log-probs",
  tokens: "response token ids",
  prompt: "prompt token ids",
  promptMask: "prompt mask",
  inputIds: "prompt and response token ids",
  attention: "attention mask",
  mask: "response mask",
  lossMask: "loss mask",
  actionMask: "action mask",
  assistantMask: "assistant mask",
  toolMask: "tool mask",
  envMask: "environment mask",
  positions: "position ids",
  advantages: "advantages",
  rolloutEntropy: "rollout entropy",
  trainerEntropy: "trainer entropy",
  rolloutTopIds: "rollout top-k ids",
  rolloutTopLogprobs: "rollout top-k log-probs",
  trainerTopIds: "trainer top-k ids",
  trainerTopLogprobs: "trainer top-k log-probs",
  digitLogprobs: "digit log-probs",
  digitProbs: "digit probabilities",
  tokenScores: "token-level scores",
  tokenRewards: "token-level rewards",
  reward: "reward",
  correctness: "correctness",
  group: "group ids",
  sample: "sample ids",
  environment: "environment",
  finishReason: "finish reason",
  engineId: "engine id",
  cachedTokens: "cached prompt tokens",
  step: "step",
  rank: "rank",
  row: "row",
  promptText: "prompt text",
  responseText: "response text",
  temperature: "temperature",
  topP: "top-p",
  topK: "top-k",
  minP: "min-p",
  repetitionPenalty: "repetition penalty",
  presencePenalty: "presence penalty",
  frequencyPenalty: "frequency penalty",
  padToken: "padding token id",
} as const;

export type Field = keyof typeof FIELD_LABELS;

/** Names of distributions over the ten digits, in any trainer: `[B, T, 10]`, log-probs or probabilities. */
export const DIGIT_NAMES = {
  digitLogprobs: ["digit_log_probs", "digit_logprobs", "rollout_digit_log_probs"],
  digitProbs: ["digit_probs", "digit_probabilities", "digit_distributions", "digit_distribution"],
} as const;

/**
 * Names of further log-probs of the same tokens, in any trainer, aligned like the rollout's.
 *
 * - `rescore`: the rollout policy's, from the engine's own prefill of the finished text, not from decoding.
 * - `float32`: those of the same weights in float32.
 */
export const FURTHER_NAMES = {
  rescore: [
    "rescored_log_probs",
    "rescored_logprobs",
    "rescore_log_probs",
    "rescore_logprobs",
    "rollout_rescored_log_probs",
    "rollout_rescored_logprobs",
    "prefill_log_probs",
    "prefill_logprobs",
    "rollout_prefill_log_probs",
    "rollout_prefill_logprobs",
  ],
  float32: [
    "float32_log_probs",
    "float32_logprobs",
    "fp32_log_probs",
    "fp32_logprobs",
    "ref32_log_probs",
    "ref32_logprobs",
    "reference_fp32_log_probs",
    "reference_fp32_logprobs",
    "ref_fp32_log_probs",
    "ref_fp32_logprobs",
  ],
} as const;

export type FurtherField = keyof typeof FURTHER_NAMES;

/** Every name in {@link FURTHER_NAMES} with its field. */
export const FURTHER_COLUMNS: readonly (readonly [FurtherField, string])[] = Object.entries(
  FURTHER_NAMES,
).flatMap(([field, names]) => names.map((name) => [field as FurtherField, name] as const));

/** The further columns that a source has, each under the first of its names. */
export function findFurther(has: (name: string) => boolean): (readonly [FurtherField, string])[] {
  const found = FURTHER_COLUMNS.filter(([, name]) => has(name));
  return found.filter(([field], at) => found.findIndex(([other]) => other === field) === at);
}

/** Texts, one per sequence. */
export const TEXT_FIELDS = [
  "group",
  "sample",
  "environment",
  "finishReason",
  "engineId",
  "promptText",
  "responseText",
] as const satisfies readonly Field[];

/** Possible names of each field, the best first. */
export type NameTable = Readonly<Partial<Record<Field, readonly string[]>>>;

export interface FoundColumn<V> {
  readonly name: string;
  readonly value: V;
}

export type FoundColumns<V> = ReadonlyMap<Field, FoundColumn<V>>;

/**
 * Finds each field under the first of its names that `get` knows.
 *
 * @throws SchemaError when rollout and trainer would be one column: every Δ would be 0
 */
export function findColumns<V>(
  names: NameTable,
  get: (name: string) => V | undefined,
  file: string,
): FoundColumns<V> {
  const found = new Map<Field, FoundColumn<V>>();
  for (const [field, candidates] of Object.entries(names) as [Field, readonly string[]][]) {
    for (const name of candidates) {
      const value = get(name);
      if (value !== undefined && value !== null) {
        found.set(field, { name, value });
        break;
      }
    }
  }
  refuseOneColumn(names, found, file);
  return found;
}

/**
 * A column that was named for both sides on purpose is refused earlier, unless only one side is read (`checkMapping`
 * of `ingest`).
 */
function refuseOneColumn<V>(names: NameTable, found: FoundColumns<V>, file: string): void {
  const column = found.get("rollout")?.name;
  if (column === undefined || column !== found.get("trainer")?.name) return;
  if (names.rollout?.length === 1 && names.trainer?.length === 1) return;
  throw new SchemaError(
    `${column} cannot be both the rollout and the trainer log-probs: a column always agrees with itself`,
    { at: { file, entry: column }, hint: "name the column of each side: --rollout COLUMN --trainer COLUMN" },
  );
}

/** `rollout log-probs: rollout_log_probs, float32 [64, 136]` for each field that was found. */
export function listFound<V>(columns: FoundColumns<V>, describe: (value: V) => string): string[] {
  return [...columns].map(
    ([field, { name, value }]) => `${FIELD_LABELS[field]}: ${name}, ${describe(value)}`,
  );
}

/** Labels of the fields of interest that were not found. */
export function listMissing<V>(columns: FoundColumns<V>, fields: readonly Field[]): string[] {
  return fields.filter((field) => !columns.has(field)).map((field) => FIELD_LABELS[field]);
}

/** Fields whose absence is worth a line in `--explain`. */
export const EXPLAINED_FIELDS: readonly Field[] = [
  "rollout",
  "trainer",
  "mask",
  "tokens",
  "prompt",
  "reward",
  "advantages",
  "trainerEntropy",
  "rolloutTopIds",
  "group",
  "step",
];
