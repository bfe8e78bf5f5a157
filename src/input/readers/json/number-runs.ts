/**
 * Reads long runs of ordinary numbers in an array with the WebAssembly kernel.
 *
 * @module
 */
import { type DecimalsKernel, decimalsKernel } from "../../../core/kernels/index.ts";

/** Bytes copied for the kernel at first; doubled each time an array continues. */
const FIRST_WINDOW = 4096;
/** If less than this is left of a window when the kernel stops, the window's end is the likely reason. */
const LIKELY_CUT = 512;

/** Reads one array up to its first element that is not an ordinary number. */
export interface NumberRun {
  /** The values; the kernel appends to them. */
  readonly values: Float64Array;
  /**
   * Reads elements of `bytes[pos, end)` from the one that starts at `pos`; see {@link DecimalsKernel}. `next` is then
   * the index of the first element that was not read, or the index after the closing bracket.
   *
   * @returns the number of `values` then filled
   */
  scan(pos: number, count: number): number;
  readonly next: () => number;
  readonly isClosed: () => boolean;
  /** See {@link DecimalsKernel}. */
  readonly narrow: DecimalsKernel["narrow"];
}

/** Undefined when WebAssembly SIMD is not available. */
export function startNumberRun(bytes: Uint8Array, end: number): NumberRun | undefined {
  const kernel = decimalsKernel();
  return kernel && createRun(kernel, bytes, end);
}

function createRun(kernel: DecimalsKernel, bytes: Uint8Array, end: number): NumberRun {
  const { text, textBytes, values } = kernel;
  /** `text` holds `bytes[base, limit)`. */
  let base = 0;
  let limit = 0;
  let size = FIRST_WINDOW;
  let next = 0;

  const load = (pos: number): void => {
    base = pos;
    limit = Math.min(end, pos + size);
    text.set(bytes.subarray(base, limit));
    text.fill(0, limit - base, limit - base + (text.length - textBytes));
    size = Math.min(textBytes, 2 * size);
  };

  const scan = (start: number, before: number): number => {
    let pos = start;
    let count = before;
    if (pos < base || pos >= limit) load(pos);
    for (;;) {
      count = kernel.scan(pos - base, limit - base, count);
      next = base + kernel.position();
      const isCut = limit < end && limit - next < LIKELY_CUT && next > base;
      if (kernel.isClosed() === 1 || count === values.length || !isCut) return count;
      pos = next;
      load(pos);
    }
  };
  return { values, scan, next: () => next, isClosed: () => kernel.isClosed() === 1, narrow: kernel.narrow };
}
