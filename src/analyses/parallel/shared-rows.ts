import type { FloatArray } from "../../core/base/index.ts";
import type { TokenBlock } from "../../core/kernels/index.ts";

/** Shared memory that is used again for one range of rows after the other. */
export interface SharedSlot {
  buffer: SharedArrayBuffer;
}

export function emptySlot(): SharedSlot {
  return { buffer: new SharedArrayBuffer(0) };
}

/** Rows `[from, to)` as a block of their own: views where the columns are shared already, else copies in the slot. */
export function sharedRows(block: TokenBlock, from: number, to: number, slot: SharedSlot): TokenBlock {
  const start = block.offsets[from]!;
  const end = block.offsets[to]!;
  const offsets = block.offsets.subarray(from, to + 1).map((offset) => offset - start);
  const rollout = block.rollout.subarray(start, end);
  const trainer = block.trainer.subarray(start, end);
  const mask = block.mask.subarray(start, end);
  const columns = [rollout, trainer, mask];
  if (columns.every(isShared)) return { rollout, trainer, mask, offsets };
  // Widest first, so that each column starts at a multiple of its element size.
  const bytes = columns.reduce((sum, column) => sum + column.byteLength, 0);
  if (bytes > slot.buffer.byteLength) slot.buffer = new SharedArrayBuffer(bytes);
  let at = 0;
  const place = <T extends FloatArray | Uint8Array>(column: T): T => {
    const Column = column.constructor as new (buffer: SharedArrayBuffer, offset: number, length: number) => T;
    const copy = new Column(slot.buffer, at, column.length);
    copy.set(column);
    at += column.byteLength;
    return copy;
  };
  return rollout.BYTES_PER_ELEMENT < trainer.BYTES_PER_ELEMENT
    ? { trainer: place(trainer), rollout: place(rollout), mask: place(mask), offsets }
    : { rollout: place(rollout), trainer: place(trainer), mask: place(mask), offsets };
}

function isShared(column: FloatArray | Uint8Array): boolean {
  return column.buffer instanceof SharedArrayBuffer;
}
