/**
 * Cuts a stream of bytes into pieces of one row each, and assembles pieces that span several chunks.
 *
 * @module
 */
import { LimitError, type LogratioError, memoryLimit } from "../../../core/base/index.ts";

export const LIKELY_BEING_WRITTEN = "the file was probably being written, or its writer was stopped";

/** `bytes[start, end)` is one row's text, valid until the next piece is requested. */
export interface Piece {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  /** Offset of `start` in the decompressed file. */
  readonly offset: number;
  /** One-based. */
  readonly line: number;
  /** Whether the stream ended before the piece did. */
  readonly cut: boolean;
  /** Why this is not a row; the bytes then do not matter. */
  readonly fault?: Pick<LogratioError, "message" | "likely" | "hint">;
}

export interface Splitter {
  /** Accepts the next bytes; only when `next` has nothing left. */
  push(chunk: Uint8Array): void;
  next(): Piece | undefined;
  /** The remaining piece when the stream has ended. */
  finish(): Piece | undefined;
}

/** The part of a row from earlier chunks. */
export interface Carry {
  readonly length: () => number;
  /** Whether more was appended than is kept: the rest of the row is skipped. */
  readonly overflow: () => LogratioError | undefined;
  /** Keeps a copy of `bytes[start, end)`. */
  append(bytes: Uint8Array, start: number, end: number): void;
  /**
   * Takes everything appended (nothing after an overflow), followed by one zero byte, and empties the carry. Valid until
   * more is appended.
   */
  take(): Uint8Array;
}

/** Initial memory for text, and the most that is kept from row to row. */
const FIRST_KEPT_BYTES = 1 << 16;
const MOST_KEPT_BYTES = 1 << 22;
/** Pieces of a longer text: smaller ones are gathered, so that a stream of single bytes does not make an object of each. */
const LARGE_PIECE = 1 << 16;

/** Copies of a value's text: in the chunks that arrived, and in one piece. */
const COPIES = 2;

/** @param limit bytes of text; the memory limit also applies, and the smaller one counts */
export function createCarry(limit: number, name: string): Carry {
  const most = Math.min(limit, Math.floor(memoryLimit() / COPIES));
  /** Pieces that do not fit `kept`; they come before its content. */
  let parts: Uint8Array[] = [];
  let kept = new Uint8Array(FIRST_KEPT_BYTES);
  let held = 0;
  let length = 0;
  let overflow: LogratioError | undefined;
  const settle = (): void => {
    if (held > 0) parts.push(kept.slice(0, held));
    held = 0;
  };
  const grow = (least: number): void => {
    const larger = new Uint8Array(Math.max(least, 2 * kept.length));
    larger.set(kept.subarray(0, held));
    kept = larger;
  };
  return {
    length: () => length,
    overflow: () => overflow,
    append: (bytes, start, end) => {
      length += end - start;
      if (length > most) {
        overflow ??= new LimitError(`one JSON value has more than the limit of ${most} bytes of text`, {
          at: { file: name },
          likely: "it is not JSON, or one row holds an entire run",
          hint: `if it is valid and there is enough memory: --memory ${Math.ceil((2 * COPIES * most) / 2 ** 20)} (MiB)`,
        });
        parts = [];
        held = 0;
        return;
      }
      // Including the zero byte.
      const needed = held + end - start + 1;
      if (needed > kept.length) {
        if (needed <= MOST_KEPT_BYTES) grow(needed);
        else settle();
      }
      const piece = bytes.subarray(start, end);
      if (held + piece.length >= kept.length || (parts.length > 0 && piece.length > LARGE_PIECE)) {
        settle();
        parts.push(new Uint8Array(piece));
        return;
      }
      kept.set(piece, held);
      held += piece.length;
    },
    take: () => {
      if (overflow !== undefined) {
        overflow = undefined;
        length = 0;
        return new Uint8Array(1);
      }
      if (parts.length === 0) {
        const whole = kept.subarray(0, held + 1);
        whole[held] = 0;
        length = held = 0;
        return whole;
      }
      settle();
      // Not zeroed, because all of it is written.
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
