import type { NumericArray } from "../base/arrays.ts";
import { FIRST_CAPACITY, findMemory, grownCapacity, takeColumn } from "./spare-memory.ts";

/** The growing column of response masks, which has no gaps. */
export class MaskColumn {
  #data: Uint8Array = new Uint8Array(FIRST_CAPACITY);

  /** The values so far, and arbitrary ones behind them. */
  get data(): Uint8Array {
    return this.#data;
  }

  /**
   * Converts the mask of a draft to 0 and 1. NaN becomes 0, since it does not say that the token counts.
   *
   * @returns how many values were neither
   */
  put(at: number, values: NumericArray): number {
    const end = at + values.length;
    if (end > this.#data.length) {
      const larger = findMemory(this.#data, end) ?? new Uint8Array(grownCapacity(this.#data.length, end));
      larger.set(this.#data.subarray(0, at));
      this.#data = larger;
    }
    return storeMask(this.#data, at, values);
  }

  /** The first `length` values as an array of its own; the column is empty afterwards. */
  take(length: number): Uint8Array {
    const data = this.#data;
    this.#data = new Uint8Array(FIRST_CAPACITY);
    return takeColumn(data, length);
  }
}

function storeMask(target: Uint8Array, at: number, values: NumericArray): number {
  if (values instanceof Uint8Array && isBinary(values)) {
    target.set(values, at);
    return 0;
  }
  if (values instanceof Int32Array && storeBits(target, at, values) <= 1) return 0;
  let odd = 0;
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (value === 1) target[at + i] = 1;
    else if (value === 0) target[at + i] = 0;
    else {
      odd++;
      target[at + i] = Number.isNaN(value) ? 0 : 1;
    }
  }
  return odd;
}

/** The bits of all values together, so that the loop has no branch. */
function isBinary(values: Uint8Array): boolean {
  let bits = 0;
  for (let i = 0; i < values.length; i++) bits |= values[i]!;
  return bits <= 1;
}

/** The lower bytes of all values; returns the bits of all of them together, as a number without a sign. */
function storeBits(target: Uint8Array, at: number, values: Int32Array): number {
  let [bits, i] = [0, 0];
  // Four at a time, in half the time: every position of a padded array passes here.
  for (const end = values.length - 3; i < end; i += 4) {
    const [a, b, c, d] = [values[i]!, values[i + 1]!, values[i + 2]!, values[i + 3]!];
    bits |= a | b | c | d;
    target[at + i] = a;
    target[at + i + 1] = b;
    target[at + i + 2] = c;
    target[at + i + 3] = d;
  }
  for (; i < values.length; i++) {
    bits |= values[i]!;
    target[at + i] = values[i]!;
  }
  return bits >>> 0;
}
