/**
 * Growing columns: values are put at ascending token positions, and skipped positions are missing.
 *
 * @module
 */
import type { FloatArray, NumericArray } from "../base/arrays.ts";
import { LARGEST_TOKEN_ID } from "../base/token-ids.ts";
import { FIRST_CAPACITY, findMemory, grownCapacity, takeColumn } from "./spare-memory.ts";

export interface PackedColumn<A> {
  /** Copies `values` to positions `[at, at + values.length)`; positions skipped since the last call become missing. */
  put(at: number, values: NumericArray): void;
  /** The first `length` positions in their own memory. The column cannot be used afterwards. */
  take(length: number): A;
}

/** `store` writes values, which must fit, after the first `at`, and may return a wider copy instead. */
function createColumn<A extends FloatArray | Int32Array>(
  make: (length: number) => A,
  missing: number,
  store: (data: A, at: number, values: NumericArray) => A,
  resized: (data: A, length: number) => A,
): PackedColumn<A> {
  let data = make(FIRST_CAPACITY);
  let written = 0;

  function reserve(end: number): void {
    if (end <= data.length) return;
    const larger = findMemory(data, end) ?? resized(data, grownCapacity(data.length, end));
    larger.set(data.subarray(0, written));
    data = larger;
  }

  return {
    put(at, values) {
      const end = at + values.length;
      reserve(end);
      if (at > written) data.fill(missing, written, at);
      data = store(data, at, values);
      written = end;
    },
    take(length) {
      reserve(length);
      if (length > written) data.fill(missing, written, length);
      return takeColumn(data, length);
    },
  };
}

/** Nine significant digits distinguish any two float32. */
const SINGLE_DIGITS = 9;
/** For log-probs closer to 0 than 10^-14 the precision does not matter. */
const LAST_POWER = 22;
const POWERS = Float64Array.from({ length: LAST_POWER + 1 }, (_, k) => Number(`1e${k}`));
/**
 * The rounding error of multiplying by a power of ten to an integer below 10^9 (an ulp there is 10^-7), with a margin.
 */
const ROUNDING = 1e-6;
const FEWEST_SCALED = 1e8;

/**
 * Whether a number was a float32 before it was written as decimals: it is one exactly, or has no more than the nine
 * digits that distinguish any two float32 (NumPy and others print just enough of them). Such decimals must be read
 * back as float32: as doubles they are off by up to half a unit in the last place, as much as a tiny Δ.
 */
export function wasSingle(value: number): boolean {
  if (Math.fround(value) === value || Number.isNaN(value)) return true;
  const magnitude = Math.abs(value);
  let digits = SINGLE_DIGITS - 1;
  if (magnitude < 1) while (digits < LAST_POWER && magnitude * POWERS[digits]! < FEWEST_SCALED) digits++;
  else while (digits > 0 && magnitude >= POWERS[SINGLE_DIGITS - digits]!) digits--;
  const scaled = magnitude * POWERS[digits]!;
  return Math.abs(scaled - Math.round(scaled)) < ROUNDING;
}

function areSingle(values: NumericArray): boolean {
  for (let i = 0; i < values.length; i++) if (!wasSingle(values[i]!)) return false;
  return true;
}

function storeCompactly(data: FloatArray, at: number, values: NumericArray): FloatArray {
  if (data instanceof Float64Array || values instanceof Float32Array || areSingle(values)) {
    data.set(values, at);
    return data;
  }
  const wide = new Float64Array(data.length);
  wide.set(data.subarray(0, at));
  wide.set(values, at);
  return wide;
}

/** Single precision as long as all values were single precision in the source, double from then on. */
export function createFloatColumn(): PackedColumn<FloatArray> {
  return createColumn<FloatArray>(
    (length) => new Float32Array(length),
    NaN,
    storeCompactly,
    (data, length) => (data instanceof Float32Array ? new Float32Array(length) : new Float64Array(length)),
  );
}

/** Always single precision. */
export function createSingleColumn(): PackedColumn<Float32Array> {
  const store = (data: Float32Array<ArrayBuffer>, at: number, values: NumericArray) => {
    data.set(values, at);
    return data;
  };
  return createColumn<Float32Array<ArrayBuffer>>(
    (length) => new Float32Array(length),
    NaN,
    store,
    (_, length) => new Float32Array(length),
  );
}

/**
 * The bits of all values together, so that the loop has no branch; four at a time, in half the time. The sign is set if
 * any value is negative; if it is not, no value is larger than these bits.
 */
function uniteBits(values: Int32Array): number {
  let [bits, i] = [0, 0];
  for (const end = values.length - 3; i < end; i += 4)
    bits |= values[i]! | values[i + 1]! | values[i + 2]! | values[i + 3]!;
  for (; i < values.length; i++) bits |= values[i]!;
  return bits;
}

/** Whether values are all between 0 and `largest`, where that takes no look at each of them; false says nothing. */
export function areSurelyIds(values: NumericArray, largest: number): boolean {
  if (values instanceof Uint8Array || values instanceof Uint16Array) return true;
  if (!(values instanceof Int32Array)) return false;
  const bits = uniteBits(values);
  return bits >= 0 && bits <= largest;
}

function createIntegerColumn(largest: number): PackedColumn<Int32Array> {
  const store = (data: Int32Array<ArrayBuffer>, at: number, values: NumericArray) => {
    if (areSurelyIds(values, largest)) {
      data.set(values, at);
      return data;
    }
    for (let i = 0; i < values.length; i++) {
      const value = values[i]!;
      data[at + i] = value >= 0 && value <= largest && Number.isInteger(value) ? value : -1;
    }
    return data;
  };
  return createColumn<Int32Array<ArrayBuffer>>(
    (length) => new Int32Array(length),
    -1,
    store,
    (_, length) => new Int32Array(length),
  );
}

/** Positions, versions: -1 for missing values, and for values that are negative, fractional or do not fit 32 bits. */
export function createIdColumn(): PackedColumn<Int32Array> {
  return createIntegerColumn(2 ** 31 - 1);
}

/** Ids of a vocabulary: like {@link createIdColumn}, and -1 for values beyond {@link LARGEST_TOKEN_ID}. */
export function createTokenIdColumn(): PackedColumn<Int32Array> {
  return createIntegerColumn(LARGEST_TOKEN_ID);
}
