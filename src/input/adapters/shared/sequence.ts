/**
 * One row of a padded or unpadded batch to one draft: padding cut off, prompt and mask found.
 *
 * @module
 */
import type { NumericArray } from "../../../core/base/index.ts";
import { DIGITS, type SequenceDraft, type TopKDraft } from "../../../core/schema/index.ts";
import type { Field } from "./fields.ts";

/** Fields with one array per row. */
export const ARRAY_FIELDS = [
  "rollout",
  "trainer",
  "reference",
  "tokens",
  "prompt",
  "inputIds",
  "attention",
  "mask",
  "lossMask",
  "positions",
  "advantages",
  "rolloutEntropy",
  "trainerEntropy",
  "rolloutTopIds",
  "rolloutTopLogprobs",
  "trainerTopIds",
  "trainerTopLogprobs",
  "digitLogprobs",
  "digitProbs",
  "tokenScores",
] as const satisfies readonly Field[];

export type ArrayField = (typeof ARRAY_FIELDS)[number];
export type RowArrays = Partial<Record<ArrayField, NumericArray>>;

/** Of these a row has as many as response tokens, in the source's padding. */
export const ALIGNED_FIELDS = [
  "trainer",
  "rollout",
  "reference",
  "tokens",
  "mask",
  "advantages",
  "rolloutEntropy",
  "trainerEntropy",
  "tokenScores",
] as const satisfies readonly ArrayField[];

export interface RowScalars {
  readonly reward?: number | undefined;
  readonly correctness?: number | undefined;
  readonly advantage?: number | undefined;
  readonly step?: number | undefined;
  readonly rank?: number | undefined;
  readonly row?: number | undefined;
  readonly sourceOffset?: number | undefined;
  readonly group?: string | undefined;
  readonly sample?: string | undefined;
  readonly environment?: string | undefined;
  readonly promptText?: string | undefined;
  readonly responseText?: string | undefined;
}

export interface RowLayout {
  /** Rows were brought to one width, so what lies behind the last token is padding. */
  readonly padded: boolean;
  /** Padding token of prompts; undefined: only an attention mask tells. */
  readonly padToken?: number | undefined;
  /** Further policies' log-probs. */
  readonly policies?: Readonly<Record<string, NumericArray>> | undefined;
}

/** Index behind the last non-zero element. */
function endOfOnes(values: NumericArray): number {
  let end = values.length;
  while (end > 0 && values[end - 1] === 0) end--;
  return end;
}

/** The last `width` columns; the array itself when it is not wider. */
function tail(values: NumericArray | undefined, width: number): NumericArray | undefined {
  if (values === undefined || values.length < width) return undefined;
  return values.subarray(values.length - width);
}

function findMask(arrays: RowArrays, width: number): NumericArray | undefined {
  return arrays.mask ?? tail(arrays.lossMask, width) ?? tail(arrays.attention, width);
}

/** How many of `width` columns are response tokens. */
function responseLength(arrays: RowArrays, width: number, padded: boolean): number {
  const attention = tail(arrays.attention, width);
  if (attention !== undefined) return endOfOnes(attention);
  const mask = padded ? findMask(arrays, width) : undefined;
  return mask === undefined || mask.length !== width ? width : endOfOnes(mask);
}

function findPrompt(
  arrays: RowArrays,
  width: number,
  padToken: number | undefined,
): NumericArray | undefined {
  const { inputIds, attention } = arrays;
  const prompt =
    arrays.prompt ??
    (inputIds !== undefined && inputIds.length > width
      ? inputIds.subarray(0, -width || undefined)
      : undefined);
  if (prompt === undefined) return undefined;
  if (attention !== undefined && attention.length === prompt.length + width) {
    let start = 0;
    while (start < prompt.length && attention[start] === 0) start++;
    return prompt.subarray(start, endOfOnes(attention.subarray(0, prompt.length)));
  }
  let start = 0;
  if (padToken !== undefined) while (start < prompt.length && prompt[start] === padToken) start++;
  return prompt.subarray(start);
}

function sum(values: NumericArray): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

