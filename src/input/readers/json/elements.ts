/**
 * The elements of the array that fills a stream of bytes.
 *
 * @module
 */
import { findEnd, newBoundary } from "./boundary.ts";
import { type Carry, createCarry, LIKELY_BEING_WRITTEN, type Piece, type Splitter } from "./pieces.ts";
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

/** What may come next; `resync` searches for the next element after a fault. */
type Expected = "open" | "element" | "separator" | "resync" | "nothing";

/** One piece per element. Wrong text between two elements becomes one piece with an error. */
export function splitElements(maxBytes: number, name: string): Splitter {
  return new ElementSplitter(createCarry(maxBytes, name));
}

/**
 * The states between elements, and the state that the next byte (other than white space) leads to; `(element)` reads one,
 * up to its end or the end of the chunk:
 *
 * ```
 *              [          ]          ,          {          }          other
 * open         element    fault      fault      fault      fault      fault
 * element      (element)  nothing    fault      (element)  fault      (element)
 * separator    fault      nothing    element    fault      fault      fault
 * resync       resync     nothing    element    (element)  resync     resync
 * nothing      fault, and the rest of the chunk is skipped
 * ```
 *
 * Only a stream that begins with "[" is split this way, so nothing leads out of a fault in the first row. After
 * `(element)` a separator is expected. After a fault the bytes up to the next element are skipped (`resync`), so that one
 * wrong element costs one piece and not one for each of its bytes.
 */
class ElementSplitter implements Splitter {
  readonly #carry: Carry;
  /** State of the element being read; the next chunk continues where this one ends. */
  #boundary = newBoundary();
  #chunk: Uint8Array = new Uint8Array(0);
  #pos = 0;
  /** Offset of `#chunk[0]`. */
  #base = 0;
  #line = 1;
  #state: Expected = "open";

  constructor(carry: Carry) {
    this.#carry = carry;
  }

  push(bytes: Uint8Array): void {
    this.#base += this.#chunk.length;
    this.#chunk = bytes;
    this.#pos = this.#base === 0 ? byteOrderMark(bytes) : 0;
  }

  next(): Piece | undefined {
    while (this.#pos < this.#chunk.length) {
      let piece: Piece | undefined;
      const code = this.#chunk[this.#pos]!;
      if (this.#carry.length() > 0) piece = this.#element();
      else if (!isSpace(code)) piece = this.#step(code);
      else {
        if (code === LINE_FEED) this.#line++;
        this.#pos++;
      }
      if (piece !== undefined) return piece;
    }
    return undefined;
  }

  finish(): Piece | undefined {
    if (this.#state === "nothing") return undefined;
    this.#state = "nothing";
    const before = this.#carry.length();
    if (before === 0) return this.#fault('the array is cut off: it has no closing "]"', true);
    const fault = this.#carry.overflow();
    const offset = this.#base + this.#pos - before;
    const bytes = this.#carry.take();
    const piece = { bytes, start: 0, offset, line: this.#line, cut: true };
    return fault === undefined ? { ...piece, end: before } : { ...piece, end: 0, fault };
  }

  /** Handles the byte at `#pos`, which is not white space and not in an element. */
  #step(code: number): Piece | undefined {
    const state = this.#state;
    if (state === "nothing") {
      const piece = this.#unexpected("nothing after the array");
      this.#pos = this.#chunk.length;
      return piece;
    }
    if (state === "open") {
      if (code !== OPEN_BRACKET) return this.#unexpected('"["');
      this.#state = "element";
    } else if (code === CLOSE_BRACKET) this.#state = "nothing";
    else if (state === "element" && code !== COMMA && code !== CLOSE_BRACE) return this.#element();
    else if (state === "resync" && code === OPEN_BRACE) return this.#element();
    else if (code === COMMA && state !== "element") this.#state = "element";
    else if (state !== "resync") {
      const piece = this.#unexpected(state === "element" ? "a value" : '"," or "]" after an element');
      this.#state = "resync";
      return piece;
    }
    this.#pos++;
    return undefined;
  }

  /** The element that continues at `#pos`; undefined when the chunk ends first. */
  #element(): Piece | undefined {
    const start = this.#pos;
    const chunk = this.#chunk;
    const before = this.#carry.length();
    const end = findEnd(chunk, start, chunk.length, this.#boundary);
    this.#pos = end < 0 ? chunk.length : end;
    if (end < 0 || before > 0) this.#carry.append(chunk, start, this.#pos);
    if (end < 0) return undefined;
    const line = this.#line;
    this.#line += this.#boundary.lines;
    this.#boundary = newBoundary();
    this.#state = "separator";
    if (before === 0) return { bytes: chunk, start, end, offset: this.#base + start, line, cut: false };
    // Before `take`, which resets the carry.
    const fault = this.#carry.overflow();
    const bytes = this.#carry.take();
    const offset = this.#base + start - before;
    const piece = { bytes, start: 0, end: bytes.length - 1, offset, line, cut: false };
    return fault === undefined ? piece : { ...piece, fault };
  }

  #unexpected(what: string): Piece {
    return this.#fault(expected(what, this.#chunk, this.#pos, this.#chunk.length).message);
  }

  #fault(message: string, cut = false): Piece {
    const pos = this.#pos;
    const fault = { message, likely: cut ? LIKELY_BEING_WRITTEN : undefined, hint: undefined };
    return {
      bytes: this.#chunk,
      start: pos,
      end: pos,
      offset: this.#base + pos,
      line: this.#line,
      cut,
      fault,
    };
  }
}
