/**
 * What cuts a stream of bytes into the pieces that hold one row each, and the memory in which a piece is put together
 * that came in several chunks.
 *
 * @module
 */
import { LimitError, type LogratioError, memoryLimit } from "../../../core/base/index.ts";

export const LIKELY_BEING_WRITTEN = "the file was probably being written, or its writer was stopped";

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
  readonly fault?: Pick<LogratioError, "message" | "likely" | "hint">;
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
  /** What was appended is more than is kept: it is passed over up to its end. */
  readonly overflow: () => LogratioError | undefined;
  /** Keeps `bytes[start, end)`, as a view. */
  append(bytes: Uint8Array, start: number, end: number): void;
  /** Everything appended (nothing after an overflow), followed by one zero byte; the carry is empty then. */
  take(): Uint8Array;
}

/** Pieces this small are copied together first, so that a stream of single bytes does not make an object of each. */
const SMALL_PIECE = 4096;

/** The text of one value as it is kept: in the pieces that came, and once more in one piece. */
const COPIES = 2;

/** @param limit bytes of text; the memory limit is another, whichever is smaller */
export function createCarry(limit: number, name: string): Carry {
  const most = Math.min(limit, Math.floor(memoryLimit() / COPIES));
  let parts: Uint8Array[] = [];
  let small = new Uint8Array(0);
  let held = 0;
  let length = 0;
  let overflow: LogratioError | undefined;
  const settle = (): void => {
    if (held > 0) parts.push(small.slice(0, held));
    held = 0;
  };
  return {
    length: () => length,
    overflow: () => overflow,
    append: (bytes, start, end) => {
      length += end - start;
      if (length > most) {
        overflow ??= new LimitError(`one JSON value has more than ${most} bytes of text, the limit`, {
          at: { file: name },
          likely: "it is not JSON, or one row holds an entire run",
          hint: `if it is valid and there is enough memory: --memory ${Math.ceil((2 * COPIES * most) / 2 ** 20)} (MiB)`,
        });
        parts = [];
        held = 0;
        return;
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
      if (overflow !== undefined) {
        overflow = undefined;
        length = 0;
        return new Uint8Array(1);
      }
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
