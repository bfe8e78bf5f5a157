/**
 * Exact figures of whole distributions, from rows of logits: log-probs, entropies and the most probable columns of one
 * policy; Kullback-Leibler and Jensen-Shannon divergences and the total variation between two.
 *
 * Rows are copied into WebAssembly memory one at a time and summed there in single precision per column. Where the
 * runtime has relaxed SIMD, a product and a sum may be rounded once instead of twice, so that last digits depend on the
 * runtime and the processor. Cases beyond its five digits (infinite logits on one side, probabilities below 1e-20 that
 * alone matter) go to the plain reference implementation, `distribution-scalar.ts` and `distribution-divergence.ts`.
 *
 * @module
 */

import type { DistributionRows, DivergenceRows, LogitBlock } from "../logit-block.ts";
import { distributionKernel } from "../wasm/distribution-kernel.ts";
import { wasmCompareRow } from "../wasm/distribution-pair.ts";
import { wasmDescribeRow } from "../wasm/distribution-row.ts";
import { decodeRow } from "./decode.ts";
import { compareRow } from "./divergence.ts";
import {
  checkBlock,
  checkPair,
  type DistributionOptions,
  emptyDistributions,
  emptyDivergences,
} from "./rows.ts";
import { describeRow } from "./scalar.ts";

export type { DistributionOptions } from "./rows.ts";

/** The parts of a row that the kernel computed; the reference implementation does the rest. */
const NOTHING_DONE = { p: false, q: false, divergences: false };

/** Figures of two policies about the same tokens. */
export interface ComparedRows {
  /** Figures of each row of P. */
  readonly p: DistributionRows;
  /** Figures of each row of Q. */
  readonly q: DistributionRows;
  /** Divergences between each row of P and of Q, nats. */
  readonly divergences: DivergenceRows;
}

/**
 * Describes every row of a block: log Σ exp, log-prob and rank of the row's actual token (`tokens[row]`), entropy, and
 * the `k` most probable columns.
 *
 * Each figure is within 1e-5 relative of a float64 computation from the same logits (`logSumExp`, which may be 0, within
 * 1e-6 of 1 + |largest logit|).
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { describeRows } from "logratio/kernels";
 *
 * const values = Float32Array.of(0, Math.log(2), 0, -Infinity);
 * const rows = describeRows({ format: "float32", values, rows: 1, vocabulary: 4 }, [1], 2);
 * const [logprob = NaN] = rows.logprobs; // nats
 * const [entropy = NaN] = rows.entropies; // nats
 * assert(Math.abs(logprob - Math.log(0.5)) < 1e-6);
 * assert(Math.abs(entropy - 1.5 * Math.log(2)) < 1e-6);
 * assert.deepEqual([...rows.topIds], [1, 0]);
 * ```
 *
 * @param block `[rows × vocabulary]` logits, row-major
 * @param tokens `[rows]`; an id that is negative or not a column has no log-prob and no rank
 * @param k how many of the most probable columns to list
 * @returns `[rows]` each: log-probs, entropies and log Σ exp in nats, ranks from 1; `[rows × k]` the most probable columns
 * @throws LengthMismatchError when the block's values or the tokens do not fit its rows
 * @throws UsageError when the values are not of the format's array type, or `k` is not a count
 */
export function describeRows(
  block: LogitBlock,
  tokens: ArrayLike<number>,
  k: number,
  options: DistributionOptions = {},
): DistributionRows {
  checkBlock(block, tokens, k);
  const described = emptyDistributions(block.rows, k);
  const kernel = options.engine === "scalar" ? undefined : distributionKernel();
  kernel?.reserve(block.vocabulary, k);
  for (let row = 0; row < block.rows; row++) {
    const token = tokens[row]!;
    if (kernel && wasmDescribeRow(kernel, block, token, k, row, described)) continue;
    describeRow(decodeRow(block, row), token, k, row, described);
  }
  return described;
}

/**
 * Describes the rows of two blocks about the same tokens, and how far P (`p`) and Q (`q`) are apart in each. Where one
 * vocabulary is larger, divergences are between the distributions renormalized over the columns that both have.
 *
 * Each figure is within 1e-5 relative of a float64 computation from the same logits, however close P and Q are.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { compareRows } from "logratio/kernels";
 *
 * const logits = (...values: number[]) =>
 *   ({ format: "float32", values: Float32Array.from(values), rows: 1, vocabulary: 2 }) as const;
 * const { divergences } = compareRows(logits(0, 0), logits(0, Math.log(3)), [0], 0);
 * const kl = 0.5 * Math.log(0.5 / 0.25) + 0.5 * Math.log(0.5 / 0.75);
 * const [forwardKl = NaN] = divergences.forwardKl; // D(P‖Q), nats
 * const [totalVariation = NaN] = divergences.totalVariation; // a fraction
 * assert(Math.abs(forwardKl - kl) < 1e-6);
 * assert(Math.abs(totalVariation - 0.25) < 1e-6);
 * ```
 *
 * @param p `[rows × vocabulary]` logits of P, row-major
 * @param q the same of Q; its vocabulary may differ
 * @param tokens `[rows]`, see `describeRows`
 * @param k how many of the most probable columns to list
 * @returns `[rows]` each: KL and JS in nats, total variation as a fraction
 * @throws LengthMismatchError when the blocks' values, rows and tokens do not fit each other
 * @throws UsageError when the values are not of their format's array type, or `k` is not a count
 */
export function compareRows(
  p: LogitBlock,
  q: LogitBlock,
  tokens: ArrayLike<number>,
  k: number,
  options: DistributionOptions = {},
): ComparedRows {
  checkBlock(p, tokens, k);
  // Before Q and the tokens: the error that P and Q differ is more informative.
  checkPair(p, q);
  checkBlock(q, tokens, k);
  const compared: ComparedRows = {
    p: emptyDistributions(p.rows, k),
    q: emptyDistributions(q.rows, k),
    divergences: emptyDivergences(p.rows),
  };
  const kernel = options.engine === "scalar" ? undefined : distributionKernel();
  kernel?.reserve(Math.max(p.vocabulary, q.vocabulary), k);
  for (let row = 0; row < p.rows; row++) {
    const token = tokens[row]!;
    const done = kernel ? wasmCompareRow(kernel, p, q, token, k, row, compared) : NOTHING_DONE;
    if (!done.p) describeRow(decodeRow(p, row), token, k, row, compared.p);
    if (!done.q) describeRow(decodeRow(q, row), token, k, row, compared.q);
    if (!done.divergences) compareRow(decodeRow(p, row), decodeRow(q, row), row, compared.divergences);
  }
  return compared;
}
