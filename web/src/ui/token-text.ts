/**
 * The text of a single token, for views simpler than the page of a sequence.
 *
 * @module
 */
import { TOKEN_FLAGS } from "../../../src/core/base/index.ts";
import type { WireSequence } from "../../../src/results/wire/sequence.ts";
import { textBetween } from "../../../src/results/wire/sequence-text.ts";
import { type Scale, shadeClass } from "./color-scale.ts";

export interface TokenText {
  /** Undefined past the end. */
  readonly text: string | undefined;
  /** Whether the line ends after it. */
  readonly breaks: boolean;
  readonly isSpecial: boolean;
}

/** Controls, direction marks and other invisible characters. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/gu;
const MOST_CHARACTERS = 200;

/** A response token as a cell shows it: spaces stay, line ends and invisible characters are written out. */
export function tokenText(sequence: WireSequence, token: number): TokenText {
  const { meta, flags, mask } = sequence;
  if (token < 0 || token >= mask.length) return { text: undefined, breaks: false, isSpecial: false };
  const at = meta.promptLength + token;
  const raw = textBetween(sequence, at, at + 1);
  const isSpecial = (flags[at]! & TOKEN_FLAGS.special) !== 0;
  // A token that only completes the character of the token before has no text of its own.
  return { text: raw === "" ? "·" : visible(raw), breaks: raw.endsWith("\n"), isSpecial };
}

export function visible(text: string): string {
  const cut =
    text.length > MOST_CHARACTERS ? `${Array.from(text).slice(0, MOST_CHARACTERS).join("")}…` : text;
  return cut
    .replaceAll("\n", "⏎")
    .replaceAll("\t", "→")
    .replace(
      UNSEEN,
      (character) => `‹U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}›`,
    );
}

/** The text of a prompt, unchanged. */
export function promptText(sequence: WireSequence): string {
  return textBetween(sequence, 0, sequence.meta.promptLength);
}

/** The classes of a token's span: its shade, or a mark that it was not trained on. */
export function tokenClass(
  bit: number | undefined,
  delta: number | undefined,
  scale: Scale,
  isSpecial: boolean,
): string {
  const shade = bit === 0 || delta === undefined ? "untrained" : shadeClass(delta, scale);
  return isSpecial ? `${shade} special` : shade;
}
