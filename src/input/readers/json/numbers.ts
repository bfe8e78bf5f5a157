/**
 * JSON numbers.
 *
 * ```
 *  -   12 . 345678901   2345      e-05
 *  │   └── high ─────┘  └── low   └── power
 *  │       nine digits      nine digits at most
 *  negative
 * ```
 *
 * {@link decimalToDouble} finds the nearest double from two 32-bit integers and an exponent, without making a string;
 * the loops stay in integer arithmetic. A number that does not fit (more digits, or more than four in the exponent) or
 * that this method cannot round goes to `Number(text)`.
 *
 * @module
 */
import { decimalToDouble } from "./decimal.ts";
import { literalNumber, matches } from "./literals.ts";
import { expected, MINUS, PLUS, POINT, ZERO } from "./syntax.ts";

/** Digits that always fit a 32-bit integer. */
const DIGITS = 9;
const POWER_DIGITS = 4;

export class NumberScanner {
  #next = 0;

  /** The index after the number that was read last. */
  next(): number {
    return this.#next;
  }

  /**
   * The number that starts at `pos`, correctly rounded. `bytes[end]` must exist and must not continue a number: the
   * loops stop only there.
   */
  scan(bytes: Uint8Array, start: number, end: number): number {
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
      if ((code - ZERO) >>> 0 <= 9) return this.#scanText(bytes, start, end);
    } else if ((code - ZERO) >>> 0 <= 9) {
      throw expected("no digit after a leading zero", bytes, pos, end);
    }
    let low = 0;
    let lowDigits = 0;
    let exponent = 0;
    if (code === POINT) {
      const fraction = ++pos;
      code = bytes[pos]!;
      // Digits before the point count among the nine; zeros after "0." do not.
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
        if ((code - ZERO) >>> 0 <= 9) return this.#scanText(bytes, start, end);
      }
      if (pos === fraction) throw expected("a digit", bytes, pos, end);
      exponent = fraction - pos;
    }
    this.#next = pos;
    if ((code | 32) === 0x65) {
      exponent += this.#scanPower(bytes, pos + 1, end);
      if (Number.isNaN(exponent)) return this.#scanText(bytes, start, end);
    }
    const value = exponent === 0 && lowDigits === 0 ? high : decimalToDouble(high, low, lowDigits, exponent);
    if (Number.isNaN(value)) return this.#scanText(bytes, start, end);
    return negative ? -value : value;
  }

  /**
   * The element of an array that starts at `start`, a number or one of the literals that stand for one, null as NaN;
   * undefined when it is something else.
   */
  scanElement(bytes: Uint8Array, start: number, end: number): number | undefined {
    const code = bytes[start]!;
    if ((code - ZERO) >>> 0 <= 9 || (code === MINUS && (bytes[start + 1]! - ZERO) >>> 0 <= 9))
      return this.scan(bytes, start, end);
    const literal = literalNumber(code);
    if (literal === undefined || !matches(bytes, start, end, literal.text)) return undefined;
    this.#next = start + literal.text.length;
    return literal.value ?? NaN;
  }

  /** The power that starts after the "e"; NaN when it has too many digits. */
  #scanPower(bytes: Uint8Array, start: number, end: number): number {
    let pos = start;
    let code = bytes[pos]!;
    const down = code === MINUS;
    if (down || code === PLUS) code = bytes[++pos]!;
    if ((code - ZERO) >>> 0 > 9) throw expected("a digit", bytes, pos, end);
    let power = 0;
    const limit = pos + POWER_DIGITS;
    while ((code - ZERO) >>> 0 <= 9 && pos < limit) {
      power = power * 10 + code - ZERO;
      code = bytes[++pos]!;
    }
    if ((code - ZERO) >>> 0 <= 9) return NaN;
    this.#next = pos;
    return down ? -power : power;
  }

  /** A number of any length and exponent: checked here, then converted from its text. */
  #scanText(bytes: Uint8Array, start: number, end: number): number {
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
    this.#next = pos;
    return Number(Buffer.from(bytes.buffer, bytes.byteOffset + start, pos - start).toString("latin1"));
  }
}
