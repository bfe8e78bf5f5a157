/**
 * What cuts a stream of bytes into the pieces that hold one row each, and the memory in which a piece is put together
 * that came in several chunks.
 *
 * @module
 */
import { LimitError } from "../../base/errors.ts";

/** `bytes[start, end)` is one row's text, valid until the next piece is asked for. */
export interface Piece {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  /** Of `start`, in the decompressed file. */
  readonly offset: number;
  /** One-based. */
  readonly line: number;
  /** The stream ended before the piece did. */
  readonly cut: boolean;
  /** Why this is no row; the bytes then do not matter. */
  readonly fault?: string;
}

export interface Splitter {
  /** Takes the next bytes; only when `next` has nothing left. */
  push(chunk: Uint8Array): void;
  next(): Piece | undefined;
  /** What is left when the stream is at its end. */
  finish(): Piece | undefined;
}

/** The part of a row that came with earlier chunks. */
export interface Carry {
  readonly length: () => number;
  /** Keeps `bytes[start, end)`, as a view. */
  append(bytes: Uint8Array, start: number, end: number): void;
  /** Everything appended, followed by one zero byte; the carry is empty then. */
  take(): Uint8Array;
}

/** Pieces this small are copied together first, so that a stream of single bytes does not make an object of each. */
const SMALL_PIECE = 4096;

export function createCarry(limit: number, name: string): Carry {
  let parts: Uint8Array[] = [];
  let small = new Uint8Array(0);
  let held = 0;
  let length = 0;
  const settle = (): void => {
    if (held > 0) parts.push(small.slice(0, held));
    held = 0;
  };
  return {
    length: () => length,
    append: (bytes, start, end) => {
      length += end - start;
      if (length > limit) {
        throw new LimitError(`one JSON value takes more than ${limit} bytes`, {
          at: { file: name },
          likely: "It is not JSON, or one row holds a whole run.",
          hint: "Raise the limit if there is memory for it.",
        });
      }
      if (end - start > SMALL_PIECE) {
        settle();
        parts.push(bytes.subarray(start, end));
        return;
      }
      if (small.length === 0) small = new Uint8Array(16 * SMALL_PIECE);
      if (held + end - start > small.length) settle();
      small.set(bytes.subarray(start, end), held);
      held += end - start;
    },
    take: () => {
      settle();
      // Not zeroed first, because all of it is written.
      const text = Buffer.allocUnsafeSlow(length + 1);
      let done = 0;
      for (const part of parts) {
        text.set(part, done);
        done += part.length;
      }
      text[length] = 0;
      parts = [];
      length = 0;
      return text;
    },
  };
}
