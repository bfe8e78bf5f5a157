/**
 * What the tests of all three protocols share.
 *
 * @module
 */
import { TextRefusedError } from "../../../core/base/errors.ts";
import type { ForcedText, LogitsPolicy, Policy, TopKPolicy, TopKScores } from "../policy.ts";
import { decode, logprobsAfter, ranked } from "./bigram-model.test-data.ts";

/** No waiting in tests. */
export const FAST = { retryDelayMs: 1, retries: 2, timeoutMs: 2000 };

export function makeText(ids: readonly number[], promptLength: number, id = "q1"): ForcedText {
  return { id, ids: Int32Array.from(ids), promptLength, responseText: decode(ids.slice(promptLength)) };
}

export const TEXT = makeText([3, 14, 15, 9, 26, 5, 35, 8], 3);

export function topK(policy: Policy): TopKPolicy {
  if (policy.gives !== "top-k") throw new Error("gives logits");
  return policy;
}

export function logits(policy: Policy): LogitsPolicy {
  if (policy.gives !== "logits") throw new Error("gives the most probable tokens");
  return policy;
}

/** The model's k most probable tokens at each position of a response. */
export function expectedTop(
  text: ForcedText,
  k: number,
): { ids: number[]; logprobs: number[]; ranks: number[] } {
  const result = { ids: [] as number[], logprobs: [] as number[], ranks: [] as number[] };
  for (let token = text.promptLength; token < text.ids.length; token++) {
    const all = ranked(logprobsAfter(text.ids[token - 1]!));
    const top = all.slice(0, k);
    result.ids.push(...top.map(({ id }) => id));
    result.logprobs.push(...top.map(({ logprob }) => Math.fround(logprob)));
    result.ranks.push(all.find(({ id }) => id === text.ids[token])!.rank);
  }
  return result;
}

export function plain(scores: TopKScores): { ids: number[]; logprobs: number[]; ranks: number[] } {
  const { topK: top, ranks } = scores;
  return { ids: [...top.ids], logprobs: [...top.logprobs], ranks: [...ranks] };
}

export async function collectRows(
  policy: Policy,
  text: ForcedText,
  signal?: AbortSignal,
): Promise<number[][]> {
  const rows: number[][] = [];
  for await (const { values, rows: count, vocabulary } of logits(policy).logits(text, signal)) {
    for (let row = 0; row < count; row++) {
      rows.push([...(values as Float32Array).slice(row * vocabulary, (row + 1) * vocabulary)]);
    }
  }
  return rows;
}

/** The model's rows for a text. */
export function expectedRows(text: ForcedText): number[][] {
  return Array.from(text.ids.subarray(text.promptLength - 1), (last) => [
    ...Float32Array.from(logprobsAfter(last)),
  ]);
}

export async function refusal(task: Promise<unknown>): Promise<TextRefusedError> {
  try {
    await task;
  } catch (error) {
    if (error instanceof TextRefusedError) return error;
    throw error;
  }
  throw new Error("the text was not refused");
}
