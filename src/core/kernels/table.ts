import { FIELDS } from "./layout.ts";
import { clearSums, mergeSums } from "./merge.ts";
import type { MismatchTable } from "./token-block.ts";

/** Fills a {@link MismatchTable}: rows are known in advance, turns are added as they occur. */
export interface TableBuilder {
  readonly rows: Float64Array;
  readonly rowTurns: Int32Array;
  addToRow(row: number, sums: Float64Array): void;
  addToTurn(turn: number, sums: Float64Array): void;
  /** Resets to the sums of no tokens. */
  clearTurn(turn: number): void;
  /** Opens another turn in the row: the next one, or `turn`. */
  openTurn(row: number, turn?: number): void;
  /** Turns opened so far, over all rows. */
  turnCount(): number;
  finish(): MismatchTable;
}

export function tableBuilder(rowCount: number): TableBuilder {
  const rows = new Float64Array(rowCount * FIELDS);
  for (let row = 0; row < rowCount; row++) clearSums(rows, row * FIELDS);
  const rowTurns = new Int32Array(rowCount);
  let turns = new Float64Array(0);
  let turnRows = new Int32Array(0);
  let turnCount = 0;

  const grow = (): void => {
    const capacity = Math.max(1, turnRows.length * 2);
    const widerRows = new Int32Array(capacity);
    widerRows.set(turnRows);
    const wider = new Float64Array(capacity * FIELDS);
    wider.set(turns);
    for (let turn = turnRows.length; turn < capacity; turn++) clearSums(wider, turn * FIELDS);
    turnRows = widerRows;
    turns = wider;
  };

  return {
    rows,
    rowTurns,
    addToRow: (row, sums) => mergeSums(rows, sums, 0, row * FIELDS),
    addToTurn: (turn, sums) => mergeSums(turns, sums, 0, turn * FIELDS),
    clearTurn: (turn) => {
      clearSums(turns, turn * FIELDS);
    },
    openTurn(row, turn = rowTurns[row]!) {
      rowTurns[row]!++;
      while (turn >= turnRows.length) grow();
      turnRows[turn]!++;
      turnCount = Math.max(turnCount, turn + 1);
    },
    turnCount: () => turnCount,
    finish: () => ({
      rows,
      turns: turns.slice(0, turnCount * FIELDS),
      turnRows: turnRows.slice(0, turnCount),
      rowTurns,
    }),
  };
}
