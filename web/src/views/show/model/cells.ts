import { TOKEN_FLAGS } from "../../../../../src/core/base/index.ts";
import type { WireSequence } from "../../../../../src/results/wire/sequence.ts";

/** Combining marks, joiners, variation selectors, skin tones and tags, which complete the character before them. */
const EXTENDS = /^(?:\p{M}|\u200d|[\u{1f3fb}-\u{1f3ff}]|[\u{e0020}-\u{e007f}])/u;
const REGIONAL = /^[\u{1f1e6}-\u{1f1ff}]/u;
/** First byte of U+0300, the lowest code point that EXTENDS matches. */
const FIRST_EXTENDING_BYTE = 0xcc;
/** The most bytes that a character and everything joined to it have in real text. */
const CHARACTER_BYTES = 64;

const graphemes = new Intl.Segmenter("und", { granularity: "grapheme" });
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * The start of the text that each token shows. A character whose bytes are shared by tokens is shown by the first of
 * them, and so is a letter with combining marks or an emoji with joined ones that follow as separate tokens. A token
 * left without text is shown as a tick.
 *
 * @returns `[tokens + 1]`, places in `texts`, ascending
 */
export function cellStarts({
  textOffsets,
  texts,
  flags,
}: Pick<WireSequence, "textOffsets" | "texts" | "flags">): Uint32Array {
  const starts = textOffsets.slice();
  const special = (token: number): boolean => (flags[token]! & TOKEN_FLAGS.special) !== 0;
  /** Where the last cell with a text began. */
  let before = 0;
  for (let token = 1; token < flags.length; token++) {
    const end = textOffsets[token + 1]!;
    let start = textOffsets[token]!;
    if (start > starts[token - 1]!) before = starts[token - 1]!;
    if (special(token) || special(token - 1)) continue;
    if ((flags[token]! & TOKEN_FLAGS.continuation) !== 0) {
      while (start < end && start - textOffsets[token]! < 3 && (texts[start]! & 0xc0) === 0x80) start++;
    }
    if (start < end && texts[start]! >= FIRST_EXTENDING_BYTE) start += joinedBytes(texts, before, start, end);
    starts[token] = start;
  }
  // A character may span three tokens: the middle one must not end it.
  for (let token = flags.length - 1; token > 0; token--) {
    const end = textOffsets[token + 1]!;
    if (starts[token] === end && end > textOffsets[token]!) starts[token] = starts[token + 1]!;
  }
  return starts;
}

/** The number of bytes from `at` on that belong to the character that ends before it. */
function joinedBytes(texts: Uint8Array, from: number, at: number, end: number): number {
  const after = utf8.decode(texts.subarray(at, Math.min(end, at + CHARACTER_BYTES)));
  const afterJoiner = at - from >= 3 && utf8.decode(texts.subarray(at - 3, at)) === "\u200d";
  if (!afterJoiner && !EXTENDS.test(after) && !REGIONAL.test(after)) return 0;
  let begin = Math.max(from, at - CHARACTER_BYTES);
  while (begin < at && (texts[begin]! & 0xc0) === 0x80) begin++;
  const before = utf8.decode(texts.subarray(begin, at));
  const across = graphemes.segment(before + after).containing(before.length);
  if (across === undefined || across.index >= before.length) return 0;
  const taken = after.slice(0, across.index + across.segment.length - before.length);
  return new TextEncoder().encode(taken).length;
}
