/**
 * Scores one text under one policy: from rows of logits (or a server's top-k list) to the stored columns.
 *
 * @module
 */
import type { DistributionPool } from "../../analyses/parallel/index.ts";
import { TextRefusedError } from "../../core/base/index.ts";
import type { DistributionRows, DivergenceRows, LogitBlock } from "../../core/kernels/index.ts";
import type { TopK } from "../../core/schema/index.ts";
import { alignBlocks } from "./pair-blocks.ts";
import type { ForcedText, LogitsPolicy, PairFigures, Policy, TopKPolicy } from "./policy.ts";
import type { RowCache } from "./row-cache.ts";
import type { AttentionColumns, HiddenColumns } from "./score-attention.ts";

/** One entry per response token, about that token; nats. */
export interface TextScores {
  readonly logprobs: Float32Array;
  /** Absent if only the most probable tokens are known. */
  readonly entropies?: Float32Array;
  /** 1 = most probable; -1 if unknown. */
  readonly ranks: Int32Array;
  readonly topK: TopK;
  /** Comparisons with each partner, by name; empty if one of the two gives no logits. */
  readonly pairs: Readonly<Record<string, PairColumns>>;
  /** Present if requested and the policy's attention is readable. */
  readonly attention?: AttentionColumns;
}

/** This policy (P) against another (Q). */
export interface PairColumns extends PairFigures, Partial<HiddenColumns> {}

export interface ScoreTextOptions {
  /** Most probable tokens to keep. */
  readonly topK: number;
  /** Keeps the rows of policies that later ones will be compared with. */
  readonly cache: RowCache;
  /** Computes figures of rows. */
  readonly rows: Pick<DistributionPool, "describe" | "compare">;
  readonly signal?: AbortSignal;
}

/**
 * Scores a text under `policy`, and compares its distributions with the partners' if both give logits.
 *
 * @throws TextRefusedError when this text cannot be scored
 */
export async function scoreText(
  policy: Policy,
  partners: readonly LogitsPolicy[],
  text: ForcedText,
  options: ScoreTextOptions,
): Promise<TextScores> {
  return policy.gives === "logits"
    ? scoreLogits(policy, partners, text, options)
    : scoreTopK(policy, text, options);
}

async function scoreTopK(
  policy: TopKPolicy,
  text: ForcedText,
  { signal }: ScoreTextOptions,
): Promise<TextScores> {
  const { logprobs, topK, ranks } = await policy.score(text, signal);
  return { logprobs: Float32Array.from(logprobs), ranks, topK, pairs: {} };
}

async function scoreLogits(
  policy: LogitsPolicy,
  partners: readonly LogitsPolicy[],
  text: ForcedText,
  { topK: k, cache, rows, signal }: ScoreTextOptions,
): Promise<TextScores> {
  const response = text.ids.subarray(text.promptLength);
  const length = response.length;
  const own = ownColumns(length, k);
  const pairs = partners.map(() => pairColumns(length));
  const streams = [policy, ...partners].map((each) => cache.rows(each, text, signal));
  let row = 0;
  for await (const [block, ...others] of alignBlocks(streams)) {
    const p = block as LogitBlock;
    // The tokens that rows `row … row + rows − 1` predict; -1 for the one after the text.
    const tokens = new Int32Array(p.rows).fill(-1);
    tokens.set(response.subarray(row, Math.min(row + p.rows, response.length)));
    if (others.length === 0) own.take(row, await rows.describe(p, tokens, k));
    for (const [i, q] of others.entries()) {
      const compared = await rows.compare(p, q, tokens, k);
      if (i === 0) own.take(row, compared.p);
      pairs[i]!.take(row, compared.divergences);
    }
    row += p.rows;
  }
  if (row !== length + 1) {
    throw new TextRefusedError(
      `${policy.name} returned ${row} rows of logits for ${length} response tokens of ${text.id}, not ${length + 1}`,
      { reason: "fewer-tokens", likely: "the model or file was exported for shorter texts" },
    );
  }
  return {
    ...own.columns,
    pairs: Object.fromEntries(partners.map((partner, i) => [partner.name, pairs[i]!.columns()])),
  };
}

function ownColumns(length: number, k: number) {
  const logprobs = new Float32Array(length);
  const entropies = new Float32Array(length);
  const ranks = new Int32Array(length);
  const ids = new Int32Array(length * k);
  const topLogprobs = new Float32Array(length * k);
  return {
    columns: { logprobs, entropies, ranks, topK: { k, ids, logprobs: topLogprobs } },
    take(row: number, rows: DistributionRows): void {
      const count = Math.min(rows.logprobs.length, length - row);
      logprobs.set(rows.logprobs.subarray(0, count), row);
      entropies.set(rows.entropies.subarray(0, count), row);
      ranks.set(rows.ranks.subarray(0, count), row);
      ids.set(rows.topIds.subarray(0, count * k), row * k);
      topLogprobs.set(rows.topLogprobs.subarray(0, count * k), row * k);
    },
  };
}

function pairColumns(length: number) {
  const forwardKl = new Float32Array(length);
  const reverseKl = new Float32Array(length);
  const jsDivergence = new Float32Array(length);
  const totalVariation = new Float32Array(length);
  let forwardKlAfterEnd = Number.NaN;
  let excludedP = 0;
  let excludedQ = 0;
  return {
    take(row: number, rows: DivergenceRows): void {
      const given = rows.forwardKl.length;
      const count = Math.min(given, length - row);
      forwardKl.set(rows.forwardKl.subarray(0, count), row);
      reverseKl.set(rows.reverseKl.subarray(0, count), row);
      jsDivergence.set(rows.jsDivergence.subarray(0, count), row);
      totalVariation.set(rows.totalVariation.subarray(0, count), row);
      if (given > count) forwardKlAfterEnd = rows.forwardKl[count]!;
      for (let i = 0; i < count; i++) {
        excludedP = Math.max(excludedP, rows.excludedP[i]!);
        excludedQ = Math.max(excludedQ, rows.excludedQ[i]!);
      }
    },
    columns: (): PairColumns => ({
      forwardKl,
      reverseKl,
      jsDivergence,
      totalVariation,
      forwardKlAfterEnd,
      excludedP,
      excludedQ,
    }),
  };
}
