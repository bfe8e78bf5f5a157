/**
 * JSON numbers, alone and in arrays.
 *
 * @module
 */
import { decimalToDouble } from "./decimal.ts";
import { type NumberRun, startNumberRun } from "./number-runs.ts";
import { CLOSE_BRACKET, COMMA, expected, isSpace, MINUS, PLUS, POINT, SPACE, ZERO } from "./syntax.ts";

export interface NumberScanner {
  /** The number that starts at `pos`, correctly rounded; `next` is then the index after it. */
  scan(bytes: Uint8Array, pos: number, end: number): number;
  /**
   * The array of numbers and nulls whose first element starts at `pos`, nulls as NaN; undefined when an element is
   * something else. `next` is the index after the closing bracket.
   */
  scanArray(bytes: Uint8Array, pos: number, end: number): Float64Array | undefined;
  readonly next: () => number;
}

/** Digits that always fit a 32-bit integer. */
const DIGITS = 9;
/** Numbers to collect before they are copied: as many as fit the cache, and the kernel. */
const SCRATCH = 1 << 14;
/** Numbers to read one by one first, because most arrays of a file may be short: top-k lists of each token. */
const FIRST_ELEMENTS = 16;

interface Literal<T> {
  readonly text: Uint8Array;
  readonly value: T;
}

function literal<T>(text: string, value: T): Literal<T> {
  return { text: Buffer.from(text), value };
}

export const NULL = literal("null", null);
export const TRUE = literal("true", true);
export const FALSE = literal("false", false);
/** As Python's `json` writes them. */
export const NOT_A_NUMBER = literal("NaN", NaN);
export const INFINITE = literal("Infinity", Infinity);
export const MINUS_INFINITE = literal("-Infinity", -Infinity);

function literalNumber(code: number): Literal<number | null> | undefined {
  if (code === 0x6e) return NULL;
  if (code === 0x4e) return NOT_A_NUMBER;
  if (code === 0x49) return INFINITE;
  return code === MINUS ? MINUS_INFINITE : undefined;
}

export function matches(bytes: Uint8Array, pos: number, end: number, text: Uint8Array): boolean {
  if (pos + text.length > end) return false;
  for (let i = 0; i < text.length; i++) if (bytes[pos + i] !== text[i]) return false;
  return true;
}

/** Concatenates `full` and `rest` into new memory. */
function joinNumbers(full: readonly Float64Array[], rest: Float64Array): Float64Array {
  if (full.length === 0) return rest.slice();
  const result = new Float64Array(full.length * SCRATCH + rest.length);
  full.forEach((part, i) => {
    result.set(part, i * SCRATCH);
  });
  result.set(rest, full.length * SCRATCH);
  return result;
}

/**
 * @param spend called with the bytes of memory that numbers will take; may throw
 * @param startRun reads long runs of ordinary numbers, if available
 */
