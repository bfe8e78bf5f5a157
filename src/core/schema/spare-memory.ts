/**
 * Memory of columns that were taken, for those that grow next: of the same file or of another. Growing anew for each
 * batch touches three times the memory, and what is thrown away sets off garbage collection.
 *
 * @module
 */

import type { FloatArray } from "../base/index.ts";

type Column = FloatArray | Int32Array;

/** Six columns of a batch of the usual size, at least. */
const MOST_BYTES = 48 * 1024 * 1024;

const spare: Column[] = [];
let bytes = 0;

/** Keeps `column` for later unless enough is kept. The caller may not touch it again. */
export function keepMemory(column: Column): void {
  if (bytes + column.byteLength > MOST_BYTES) return;
  bytes += column.byteLength;
  spare.push(column);
}

/** A column of the kind of `like` with at least `length` elements, whatever they are; undefined where none is kept. */
export function findMemory<A extends Column>(like: A, length: number): A | undefined {
  const at = spare.findLastIndex(
    (column) => column.length >= length && column.constructor === like.constructor,
  );
  if (at < 0) return undefined;
  const [found] = spare.splice(at, 1) as [A];
  bytes -= found.byteLength;
  return found;
}
