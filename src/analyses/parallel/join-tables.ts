import type { MismatchTable } from "../../core/kernels/index.ts";
import { clearSums, FIELDS, mergeSums } from "../../core/kernels/index.ts";

/** The table of consecutive row ranges: rows one after the other, turns merged in the order given. */
export function joinTables(tables: readonly MismatchTable[]): MismatchTable {
  const rowCount = tables.reduce((count, table) => count + table.rowTurns.length, 0);
  const turnCount = tables.reduce((count, table) => Math.max(count, table.turnRows.length), 0);
  const rows = new Float64Array(rowCount * FIELDS);
  const rowTurns = new Int32Array(rowCount);
  const turns = new Float64Array(turnCount * FIELDS);
  const turnRows = new Int32Array(turnCount);
  for (let turn = 0; turn < turnCount; turn++) clearSums(turns, turn * FIELDS);
  let row = 0;
  for (const table of tables) {
    rows.set(table.rows, row * FIELDS);
    rowTurns.set(table.rowTurns, row);
    row += table.rowTurns.length;
    for (let turn = 0; turn < table.turnRows.length; turn++) {
      mergeSums(turns, table.turns, turn * FIELDS, turn * FIELDS);
      turnRows[turn]! += table.turnRows[turn]!;
    }
  }
  return { rows, turns, turnRows, rowTurns };
}
