/**
 * Memory that is reused for one block of a file after another, also across files. New memory for each block costs page
 * faults and, being external to V8, triggers garbage collection.
 *
 * @module
 */
import type { Allocate } from "./byte-source.ts";

/** Smaller blocks come from memory that the process already has. */
const LEAST_BYTES = 2 ** 16;
/** Larger blocks are rare, and would be held until the process ends. */
const MOST_BYTES = 2 ** 25;
/** A padded batch with a dozen columns, of the usual size of a block. */
const MOST_KEPT_BYTES = 3 * 2 ** 24;

const free: Uint8Array[] = [];
let keptBytes = 0;

/** Memory for one block at a time. */
export interface ReusedMemory {
  /** Memory of arbitrary content, from offset 0; what the previous call returned is overwritten. */
  readonly allocate: Allocate;
  /** Leaves the memory to others; nothing may point into it afterwards. */
  release(): void;
}

export function reuseMemory(): ReusedMemory {
  let held: Uint8Array | undefined;
  return {
    allocate(length) {
      if (held === undefined || held.length < length) {
        if (held !== undefined) keep(held);
        held = find(length) ?? new Uint8Array(Buffer.allocUnsafeSlow(length).buffer);
      }
      return held.subarray(0, length);
    },
    release() {
      if (held !== undefined) keep(held);
      held = undefined;
    },
  };
}

function keep(memory: Uint8Array): void {
  const { length } = memory;
  if (length < LEAST_BYTES || length > MOST_BYTES || keptBytes + length > MOST_KEPT_BYTES) return;
  keptBytes += length;
  free.push(memory);
}

/** The smallest that is large enough, so that large memory stays available for large blocks. */
function find(length: number): Uint8Array | undefined {
  if (length < LEAST_BYTES) return undefined;
  let best = -1;
  for (let i = 0; i < free.length; i++) {
    const own = free[i]!.length;
    if (own >= length && (best < 0 || own < free[best]!.length)) best = i;
  }
  if (best < 0) return undefined;
  const [found] = free.splice(best, 1) as [Uint8Array];
  keptBytes -= found.length;
  return found;
}
