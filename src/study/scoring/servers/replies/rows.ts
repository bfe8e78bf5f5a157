/**
 * Rows of log-probs over the whole vocabulary, with one request per row, in order.
 *
 * A reply holds some 30 bytes for each column of a row, too many for all rows of a text in one: each row is requested
 * as the distribution of the token after a prefix, a few at a time.
 *
 * @module
 */
import type { LogitBlock } from "../../../../core/kernels/index.ts";
import { type Alternative, parseLogprob } from "../../../../input/replies/index.ts";
import type { ForcedText } from "../../policy.ts";
import { linkSignals } from "../http/linked-signal.ts";
import { type Asked, refuse } from "./refusals.ts";

/** Fills a row of `vocabulary` columns. @throws TextRefusedError when entries are missing, extra or NaN */
export function fillRow(
  entries: readonly Alternative[],
  vocabulary: number,
  token: number,
  asked: Asked,
): Float32Array {
  for (const { id } of entries) {
    if (!Number.isInteger(id) || id < 0 || id >= vocabulary) {
      throw refuse(asked, `the row for token ${token} holds id ${id}, of a vocabulary of ${vocabulary}`, {
        reason: "other-tokens",
        likely: "the vocabulary is larger than declared",
        hint: "give the model's vocab_size (config.json) as vocabularySize",
      });
    }
  }
  const values = entries.map(({ logprob }) => parseLogprob(logprob));
  const broken = values.filter(Number.isNaN).length;
  if (broken > 0) {
    throw refuse(
      asked,
      `the row for token ${token} has ${broken} of ${vocabulary} columns that are not numbers`,
      {
        reason: "non-finite",
        likely: "the model's logits hold NaN",
      },
    );
  }
  const filled = new Set(entries.map(({ id }) => id)).size;
  if (filled < vocabulary) {
    throw refuse(asked, `the row for token ${token} has ${filled} of ${vocabulary} columns`, {
      reason: "no-logits",
      likely: "the server returns fewer log-probs than requested",
      hint: "start vLLM with --max-logprobs -1, or score with the most probable tokens only",
    });
  }
  // Allocated only once this many entries have arrived: a declared vocabulary of 2^31 would otherwise take 8 GiB per
  // row.
  const row = new Float32Array(vocabulary);
  for (const [index, { id }] of entries.entries()) row[id] = values[index]!;
  return row;
}

export type AskRow = (prefix: Int32Array, token: number, signal: AbortSignal) => Promise<Float32Array>;

/** Blocks of one row, for the tokens `promptLength … ids.length`; `window` of them are requested ahead. */
export async function* rowsInOrder(
  text: ForcedText,
  askRow: AskRow,
  window: number,
  outer: AbortSignal | undefined,
): AsyncGenerator<LogitBlock> {
  const stop = new AbortController();
  const { signal, unlink } = linkSignals([outer, stop.signal]);
  const ahead: Promise<Float32Array>[] = [];
  let next = text.promptLength;
  const askNext = (): void => {
    if (next > text.ids.length) return;
    const row = askRow(text.ids.subarray(0, next), next, signal);
    // Awaited in order below; until then a failure must not count as unhandled.
    row.catch(() => undefined);
    ahead.push(row);
    next++;
  };
  try {
    for (let i = 0; i < window; i++) askNext();
    for (let row = ahead.shift(); row !== undefined; row = ahead.shift()) {
      const values = await row;
      askNext();
      yield { format: "float32", values, rows: 1, vocabulary: values.length };
    }
  } finally {
    stop.abort();
    await Promise.allSettled(ahead);
    unlink();
  }
}
