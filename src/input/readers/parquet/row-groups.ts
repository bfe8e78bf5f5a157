/**
 * Divides batches into row groups.
 *
 * @module
 */
import { type ColumnBatch, type ColumnSpec, checkBatch } from "./schema.ts";

/** Rows per group without lists, or with short ones. */
export const ROW_GROUP_ROWS = 2 ** 16;
/** Number of row groups after which their size doubles. */
export const GROUPS_OF_A_SIZE = 2 ** 12;

/** Rows `[start, end)` of a batch. */
export interface RowRun {
  readonly batch: ColumnBatch;
  readonly start: number;
  readonly end: number;
}

/**
 * Collects rows until they fill a row group. A yielded group must be written before the next is requested.
 *
 * @param limit list entries after which a row group ends
 */
export async function* rowGroups(
  specs: readonly ColumnSpec[],
  batches: AsyncIterable<ColumnBatch>,
  limit: number,
): AsyncGenerator<RowRun[]> {
  let runs: RowRun[] = [];
  let tokens = 0;
  let rows = 0;
  let groups = 0;
  for await (const batch of batches) {
    checkBatch(specs, batch);
    let start = 0;
    for (let row = 0; row < batch.length; row++) {
      tokens += longestList(batch, row);
      rows++;
      if (tokens < limit * 2 ** Math.floor(groups / GROUPS_OF_A_SIZE) && rows < ROW_GROUP_ROWS) continue;
      runs.push({ batch, start, end: row + 1 });
      yield runs;
      tellWritten(runs);
      groups++;
      runs = [];
      tokens = rows = 0;
      start = row + 1;
    }
    if (start < batch.length) runs.push({ batch, start, end: batch.length });
  }
  if (runs.length === 0) return;
  yield runs;
  tellWritten(runs);
}

function tellWritten(runs: readonly RowRun[]): void {
  for (const { batch, end } of runs) if (end === batch.length) batch.onWritten?.();
}

function longestList(batch: ColumnBatch, row: number): number {
  let longest = 0;
  for (const { offsets } of batch.columns) {
    if (offsets !== undefined) longest = Math.max(longest, offsets[row + 1]! - offsets[row]!);
  }
  return longest;
}
