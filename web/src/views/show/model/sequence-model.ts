import { TOKEN_FLAGS } from "../../../../../src/core/base/index.ts";
import type { WireSequence } from "../../../../../src/results/wire/sequence.ts";
import { cellStarts } from "./cells.ts";
import { exact, exactBytes, NEVER_CUT_BYTES, readable, type TextMode, tokenName } from "./display.ts";
import { deltaAt } from "./metrics.ts";
import { groupSections, type Section, splitRuns, type TokenRun } from "./runs.ts";
import { computeStatistics, type Statistics } from "./statistics.ts";
import { findThinking } from "./thinking.ts";

/** A sequence as the page shows it. Places count from the first prompt token, response tokens from `prompt` on. */
export interface SequenceModel {
  readonly wire: WireSequence;
  /** The number of prompt tokens. */
  readonly prompt: number;
  /** The number of response tokens. */
  readonly response: number;
  readonly length: number;
  /** `[response]`, nats; NaN where the mask is 0 or a side is missing. */
  readonly deltas: Float64Array;
  readonly runs: readonly TokenRun[];
  readonly sections: readonly Section[];
  readonly statistics: Statistics;
  /** `[response]`, 1 for tokens of thinking before an answer; undefined without thinking. */
  readonly thinking: Uint8Array | undefined;
  /** The token's own bytes and text. */
  readonly bytesOf: (place: number) => Uint8Array;
  readonly textOf: (place: number) => string;
  /** Its text quoted for a sentence, of at most `most` characters. */
  readonly nameOf: (place: number, most?: number) => string;
  /** The text of its cell: all of a character that it begins, nothing of one that it only completes. */
  readonly cellText: (place: number) => string;
  /** The tokens `[from, to)` that share this token's characters: more than one where a character is shared. */
  readonly sharing: (place: number) => { readonly from: number; readonly to: number };
  readonly isSpecial: (place: number) => boolean;
  readonly isOwn: (place: number) => boolean;
  /** Whether its cell ends a line. */
  readonly endsLine: (place: number) => boolean;
  /** UTF-8 of the cells `[from, to)`. */
  readonly cellBytes: (from: number, to: number) => Uint8Array;
  /** What the strip shows of the places `[from, to)`, as one text. */
  readonly shown: (from: number, to: number, mode: TextMode) => string;
  /** What the strip shows of one place. */
  readonly shownOne: (place: number, mode: TextMode) => string;
}

export function sequenceModel(wire: WireSequence): SequenceModel {
  const { ids, flags, texts, textOffsets, mask } = wire;
  const prompt = wire.meta.promptLength;
  const length = ids.length;
  const cells = cellStarts(wire);
  const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });
  const deltas = new Float64Array(length - prompt);
  for (let at = 0; at < deltas.length; at++) deltas[at] = mask[at] === 0 ? Number.NaN : deltaAt(at, wire);
  const runs = splitRuns(wire);
  const bytesOf = (place: number): Uint8Array => texts.subarray(textOffsets[place]!, textOffsets[place + 1]!);
  const textOf = (place: number): string => utf8.decode(bytesOf(place));
  const cellBytes = (from: number, to: number): Uint8Array => texts.subarray(cells[from]!, cells[to]!);
  const cellText = (place: number): string => utf8.decode(cellBytes(place, place + 1));
  const shownOne = (place: number, mode: TextMode): string => {
    if (mode === "ids") return `${ids[place]} `;
    const text = cellText(place);
    if (mode === "reading") return readable(text);
    return text.includes("\ufffd") ? exactBytes(cellBytes(place, place + 1)) : exact(text);
  };
  /** Newlines and lengths are cut per token, so a text may be decoded in one go only if no token is long. */
  const anyLong = (from: number, to: number): boolean => {
    for (let place = from; place < to; place++)
      if (cells[place + 1]! - cells[place]! > NEVER_CUT_BYTES) return true;
    return false;
  };
  /** Whether the token only has the middle or the end of a character. */
  const isPart = (place: number): boolean =>
    cells[place + 1] === cells[place] &&
    (textOffsets[place + 1]! > textOffsets[place]! || (flags[place]! & TOKEN_FLAGS.continuation) !== 0);
  return {
    wire,
    prompt,
    response: deltas.length,
    length,
    deltas,
    runs,
    sections: groupSections(runs),
    statistics: computeStatistics(deltas, mask),
    thinking: findThinking(wire, runs),
    bytesOf,
    textOf,
    nameOf: (place, most) => tokenName(textOf(place), bytesOf(place), most),
    cellText,
    sharing: (place) => {
      let from = place;
      let to = place + 1;
      while (from > 0 && isPart(from)) from--;
      while (to < length && isPart(to)) to++;
      return { from, to };
    },
    isSpecial: (place) => (flags[place]! & TOKEN_FLAGS.special) !== 0,
    isOwn: (place) => place >= prompt && mask[place - prompt] !== 0,
    endsLine: (place) => cells[place + 1]! > cells[place]! && texts[cells[place + 1]! - 1] === 0x0a,
    cellBytes,
    shownOne,
    shown: (from, to, mode) => {
      if (mode === "reading" && !anyLong(from, to)) return utf8.decode(cellBytes(from, to));
      let text = "";
      for (let place = from; place < to; place++) text += shownOne(place, mode);
      return text;
    },
  };
}
