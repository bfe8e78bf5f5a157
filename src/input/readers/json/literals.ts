/**
 * The literals of JSON, and those that Python's `json` adds.
 *
 * @module
 */
import { MINUS } from "./syntax.ts";

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
/** Not in JSON; Python's `json` writes these three. */
export const NOT_A_NUMBER = literal("NaN", NaN);
export const INFINITE = literal("Infinity", Infinity);
export const MINUS_INFINITE = literal("-Infinity", -Infinity);

/** The literal that may begin with this byte in an array of numbers. */
export function literalNumber(code: number): Literal<number | null> | undefined {
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
