/**
 * The elements of the array that fills a stream of bytes.
 *
 * @module
 */
import { findEnd, newBoundary } from "./boundary.ts";
import { createCarry, LIKELY_BEING_WRITTEN, type Piece, type Splitter } from "./pieces.ts";
import {
  byteOrderMark,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  expected,
  isSpace,
  LINE_FEED,
  OPEN_BRACE,
  OPEN_BRACKET,
} from "./syntax.ts";

/** What may follow; `resync` searches for the next element after a fault. */
type Expected = "open" | "element" | "separator" | "resync" | "nothing";

/** One piece per element. Wrong text between two elements becomes one piece with an error. */
export function splitElements(maxBytes: number, name: string): Splitter {
  const carry = createCarry(maxBytes, name);
  let boundary = newBoundary();
  let chunk: Uint8Array = new Uint8Array(0);
  let pos = 0;
  /** Offset of `chunk[0]`. */
  let base = 0;
  let line = 1;
  let state: Expected = "open";

  const fault = (message: string, cut = false): Piece => {
    const why = { message, likely: cut ? LIKELY_BEING_WRITTEN : undefined, hint: undefined };
    return { bytes: chunk, start: pos, end: pos, offset: base + pos, line, cut, fault: why };
  };
  const unexpected = (what: string): Piece => fault(expected(what, chunk, pos, chunk.length).message);

  const push = (bytes: Uint8Array): void => {
    base += chunk.length;
    chunk = bytes;
    pos = base === 0 ? byteOrderMark(bytes) : 0;
  };

  /** The element that continues at `pos`; undefined when the chunk ends first. */
  const element = (): Piece | undefined => {
    const start = pos;
    const before = carry.length();
    const end = findEnd(chunk, start, chunk.length, boundary);
    pos = end < 0 ? chunk.length : end;
    if (end < 0 || before > 0) carry.append(chunk, start, pos);
    if (end < 0) return undefined;
    const first = line;
    line += boundary.lines;
    boundary = newBoundary();
    state = "separator";
    if (before === 0) return { bytes: chunk, start, end, offset: base + start, line: first, cut: false };
    const fault = carry.overflow();
    const bytes = carry.take();
    const offset = base + start - before;
    return {
      bytes,
      start: 0,
      end: bytes.length - 1,
      offset,
      line: first,
      cut: false,
      ...(fault !== undefined && { fault }),
    };
  };

  /** Handles the byte at `pos`, which is not white space and not in an element. */
  const step = (code: number): Piece | undefined => {
    if (state === "nothing") {
      const piece = unexpected("nothing after the array");
      pos = chunk.length;
      return piece;
    }
    if (state === "open") {
      if (code !== OPEN_BRACKET) return unexpected('"["');
      state = "element";
    } else if (code === CLOSE_BRACKET) state = "nothing";
    else if (state === "element" && code !== COMMA && code !== CLOSE_BRACE) return element();
    else if (state === "resync" && code === OPEN_BRACE) return element();
    else if (code === COMMA && state !== "element") state = "element";
    else if (state !== "resync") {
      const piece = unexpected(state === "element" ? "a value" : '"," or "]" after an element');
      state = "resync";
      return piece;
    }
    pos++;
    return undefined;
  };

  const next = (): Piece | undefined => {
    while (pos < chunk.length) {
      let piece: Piece | undefined;
      const code = chunk[pos]!;
      if (carry.length() > 0) piece = element();
      else if (!isSpace(code)) piece = step(code);
      else {
        if (code === LINE_FEED) line++;
        pos++;
      }
      if (piece !== undefined) return piece;
    }
    return undefined;
  };

  const finish = (): Piece | undefined => {
    if (state === "nothing") return undefined;
    state = "nothing";
    const before = carry.length();
    if (before === 0) return fault('the array is cut off: it has no closing "]"', true);
    const why = carry.overflow();
    const offset = base + pos - before;
    if (why !== undefined)
      return { bytes: carry.take(), start: 0, end: 0, offset, line, cut: true, fault: why };
    return { bytes: carry.take(), start: 0, end: before, offset, line, cut: true };
  };
  return { push, next, finish };
}
