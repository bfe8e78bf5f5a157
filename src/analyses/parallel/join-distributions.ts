import type { DistributionRows, DivergenceRows } from "../../core/kernels/index.ts";

/** Concatenates figures of consecutive rows. */
export function joinDistributions(parts: readonly DistributionRows[]): DistributionRows {
  return {
    logSumExp: joinDoubles(parts.map(({ logSumExp }) => logSumExp)),
    logprobs: joinDoubles(parts.map(({ logprobs }) => logprobs)),
    entropies: joinDoubles(parts.map(({ entropies }) => entropies)),
    ranks: joinIntegers(parts.map(({ ranks }) => ranks)),
    k: parts[0]!.k,
    topIds: joinIntegers(parts.map(({ topIds }) => topIds)),
    topLogprobs: joinDoubles(parts.map(({ topLogprobs }) => topLogprobs)),
  };
}

/** Concatenates divergences of consecutive rows. */
export function joinDivergences(parts: readonly DivergenceRows[]): DivergenceRows {
  return {
    forwardKl: joinDoubles(parts.map(({ forwardKl }) => forwardKl)),
    reverseKl: joinDoubles(parts.map(({ reverseKl }) => reverseKl)),
    jsDivergence: joinDoubles(parts.map(({ jsDivergence }) => jsDivergence)),
    totalVariation: joinDoubles(parts.map(({ totalVariation }) => totalVariation)),
    excludedP: joinDoubles(parts.map(({ excludedP }) => excludedP)),
    excludedQ: joinDoubles(parts.map(({ excludedQ }) => excludedQ)),
  };
}

const joinDoubles = (columns: readonly Float64Array[]): Float64Array =>
  join(new Float64Array(totalLength(columns)), columns);
const joinIntegers = (columns: readonly Int32Array[]): Int32Array =>
  join(new Int32Array(totalLength(columns)), columns);

function totalLength(columns: readonly ArrayLike<number>[]): number {
  return columns.reduce((sum, { length }) => sum + length, 0);
}

function join<T extends Float64Array | Int32Array>(whole: T, columns: readonly ArrayLike<number>[]): T {
  let at = 0;
  for (const column of columns) {
    whole.set(column, at);
    at += column.length;
  }
  return whole;
}
