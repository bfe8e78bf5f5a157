/**
 * Drives assembly/distribution.ts over one policy's row, and adds its blocks in float64.
 *
 * @module
 */
import { logitAt } from "../distribution/decode.ts";
import { isColumn } from "../distribution/rows.ts";
import { computeEntropy, computeLogprob, type Softmax } from "../distribution/scalar.ts";
import type { DistributionRows, LogitBlock } from "../logit-block.ts";
import { HIGH, SUM, WEIGHTED } from "./distribution-fields.ts";
import type { DistributionKernel } from "./distribution-kernel.ts";

/** Below this the single-precision exponentials behind `rest` may be off by 3e-6, and then by more. */
const REST_LOW = 1e-20;
/** The smallest finite float32, the maximum of an empty set. */
const LOWEST = -3.4028234663852886e38;
const FORMATS = { float32: 0, bfloat16: 1, float16: 2 } as const;

/** A row, and the requested figures. */
export interface RowRequest {
  readonly block: LogitBlock;
  readonly row: number;
  readonly token: number;
  readonly k: number;
}

/** The sums of a row. */
export interface RowSums {
  /** Sums over its first columns. */
  readonly common: Softmax;
  /** Sums over the others; undefined if there are none. */
  readonly others: Softmax | undefined;
  readonly whole: Softmax;
  /** The smallest of the first columns' logits, NaN aside. */
  readonly lowest: number;
}

/**
 * Fills row `row` of `into`.
 *
 * @returns false if the reference implementation must do it
 */
export function wasmDescribeRow(
  kernel: DistributionKernel,
  block: LogitBlock,
  token: number,
  k: number,
  row: number,
  into: DistributionRows,
): boolean {
  const request = { block, row, token, k };
  return writeRow(kernel, request, sumRow(kernel, request, "p", block.vocabulary, false).whole, into);
}

/**
 * Sums a row, with its first `columns` columns separately. It stays in memory as P's or Q's, with `keep` also the
 * exponentials of the first columns.
 */
export function sumRow(
  kernel: DistributionKernel,
  { block, row, token, k }: RowRequest,
  side: "p" | "q",
  columns: number,
  keep: boolean,
): RowSums {
  const { exports } = kernel;
  const layout = kernel.layout();
  const { float32, uint16 } = kernel.views();
  const { format, values, vocabulary } = block;
  const start = row * vocabulary;
  const own = values.subarray(start, start + vocabulary);
  const at = layout[side];
  if (own instanceof Float32Array) float32.set(own, at >> 2);
  else uint16.set(own, layout.raw >> 1);
  const actual = isColumn(token, vocabulary) ? logitAt(block, start + token) : Number.NaN;
  const sum = (from: number, to: number, kept: boolean, records: number): Softmax => {
    const exps = kept ? layout.exps : layout.blockExps;
    exports.describe(FORMATS[format], layout.raw, at, exps, kept ? 1 : 0, from, to, actual, records);
    return addBlocks(kernel, records, Math.ceil((to - from) / kernel.block));
  };

  exports.startRow(layout.list, k);
  const common = sum(0, columns, keep, side === "p" ? layout.pRecords : layout.qRecords);
  const lowest = exports.lowestLogit();
  if (columns === vocabulary) return { common, others: undefined, whole: common, lowest };
  const others = sum(columns, vocabulary, false, layout.otherRecords);
  return { common, others, whole: joined(common, others), lowest };
}

/**
 * Whether single precision gave all digits: not if the maximum has nearly all the probability, or if a logit is not a
 * number.
 */
export function isAccurate({ max, rest }: Softmax): boolean {
  return (
    rest >= REST_LOW && rest < Number.POSITIVE_INFINITY && max > LOWEST && max < Number.POSITIVE_INFINITY
  );
}

/** Writes figures of the last summed row. @returns false if the reference implementation must do it */
export function writeRow(
  kernel: DistributionKernel,
  { block, row, token, k }: RowRequest,
  softmax: Softmax,
  into: DistributionRows,
): boolean {
  const { exports } = kernel;
  const { vocabulary } = block;
  const listed = Math.min(k, vocabulary);
  // Infinite logits are neither listed nor counted here.
  if (!isAccurate(softmax) || exports.topCount() < listed) return false;
  if (isColumn(token, vocabulary)) {
    const logit = logitAt(block, row * vocabulary + token);
    if (logit === Number.NEGATIVE_INFINITY) return false;
    into.logprobs[row] = computeLogprob(logit, softmax);
    into.ranks[row] = 1 + exports.largerCount();
  }
  into.logSumExp[row] = softmax.max + Math.log1p(softmax.rest);
  into.entropies[row] = computeEntropy(softmax);
  const { float32, int32 } = kernel.views();
  const list = kernel.layout().list >> 2;
  for (let i = 0; i < listed; i++) {
    into.topIds[row * k + i] = int32[list + 2 * i + 1]!;
    into.topLogprobs[row * k + i] = computeLogprob(float32[list + 2 * i]!, softmax);
  }
  return true;
}

/** The kernel's blocks as one softmax: a block with a new maximum omits that term, which is 1. */
function addBlocks(kernel: DistributionKernel, records: number, blocks: number): Softmax {
  const { float32, float64 } = kernel.views();
  const length = kernel.exports.ROW_RECORD.value;
  let max = LOWEST;
  let rest = 0;
  let weighted = 0;
  for (let at = records; at < records + blocks * length; at += length) {
    const high = float32[(at >> 2) + 2 * HIGH]!;
    const sum = float64[(at >> 3) + SUM]!;
    const blockWeighted = float64[(at >> 3) + WEIGHTED]!;
    if (high > max) {
      const scale = Math.exp(max - high);
      const total = 1 + rest;
      weighted = scale * (weighted + total * (high - max)) + blockWeighted;
      rest = scale * total + sum;
      max = high;
    } else {
      const scale = Math.exp(high - max);
      rest += scale * sum;
      weighted += scale * (blockWeighted + sum * (max - high));
    }
  }
  return { max, rest, weighted };
}

/** Combines the softmaxes of disjoint columns. */
function joined(a: Softmax, b: Softmax): Softmax {
  const [high, low] = a.max >= b.max ? [a, b] : [b, a];
  const scale = Math.exp(low.max - high.max);
  const total = 1 + low.rest;
  return {
    max: high.max,
    rest: high.rest + scale * total,
    weighted: high.weighted + scale * (low.weighted + total * (high.max - low.max)),
  };
}
