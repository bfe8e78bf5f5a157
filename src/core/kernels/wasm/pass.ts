/**
 * The pass of the WebAssembly kernel over a block, chunk by chunk:
 *
 *     block ─► chunk ─► kernel.compact ─► segments: tokens of one row (of one turn of it), side by side in slots
 *                │              └───────► left: tokens with extreme or infinite values, only listed
 *                │      kernel.accumulate ─► one record (sums around 0, single precision per token) per segment
 *                ▼
 *       segments ─► addRow ──► the row's sums          a record that is not accurate is put aside, and
 *                └► addTurn ─► the turn's records      scalar.ts sums its tokens again in float64
 *       left ─────► addLeft ─► row and turn, by scalar.ts
 *       slots ────► lend ────► options.sink
 *     after the last chunk: finishTurns ─► the turns' sums
 *
 * A row may extend over several chunks, and so may a turn. Rows are finished with each chunk; turns only at the end,
 * when their records have been summed over all rows: only the total shows whether a sum is accurate.
 *
 * @module
 */
import { FIELDS } from "../layout.ts";
import { emptySums } from "../merge.ts";
import { computeK3, computeProbDiff, tokenSums } from "../scalar.ts";
import { type TableBuilder, tableBuilder } from "../table.ts";
import { checkedRows, type MismatchOptions, type MismatchTable, type TokenBlock } from "../token-block.ts";
import { iterateTurns } from "../turns.ts";
import { type Chunk, splitChunks } from "./chunks.ts";
import type { MismatchKernel } from "./kernel.ts";
import { addRecord, clearRecord, correctExtremes, isAccurate, writeSums } from "./record.ts";
import { RECORD } from "./record-fields.ts";
import { TurnRecords } from "./turn-records.ts";

/** The table of `mismatchSums` by the WebAssembly kernel, for columns in single precision. */
export function wasmMismatchSums(
  kernel: MismatchKernel,
  block: TokenBlock,
  options: MismatchOptions,
): MismatchTable {
  const { rowStart, rowEnd } = checkedRows(block, options);
  const pass = new Pass(kernel, block, options, rowStart, rowEnd);
  for (const chunk of splitChunks(block.offsets, rowStart, rowEnd, kernel.chunk)) pass.addChunk(chunk);
  return pass.finish();
}

class Pass {
  readonly #kernel: MismatchKernel;
  readonly #block: TokenBlock;
  readonly #sink: MismatchOptions["sink"];
  readonly #withTurns: boolean;
  readonly #rowStart: number;
  readonly #rowEnd: number;
  readonly #table: TableBuilder;

  /** Turn of each segment in this chunk. All 0 if turns are not requested. */
  readonly #turnOf: Int32Array;
  /** The same by slot, for the sink; empty without one. */
  readonly #slotTurn: Int32Array;
  /** Accumulates the segments of one row. */
  readonly #rowRecord = new Float64Array(RECORD);
  readonly #turnRecords = new TurnRecords();

  constructor(
    kernel: MismatchKernel,
    block: TokenBlock,
    { turns = true, sink }: MismatchOptions,
    rowStart: number,
    rowEnd: number,
  ) {
    this.#kernel = kernel;
    this.#block = block;
    this.#sink = sink;
    this.#withTurns = turns;
    this.#rowStart = rowStart;
    this.#rowEnd = rowEnd;
    this.#table = tableBuilder(rowEnd - rowStart);
    // No more than the rows can need: a call for two short rows must not cost as much as one for a whole chunk.
    const slots = Math.min(kernel.chunk, block.offsets[rowEnd]! - block.offsets[rowStart]!);
    this.#turnOf = new Int32Array(slots + 1);
    this.#slotTurn = new Int32Array(sink ? slots : 0);
  }

