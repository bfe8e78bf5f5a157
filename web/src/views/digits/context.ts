/**
 * The text around a token.
 *
 * @module
 */
import { printable } from "../../../../src/report/printable.ts";
import type { WireSequence } from "../../../../src/wire/index.ts";

export interface TokenContext {
  readonly before: string;
  readonly token: string;
  readonly after: string;
}

const CHARACTERS = 36;
/** Tokens that surely have as many characters, but for those without any. */
const TOKENS = 48;

/** One line around a response token; undefined where the sequence has no such token. */
export function contextOf(
  { meta, ids, texts, textOffsets }: Pick<WireSequence, "meta" | "ids" | "texts" | "textOffsets">,
  token: number,
): TokenContext | undefined {
  const place = meta.promptLength + token;
  if (place >= ids.length) return undefined;
  const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
  const text = (from: number, to: number): string =>
    utf8.decode(texts.subarray(textOffsets[Math.max(0, from)], textOffsets[Math.min(ids.length, to)]));
  const [before, after] = [[...text(place - TOKENS, place)], [...text(place + 1, place + 1 + TOKENS)]];
  return {
    before: printable(before.slice(-CHARACTERS).join("")),
    token: printable(text(place, place + 1)),
    after: printable(after.slice(0, CHARACTERS).join("")),
  };
}
