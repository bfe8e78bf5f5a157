/**
 * Δ of a run's tokens in blocks, each of one step and one group of rewards.
 *
 * @module
 */
import type { FileHandle } from "node:fs/promises";
import { findRewardGroup } from "../../../../analyses/sweep/index.ts";
import type { ValueGroup } from "../../../../results/view.ts";
import { readPart } from "../cache/read-part.ts";

/** The most values of Δ kept in memory once requested: 128 MB. */
const DELTAS_HELD = 2 ** 24;
/** Values of Δ per block. */
const BLOCK_DELTAS = 2 ** 20;

/** Some sequences of a step: Δ of their counted tokens, packed. */
export interface DeltaBlock {
  /** NaN where it is not known. */
  readonly step: number;
  /** -1: none. */
  readonly rewardGroup: number;
  readonly deltas: Float64Array;
  /** `[sequences + 1]`, into `deltas`. */
  readonly offsets: Int32Array;
  /** `[sequences]`: 1 right, 0 wrong, NaN unknown. */
  readonly correct: Float64Array;
  readonly rewards: Float64Array;
}

/** Columns of the table of sequences. */
export interface BlockColumns {
  readonly step: Float64Array;
  readonly correct: Float64Array;
  readonly reward: Float64Array;
}

/**
 * All sequences in blocks: from memory after the first use if they fit, else from the file.
 *
 * @param offsets Where each sequence's Δ begin in the file, in numbers, and the end.
 */
export function deltaBlocks(
  file: FileHandle,
  offsets: Float64Array,
  rewards: readonly ValueGroup[],
  columnsOf: () => Promise<BlockColumns>,
): () => AsyncGenerator<DeltaBlock> {
  let held: DeltaBlock[] | undefined;
  return async function* () {
    if (held !== undefined) {
      yield* held;
      return;
    }
    const columns = await columnsOf();
    const count = columns.step.length;
    const read: DeltaBlock[] = [];
    const fits = offsets.at(-1)! <= DELTAS_HELD;
    for (let first = 0; first < count; ) {
      let end = first + 1;
      while (end < count && offsets[end + 1]! - offsets[first]! <= BLOCK_DELTAS) end++;
      const from = offsets[first]!;
      const bytes = await readPart(file, from * 8, (offsets[end]! - from) * 8);
      const deltas = new Float64Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 8);
      const bounds = Int32Array.from(offsets.subarray(first, end + 1), (offset) => offset - from);
      const part = (column: Float64Array): Float64Array => column.slice(first, end);
      const own = { step: part(columns.step), correct: part(columns.correct), reward: part(columns.reward) };
      for (const block of partedBlocks(deltas, bounds, own, rewards)) {
        if (fits) read.push(block);
        yield block;
      }
      first = end;
    }
    if (fits) held = read;
  };
}

/** Sequences by step and group of rewards, in order of first appearance. */
export function partedBlocks(
  deltas: Float64Array,
  offsets: Int32Array,
  { step, correct, reward }: BlockColumns,
  rewards: readonly ValueGroup[],
): DeltaBlock[] {
  const parts = new Map<string, { readonly step: number; readonly group: number; readonly rows: number[] }>();
  for (let row = 0; row < step.length; row++) {
    const group = findRewardGroup(rewards, reward[row]!);
    const key = `${step[row]} ${group}`;
    const part = parts.get(key) ?? { step: step[row]!, group, rows: [] };
    parts.set(key, part);
    part.rows.push(row);
  }
  return [...parts.values()].map(({ step: own, group, rows }) => {
    const bounds = new Int32Array(rows.length + 1);
    for (const [at, row] of rows.entries()) bounds[at + 1] = bounds[at]! + offsets[row + 1]! - offsets[row]!;
    const gathered = parts.size === 1 ? deltas : new Float64Array(bounds.at(-1)!);
    if (parts.size > 1)
      for (const [at, row] of rows.entries())
        gathered.set(deltas.subarray(offsets[row]!, offsets[row + 1]!), bounds[at]!);
    return {
      step: own,
      rewardGroup: group,
      deltas: gathered,
      offsets: bounds,
      correct: Float64Array.from(rows, (row) => correct[row]!),
      rewards: Float64Array.from(rows, (row) => reward[row]!),
    };
  });
}