  addChunk(chunk: Chunk): void {
    const kernel = this.#kernel;
    const { segmentRow } = kernel;
    copyIn(kernel, this.#block, chunk);
    // If a row was cut between two tokens of a turn, its first segment here is the rest of that turn, and opens no new
    // one.
    const joins = this.#withTurns && chunk.continues && this.#block.mask[chunk.from - 1] !== 0;
    const segments = kernel.compact(chunk.rows, chunk.from, this.#withTurns ? 1 : 0, joins ? 1 : 0);
    kernel.accumulate();
    for (let from = 0; from < segments; ) {
      let to = from + 1;
      while (to < segments && segmentRow[to] === segmentRow[from]) to++;
      // The kernel numbers rows from the chunk's first one, the table from the first requested one.
      const row = chunk.row - this.#rowStart + segmentRow[from]!;
      this.#addRow(row, from, to, chunk.continues);
      if (this.#withTurns) this.#addTurns(row, from, to, joins && from === 0);
      from = to;
    }
    // After the rows: they determine the turn of each segment, and a row must be empty when its record is written to
    // it.
    const leftCount = kernel.leftCount();
    this.#addLeft(chunk, leftCount);
    if (this.#sink) this.#lend(chunk, segments, leftCount);
  }

  finish(): MismatchTable {
    this.#finishTurns();
    return this.#table.finish();
  }

  /** Adds segments `[from, to)`, the chunk's part of row `row` of the table. */
  #addRow(row: number, from: number, to: number, continues: boolean): void {
    const { records, segmentStart, slotDelta, slotRollout, slotTrainer } = this.#kernel;
    const table = this.#table;
    let record = records;
    let at = from * RECORD;
    // Corrected here, not on use, because the turns read the same records afterwards.
    for (let s = from; s < to; s++) correctExtremes(records, s * RECORD, slotDelta, segmentStart[s]!);
    if (to - from > 1) {
      record = this.#rowRecord;
      at = 0;
      clearRecord(record, 0);
      for (let s = from; s < to; s++) addRecord(record, 0, records, s * RECORD);
    }
    if (!isAccurate(record, at)) {
      // Segments are contiguous, so the row's tokens are one range of slots, without those left out.
      table.addToRow(
        row,
        tokenSums(slotRollout, slotTrainer, undefined, segmentStart[from]!, segmentStart[to]!),
      );
    } else if (continues) {
      const sums = emptySums();
      writeSums(record, at, sums, 0);
      table.addToRow(row, sums);
    } else {
      // The row is still empty, as most rows are: written in place, which saves a vector and a merge.
      writeSums(record, at, table.rows, row * FIELDS);
    }
  }

  /** If `joins`, the first segment is the rest of the row's last turn. */
  #addTurns(row: number, from: number, to: number, joins: boolean): void {
    const { records } = this.#kernel;
    for (let s = from; s < to; s++) {
      if (s > from || !joins) this.#table.openTurn(row);
      const turn = this.#table.rowTurns[row]! - 1;
      this.#turnOf[s] = turn;
      this.#turnRecords.add(turn, records, s * RECORD);
    }
  }

  /**
   * Adds tokens with extreme or infinite values, which the kernel only listed, segment by segment with the reference
   * implementation.
   */
  #addLeft(chunk: Chunk, leftCount: number): void {
    const { leftPosition, leftSegment, rolloutIn, segmentRow, trainerIn } = this.#kernel;
    for (let from = 0; from < leftCount; ) {
      // Listed in order of position, so those of a segment are adjacent.
      const segment = leftSegment[from]!;
      let to = from;
      while (to < leftCount && leftSegment[to] === segment) to++;
      const positions = leftPosition.subarray(from, to);
      const rollout = Float32Array.from(positions, (position) => rolloutIn[position]!);
      const trainer = Float32Array.from(positions, (position) => trainerIn[position]!);
      const sums = tokenSums(rollout, trainer, undefined, 0, to - from);
      this.#table.addToRow(chunk.row - this.#rowStart + segmentRow[segment]!, sums);
      if (this.#withTurns) this.#table.addToTurn(this.#turnOf[segment]!, sums);
      from = to;
    }
  }

  /** Lends the slots to the sink, followed by the finite ones among the tokens left out. */
  #lend(chunk: Chunk, segments: number, leftCount: number): void {
    const { slotDelta, slotProbDiff, slotK3, slotIndex, leftPosition, leftSegment, segmentStart } =
      this.#kernel;
    const slotTurn = this.#slotTurn;
    let count = segmentStart[segments]!;
    for (let s = 0; s < segments; s++) slotTurn.fill(this.#turnOf[s]!, segmentStart[s], segmentStart[s + 1]);
    // There is room: a token is either in a slot or left out, and a chunk has a slot for each of its tokens.
    for (let i = 0; i < leftCount; i++) {
      const position = leftPosition[i]!;
      const rollout = this.#kernel.rolloutIn[position]!;
      const trainer = this.#kernel.trainerIn[position]!;
      if (!Number.isFinite(rollout) || !Number.isFinite(trainer)) continue;
      slotDelta[count] = trainer - rollout;
      slotProbDiff[count] = computeProbDiff(rollout, trainer);
      slotK3[count] = computeK3(trainer - rollout);
      slotIndex[count] = chunk.from + position;
      slotTurn[count] = this.#turnOf[leftSegment[i]!]!;
      count++;
    }
    if (count === 0) return;
    this.#sink?.({
      count,
      delta: slotDelta,
      probDiff: slotProbDiff,
      k3: slotK3,
      index: slotIndex,
      turn: slotTurn,
    });
  }

