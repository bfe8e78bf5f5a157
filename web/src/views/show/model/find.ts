/**
 * Finds text in all tokens of a sequence, whether or not the strip has elements for them.
 *
 * @module
 */
import type { SequenceModel } from "./sequence-model.ts";

/** Where the hits are. Hits that start at the same token count once. */
export interface Hits {
  /** The first place of each hit, ascending, and the place after its last. */
  readonly from: readonly number[];
  readonly to: readonly number[];
  /** `[length]`: 0 outside of hits, bits of {@link HIT} inside. */
  readonly marked: Uint8Array;
}

/** `first` and `last` mark the ends of a hit. */
export const HIT = { inside: 1, first: 2, last: 4 } as const;

/** The text of all cells, and where each starts in it. */
export interface JoinedText {
  readonly text: string;
  /** `[length + 1]` */
  readonly starts: Uint32Array;
}

/** The number of cells that are decoded at a time. */
const AT_ONCE = 512;

export function joinedText(model: Pick<SequenceModel, "length" | "cellBytes" | "cellText">): JoinedText {
  const { length, cellBytes, cellText } = model;
  const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
  const starts = new Uint32Array(length + 1);
  let text = "";
  for (let from = 0; from < length; from += AT_ONCE) {
    const to = Math.min(length, from + AT_ONCE);
    const decoded = utf8.decode(cellBytes(from, to));
    // Invalid UTF-8 decodes differently in pieces, and its length does not follow from its bytes.
    const isWhole = !decoded.includes("\ufffd");
    for (let place = from; place < to; place++) {
      const own = isWhole ? countUnits(cellBytes(place, place + 1)) : cellText(place).length;
      starts[place + 1] = starts[place]! + own;
      if (!isWhole) text += cellText(place);
    }
    if (isWhole) text += decoded;
  }
  return { text, starts };
}

/** The number of UTF-16 units of well-formed UTF-8. */
function countUnits(bytes: Uint8Array): number {
  let units = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if ((byte & 0xc0) !== 0x80) units += byte >= 0xf0 ? 2 : 1;
  }
  return units;
}

/** Every occurrence of a text, in either case and across tokens. */
export function textHits({ text, starts }: JoinedText, wanted: string): Hits {
  const hits = { from: [] as number[], to: [] as number[], marked: new Uint8Array(starts.length - 1) };
  if (wanted === "") return hits;
  const pattern = new RegExp(wanted.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu");
  let place = 0;
  for (const { index, 0: found } of text.matchAll(pattern)) {
    while (starts[place + 1]! <= index) place++;
    let last = place;
    while (starts[last + 1]! < index + found.length) last++;
    mark(hits.marked, place, last);
    if (hits.from.at(-1) === place) hits.to[hits.to.length - 1] = last + 1;
    else {
      hits.from.push(place);
      hits.to.push(last + 1);
    }
  }
  return hits;
}

/** Makes each of these places a hit. */
export function placeHits(places: readonly number[], length: number): Hits {
  const marked = new Uint8Array(length);
  for (const place of places) mark(marked, place, place);
  return { from: places, to: places.map((place) => place + 1), marked };
}

function mark(marked: Uint8Array, first: number, last: number): void {
  for (let place = first; place <= last; place++) marked[place]! |= HIT.inside;
  marked[first]! |= HIT.first;
  marked[last]! |= HIT.last;
}

/** The index of the hit that contains a place; -1 if none does. */
export function hitAt({ from, to }: Hits, place: number | undefined): number {
  if (place === undefined) return -1;
  const at = firstAfter(from, place) - 1;
  return at >= 0 && to[at]! > place ? at : -1;
}

/** The next hit after (or before) a place, wrapping around at the ends; undefined without hits. */
export function nextHit({ from }: Hits, place: number, way: 1 | -1): number | undefined {
  if (from.length === 0) return undefined;
  if (way === 1) return firstAfter(from, place) % from.length;
  const before = firstAfter(from, place - 1) - 1;
  return before < 0 ? from.length - 1 : before;
}

/** The number of hits that begin at the places `[from, to)`. */
export function hitsWithin(hits: Hits, from: number, to: number): number {
  return firstAfter(hits.from, to - 1) - firstAfter(hits.from, from - 1);
}

/** The index of the first of ascending values above `value`. */
function firstAfter(values: readonly number[], value: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle]! > value) high = middle;
    else low = middle + 1;
  }
  return low;
}
