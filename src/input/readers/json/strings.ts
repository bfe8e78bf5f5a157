/**
 * JSON strings, and names of members, which are interned: a name that a file repeats a million times exists once.
 *
 * @module
 */
import { FormatError } from "../../../core/base/index.ts";
import { BACKSLASH, expected, QUOTE, SPACE } from "./syntax.ts";

export interface StringScanner {
  /** The string whose opening quote is at `pos`; `next` is then the index after its closing quote. */
  scan(bytes: Uint8Array, pos: number, end: number): string;
  /** Like `scan`, for the name of a member. */
  scanName(bytes: Uint8Array, pos: number, end: number): string;
  readonly next: () => number;
}

/** The longest string that V8 can hold (2^29 - 24 characters). */
const LONGEST_STRING = 536_870_888;
const LONGEST_NAME = 64;
const SHORT_STRING = 64;
/** Shorter strings are short-lived and not counted. */
const SPENT_STRING = 1 << 20;
/** A power of two; names that do not fit the table are rebuilt, so hostile input cannot fill memory. */
const NAME_SLOTS = 1024;
const HEX = /^[0-9a-fA-F]{4}$/;
const ESCAPES = Buffer.from('"\\/bfnrt');

interface Name {
  readonly bytes: Uint8Array;
  readonly text: string;
}

function sameName(name: Name | undefined, bytes: Uint8Array, start: number, end: number): name is Name {
  if (name === undefined || name.bytes.length !== end - start) return false;
  for (let i = start; i < end; i++) if (name.bytes[i - start] !== bytes[i]) return false;
  return true;
}

function view(bytes: Uint8Array, start: number, end: number): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start);
}

/** The error for the first invalid byte of a string in `[start, end)`; undefined when there is none. */
function fault(bytes: Uint8Array, start: number, end: number): FormatError | undefined {
  for (let pos = start; pos < end; pos++) {
    const code = bytes[pos]!;
    if (code < SPACE) return expected("an escape for a control character in a string", bytes, pos, end);
    if (code !== BACKSLASH) continue;
    const kind = pos + 1 < end ? bytes[pos + 1]! : 0;
    if (kind === 0x75) {
      if (pos + 6 > end || !HEX.test(view(bytes, pos + 2, pos + 6).toString("latin1"))) {
        return expected("four hexadecimal digits", bytes, pos + 2, end);
      }
    } else if (!ESCAPES.includes(kind)) {
      return expected("an escape such as \\n", bytes, pos + 1, end);
    }
    pos++;
  }
  return undefined;
}

/** The index of the quote that closes the string; -1 when there is none. */
function closingQuote(text: Buffer, start: number): number {
  for (let pos = text.indexOf(QUOTE, start); pos >= 0; pos = text.indexOf(QUOTE, pos + 1)) {
    let slashes = 0;
    while (text[pos - 1 - slashes] === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return pos;
  }
  return -1;
}

/** @param spend called with the bytes of memory that making a long string takes, before it is made; may throw */
export function createStringScanner(spend: (bytes: number) => void = () => {}): StringScanner {
  let next = 0;
  const names: (Name | undefined)[] = new Array(NAME_SLOTS).fill(undefined);

  /** Long strings and escaped ones: found, decoded and unescaped by the engine's own (vectorized) code. */
  function scanLong(bytes: Uint8Array, start: number, end: number): string {
    const text = view(bytes, start, end);
    const close = closingQuote(text, 1);
    if (close < 0) throw fault(bytes, start + 1, end) ?? expected("a closing quote", bytes, end, end);
    if (close > LONGEST_STRING) {
      throw new FormatError(
        `a string of ${close - 1} bytes is longer than the ${LONGEST_STRING} characters that JavaScript can hold`,
        { at: { offset: start } },
      );
    }
    // The text as a string, and the unescaped string, at worst two bytes per character.
    if (close > SPENT_STRING) spend(4 * close);
    next = start + close + 1;
    try {
      return JSON.parse(text.toString("utf8", 0, close + 1)) as string;
    } catch (cause) {
      throw fault(bytes, start + 1, start + close) ?? cause;
    }
  }

  function scan(bytes: Uint8Array, start: number, end: number): string {
    const limit = Math.min(end, start + SHORT_STRING);
    for (let pos = start + 1; pos < limit; pos++) {
      const code = bytes[pos]!;
      if (code === QUOTE) {
        next = pos + 1;
        return view(bytes, start + 1, pos).toString("latin1");
      }
      if (code === BACKSLASH || code < SPACE || code > 0x7e) break;
    }
    return scanLong(bytes, start, end);
  }

  function scanName(bytes: Uint8Array, start: number, end: number): string {
    let hash = 0;
    const limit = Math.min(end, start + LONGEST_NAME);
    let pos = start + 1;
    for (; pos < limit; pos++) {
      const code = bytes[pos]!;
      if (code === QUOTE) {
        const slot = (hash ^ (hash >>> 10)) & (NAME_SLOTS - 1);
        const known = names[slot];
        if (sameName(known, bytes, start + 1, pos)) {
          next = pos + 1;
          return known.text;
        }
        const text = scan(bytes, start, end);
        names[slot] = { bytes: bytes.slice(start + 1, pos), text };
        return text;
      }
      if (code === BACKSLASH || code < SPACE) break;
      hash = (Math.imul(hash, 31) + code) | 0;
    }
    return scan(bytes, start, end);
  }

  return { scan, scanName, next: () => next };
}
