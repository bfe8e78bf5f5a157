/**
 * Turns one row of a padded or unpadded batch into a draft: cuts off padding, finds prompt and mask.
 *
 * @module
 */
import type { NumericArray } from "../../../core/base/index.ts";
import { DIGITS, type SequenceDraft, type TopKDraft } from "../../../core/schema/index.ts";
import type { Field } from "./fields.ts";
import { combineMasks, takeTail } from "./masks.ts";

/** Fields with one array per row. */
export const ARRAY_FIELDS = [
  "rollout",
  "trainer",
  "reference",
  "rescore",
  "float32",
  "tokens",
  "prompt",
  "inputIds",
  "promptMask",
  "attention",
  "mask",
  "lossMask",
  "actionMask",
  "assistantMask",
  "toolMask",
  "envMask",
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
  "tokenRewards",
] as const satisfies readonly Field[];

export type ArrayField = (typeof ARRAY_FIELDS)[number];
export type RowArrays = Partial<Record<ArrayField, NumericArray>>;

/** Fields with one entry per response token, padded like the source. */
export const ALIGNED_FIELDS = [
  "trainer",
  "rollout",
  "reference",
  "rescore",
  "float32",
  "tokens",
  "mask",
  "advantages",
  "rolloutEntropy",
  "trainerEntropy",
  "tokenScores",
  "tokenRewards",
] as const satisfies readonly ArrayField[];

export interface RowScalars {
  readonly reward?: number | undefined;
  readonly correctness?: number | undefined;
  readonly advantage?: number | undefined;
  readonly step?: number | undefined;
  readonly rank?: number | undefined;
  readonly row?: number | undefined;
  /** Row of the pack that holds the sequence. */
  readonly pack?: number | undefined;
  readonly sourceOffset?: number | undefined;
  readonly group?: string | undefined;
  readonly sample?: string | undefined;
  readonly environment?: string | undefined;
  readonly finishReason?: string | undefined;
  readonly engineId?: string | undefined;
  readonly cachedTokens?: number | undefined;
  readonly promptText?: string | undefined;
  readonly responseText?: string | undefined;
}

export interface RowLayout {
  /** Rows were padded to one width, so everything after the last token is padding. */
  readonly padded: boolean;
  /** Responses end at the last column of their rows, after padding or the prompt's end. */
  readonly isLeftPadded?: boolean;
  /** Padding token of prompts; undefined when only an attention mask marks padding. */
  readonly padToken?: number | undefined;
  /** Further policies' log-probs. */
  readonly policies?: Readonly<Record<string, NumericArray>> | undefined;
}

/** Index of the first non-zero element; the length when there is none. */
function startOfOnes(values: NumericArray): number {
  let start = 0;
  while (start < values.length && values[start] === 0) start++;
  return start;
}

/** Index after the last non-zero element. */
function endOfOnes(values: NumericArray): number {
  let end = values.length;
  while (end > 0 && values[end - 1] === 0) end--;
  return end;
}

/** How many of `width` columns precede the padding on the right. */
function findEnd(arrays: RowArrays, mask: NumericArray | undefined, width: number, padded: boolean): number {
  const attention = takeTail(arrays.attention, width);
  if (attention !== undefined) return endOfOnes(attention);
  // Tool output may end a response: if there is a separate response mask, the others do not cut it.
  const response = arrays.mask ?? mask;
  return !padded || response === undefined || response.length !== width ? width : endOfOnes(response);
}

/** Columns before the response: in rows with left padding, those that the response mask excludes. */
function findStart({ mask }: RowArrays, end: number, isLeftPadded: boolean): number {
  if (!isLeftPadded || mask === undefined) return 0;
  let start = 0;
  while (start < end && mask[start] === 0) start++;
  return start === end ? 0 : start;
}

function findPrompt(
  arrays: RowArrays,
  width: number,
  start: number,
  padToken: number | undefined,
): NumericArray | undefined {
  const { inputIds, attention, promptMask } = arrays;
  const prompt =
    arrays.prompt ??
    (inputIds !== undefined && inputIds.length > width
      ? inputIds.subarray(0, inputIds.length - width + start)
      : undefined);
  if (prompt === undefined) return undefined;
  if (promptMask !== undefined && promptMask.length === prompt.length) {
    return prompt.subarray(startOfOnes(promptMask), endOfOnes(promptMask));
  }
  if (attention !== undefined && attention.length === prompt.length + width - start) {
    const own = attention.subarray(0, prompt.length);
    return prompt.subarray(startOfOnes(own), endOfOnes(own));
  }
  let first = 0;
  if (padToken !== undefined) while (first < prompt.length && prompt[first] === padToken) first++;
  return prompt.subarray(first);
}

/** Compares the response's ids with the end of the prompt and response ids, at tokens with mask 1. */
function compareIds(
  { tokens, inputIds }: RowArrays,
  mask: NumericArray | undefined,
  width: number,
): SequenceDraft["idsCompared"] {
  const others = inputIds === undefined || inputIds.length === width ? undefined : takeTail(inputIds, width);
  if (tokens === undefined || others === undefined) return undefined;
  let [compared, differ] = [0, 0];
  for (let t = 0; t < width; t++) {
    if (mask?.[t] === 0) continue;
    compared++;
    if (tokens[t] !== others[t]) differ++;
  }
  return { tokens: compared, differ };
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
  start: number,
  end: number,
): TopKDraft | undefined {
  if (ids === undefined || logprobs === undefined || width === 0) return undefined;
  const k = ids.length / width;
  if (!Number.isInteger(k) || k === 0 || logprobs.length !== ids.length) return undefined;
  const kept = Float32Array.from(logprobs.subarray(k * start, k * end));
  // Without an alternative there is no log-prob, whatever the padding says.
  const keptIds = ids.subarray(k * start, k * end);
  for (let i = 0; i < kept.length; i++) if (keptIds[i]! < 0) kept[i] = NaN;
  return { k, ids: keptIds, logprobs: kept };
}