export function createNumberScanner(
  spend: (bytes: number) => void = () => {},
  startRun: (bytes: Uint8Array, end: number) => NumberRun | undefined = startNumberRun,
): NumberScanner {
  let next = 0;
  let scratch: Float64Array = new Float64Array(FIRST_ELEMENTS);

  /** A number of any length and exponent: checked here, then converted from its text. */
  function scanSlowly(bytes: Uint8Array, start: number, end: number): number {
    let pos = start;
    const digits = (): void => {
      const first = pos;
      while ((bytes[pos]! - ZERO) >>> 0 <= 9) pos++;
      if (pos === first) throw expected("a digit", bytes, pos, end);
    };
    if (bytes[pos] === MINUS) pos++;
    digits();
    if (bytes[pos] === POINT) {
      pos++;
      digits();
    }
    if ((bytes[pos]! | 32) === 0x65) {
      pos++;
      if (bytes[pos] === MINUS || bytes[pos] === PLUS) pos++;
      digits();
    }
    next = pos;
    return Number(Buffer.from(bytes.buffer, bytes.byteOffset + start, pos - start).toString("latin1"));
  }

  function scan(bytes: Uint8Array, start: number, end: number): number {
    let pos = start;
    let code = bytes[pos]!;
    const negative = code === MINUS;
    if (negative) code = bytes[++pos]!;
    let high = code - ZERO;
    if (high >>> 0 > 9) throw expected("a digit", bytes, pos, end);
    const firstDigit = pos++;
    code = bytes[pos]!;
    if (high !== 0) {
      const limit = firstDigit + DIGITS;
      while ((code - ZERO) >>> 0 <= 9 && pos < limit) {
        high = (Math.imul(high, 10) + code - ZERO) | 0;
        code = bytes[++pos]!;
      }
      if ((code - ZERO) >>> 0 <= 9) return scanSlowly(bytes, start, end);
    } else if ((code - ZERO) >>> 0 <= 9) {
      throw expected("no digit after a leading zero", bytes, pos, end);
    }
    let low = 0;
    let lowDigits = 0;
    let exponent = 0;
    if (code === POINT) {
      const fraction = ++pos;
      code = bytes[pos]!;
      let limit = fraction + DIGITS;
      if (high === 0) {
        while (code === ZERO) code = bytes[++pos]!;
        limit = pos + DIGITS;
      } else limit -= fraction - 1 - firstDigit;
      while ((code - ZERO) >>> 0 <= 9 && pos < limit) {
        high = (Math.imul(high, 10) + code - ZERO) | 0;
        code = bytes[++pos]!;
      }
      if ((code - ZERO) >>> 0 <= 9) {
        const second = pos;
        limit = pos + DIGITS;
        do {
          low = (Math.imul(low, 10) + code - ZERO) | 0;
          code = bytes[++pos]!;
        } while ((code - ZERO) >>> 0 <= 9 && pos < limit);
        lowDigits = pos - second;
        if ((code - ZERO) >>> 0 <= 9) return scanSlowly(bytes, start, end);
      }
      if (pos === fraction) throw expected("a digit", bytes, pos, end);
      exponent = fraction - pos;
    }
    if ((code | 32) === 0x65) {
      code = bytes[++pos]!;
      const down = code === MINUS;
      if (down || code === PLUS) code = bytes[++pos]!;
      if ((code - ZERO) >>> 0 > 9) throw expected("a digit", bytes, pos, end);
      let power = 0;
      const limit = pos + 4;
      while ((code - ZERO) >>> 0 <= 9 && pos < limit) {
        power = power * 10 + code - ZERO;
        code = bytes[++pos]!;
      }
      if ((code - ZERO) >>> 0 <= 9) return scanSlowly(bytes, start, end);
      exponent += down ? -power : power;
    }
    const value = exponent === 0 && lowDigits === 0 ? high : decimalToDouble(high, low, lowDigits, exponent);
    if (Number.isNaN(value)) return scanSlowly(bytes, start, end);
    next = pos;
    return negative ? -value : value;
  }

  /** The element at `start`, which is not white space; undefined when it is neither a number nor null. */
  function scanElement(bytes: Uint8Array, start: number, end: number): number | undefined {
    const code = bytes[start]!;
    if ((code - ZERO) >>> 0 <= 9 || (code === MINUS && (bytes[start + 1]! - ZERO) >>> 0 <= 9))
      return scan(bytes, start, end);
    const literal = literalNumber(code);
    if (literal === undefined || !matches(bytes, start, end, literal.text)) return undefined;
    next = start + literal.text.length;
    return literal.value ?? NaN;
  }

  /** Grows the memory for elements and keeps those already read. */
  function widen(run: NumberRun | undefined, count: number): Float64Array {
    const wide = run?.values ?? (scratch.length === SCRATCH ? scratch : new Float64Array(SCRATCH));
    if (wide !== scratch) wide.set(scratch.subarray(0, count));
    return wide;
  }

  function scanArray(bytes: Uint8Array, start: number, end: number): Float64Array | undefined {
    let pos = start;
    let count = 0;
    const full: Float64Array[] = [];
    let run: NumberRun | undefined;
    /** Elements to read here before the kernel is tried. */
    let plain = FIRST_ELEMENTS;
    for (;;) {
      if (count === SCRATCH) {
        // Once while they are collected, once in the final array.
        spend(2 * scratch.byteLength);
        full.push(scratch.slice());
        count = 0;
      }
      if (plain-- === 0) {
        if (run === undefined) {
          run = startRun(bytes, end);
          scratch = widen(run, count);
        }
        const before = count;
        count = run?.scan(pos, count) ?? count;
        pos = run?.next() ?? pos;
        if (run?.isClosed()) break;
        // If the kernel stops repeatedly, it is not tried for a while.
        plain = run === undefined ? Infinity : count > before ? 1 : FIRST_ELEMENTS;
        if (count === SCRATCH) continue;
      }
      // `bytes[end]` may be white space, and nothing need follow it.
      while (pos < end && bytes[pos]! <= SPACE && isSpace(bytes[pos])) pos++;
      if (pos >= end) return undefined;
      const value = scanElement(bytes, pos, end);
      if (value === undefined) return undefined;
      pos = next;
      scratch[count++] = value;
      while (pos < end && bytes[pos]! <= SPACE && isSpace(bytes[pos])) pos++;
      const code = pos < end ? bytes[pos]! : 0;
      if (code !== COMMA && code !== CLOSE_BRACKET) throw expected('"," or "]"', bytes, pos, end);
      pos++;
      if (code === CLOSE_BRACKET) break;
    }
    next = pos;
    spend(count * Float64Array.BYTES_PER_ELEMENT);
    return joinNumbers(full, scratch.subarray(0, count));
  }

  return { scan, scanArray, next: () => next };
}
