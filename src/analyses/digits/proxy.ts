/**
 * What the log-probs of the sampled digits say by themselves: how sure the policy was. A proxy for number-token loss,
 * which also needs the probabilities of the other digits.
 *
 * @module
 */
import type { DigitVocabulary } from "./vocabulary.ts";

export const PROXY_METHOD = "simplified_from_rollout_log_probs";

/** One list per sequence; positions are indices into its tokens. Log-probs in nats. */
export interface DigitProxy {
  /** Positions of the digits in each sequence. */
  readonly digit_positions: number[][];
  /** The sampled digits, 0 to 9: not ground truth, despite the name that trainers use. */
  readonly digit_ground_truth: number[][];
  /** Their log-probs, nats, in the same order. */
  readonly digit_log_probs_selected: number[][];
  /** Over all digits of the batch; null without digits. */
  readonly avg_digit_log_prob: number | null;
  /** `-avg_digit_log_prob`. */
  readonly ntl_loss: number | null;
  /** Count over the batch. */
  readonly total_digits: number;
  /** Names the proxy, so that it is not mistaken for number-token loss. */
  readonly method: typeof PROXY_METHOD;
}

/** `[B][T]` arrays. Without a mask all tokens count. */
export interface DigitBatch {
  /** `[B][T]` vocabulary ids. */
  readonly token_ids: readonly ArrayLike<number>[];
  /** `[B][T]` log-probs of the sampled tokens, nats. */
  readonly log_probs: readonly ArrayLike<number>[];
  /** `[B][T]`; tokens with 0 are left out. */
  readonly response_mask?: readonly ArrayLike<number>[];
}

/**
 * How sure the policy was of the digits it sampled, from their log-probs alone: a proxy for number-token loss. Digits
 * are single-digit tokens, bare or with a leading space; those without a finite log-prob are left out.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { digitProxy, findDigitTokens } from "logratio/digits";
 *
 * const entries = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", " a", "12"];
 * const decoder = { vocabularySize: 12, decode: (ids: readonly number[]) => ids.map((id) => entries[id]).join("") };
 * const batch = { token_ids: [[10, 4, 2]], log_probs: [[-3, -0.5, -0.25]] };
 * const proxy = digitProxy(findDigitTokens(decoder), batch);
 * assert.deepEqual(proxy.digit_positions, [[1, 2]]);
 * assert.equal(proxy.avg_digit_log_prob, -0.375); // nats
 * ```
 *
 * @param batch `[B][T]` token ids, log-probs in nats, and optionally the mask
 * @returns positions, digits and log-probs by sequence; their mean in nats, null without digits
 */
export function digitProxy(vocabulary: DigitVocabulary, batch: DigitBatch): DigitProxy {
  const positions: number[][] = [];
  const digits: number[][] = [];
  const selected: number[][] = [];
  let sum = 0;
  let count = 0;
  batch.token_ids.forEach((ids, row) => {
    const found = { positions: [] as number[], digits: [] as number[], selected: [] as number[] };
    for (let t = 0; t < ids.length; t++) {
      if (batch.response_mask?.[row]?.[t] === 0) continue;
      const token = vocabulary.tokens.get(ids[t]!);
      const logprob = batch.log_probs[row]?.[t] ?? NaN;
      if (token?.digits.length !== 1 || !Number.isFinite(logprob)) continue;
      found.positions.push(t);
      found.digits.push(Number(token.digits));
      found.selected.push(logprob);
      sum += logprob;
      count++;
    }
    positions.push(found.positions);
    digits.push(found.digits);
    selected.push(found.selected);
  });
  const average = count === 0 ? null : sum / count;
  return {
    digit_positions: positions,
    digit_ground_truth: digits,
    digit_log_probs_selected: selected,
    avg_digit_log_prob: average,
    ntl_loss: average === null ? null : -average,
    total_digits: count,
    method: PROXY_METHOD,
  };
}
