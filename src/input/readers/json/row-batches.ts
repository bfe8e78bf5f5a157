/**
 * Rows of a stream, several at a time: the pieces that a splitter cuts, parsed.
 *
 * @module
 */
import { isUtf8 } from "node:buffer";
import { isLogratioError, LimitError } from "../../../core/base/index.ts";
import type { BadRow, InvalidText, RowMap } from "../../io/columns.ts";
import type { PlainStream } from "../../io/decompress.ts";
import { findEnd, newBoundary } from "./boundary.ts";
import { splitElements } from "./elements.ts";
import { splitEvents } from "./events.ts";
import { splitLines } from "./lines.ts";
import { createJsonParser, DEFAULT_MAX_DEPTH, type JsonParser, type RowWish } from "./parser.ts";
import { LIKELY_BEING_WRITTEN, type Piece } from "./pieces.ts";
import { OPEN_BRACE, OPEN_BRACKET, skipSpace } from "./syntax.ts";

export interface JsonOptions {
  /** Limit on the bytes of one row, or of a file that is one object; default 2 GiB. */
  readonly maxValueBytes?: number;
  /** Depth of nested arrays and objects in a row; default 256. */
  readonly maxDepth?: number;
}

export const DEFAULT_MAX_VALUE_BYTES = 2 ** 31;
/** Limit on the decoded values of a chunk: text of many small arrays takes a hundred times its length. */
const CHUNK_DECODED_BYTES = 128 << 20;

interface Row {
  readonly values: RowMap;
  readonly line: number;
  readonly offset: number;
}

export interface Batch {
  readonly firstRow: number;
  readonly rows: Row[];
  /** The row after them, when it could not be read. */
  bad?: BadRow;
  /** Whether that row does not fit into memory. */
  tooLarge?: boolean;
  /** What ended the stream before its end. */
  failure?: { readonly error: unknown };
  last: boolean;
}

/** The unit that holds one row. */
export type Unit = "line" | "event" | "element";

const SPLITTERS = { line: splitLines, event: splitEvents, element: splitElements } as const;

/** The name under which an element that is an array becomes a row. */
const ARRAY_NAME = "element";

export interface BatchReader {
  /** Rows up to a count, an amount of text, an unreadable row, or the end; at least one unless at the end. */
  read(maxRows: number, maxBytes: number, wish: RowWish): Promise<Batch>;
  invalidText(): InvalidText | undefined;
}

export function createBatchReader(plain: PlainStream, unit: Unit, options: JsonOptions): BatchReader {
  const parser = createJsonParser(options.maxDepth ?? DEFAULT_MAX_DEPTH);
  const splitter = SPLITTERS[unit](options.maxValueBytes ?? DEFAULT_MAX_VALUE_BYTES, plain.name);
  plain.reuseMemory();
  const chunks = plain.bytes[Symbol.asyncIterator]();
  let failure: { readonly error: unknown } | undefined;
  let ended = false;
  let ahead: Piece | undefined;
  let invalid: InvalidText | undefined;
  let row = 0;

  /** The next piece; after the last one, the remaining piece at the end. */
  const nextPiece = async (): Promise<Piece | undefined> => {
    while (!ended) {
      try {
        const piece = splitter.next();
        if (piece !== undefined) return piece;
        const next = await chunks.next();
        if (next.done !== true) {
          splitter.push(next.value);
          continue;
        }
      } catch (error) {
        failure = { error };
      }
      ended = true;
      // A row above the limit is not parsed.
      return isLogratioError(failure?.error, "LimitError") ? undefined : splitter.finish();
    }
    return undefined;
  };

  const read: BatchReader["read"] = async (maxRows, maxBytes, wish) => {
    const batch: Batch = { firstRow: row, rows: [], last: false };
    let bytes = 0;
    let decoded = 0;
    while (batch.rows.length < maxRows && bytes < maxBytes && decoded < CHUNK_DECODED_BYTES) {
      const piece = ahead ?? (await nextPiece());
      ahead = undefined;
      if (piece === undefined) break;
      if (!isUtf8(piece.bytes.subarray(piece.start, piece.end))) {
        invalid = invalid
          ? { ...invalid, rows: invalid.rows + 1 }
          : { rows: 1, row, line: piece.line, offset: piece.offset };
      }
      const bad = readRow(parser, unit, piece, row++, wish, batch.rows);
      if (bad !== undefined) {
        batch.bad = bad.row;
        batch.tooLarge = bad.tooLarge;
        break;
      }
      bytes += piece.end - piece.start;
      decoded += parser.cost();
    }
    // The end is known only after searching one more piece, whose bytes then stay valid until it is read.
    ahead ??= await nextPiece();
    batch.last = ahead === undefined;
    if (batch.last && failure !== undefined) batch.failure = failure;
    return batch;
  };
  return { read, invalidText: () => invalid };
}

/** Adds the piece's row to `rows`, or returns why it is not a row. */
function readRow(
  parser: JsonParser,
  unit: Unit,
  piece: Piece,
  row: number,
  wish: RowWish,
  rows: Row[],
): { readonly row: BadRow; readonly tooLarge: boolean } | undefined {
  const { bytes, start, end, line, offset, cut, fault } = piece;
  const bad = (message: string, more: Pick<BadRow, "likely" | "hint"> = {}, tooLarge = false) => {
    return { row: { row, line, offset, message, ...more }, tooLarge };
  };
  if (fault !== undefined) return bad(fault.message, pickAdvice(fault), fault instanceof LimitError);
  try {
    const isArray = unit === "element" && bytes[start] === OPEN_BRACKET;
    const values = isArray
      ? { [ARRAY_NAME]: parser.parse(bytes, start, end) }
      : parser.parseRow(bytes, start, end, wish);
    rows.push({ values, line, offset });
    return undefined;
  } catch (error) {
    if (isLogratioError(error, "LimitError")) return bad(error.message, pickAdvice(error), true);
    if (!isLogratioError(error, "FormatError")) throw error;
    const first = skipSpace(bytes, start, end);
    const zeros = trailingZeros(bytes, start, end);
    if (zeros > 0) {
      return bad(`the ${unit} is cut off: ${zeros} zero bytes in place of the rest`, {
        likely: "the machine stopped, or the disk was full, while the file was being written",
      });
    }
    if (cut && bytes[first] === OPEN_BRACE && findEnd(bytes, first, end, newBoundary()) < 0) {
      return bad(`the last ${unit} is cut off: ${end - start} bytes without a closing brace`, {
        likely: LIKELY_BEING_WRITTEN,
      });
    }
    const column = (error.at.offset ?? start) - start + 1;
    return bad(
      unit === "line"
        ? `column ${column}: ${error.message}`
        : `byte ${column} of the ${unit}: ${error.message}`,
    );
  }
}

export function pickAdvice({
  likely,
  hint,
}: NonNullable<Piece["fault"]> | BadRow): Pick<BadRow, "likely" | "hint"> {
  return { ...(likely !== undefined && { likely }), ...(hint !== undefined && { hint }) };
}

/** Zero bytes at the end of `[start, end)`, which file systems leave for a block that was never written. */
export function trailingZeros(bytes: Uint8Array, start: number, end: number): number {
  let first = end;
  while (first > start && bytes[first - 1] === 0) first--;
  return end - first;
}
