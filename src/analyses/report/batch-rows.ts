/**
 * What a summary needs to know about a batch's rows: their place, outcome and name.
 *
 * @module
 */
import { formatHandle, type RecordBatch } from "../../core/schema/index.ts";
import type { SequenceOutcome } from "../../core/summaries/index.ts";

/** Entropies come from the trainer policy, else from the rollout policy. */
export function readOutcome(batch: RecordBatch, row: number): SequenceOutcome {
  const [start, end] = [batch.offsets[row]!, batch.offsets[row + 1]!];
  const entropies = batch.entropies.trainer ?? batch.entropies.rollout;
  let entropySum = 0;
  let entropyTokens = 0;
  for (let t = start; entropies !== undefined && t < end; t++) {
    const value = entropies[t]!;
    if (batch.responseMask[t] === 0 || !Number.isFinite(value)) continue;
    entropySum += value;
    entropyTokens++;
  }
  return {
    responseTokens: end - start,
    entropySum,
    entropyTokens,
    reward: batch.rewards[row]!,
    correct: batch.correctness[row]!,
  };
}

/** `[start, end)` of each run of equal values (NaN equals NaN). */
export function* iterateRuns(values: Float64Array): Generator<[start: number, end: number]> {
  for (let start = 0; start < values.length; ) {
    let end = start + 1;
    while (end < values.length && Object.is(values[end], values[start])) end++;
    yield [start, end];
    start = end;
  }
}

/** The last row that starts at or before a token. */
export function findRow(offsets: Int32Array, token: number): number {
  let low = 0;
  let high = offsets.length - 2;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (offsets[middle]! <= token) low = middle;
    else high = middle - 1;
  }
  return low;
}

export function known(value: number, missing: number): number | null {
  return Object.is(value, missing) ? null : value;
}

export function describePlace(
  batch: RecordBatch,
  row: number,
  token?: number,
): { handle: string; step: number | null; rank: number | null; file: string } {
  const step = known(batch.steps[row]!, Number.NaN);
  const rank = known(batch.ranks[row]!, Number.NaN);
  const sequence = batch.rows[row]!;
  const handle = formatHandle({
    sequence,
    ...(step !== null && { step }),
    ...(rank !== null && { rank }),
    ...(token !== undefined && { token }),
  });
  return { handle, step, rank, file: batch.provenance.file };
}
