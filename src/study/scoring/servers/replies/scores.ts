/**
 * Turns a reply about each response token into scores.
 *
 * @module
 */
import { type Alternative, type Offer, parseLogprob } from "../../../../input/replies/index.ts";
import type { ForcedText, TopKScores } from "../../policy.ts";
import { type Asked, refuse } from "./refusals.ts";

/** The reply's content about one response token. */
export interface TokenReply {
  /** As in the reply: a number, a sentinel, null. */
  readonly logprob: unknown;
  /** -1 if the reply does not say. */
  readonly rank: number;
  readonly alternatives: readonly Alternative[];
}

/** Anything above this is not a log-prob: float32 rounding stays far below. */
const TOO_PROBABLE = 1e-3;

interface Known {
  readonly id: number;
  readonly logprob: number;
}

function countMissing(values: readonly unknown[]): string | undefined {
  let sentinels = 0;
  let nans = 0;
  let absent = 0;
  for (const value of values) {
    const logprob = parseLogprob(value);
    if (logprob === -Infinity) sentinels++;
    else if (value === "NaN") nans++;
    else if (Number.isNaN(logprob)) absent++;
  }
  if (sentinels + nans + absent === 0) return undefined;
  const parts: string[] = [];
  if (absent > 0) parts.push(`${absent} null`);
  if (sentinels > 0) parts.push(`${sentinels} -9999 or -inf`);
  if (nans > 0) parts.push(`${nans} NaN`);
  return `${parts.join(", ")} of ${values.length}`;
}

function checkLogprobs(tokens: readonly TokenReply[], asked: Asked): void {
  const missing = countMissing(tokens.map(({ logprob }) => logprob));
  if (missing !== undefined) {
    const onlyNan = !/null|-9999/.test(missing);
    throw refuse(asked, `response tokens without a log-prob: ${missing}`, {
      reason: onlyNan ? "non-finite" : "no-logprobs",
      likely: onlyNan
        ? "the model's logits hold NaN"
        : "the server masks tokens or leaves out cached ones, or the token has probability 0",
      hint: "score with sampling limits, penalties and prefix caching off on the server",
    });
  }
  for (const [index, { logprob, alternatives }] of tokens.entries()) {
    const values = alternatives.map((alternative) => parseLogprob(alternative.logprob));
    const broken = values.filter(Number.isNaN).length;
    if (broken > 0) {
      throw refuse(
        asked,
        `response token ${index} has ${broken} of ${values.length} alternatives that are not numbers`,
        {
          reason: "non-finite",
          likely: "the model's logits hold NaN",
        },
      );
    }
    const most = Math.max(parseLogprob(logprob), ...values);
    const mass = values.reduce((sum, value) => sum + Math.exp(value), 0);
    if (most > TOO_PROBABLE || mass > 1 + TOO_PROBABLE) {
      const figure = most > TOO_PROBABLE ? `a log-prob of ${most}` : `probabilities that add up to ${mass}`;
      throw refuse(asked, `response token ${index} has ${figure}`, {
        reason: "no-logprobs",
        likely: "the server returns logits instead of log-probs",
        hint: "start vLLM with --logprobs-mode raw_logprobs",
      });
    }
  }
}

/**
 * Whether the sampled token is in its list only because servers add it, so that it is not an alternative. Decided by
 * its rank if known; else assumed if it is the last of a list that is longer than requested, or of any list once the
 * server has returned fewer than requested.
 */
export function ownIsExtra(offers: readonly Offer[], asked: number): boolean[] {
  const capped =
    offers.some(({ entries }) => entries < asked) ||
    offers.every(({ entries, ownIsLast }) => entries <= asked && ownIsLast);
  return offers.map(({ entries, ownIsLast, rank }) =>
    rank > 0 ? rank > entries : ownIsLast && (capped || entries > asked),
  );
}

/** The smallest number of alternatives of any token, not counting the sampled token's own entry if it is extra. */
export function fewestGiven(offers: readonly Offer[], asked: number): number {
  const extra = ownIsExtra(offers, asked);
  return offers.reduce((least, { entries }, index) => Math.min(least, entries - Number(extra[index])), asked);
}

/**
 * @param tokens - one for each response token
 * @param k - requested alternatives
 * @param offers - one for each response token; undefined if the sampled token is never added to the alternatives
 * @throws TextRefusedError
 */
export function assembleScores(
  text: ForcedText,
  tokens: readonly TokenReply[],
  k: number,
  offers: readonly Offer[] | undefined,
  asked: Asked,
): TopKScores {
  checkLogprobs(tokens, asked);
  const rows = tokens.map(({ alternatives }) =>
    alternatives
      .map(({ id, logprob }): Known => ({ id, logprob: parseLogprob(logprob) }))
      .sort((a, b) => b.logprob - a.logprob || a.id - b.id),
  );
  const extra = offers === undefined ? [] : ownIsExtra(offers, k);
  const count = tokens.length;
  const logprobs = new Float64Array(count);
  const ranks = new Int32Array(count);
  const ids = new Int32Array(count * k).fill(-1);
  const topLogprobs = new Float32Array(count * k).fill(Number.NaN);
  for (const [index, token] of tokens.entries()) {
    logprobs[index] = token.logprob as number;
    const own = text.ids[text.promptLength + index]!;
    // A token of probability 0 is not an alternative.
    const top = rows[index]!.filter(
      ({ id, logprob }) => logprob > -Infinity && !(extra[index] && id === own),
    ).slice(0, k);
    for (const [place, { id, logprob }] of top.entries()) {
      ids[index * k + place] = id;
      topLogprobs[index * k + place] = logprob;
    }
    const found = top.find(({ id }) => id === own);
    ranks[index] =
      found === undefined ? token.rank : 1 + top.filter(({ logprob }) => logprob > found.logprob).length;
  }
  return { logprobs, topK: { k, ids, logprobs: topLogprobs }, ranks };
}
