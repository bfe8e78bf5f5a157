import { LengthMismatchError, UsageError } from "../../base/errors.ts";
import type { DistributionRows, DivergenceRows, LogitBlock } from "../logit-block.ts";

/** Which code computes distributions. */
export interface DistributionOptions {
  /** `scalar` forces the reference implementation. */
  readonly engine?: "wasm" | "scalar";
}

/** Empty figures of rows: NaN for log-probs and the like, -1 for ids and ranks. */
export function emptyDistributions(rows: number, k: number): DistributionRows {
  return {
    logSumExp: new Float64Array(rows).fill(Number.NaN),
    logprobs: new Float64Array(rows).fill(Number.NaN),
    entropies: new Float64Array(rows).fill(Number.NaN),
    ranks: new Int32Array(rows).fill(-1),
    k,
    topIds: new Int32Array(rows * k).fill(-1),
    topLogprobs: new Float64Array(rows * k).fill(Number.NaN),
  };
}

/** Empty divergences of rows: NaN. */
export function emptyDivergences(rows: number): DivergenceRows {
  const column = (): Float64Array => new Float64Array(rows).fill(Number.NaN);
  return {
    forwardKl: column(),
    reverseKl: column(),
    jsDivergence: column(),
    totalVariation: column(),
    excludedP: column(),
    excludedQ: column(),
  };
}

/**
 * @throws LengthMismatchError if the block's values are not `rows × vocabulary`, or rows and tokens differ in number
 * @throws UsageError if the values are not of the format's array type, or `k` is not a count
 */
export function checkBlock(block: LogitBlock, tokens: ArrayLike<number>, k: number): void {
  const { format, values, rows, vocabulary } = block;
  if (!(Number.isInteger(k) && k >= 0))
    throw new UsageError(`k must be a whole number of at least 0, not ${k}`);
  if (values instanceof Float32Array !== (format === "float32")) {
    const wanted = format === "float32" ? "a Float32Array" : "the raw bits in a Uint16Array";
    throw new UsageError(`${format} logits need ${wanted}, not a ${values.constructor.name}`);
  }
  if (values.length !== rows * vocabulary) {
    throw new LengthMismatchError(
      `cannot split rows of logits: ${rows} rows of ${vocabulary} columns are ${rows * vocabulary} values, ${values.length} are there`,
      { found: values.length, expected: rows * vocabulary },
    );
  }
  if (tokens.length !== rows) {
    throw new LengthMismatchError(`cannot align tokens with logits: ${tokens.length} tokens, ${rows} rows`, {
      found: tokens.length,
      expected: rows,
    });
  }
}

/** @throws LengthMismatchError if two blocks about the same tokens differ in rows */
export function checkPair(p: LogitBlock, q: LogitBlock): void {
  if (p.rows !== q.rows) {
    throw new LengthMismatchError(`cannot compare logits: P has ${p.rows} rows, Q has ${q.rows}`, {
      found: q.rows,
      expected: p.rows,
    });
  }
}

/** Whether `id` names one of `columns`. */
export function isColumn(id: number, columns: number): boolean {
  return Number.isInteger(id) && id >= 0 && id < columns;
}
