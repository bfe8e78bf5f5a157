/**
 * Turns a server's text into a draft of the record, without the other side.
 *
 * @module
 */
import type { SequenceDraft, TopKDraft } from "../../../core/schema/index.ts";
import { formatNumber } from "../../../core/text/index.ts";
import { parseLogprob } from "../../replies/logprob.ts";
import type { Reply, ReplyProblem, ServerText, TokenList } from "./reply.ts";

/** A value above this is not a log-prob: rounding errors are far smaller. */
const TOO_PROBABLE = 1e-3;
/** Alternatives kept per token: more than any server returns, short of its whole vocabulary. */
const MOST_ALTERNATIVES = 64;

export interface Place {
  /** Row of the reply. */
  readonly row: number;
  /** Row of its first sequence. */
  readonly first: number;
  readonly offset: number | undefined;
}

/** The most alternatives of any token. */
export function countAlternatives(texts: readonly ServerText[]): number {
  let most = 0;
  for (const { tokens } of texts) for (const { length } of tokens.top ?? []) most = Math.max(most, length);
  return Math.min(most, MOST_ALTERNATIVES);
}

/**
 * The problem of a reply that holds logits, as vLLM returns them with `--logprobs-mode raw_logits`; undefined
 * otherwise.
 */
export function findLogits({ texts }: Reply): ReplyProblem | undefined {
  for (const { tokens } of texts) {
    const index = tokens.logprobs.findIndex((logprob) => logprob > TOO_PROBABLE);
    if (index < 0) continue;
    return {
      message: `token ${index} has a log-prob of ${formatNumber(tokens.logprobs[index]!)}, above 0`,
      likely: "the server returned logits instead of log-probs",
      hint: "start vLLM with --logprobs-mode raw_logprobs",
    };
  }
  return undefined;
}

/** @param k alternatives per token, the same throughout a file */
function toTopK({ top, logprobs }: TokenList, k: number): TopKDraft | undefined {
  if (top === undefined || k === 0) return undefined;
  const ids = new Int32Array(logprobs.length * k).fill(-1);
  const values = new Float32Array(logprobs.length * k).fill(NaN);
  for (const [token, alternatives] of top.entries()) {
    const known = alternatives
      .map(({ id, logprob }) => ({ id, logprob: parseLogprob(logprob) }))
      // A token of probability 0 is not an alternative.
      .filter(({ logprob }) => logprob > -Infinity)
      .sort((a, b) => b.logprob - a.logprob)
      .slice(0, k);
    for (const [place, { id, logprob }] of known.entries()) {
      ids[token * k + place] = id;
      values[token * k + place] = logprob;
    }
  }
  return { k, ids, logprobs: values };
}

/**
 * The texts of one reply.
 *
 * @param k alternatives per token, the same throughout a file
 */
export function toDrafts({ texts }: Reply, { row, first, offset }: Place, k: number): SequenceDraft[] {
  const several = texts.length > 1 || texts.some(({ choice }) => choice > 0);
  // vLLM answers several prompts of one request in one reply.
  const prompts = new Set(texts.map(({ promptIds, promptText }) => promptIds?.join() ?? promptText));
  const areGroup = several && prompts.size === 1;
  return texts.map((text, place): SequenceDraft => {
    const { tokens, prompt, promptIds, key, choice, weightVersion } = text;
    const { length } = tokens.logprobs;
    const top = toTopK(tokens, k);
    return {
      length,
      responseMask: new Uint8Array(length).fill(1),
      rolloutLogprobs: tokens.logprobs,
      responseTokenIds: tokens.ids,
      responseTokens: tokens.texts,
      promptTokenIds: promptIds ?? prompt?.ids,
      promptLogprobs: prompt && { logprobs: prompt.logprobs, tokenIds: prompt.ids, tokens: prompt.texts },
      ...(top && { topK: { rollout: top } }),
      ...(weightVersion !== undefined && { weightVersions: new Int32Array(length).fill(weightVersion) }),
      finishReason: text.finishReason,
      cachedTokens: text.cachedTokens,
      promptText: text.promptText,
      responseText: text.text,
      sampleId: several && key !== undefined ? `${key}#${choice}` : key,
      ...(areGroup && { groupId: key ?? `row ${row}`, indexInGroup: choice }),
      row: first + place,
      sourceOffset: offset,
    };
  });
}
