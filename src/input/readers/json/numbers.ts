/**
 * JSON numbers, alone and in arrays.
 *
 * @module
 */
import { decimalToDouble } from "./decimal.ts";
import { CLOSE_BRACKET, COMMA, expected, isSpace, MINUS, PLUS, POINT, SPACE, ZERO } from "./syntax.ts";

export interface NumberScanner {
  /** The number that starts at `pos`; `next` is then the index behind it. Correctly rounded. */
  scan(bytes: Uint8Array, pos: number, end: number): number;
  /**
   * The array of numbers and nulls whose first element starts at `pos`, nulls as NaN; undefined when an element is
   * something else. `next` is the index behind the closing bracket.
   */
  scanArray(bytes: Uint8Array, pos: number, end: number): Float64Array | undefined;
  readonly next: () => number;
}

/** Digits that fit a 32-bit integer whatever they are. */
const DIGITS = 9;
/** Numbers gathered before they are put away: as many as stay in the cache. */
const SCRATCH = 1 << 14;

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

/** @param spend is told the bytes of memory that numbers take, before they are there; it may raise */
export function createNumberScanner(spend: (bytes: number) => void = () => {}): NumberScanner {
  let next = 0;
  let scratch = new Float64Array(SCRATCH);

  /** Any number of digits, any exponent: still checked here, then read from its text. */
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

  function scanArray(bytes: Uint8Array, start: number, end: number): Float64Array | undefined {
    let pos = start;
    let values = scratch;
    let count = 0;
    const full: Float64Array[] = [];
    for (;;) {
      // `bytes[end]` may be white space, and behind it there need be nothing.
      while (pos < end && bytes[pos]! <= SPACE && isSpace(bytes[pos])) pos++;
      if (pos >= end) return undefined;
      let code = bytes[pos]!;
      let value: number;
      if ((code - ZERO) >>> 0 <= 9 || (code === MINUS && (bytes[pos + 1]! - ZERO) >>> 0 <= 9)) {
        value = scan(bytes, pos, end);
        pos = next;
      } else {
        const literal = literalNumber(code);
        if (literal === undefined || !matches(bytes, pos, end, literal.text)) return undefined;
        value = literal.value ?? NaN;
        pos += literal.text.length;
      }
      if (count === SCRATCH) {
        // Once as they are gathered, once in the array that is made of them.
        spend(2 * values.byteLength);
        full.push(values);
        scratch = values = new Float64Array(SCRATCH);
        count = 0;
      }
      values[count++] = value;
      while (pos < end && bytes[pos]! <= SPACE && isSpace(bytes[pos])) pos++;
      code = pos < end ? bytes[pos]! : 0;
      if (code === COMMA) pos++;
      else if (code === CLOSE_BRACKET) break;
      else throw expected('"," or "]"', bytes, pos, end);
    }
    next = pos + 1;
    spend(count * Float64Array.BYTES_PER_ELEMENT);
    if (full.length === 0) return values.slice(0, count);
    const result = new Float64Array(full.length * SCRATCH + count);
    full.forEach((part, i) => {
      result.set(part, i * SCRATCH);
    });
    result.set(values.subarray(0, count), full.length * SCRATCH);
    return result;
  }

  return { scan, scanArray, next: () => next };
}
