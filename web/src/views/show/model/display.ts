/**
 * The text that a token shows.
 *
 * @module
 */

import { formatCount } from "../../../../../src/render/text/display/index.ts";

export const TEXT_MODES = ["reading", "exact", "ids"] as const;
export type TextMode = (typeof TEXT_MODES)[number];

/** Longer runs of newlines in one token are counted instead of shown. */
const MOST_NEWLINES = 64;
/** Longer texts of one token are cut. */
const MOST_CHARACTERS = 2000;

/** Texts of fewer bytes are neither cut nor counted. */
export const NEVER_CUT_BYTES = MOST_NEWLINES;

const NEWLINES = new RegExp(`\\n{${MOST_NEWLINES + 1},}`, "g");
/** Controls, unusual or invisible spaces, bidirectional marks, joiners, fillers, tags. */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the regex looks for these
  /[\u0000-\u0008\u000b-\u001f\u007f-\u00a0\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ufeff\uffa0\ufff9-\ufffc]|\u034f|[\ufe00-\ufe0f]|[\u{e0000}-\u{e0fff}]/gu;
const BIDIRECTIONAL = /[\u202a-\u202e\u2066-\u2069]/;

/** A text with what is too long to show counted instead: `
×10,000`. */
export function readable(text: string): string {
  const counted = text.replace(NEWLINES, (run) => `\n⏎×${formatCount(run.length - 2)}\n`);
  if (counted.length <= MOST_CHARACTERS) return counted;
  const cut =
    (counted.codePointAt(MOST_CHARACTERS - 1) ?? 0) > 0xffff ? MOST_CHARACTERS + 1 : MOST_CHARACTERS;
  return `${counted.slice(0, cut)}… (${formatCount(text.length)} characters)`;
}

/** Every character visible: `·` for a space, `→` for a tab, `⏎`, and `‹U+200B›` for invisible characters. */
export function exact(text: string): string {
  return readable(text)
    .replace(UNSEEN, (character) => `‹${codePoint(character)}›`)
    .replaceAll(" ", "·")
    .replaceAll("\t", "→\t")
    .replaceAll("\n", "⏎\n");
}

/** The same for bytes; those that are not UTF-8 become `‹f0›`. */
export function exactBytes(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const lead = bytes[at]!;
    const size = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    const character = lenient.decode(bytes.subarray(at, at + size));
    const isWhole = [...character].length === 1 && new TextEncoder().encode(character).length === size;
    if (isWhole && (character !== "\ufffd" || lead === 0xef)) {
      text += character;
      at += size;
    } else text += `‹${hexBytes(bytes.subarray(at, ++at))}›`;
  }
  return exact(text);
}

const lenient = new TextDecoder("utf-8", { ignoreBOM: true });

/** A token's text between quotation marks, or its bytes if they are not valid text by themselves. */
export function tokenName(text: string, bytes: Uint8Array, most?: number): string {
  return text.includes("\ufffd") ? `‹${hexBytes(bytes)}›` : literal(text, most);
}

/** A token's text on one line, between quotation marks: `"\n  x"`. */
export function literal(text: string, most = 60): string {
  const quoted = JSON.stringify(text.slice(0, most)).replace(
    UNSEEN,
    (character) => `‹${codePoint(character)}›`,
  );
  return text.length > most ? `${quoted} +${formatCount(text.length - most)}` : quoted;
}

/** Hex bytes: `e2 80 9c`. */
export function hexBytes(bytes: Uint8Array, most = 16): string {
  const shown = Array.from(bytes.subarray(0, most), (byte) => byte.toString(16).padStart(2, "0")).join(" ");
  return bytes.length > most ? `${shown} … (${formatCount(bytes.length)} bytes)` : shown;
}

/** Whether a text could change the direction of the text after it. */
export function turnsDirection(text: string): boolean {
  return BIDIRECTIONAL.test(text);
}

/** Whether a text is entirely invisible. */
export function isUnseen(text: string): boolean {
  return (
    text !== "" && text.replace(UNSEEN, "") === "" && !/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/.test(text)
  );
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