function topK(
  ids: NumericArray | undefined,
  logprobs: NumericArray | undefined,
  width: number,
  length: number,
): TopKDraft | undefined {
  if (ids === undefined || logprobs === undefined || width === 0) return undefined;
  const k = ids.length / width;
  if (!Number.isInteger(k) || k === 0 || logprobs.length !== ids.length) return undefined;
  const kept = Float32Array.from(logprobs.subarray(0, k * length));
  // Where there is no alternative there is no log-prob either, whatever the padding says.
  for (let i = 0; i < kept.length; i++) if (ids[i]! < 0) kept[i] = NaN;
  return { k, ids: ids.subarray(0, k * length), logprobs: kept };
}

/** A row's distributions over the digits as log-probs; as many tokens as the response has. */
function digitLogprobs(
  { digitLogprobs: logprobs, digitProbs: given }: RowArrays,
  width: number,
  length: number,
): NumericArray | undefined {
  const values = logprobs ?? given;
  if (values === undefined) return undefined;
  // Uncut, so that what does not fit is named with its own length.
  const own = values.length === width * DIGITS ? values.subarray(0, length * DIGITS) : values;
  // "Distribution" says neither: probabilities are not negative.
  if (logprobs !== undefined || own.some((value) => value < 0)) return own;
  return Float64Array.from(own, Math.log);
}

function some<T>(entries: readonly (readonly [string, T | undefined])[]): Record<string, T> | undefined {
  const known = entries.filter((entry): entry is readonly [string, T] => entry[1] !== undefined);
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

/**
 * A row's arrays and scalars as a draft. Arrays of unequal lengths are passed on uncut, so that the one that does not
 * fit is named with its own length.
 */
export function toDraft(arrays: RowArrays, scalars: RowScalars, layout: RowLayout): SequenceDraft {
  const width = (arrays.tokens ?? arrays.rollout ?? arrays.trainer)?.length ?? 0;
  const mask = findMask(arrays, width);
  const others = [
    mask,
    ...ALIGNED_FIELDS.map((field) => arrays[field]),
    ...Object.values(layout.policies ?? {}),
  ];
  const fits = others.every((array) => array === undefined || array.length === width);
  const length = fits ? responseLength(arrays, width, layout.padded) : width;
  const cut = <A extends NumericArray | undefined>(values: A): A =>
    (values === undefined || length === width ? values : values.subarray(0, length)) as A;

  const { tokenScores } = arrays;
  const policies: [string, NumericArray | undefined][] = Object.entries(layout.policies ?? {}).map(
    ([name, values]) => [name, cut(values)],
  );
  return {
    length,
    responseMask: cut(mask) ?? new Uint8Array(length).fill(1),
    rolloutLogprobs: cut(arrays.rollout),
    trainerLogprobs: cut(arrays.trainer),
    responseTokenIds: cut(arrays.tokens ?? tail(arrays.inputIds, width)),
    policyLogprobs: some([["reference", cut(arrays.reference)], ...policies]),
    entropies: some([
      ["rollout", cut(arrays.rolloutEntropy)],
      ["trainer", cut(arrays.trainerEntropy)],
    ]),
    topK: some([
      ["rollout", topK(arrays.rolloutTopIds, arrays.rolloutTopLogprobs, width, length)],
      ["trainer", topK(arrays.trainerTopIds, arrays.trainerTopLogprobs, width, length)],
    ]),
    digitLogprobs: digitLogprobs(arrays, width, length),
    advantages: cut(arrays.advantages) ?? scalars.advantage,
    positionIds: cut(tail(arrays.positions, width)),
    promptTokenIds: findPrompt(arrays, width, layout.padToken),
    reward: tokenScores === undefined ? scalars.reward : sum(cut(tokenScores)),
    correctness: scalars.correctness,
    step: scalars.step,
    rank: scalars.rank,
    row: scalars.row,
    sourceOffset: scalars.sourceOffset,
    array: layout.padded ? { layout: "padded", start: 0, width } : undefined,
    groupId: scalars.group,
    sampleId: scalars.sample,
    environment: scalars.environment,
    promptText: scalars.promptText,
    responseText: scalars.responseText,
  };
}

/** Where the response mask comes from, when no column says so itself; for `--explain`. */
export function explainMask(has: (field: Field) => boolean): string | undefined {
  if (has("mask")) return undefined;
  if (has("lossMask")) return "response mask: the last columns of the loss mask";
  if (has("attention"))
    return "response mask: the last columns of the attention mask, so tool output counts as sampled";
  return "response mask: not present, so every token counts as sampled";
}
