/**
 * Compares two lists of tokens: by id if both have ids, else by text.
 *
 * @module
 */
import { createHash } from "node:crypto";
import type { NumericArray } from "../../core/base/index.ts";
import type { SequenceDraft } from "../../core/schema/index.ts";

export interface Tokens {
  readonly count: number;
  readonly ids?: NumericArray | undefined;
  readonly texts?: readonly string[] | undefined;
}

export function listTokens({ length, responseTokenIds, responseTokens }: SequenceDraft): Tokens {
  return { count: length, ids: responseTokenIds, texts: responseTokens };
}

/** Bytes that are not text, as adapters spell them. */
const RAW_BYTES = /^(<0x[0-9A-F]{2}>)+$/;

/** U+FFFD stands for a part of a character, which only the other side's bytes can tell. */
function spellSame(a: string, b: string): boolean {
  if (a === b) return true;
  if (a.includes("\uFFFD")) return RAW_BYTES.test(b);
  return b.includes("\uFFFD") && RAW_BYTES.test(a);
}

/** How the tokens of two lists can be compared; undefined when the sides have neither ids nor texts in common. */
export function findComparison(a: Tokens, b: Tokens): ((i: number, j: number) => boolean) | undefined {
  const { ids, texts } = a;
  if (ids !== undefined && b.ids !== undefined) return (i, j) => ids[i] === b.ids![j];
  if (texts !== undefined && b.texts !== undefined) return (i, j) => spellSame(texts[i]!, b.texts![j]!);
  return undefined;
}

/** Number of tokens before the first difference; undefined when tokens cannot be compared. */
export function countCommon(a: Tokens, b: Tokens): number | undefined {
  const same = findComparison(a, b);
  if (same === undefined) return undefined;
  const most = Math.min(a.count, b.count);
  let length = 0;
  while (length < most && same(length, length)) length++;
  return length;
}

/** Whether `a` ends with all of `b`. */
export function endsWith(a: Tokens, b: Tokens): boolean {
  const same = findComparison(a, b);
  const start = a.count - b.count;
  if (same === undefined || start < 0) return false;
  for (let i = 0; i < b.count; i++) if (!same(start + i, i)) return false;
  return true;
}

/** A short key for a list of ids in any array type. */
export function digestIds(...lists: readonly NumericArray[]): string {
  const hash = createHash("sha1");
  for (const ids of lists) {
    const plain = Int32Array.from(ids);
    hash.update(new Uint8Array(plain.buffer));
  }
  return hash.digest("base64");
}

export function digestTexts(texts: readonly string[]): string {
  return createHash("sha1").update(texts.join("\0")).digest("base64");
}
