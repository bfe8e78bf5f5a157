/**
 * Bytes with a meaning in JSON, and how messages name an unexpected byte.
 *
 * @module
 */
import { FormatError } from "../../../core/base/index.ts";

const TAB = 0x09;
export const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
export const SPACE = 0x20;
export const QUOTE = 0x22;
export const PLUS = 0x2b;
export const COMMA = 0x2c;
export const MINUS = 0x2d;
export const POINT = 0x2e;
export const ZERO = 0x30;
export const COLON = 0x3a;
export const OPEN_BRACKET = 0x5b;
export const BACKSLASH = 0x5c;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;

export function isSpace(code: number | undefined): boolean {
  return code === SPACE || code === LINE_FEED || code === CARRIAGE_RETURN || code === TAB;
}

/** The index of the first byte of `[start, end)` that is not white space, or `end`. */
export function skipSpace(bytes: Uint8Array, start: number, end: number): number {
  let pos = start;
  while (pos < end && isSpace(bytes[pos])) pos++;
  return pos;
}

/** Length of a UTF-8 byte order mark at the start of `bytes`: 3 or 0. */
export function byteOrderMark(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

function describeByte(code: number): string {
  if (code > SPACE && code < 0x7f) return `"${String.fromCharCode(code)}"`;
  if (code === LINE_FEED || code === CARRIAGE_RETURN) return "a line break";
  return code === SPACE ? "a space" : `byte 0x${code.toString(16).padStart(2, "0")}`;
}

/** `expected "," or "]", found "}"`, at `pos`; where the text ends before it, the message says so. */
export function expected(what: string, bytes: Uint8Array, pos: number, end: number): FormatError {
  const found = pos < end ? describeByte(bytes[pos]!) : "the end";
  return new FormatError(`expected ${what}, found ${found}`, { at: { offset: pos } });
}
