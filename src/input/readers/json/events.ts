/**
 * Server-sent events as clients save them: lines of `data: {…}`, with comments, event names and blank lines between.
 *
 * @module
 */
import { splitLines } from "./lines.ts";
import type { Piece, Splitter } from "./pieces.ts";
import { byteOrderMark, skipSpace } from "./syntax.ts";

const DATA = Buffer.from("data:");
const DONE = Buffer.from("[DONE]");
/** `:` begins a comment, which servers send to keep the connection open. */
const FIELDS = /^(data|event|id|retry)?:/;
const LONGEST_FIELD = 8;

/** Whether a stream begins like server-sent events. */
export function beginsWithEvent(head: Uint8Array): boolean {
  const start = skipSpace(head, byteOrderMark(head), head.length);
  return FIELDS.test(Buffer.from(head.subarray(start, start + LONGEST_FIELD)).toString("latin1"));
}

function startsWith({ bytes, end }: Piece, at: number, text: Buffer): boolean {
  return at + text.length <= end && text.equals(bytes.subarray(at, at + text.length));
}

/** One piece per event's data, without `[DONE]`, which ends OpenAI's streams. */
export function splitEvents(maxBytes: number, name: string): Splitter {
  const lines = splitLines(maxBytes, name);
  const unwrap = (piece: Piece): Piece | undefined => {
    if (piece.fault !== undefined) return piece;
    const field = skipSpace(piece.bytes, piece.start, piece.end);
    if (!startsWith(piece, field, DATA)) {
      const text = Buffer.from(piece.bytes.subarray(field, Math.min(piece.end, field + LONGEST_FIELD)));
      // A line that is not a field is reported as a row that cannot be read.
      return FIELDS.test(text.toString("latin1")) ? undefined : piece;
    }
    const start = skipSpace(piece.bytes, field + DATA.length, piece.end);
    if (start === piece.end || startsWith(piece, start, DONE)) return undefined;
    return { ...piece, start, offset: piece.offset + start - piece.start };
  };
  return {
    push: lines.push,
    next: () => {
      for (let piece = lines.next(); piece !== undefined; piece = lines.next()) {
        const data = unwrap(piece);
        if (data !== undefined) return data;
      }
      return undefined;
    },
    finish: () => {
      const piece = lines.finish();
      return piece && unwrap(piece);
    },
  };
}
