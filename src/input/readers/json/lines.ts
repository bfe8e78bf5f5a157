/**
 * The lines of a stream of bytes.
 *
 * @module
 */
import { createCarry, type Piece, type Splitter } from "./pieces.ts";
import { byteOrderMark, LINE_FEED, skipSpace } from "./syntax.ts";

/** One piece per line that is not blank. */
export function splitLines(maxBytes: number, name: string): Splitter {
  const carry = createCarry(maxBytes, name);
  let chunk: Buffer = Buffer.alloc(0);
  let pos = 0;
  /** Offset of `chunk[0]`. */
  let base = 0;
  let line = 0;

  const finished = (
    bytes: Uint8Array,
    start: number,
    end: number,
    offset: number,
    cut: boolean,
  ): Piece | undefined => {
    const bom = offset === 0 ? byteOrderMark(bytes) : 0;
    const first = start + bom;
    return skipSpace(bytes, first, end) < end
      ? { bytes, start: first, end, offset: offset + bom, line, cut }
      : undefined;
  };

  const push = (bytes: Uint8Array): void => {
    base += chunk.length;
    // As a Buffer for its native search.
    chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    pos = 0;
  };
  const next = (): Piece | undefined => {
    while (pos < chunk.length) {
      const found = chunk.indexOf(LINE_FEED, pos);
      const start = pos;
      const before = carry.length();
      pos = found < 0 ? chunk.length : found + 1;
      if (found < 0 || before > 0) carry.append(chunk, start, found < 0 ? pos : found);
      if (found < 0) return undefined;
      line++;
      let piece: Piece | undefined;
      if (before > 0) {
        const fault = carry.overflow();
        const text = carry.take();
        const offset = base + start - before;
        if (fault !== undefined) return { bytes: text, start: 0, end: 0, offset, line, cut: false, fault };
        piece = finished(text, 0, text.length - 1, offset, false);
      } else piece = finished(chunk, start, found, base + start, false);
      if (piece !== undefined) return piece;
    }
    return undefined;
  };
  const finish = (): Piece | undefined => {
    const before = carry.length();
    if (before === 0) return undefined;
    line++;
    const fault = carry.overflow();
    const text = carry.take();
    const offset = base + chunk.length - before;
    if (fault !== undefined) return { bytes: text, start: 0, end: 0, offset, line, cut: true, fault };
    return finished(text, 0, before, offset, true);
  };
  return { push, next, finish };
}
