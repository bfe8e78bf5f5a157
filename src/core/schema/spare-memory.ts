/**
 * Reuses the memory of finished columns, also across files. Growing new columns for each batch touches three times the
 * memory, and the discarded memory, being external to V8, triggers garbage collection.
 *
 *     growing column ─► take ─┬─ a column of an earlier batch was given back: that memory grows next, and the batch
 *         ▲                   │  gets this one as it is
 *         │                   ├─ the batch fills nearly all of it: it gets this one as it is
 *         │                   └─ else the batch gets a copy
 *         └───── spare ◄──────── released ◄─── releaseColumn ◄─── batch
 *
 * So batches that are never given back cost little more than they hold, and those that are given back cost no copy.
 *
 * @module
 */

import type { FloatArray } from "../base/arrays.ts";

export type Column = FloatArray | Int32Array | Uint8Array;

/** At least six columns of a batch of the usual size. */
const MOST_BYTES = 48 * 1024 * 1024;

/** Elements of a new column. */
export const FIRST_CAPACITY = 1024;
/** Longer columns are likely to grow to a batch. */
const MANY = 2 ** 17;
/** Capacity for a batch of the usual size, which ends with the sequence that reaches a million tokens. */
const BATCH_CAPACITY = 2 ** 20 + 2 ** 16;

/**
 * The new capacity of a column with `capacity` elements that needs room for `end`.
 *
 * Beyond some length, it is a whole batch: the system provides memory on first write, so unused memory costs nothing,
 * while growing by doubling writes each element twice.
 */
export function grownCapacity(capacity: number, end: number): number {
  if (end > BATCH_CAPACITY) return Math.max(end, capacity + (capacity >> 2));
  return end > MANY ? BATCH_CAPACITY : Math.max(end, 2 * capacity);
}

/** Share of a column that a batch may leave unused without being given a copy. */
const MOST_UNUSED = 1 / 8;

/** Memory of arbitrary content, kept for columns of its type. */
class Pool {
  readonly #columns: Column[] = [];
  #bytes = 0;

  /** Keeps `column`, and drops the oldest ones if that is too much. */
  keep(column: Column): void {
    if (column.byteLength > MOST_BYTES) return;
    this.#bytes += column.byteLength;
    this.#columns.push(column);
    while (this.#bytes > MOST_BYTES) this.#bytes -= this.#columns.shift()!.byteLength;
  }

  find<A extends Column>(like: A, length: number): A | undefined {
    const at = this.#columns.findLastIndex(
      (column) => column.length >= length && column.constructor === like.constructor,
    );
    if (at < 0) return undefined;
    const [found] = this.#columns.splice(at, 1) as [A];
    this.#bytes -= found.byteLength;
    return found;
  }
}

const spare = new Pool();
const released = new Pool();
/** Columns of batches that may be given back, and the memory of each. */
const taken = new WeakMap<Column, Column>();

/**
 * A column of the type of `like` with at least `length` elements of arbitrary content; undefined when none is kept.
 */
export function findMemory<A extends Column>(like: A, length: number): A | undefined {
  return spare.find(like, length);
}

/** The first `length` elements of a column that has grown, for a batch. The caller must not use `grown` again. */
export function takeColumn<A extends Column>(grown: A, length: number): A {
  if (grown.length <= FIRST_CAPACITY) return grown.slice(0, length) as A;
  const next = released.find(grown, length);
  if (next === undefined && grown.length - length >= MOST_UNUSED * grown.length) {
    const copy = grown.slice(0, length) as A;
    taken.set(copy, copy);
    spare.keep(grown);
    return copy;
  }
  const column = grown.subarray(0, length) as A;
  taken.set(column, grown);
  if (next !== undefined) spare.keep(next);
  return column;
}

/** Takes back a column of a batch that is no longer used; ignores columns that {@link takeColumn} did not return. */
export function releaseColumn(column: Column): void {
  const memory = taken.get(column);
  if (memory === undefined) return;
  taken.delete(column);
  released.keep(memory);
}