/** A row's distributions over the digits as log-probs, one per response token. */
function digitLogprobs(
  { digitLogprobs: logprobs, digitProbs: given }: RowArrays,
  width: number,
  length: number,
): NumericArray | undefined {
  const values = logprobs ?? given;
  if (values === undefined) return undefined;
  // Uncut, so that a wrong length is reported as it is.
  const own = values.length === width * DIGITS ? values.subarray(0, length * DIGITS) : values;
  // A column named "distribution" may be either; probabilities are never negative.
  if (logprobs !== undefined || own.some((value) => value < 0)) return own;
  return Float64Array.from(own, Math.log);
}

function some<T>(entries: readonly (readonly [string, T | undefined])[]): Record<string, T> | undefined {
  const known = entries.filter((entry): entry is readonly [string, T] => entry[1] !== undefined);
  return known.length === 0 ? undefined : Object.fromEntries(known);
}

/** Zeros of the attention mask before the response, as verl's `calculate_debug_metrics` counts prompt padding. */
function countPadding(attention: NumericArray, promptWidth: number): number {
  let padding = 0;
  for (let i = 0; i < promptWidth; i++) if (attention[i] === 0) padding++;
  return padding;
}

/** Views of per-token values that have no column in the record; consumers count them. */
function findDetails(
  { attention, inputIds, tokens, tokenScores, tokenRewards = tokenScores }: RowArrays,
  width: number,
  start: number,
  end: number,
): SequenceDraft["details"] {
  const cut = (values: NumericArray | undefined): NumericArray | undefined =>
    takeTail(values, width)?.subarray(start, end);
  const details = {
    attention: cut(attention),
    // If the source has ids only once, they are those of the record.
    inputTokenIds: tokens === undefined ? undefined : cut(inputIds),
    tokenRewards: cut(tokenRewards),
  };
  const promptWidth = attention === undefined ? 0 : attention.length - width;
  if (attention !== undefined && promptWidth > 0)
    return {
      ...details,
      promptWidth,
      get promptPadding() {
        return countPadding(attention, promptWidth);
      },
    };
  return Object.values(details).some((values) => values !== undefined) ? details : undefined;
}

/**
 * A row's arrays and scalars as a draft. Arrays of unequal lengths are passed on uncut, so that a wrong length is
 * reported as it is.
 */
export function toDraft(arrays: RowArrays, scalars: RowScalars, layout: RowLayout): SequenceDraft {
  const width = (arrays.tokens ?? arrays.rollout ?? arrays.trainer)?.length ?? 0;
  const combined = combineMasks(arrays, width);
  const mask = combined?.mask;
  const others = [
    mask,
    ...ALIGNED_FIELDS.map((field) => arrays[field]),
    ...Object.values(layout.policies ?? {}),
  ];
  const fits = others.every((array) => array === undefined || array.length === width);
  const end = fits ? findEnd(arrays, mask, width, layout.padded) : width;
  const start = fits ? findStart(arrays, end, layout.padded && layout.isLeftPadded === true) : 0;
  const length = end - start;
  const cut = <A extends NumericArray | undefined>(values: A): A =>
    (values === undefined || length === width ? values : values.subarray(start, end)) as A;

  const { tokenScores } = arrays;
  const policies: [string, NumericArray | undefined][] = Object.entries(layout.policies ?? {}).map(
    ([name, values]) => [name, cut(values)],
  );
  return {
    length,
    responseMask: cut(mask) ?? new Uint8Array(length).fill(1),
    firstMaskTokens: combined?.firstCount,
    idsCompared: fits ? compareIds(arrays, mask, width) : undefined,
    rolloutLogprobs: cut(arrays.rollout),
    trainerLogprobs: cut(arrays.trainer),
    responseTokenIds: cut(arrays.tokens ?? takeTail(arrays.inputIds, width)),
    policyLogprobs: some([
      ["reference", cut(arrays.reference)],
      ["rescore", cut(arrays.rescore)],
      ["float32", cut(arrays.float32)],
      ...policies,
    ]),
    entropies: some([
      ["rollout", cut(arrays.rolloutEntropy)],
      ["trainer", cut(arrays.trainerEntropy)],
    ]),
    topK: some([
      ["rollout", topK(arrays.rolloutTopIds, arrays.rolloutTopLogprobs, width, start, end)],
      ["trainer", topK(arrays.trainerTopIds, arrays.trainerTopLogprobs, width, start, end)],
    ]),
    digitLogprobs: digitLogprobs(arrays, width, length),
    advantages: cut(arrays.advantages) ?? scalars.advantage,
    positionIds: cut(takeTail(arrays.positions, width)),
    promptTokenIds: findPrompt(arrays, width, start, layout.padToken),
    details: fits ? findDetails(arrays, width, start, end) : undefined,
    reward: tokenScores === undefined ? scalars.reward : sum(cut(tokenScores)),
    correctness: scalars.correctness,
    step: scalars.step,
    rank: scalars.rank,
    row: scalars.row,
    pack: scalars.pack,
    sourceOffset: scalars.sourceOffset,
    array: layout.padded ? { layout: "padded", start, width } : undefined,
    groupId: scalars.group,
    sampleId: scalars.sample,
    environment: scalars.environment,
    finishReason: scalars.finishReason,
    engineId: scalars.engineId,
    cachedTokens: scalars.cachedTokens,
    promptText: scalars.promptText,
    responseText: scalars.responseText,
  };
}
