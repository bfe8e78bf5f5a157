/**
 * Long lists of numbers. Python's pickler writes a list in batches, `( item item … e`, of 1000; a slime dump has
 * millions of items. Batches that hold only numbers are decoded into a typed array without touching the stack.
 *
 * @module
 */
import type { NumberRun, PyList, PyValue } from "./pickle-values.ts";

/** Consecutive batches of numbers for one list. */
interface NumberBatches {
  readonly count: number;
  /** Whether every number was pickled as an int and fits 32 bits. */
  readonly int32: boolean;
  /** Offset of the opcode after the last batch. */
  readonly end: number;
}

const MARK = 0x28;
const APPENDS = 0x65;
const BINFLOAT = 0x47;
const BININT = 0x4a;
const BININT1 = 0x4b;
const BININT2 = 0x4d;
const LONG1 = 0x8a;
const FRAME = 0x95;

/**
 * Appends the batches of numbers that start at `start`, the byte after a MARK.
 *
 * @param spend called with the memory needed, before it is allocated
 * @returns where to continue, or -1 if the batch holds anything else (then nothing was appended)
 */
export function appendNumberBatches(
  list: PyList,
  bytes: Uint8Array,
  view: DataView,
  start: number,
  spend: (bytes: number) => void,
): number {
  const batches = scanBatches(bytes, start);
  if (batches === undefined) return -1;
  // Capacity doubles as a list grows, so up to twice its size is allocated.
  spend(2 * (batches.int32 ? 4 : 8) * batches.count);
  const run = reserve(list, batches.count, batches.int32);
  const { values } = run;
  let n = run.length;
  let p = start;
  while (p < batches.end) {
    switch (bytes[p]!) {
      case BINFLOAT:
        do {
          values[n++] = view.getFloat64(p + 1);
          p += 9;
        } while (bytes[p] === BINFLOAT);
        break;
      case BININT1:
        do {
          values[n++] = bytes[p + 1]!;
          p += 2;
        } while (bytes[p] === BININT1);
        break;
      case BININT2:
        values[n++] = view.getUint16(p + 1, true);
        p += 3;
        break;
      case BININT:
        values[n++] = view.getInt32(p + 1, true);
        p += 5;
        break;
      case LONG1:
        values[n++] = longValue(bytes, p + 2, bytes[p + 1]!);
        p += 2 + bytes[p + 1]!;
        break;
      case FRAME:
        p += 9;
        break;
      default: // MARK or APPENDS, between batches
        p += 1;
    }
  }
  run.length = n;
  return batches.end;
}

function scanBatches(bytes: Uint8Array, start: number): NumberBatches | undefined {
  let count = 0;
  let int32 = true;
  let found: NumberBatches | undefined;
  let pending = 0;
  let p = start;
  for (;;) {
    switch (bytes[p]) {
      case BINFLOAT:
        int32 = false;
        do {
          pending++;
          p += 9;
        } while (bytes[p] === BINFLOAT);
        break;
      case BININT1:
        do {
          pending++;
          p += 2;
        } while (bytes[p] === BININT1);
        break;
      case BININT2:
        pending++;
        p += 3;
        break;
      case BININT:
        pending++;
        p += 5;
        break;
      case LONG1: {
        const length = bytes[p + 1] ?? 255;
        if (length > 8) return found;
        int32 = false;
        pending++;
        p += 2 + length;
        break;
      }
      case FRAME:
        p += 9;
        break;
      case APPENDS:
        count += pending;
        pending = 0;
        p += 1;
        found = { count, int32, end: p };
        while (bytes[p] === FRAME) p += 9;
        if (bytes[p] !== MARK) return found;
        p += 1;
        break;
      default:
        return found;
    }
  }
}

/** A little-endian two's complement integer, rounded to a double. */
export function longValue(bytes: Uint8Array, start: number, length: number): number {
  if (length === 0) return 0;
  const negative = bytes[start + length - 1]! >= 128;
  if (length <= 6) {
    let value = 0;
    for (let i = length - 1; i >= 0; i--) value = value * 256 + bytes[start + i]!;
    return negative ? value - 2 ** (8 * length) : value;
  }
  let value = 0n;
  for (let i = length - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[start + i]!);
  return Number(negative ? value - (1n << BigInt(8 * length)) : value);
}

/** Appends one value, and keeps a list of numbers a run of numbers. */
export function appendValue(list: PyList, value: PyValue): void {
  if (list.run === undefined) list.items.push(value);
  else if (typeof value === "number") appendNumber(list, value, !Number.isInteger(value));
  else {
    for (const number of list.run.values.subarray(0, list.run.length)) list.items.push(number);
    list.run = undefined;
    list.items.push(value);
  }
}

/** Appends a number to a list that is empty or a run. */
export function appendNumber(list: PyList, value: number, float: boolean): void {
  const run = reserve(list, 1, !float && Object.is(value | 0, value));
  run.values[run.length++] = value;
}

/** Whether numbers may be appended as a run. */
export function takesNumbers(list: PyList): boolean {
  return list.run !== undefined || list.items.length === 0;
}

function reserve(list: PyList, extra: number, int32: boolean): NumberRun {
  const { run } = list;
  if (run === undefined) {
    list.run = { values: int32 ? new Int32Array(extra) : new Float64Array(extra), length: 0 };
    return list.run;
  }
  const wide = !int32 || run.values instanceof Float64Array;
  const needed = run.length + extra;
  if (needed <= run.values.length && wide === run.values instanceof Float64Array) return run;
  const capacity = needed <= run.values.length ? run.values.length : Math.max(needed, 2 * run.values.length);
  const values = wide ? new Float64Array(capacity) : new Int32Array(capacity);
  values.set(run.values.subarray(0, run.length));
  run.values = values;
  return run;
}
