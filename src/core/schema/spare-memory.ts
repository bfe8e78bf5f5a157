/**
 * Reuses the memory of finished columns for growing ones, also across files. Growing new columns for each batch
 * touches three times the memory, and the discarded memory triggers garbage collection.
 *
 * @module
 */

import type { FloatArray } from "../base/index.ts";

type Column = FloatArray | Int32Array;

/** At least six columns of a batch of the usual size. */
const MOST_BYTES = 48 * 1024 * 1024;

const spare: Column[] = [];
let bytes = 0;

/** Keeps `column` for reuse unless enough is kept. The caller must not use it again. */
export function keepMemory(column: Column): void {
  if (bytes + column.byteLength > MOST_BYTES) return;
  bytes += column.byteLength;
  spare.push(column);
}

/**
 * A column of the type of `like` with at least `length` elements of arbitrary content; undefined when none is kept.
 */
export function findMemory<A extends Column>(like: A, length: number): A | undefined {
  const at = spare.findLastIndex(
    (column) => column.length >= length && column.constructor === like.constructor,
  );
  if (at < 0) return undefined;
  const [found] = spare.splice(at, 1) as [A];
  bytes -= found.byteLength;
  return found;
}
