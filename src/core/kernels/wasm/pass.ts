import { FIELDS } from "../layout.ts";
import { emptySums } from "../merge.ts";
import { k3Of, probDiffOf, tokenSums } from "../scalar.ts";
import { tableBuilder } from "../table.ts";
import { checkedRows, type MismatchOptions, type MismatchTable, type TokenBlock } from "../token-block.ts";
import { turnsOf } from "../turns.ts";
import { type Chunk, chunksOf } from "./chunks.ts";
import type { MismatchKernel } from "./kernel.ts";
import { addRecord, clearRecord, correctExtremes, countOf, isAccurate, RECORD, writeSums } from "./record.ts";

/** The table of `mismatchSums` by the WebAssembly kernel, for columns in single precision. */
export function wasmMismatchSums(
  kernel: MismatchKernel,
  block: TokenBlock,
  options: MismatchOptions,
): MismatchTable {
  const { rowStart, rowEnd } = checkedRows(block, options);
  const { offsets } = block;
  const { turns = true, sink } = options;
  const { records, segmentRow, segmentStart } = kernel;
  const table = tableBuilder(rowEnd - rowStart);
  // No more than the rows can need: a call for two short rows must not cost what one for a whole chunk does.
  const slots = Math.min(kernel.chunk, offsets[rowEnd]! - offsets[rowStart]!);
  const turnOf = new Int32Array(slots + 1);
  const slotTurn = new Int32Array(sink ? slots : 0);
  const rowRecord = new Float64Array(RECORD);
  // Records of one turn add up over rows, and become sums once, at the end.
  let turnRecords = new Float64Array(0);

  const addTurnRecord = (turn: number, segment: number): void => {
    if (turn * RECORD >= turnRecords.length) {
      const wider = new Float64Array(Math.max(1, turn * 2) * RECORD);
      for (let at = turnRecords.length; at < wider.length; at += RECORD) clearRecord(wider, at);
      wider.set(turnRecords);
      turnRecords = wider;
    }
    addRecord(turnRecords, turn * RECORD, records, segment * RECORD);
  };

  /** Segments `[from, to)` are what a chunk has of row `row` of the table. */
  const addRow = (row: number, from: number, to: number, continues: boolean): void => {
    let record = records;
    let at = from * RECORD;
    for (let s = from; s < to; s++) correctExtremes(records, s * RECORD, kernel.slotDelta, segmentStart[s]!);
    if (to - from > 1) {
      record = rowRecord;
      at = 0;
      clearRecord(rowRecord, 0);
      for (let s = from; s < to; s++) addRecord(rowRecord, 0, records, s * RECORD);
    }
    if (!isAccurate(record, at)) {
      const { slotRollout, slotTrainer } = kernel;
      table.addToRow(
        row,
        tokenSums(slotRollout, slotTrainer, undefined, segmentStart[from]!, segmentStart[to]!),
      );
    } else if (continues) {
      const sums = emptySums();
      writeSums(record, at, sums, 0);
      table.addToRow(row, sums);
    } else {
      writeSums(record, at, table.rows, row * FIELDS);
    }
  };

  /** The first segment is the rest of the row's last turn where `joins`. */
  const addTurns = (row: number, from: number, to: number, joins: boolean): void => {
    for (let s = from; s < to; s++) {
      if (s > from || !joins) table.openTurn(row);
      const turn = table.rowTurns[row]! - 1;
      turnOf[s] = turn;
      addTurnRecord(turn, s);
    }
  };

  /** Tokens with extreme or infinite values, which the kernel only listed. */
  const addLeft = (chunk: Chunk, leftCount: number): void => {
    for (let from = 0; from < leftCount; ) {
      const segment = kernel.leftSegment[from]!;
      let to = from;
      while (to < leftCount && kernel.leftSegment[to] === segment) to++;
      const positions = kernel.leftPosition.subarray(from, to);
      const rollout = Float32Array.from(positions, (position) => kernel.rolloutIn[position]!);
      const trainer = Float32Array.from(positions, (position) => kernel.trainerIn[position]!);
      const sums = tokenSums(rollout, trainer, undefined, 0, to - from);
      table.addToRow(chunk.row - rowStart + segmentRow[segment]!, sums);
      if (turns) table.addToTurn(turnOf[segment]!, sums);
      from = to;
    }
  };

  const lend = (chunk: Chunk, segments: number, leftCount: number): void => {
    const { slotDelta, slotProbDiff, slotK3, slotIndex, leftPosition, leftSegment } = kernel;
    let count = segmentStart[segments]!;
    for (let s = 0; s < segments; s++) slotTurn.fill(turnOf[s]!, segmentStart[s], segmentStart[s + 1]);
    for (let i = 0; i < leftCount; i++) {
      const position = leftPosition[i]!;
      const rollout = kernel.rolloutIn[position]!;
      const trainer = kernel.trainerIn[position]!;
      if (!Number.isFinite(rollout) || !Number.isFinite(trainer)) continue;
      slotDelta[count] = trainer - rollout;
      slotProbDiff[count] = probDiffOf(rollout, trainer);
      slotK3[count] = k3Of(trainer - rollout);
      slotIndex[count] = chunk.from + position;
      slotTurn[count] = turnOf[leftSegment[i]!]!;
      count++;
    }
    const lent = {
      count,
      delta: slotDelta,
      probDiff: slotProbDiff,
      k3: slotK3,
      index: slotIndex,
      turn: slotTurn,
    };
    if (count > 0) sink?.(lent);
  };

  for (const chunk of chunksOf(offsets, rowStart, rowEnd, kernel.chunk)) {
    copyIn(kernel, block, chunk);
    const joins = turns && chunk.continues && block.mask[chunk.from - 1] !== 0;
    const segments = kernel.compact(chunk.rows, chunk.from, turns ? 1 : 0, joins ? 1 : 0);
    kernel.accumulate();
    for (let from = 0; from < segments; ) {
      let to = from + 1;
      while (to < segments && segmentRow[to] === segmentRow[from]) to++;
      const row = chunk.row - rowStart + segmentRow[from]!;
      addRow(row, from, to, chunk.continues);
      if (turns) addTurns(row, from, to, joins && from === 0);
      from = to;
    }
    const leftCount = kernel.leftCount();
    addLeft(chunk, leftCount);
    if (sink) lend(chunk, segments, leftCount);
  }

  const turnCount = table.turnCount();
  const inexact = new Set<number>();
  for (let turn = 0; turn < turnCount; turn++) {
    if (!isAccurate(turnRecords, turn * RECORD)) inexact.add(turn);
    else if (countOf(turnRecords, turn * RECORD) > 0) {
      const sums = emptySums();
      writeSums(turnRecords, turn * RECORD, sums, 0);
      table.addToTurn(turn, sums);
    }
  }
  if (inexact.size > 0) {
    const first = Math.min(...inexact);
    for (const turn of inexact) table.clearTurn(turn);
    for (let row = rowStart; row < rowEnd; row++) {
      if (table.rowTurns[row - rowStart]! <= first) continue;
      for (const { turn, from, to } of turnsOf(block.mask, offsets[row]!, offsets[row + 1]!)) {
        if (inexact.has(turn))
          table.addToTurn(turn, tokenSums(block.rollout, block.trainer, undefined, from, to));
      }
    }
  }
  return table.finish();
}

function copyIn(kernel: MismatchKernel, { rollout, trainer, mask, offsets }: TokenBlock, chunk: Chunk): void {
  kernel.rolloutIn.set(rollout.subarray(chunk.from, chunk.to));
  kernel.trainerIn.set(trainer.subarray(chunk.from, chunk.to));
  kernel.maskIn.set(mask.subarray(chunk.from, chunk.to));
  if (chunk.rows === 1) {
    kernel.offsetsIn[0] = 0;
    kernel.offsetsIn[1] = chunk.to - chunk.from;
  } else {
    for (let i = 0; i <= chunk.rows; i++) kernel.offsetsIn[i] = offsets[chunk.row + i]! - chunk.from;
  }
}
