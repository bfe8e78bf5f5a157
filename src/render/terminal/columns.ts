/**
 * Widths in terminal columns. Counted by code point as terminals themselves do (`wcwidth`): East Asian wide and emoji
 * take two, combining marks none, ANSI styles none.
 *
 * @module
 */

const ESCAPE = String.fromCharCode(27);
/** One style sequence, or one code point. */
const PIECE = new RegExp(`${ESCAPE}\\[[0-9;]*m|.`, "gsu");

const STYLES = new RegExp(`${ESCAPE}\\[[0-9;]*m`, "g");
/** Text in which each character takes one column: ASCII, Latin, Greek, dashes, arrows, boxes and blocks, ✓. */
const ONE_COLUMN = /^[\x20-\x7e\xa0-\u02ff\u0391-\u03c9\u2010-\u2027\u2190-\u21ff\u2500-\u259f\u2713]*$/;
const ZERO_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]$/u;
const EMOJI = /^\p{Emoji_Presentation}$/u;
/** A variation selector for emoji presentation: the character before it may grow from one column to two. */
const EMOJI_SELECTOR = "\ufe0f";

/** East Asian wide and fullwidth blocks (Unicode EastAsianWidth.txt, W and F), as pairs of first and last. */
const WIDE = [
  0x1100, 0x115f, 0x2329, 0x232a, 0x2e80, 0x303e, 0x3041, 0x4dbf, 0x4e00, 0xa4cf, 0xa960, 0xa97c, 0xac00,
  0xd7a3, 0xf900, 0xfaff, 0xfe10, 0xfe19, 0xfe30, 0xfe6f, 0xff01, 0xff60, 0xffe0, 0xffe6, 0x16fe0, 0x18dff,
  0x1aff0, 0x1b2ff, 0x1f200, 0x1f265, 0x20000, 0x3fffd,
];

/** Columns that a line of text takes, not counting styles. */
export function displayWidth(text: string): number {
  const bare = text.includes(ESCAPE) ? text.replace(STYLES, "") : text;
  if (ONE_COLUMN.test(bare)) return bare.length;
  let width = 0;
  for (const character of bare) width += pieceWidth(character);
  return width;
}

/** `text` padded with spaces to `width` columns; longer text is left as it is. */
export function pad(text: string, width: number, align: "left" | "right" = "left"): string {
  const space = " ".repeat(Math.max(0, width - displayWidth(text)));
  return align === "left" ? text + space : space + text;
}

/** Text cut to at most `width` columns, ending with `ellipsis` if it was cut; styles stay whole. */
export function clip(text: string, width: number, ellipsis: string): string {
  if (displayWidth(text) <= width) return text;
  const room = width - displayWidth(ellipsis);
  let [kept, used, styled, cut] = ["", 0, false, false];
  for (const [piece] of text.matchAll(PIECE)) {
    if (piece.startsWith(ESCAPE)) {
      kept += piece;
      styled = piece !== `${ESCAPE}[0m`;
    } else if (!cut) {
      const next = pieceWidth(piece);
      if (used + next > room) {
        cut = true;
        if (room >= 0) kept += ellipsis;
      } else {
        kept += piece;
        used += next;
      }
    }
  }
  return styled ? `${kept}${ESCAPE}[0m` : kept;
}

/** Text cut in the middle, so that both ends of a path or a name stay readable. */
export function clipMiddle(text: string, width: number, ellipsis: string): string {
  if (displayWidth(text) <= width) return text;
  const room = Math.max(0, width - displayWidth(ellipsis));
  const tailRoom = Math.floor(room / 2);
  let tail = "";
  for (const piece of [...text].reverse()) {
    if (displayWidth(piece + tail) > tailRoom) break;
    tail = piece + tail;
  }
  return clip(clip(text, width - displayWidth(tail), ellipsis) + tail, width, ellipsis);
}

function pieceWidth(piece: string): number {
  const code = piece.codePointAt(0) ?? 0;
  if (code === 27) return 0;
  if (code < 0x300) return 1;
  if (piece === EMOJI_SELECTOR) return 1;
  if (ZERO_WIDTH.test(piece)) return 0;
  return EMOJI.test(piece) || isWide(code) ? 2 : 1;
}

function isWide(code: number): boolean {
  for (let index = 0; index < WIDE.length; index += 2) {
    if (code < WIDE[index]!) return false;
    if (code <= WIDE[index + 1]!) return true;
  }
  return false;
}