  /** Converts the turns' records to sums; turns whose records are not accurate are summed again from their tokens. */
  #finishTurns(): void {
    const turnCount = this.#table.turnCount();
    const inexact = new Set<number>();
    for (let turn = 0; turn < turnCount; turn++) {
      if (!this.#turnRecords.isAccurate(turn)) inexact.add(turn);
      else if (this.#turnRecords.count(turn) > 0) {
        // Merged, not written: the turn's sums may already contain tokens that were left out.
        const sums = emptySums();
        this.#turnRecords.writeSums(turn, sums);
        this.#table.addToTurn(turn, sums);
      }
    }
    if (inexact.size > 0) this.#sumTurnsAgain(inexact);
  }

  /** Sums all tokens of these turns, including those left out; first drops what the sums contain of them. */
  #sumTurnsAgain(inexact: ReadonlySet<number>): void {
    const { rollout, trainer, mask, offsets } = this.#block;
    const first = Math.min(...inexact);
    for (const turn of inexact) this.#table.clearTurn(turn);
    for (let row = this.#rowStart; row < this.#rowEnd; row++) {
      // Skips rows without such a turn: few rows have many turns.
      if (this.#table.rowTurns[row - this.#rowStart]! <= first) continue;
      for (const { turn, from, to } of iterateTurns(mask, offsets[row]!, offsets[row + 1]!)) {
        if (inexact.has(turn)) this.#table.addToTurn(turn, tokenSums(rollout, trainer, undefined, from, to));
      }
    }
  }
}

function copyIn(kernel: MismatchKernel, { rollout, trainer, mask, offsets }: TokenBlock, chunk: Chunk): void {
  kernel.rolloutIn.set(rollout.subarray(chunk.from, chunk.to));
  kernel.trainerIn.set(trainer.subarray(chunk.from, chunk.to));
  kernel.maskIn.set(mask.subarray(chunk.from, chunk.to));
  if (chunk.rows === 1) {
    // A chunk may begin and end inside a row, so the row's own offsets do not apply.
    kernel.offsetsIn[0] = 0;
    kernel.offsetsIn[1] = chunk.to - chunk.from;
  } else {
    for (let i = 0; i <= chunk.rows; i++) kernel.offsetsIn[i] = offsets[chunk.row + i]! - chunk.from;
  }
}
