import type { LogitBlock } from "../../../core/kernels/index.ts";
import type { Allocate } from "../../../input/io/index.ts";
import type { SavedRows } from "./saved-rows.ts";

/** Number of blocks held: one is used while the next is read. */
export const BLOCKS = 2;

/** Reads rows of one text after another, block by block. */
export interface BlockReader {
  /**
   * @param spans rows `[start, end)` of each block
   * @returns blocks that are valid until the next is requested
   */
  blocks(
    rows: SavedRows,
    spans: readonly (readonly [start: number, end: number])[],
    vocabulary: number,
    signal?: AbortSignal,
  ): AsyncGenerator<LogitBlock>;
}

/** The reader reuses its memory for each text, and worker threads see it without a copy. */
export function createBlockReader(): BlockReader {
  const free: Allocate[] = [];
  return {
    async *blocks(rows, spans, vocabulary, signal) {
      const memories = Array.from({ length: BLOCKS }, () => free.pop() ?? sharedMemory());
      const read = async (at: number): Promise<LogitBlock> => {
        const [start, end] = spans[at]!;
        const values = await rows.read(start, end, memories[at % BLOCKS]);
        return { ...values, rows: end - start, vocabulary };
      };
      let next = spans.length > 0 ? read(0) : undefined;
      try {
        for (let at = 1; next !== undefined; at++) {
          signal?.throwIfAborted();
          const block = await next;
          next = at < spans.length ? read(at) : undefined;
          // Awaited in its turn; until then a failure must not count as unhandled.
          next?.catch(() => {});
          yield block;
        }
      } finally {
        // Whoever closes the file next must not find it still being read.
        await next?.catch(() => {});
        free.push(...memories);
      }
    },
  };
}

function sharedMemory(): Allocate {
  let held = new SharedArrayBuffer(0);
  return (length) => {
    if (held.byteLength < length) held = new SharedArrayBuffer(length);
    return new Uint8Array(held, 0, length);
  };
}
