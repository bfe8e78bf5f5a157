import type { LogitBlock } from "../../core/kernels/index.ts";

/** Shared memory that is reused for successive ranges of rows. */
export interface SharedSlot {
  buffer: SharedArrayBuffer;
}

export function emptySlot(): SharedSlot {
  return { buffer: new SharedArrayBuffer(0) };
}

/** Rows `[from, to)` of a block, not copied. */
export function cutRows(block: LogitBlock, from: number, to: number): LogitBlock {
  if (from === 0 && to === block.rows) return block;
  const { vocabulary } = block;
  return { ...block, values: block.values.subarray(from * vocabulary, to * vocabulary), rows: to - from };
}

/** Blocks of logits as they are if already shared, else copies in the slot. */
export function sharedBlocks<T extends readonly (LogitBlock | undefined)[]>(blocks: T, slot: SharedSlot): T {
  const isPlaced = (block: LogitBlock | undefined): block is LogitBlock =>
    block !== undefined && !(block.values.buffer instanceof SharedArrayBuffer);
  const bytes = blocks.reduce(
    (sum, block) => sum + (isPlaced(block) ? roundUp(block.values.byteLength) : 0),
    0,
  );
  if (bytes > slot.buffer.byteLength) slot.buffer = new SharedArrayBuffer(bytes);
  let at = 0;
  return blocks.map((block) => {
    if (!isPlaced(block)) return block;
    const { length } = block.values;
    const values =
      block.values instanceof Float32Array
        ? new Float32Array(slot.buffer, at, length)
        : new Uint16Array(slot.buffer, at, length);
    values.set(block.values);
    at += roundUp(values.byteLength);
    return { ...block, values };
  }) as unknown as T;
}

/** Aligns what follows to its element size. */
const roundUp = (bytes: number): number => Math.ceil(bytes / 8) * 8;
