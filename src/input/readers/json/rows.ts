/**
 * Rows of JSONL, of server-sent events, and of one array of objects or arrays.
 *
 * @module
 */
import { isUtf8 } from "node:buffer";
import {
  EmptyInputError,
  FormatError,
  isLogratioError,
  LimitError,
  UsageError,
} from "../../../core/base/index.ts";
import type { BadRow, ByteSource, InvalidText, RowChunk, RowDocument, RowMap } from "../../io/index.ts";
import { type ByteStream, openPlain, type PlainStream } from "../../io/index.ts";
import { findEnd, newBoundary } from "./boundary.ts";
import { splitElements } from "./elements.ts";
import { beginsWithEvent, splitEvents } from "./events.ts";
import { splitLines } from "./lines.ts";
import { createJsonParser, DEFAULT_MAX_DEPTH, type JsonParser } from "./parser.ts";
import { LIKELY_BEING_WRITTEN, type Piece } from "./pieces.ts";
import {
  byteOrderMark,
  CLOSE_BRACKET,
  expected,
  isSpace,
  OPEN_BRACE,
  OPEN_BRACKET,
  skipSpace,
} from "./syntax.ts";

export interface JsonOptions {
  /** Limit on the bytes of one row, or of a file that is one object; default 2 GiB. */
  readonly maxValueBytes?: number;
  /** Depth of nested arrays and objects in a row; default 256. */
  readonly maxDepth?: number;
}

export const DEFAULT_MAX_VALUE_BYTES = 2 ** 31;
const CHUNK_TEXT_BYTES = 8 << 20;
const CHUNK_ROWS = 1024;
/** The first chunk is read when the file is opened, so it is small. */
const FIRST_TEXT_BYTES = 1 << 20;
const FIRST_ROWS = 64;
const SAMPLE_ROWS = 8;
/** Limit on the decoded values of a chunk: text of many small arrays takes a hundred times its length. */
const CHUNK_DECODED_BYTES = 128 << 20;
/** Limit on unreadable rows before the first readable one. */
const LEADING_BAD_ROWS = 64;

interface Row {
  readonly values: RowMap;
  readonly line: number;
  readonly offset: number;
}

interface Batch {
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
type Unit = "line" | "event" | "element";

const SPLITTERS = { line: splitLines, event: splitEvents, element: splitElements } as const;

/** The name under which an element that is an array becomes a row. */
export const ARRAY_NAME = "element";

/** A RowDocument that knows whether the file holds only one row. */
export interface JsonRows extends RowDocument {
  /** The row of a file with a single row, readable or not. */
  readonly onlyRow: RowMap | undefined;
}

/**
 * Opens JSONL, or one array of objects; a file or a stream, plain, gzip or zstd. Blank lines, a byte order mark and
 * CRLF are allowed. Only the current chunk of rows (about 8 MiB of text, or one row) is held.
 *
 * An invalid row is reported to `onBadRow` and skipped; `chunks` throws a fault of the compressed file after the rows
 * before it. With `columns`, the values of other columns are skipped unchecked.
 *
 * @throws EmptyInputError if there is only white space
 * @throws FormatError if it is not text, nothing in it looks like JSON, or it is an array of something else A row that
 * takes more than `maxValueBytes`, or more than the memory limit once it is decoded, is such a row.
 *
 * @throws LimitError if the only row is too large
 */
export async function openJsonl(
  input: ByteSource | ByteStream,
  options: JsonOptions = {},
): Promise<JsonRows> {
  const plain = await openPlain(input);
  const file = plain.name;
  checkText(plain);
  const start = skipSpace(plain.head, byteOrderMark(plain.head), plain.head.length);
  const isArray = plain.head[start] === OPEN_BRACKET;
  if (isArray) checkElements(plain, start + 1);
  const unit = isArray ? "element" : beginsWithEvent(plain.head) ? "event" : "line";
  const reader = createBatchReader(plain, unit, options);
  let first = await reader.read(FIRST_ROWS, FIRST_TEXT_BYTES, undefined);
  const leading: BadRow[] = [];
  while (
    first.rows.length === 0 &&
    first.bad !== undefined &&
    !first.last &&
    leading.length < LEADING_BAD_ROWS
  ) {
    leading.push(first.bad);
    first = await reader.read(FIRST_ROWS, FIRST_TEXT_BYTES, undefined);
  }
  if (first.rows.length === 0 && first.failure !== undefined) throw first.failure.error;
  if (first.rows.length === 0 && first.bad === undefined && first.last) {
    const what =
      plain.head.length === 0
        ? "the file is empty"
        : isArray
          ? "the array is empty"
          : "the file has only blank lines";
    throw new EmptyInputError(what, { at: { file } });
  }
  if (first.rows.length === 0 && first.bad !== undefined) {
    const bad = leading[0] ?? first.bad;
    const { message, line, offset } = bad;
    const detail = { at: { file, line: line!, offset: offset! }, ...pickAdvice(bad) };
    if (first.last && first.tooLarge === true) throw new LimitError(message, detail);
    // A file that is being written may be followed; for a file whose only row is wrong, the error says why.
    const wrong = first.last && leading.length === 0 && !message.includes("cut off");
    if (wrong && !isArray) throw new FormatError(`no row can be read: ${message}`, detail);
    if (unit === "line" && plain.head[start] !== OPEN_BRACE)
      throw new FormatError(`not JSON: ${message}`, detail);
  }

  let used = false;
  async function* chunks(wish: Parameters<RowDocument["chunks"]>[0] = {}): AsyncGenerator<RowChunk> {
    if (used) throw new UsageError(`the rows of ${file} were requested twice; open the file again`);
    used = true;
    const wanted = wish.columns === undefined ? undefined : new Set(wish.columns);
    for (const bad of leading) wish.onBadRow?.(bad);
    let batch = first;
    for (;;) {
      if (batch.rows.length > 0) yield rowChunk(batch, wanted);
      if (batch.bad !== undefined) wish.onBadRow?.(batch.bad);
      if (batch.failure !== undefined) throw batch.failure.error;
      if (batch.last) return;
      batch = await reader.read(CHUNK_ROWS, CHUNK_TEXT_BYTES, wanted);
    }
  }

  return {
    kind: "rows",
    format: isArray ? "json" : "jsonl",
    file,
    sample: first.rows.slice(0, SAMPLE_ROWS).map((row) => row.values),
    metadata: {},
    onlyRow:
      first.last && first.bad === undefined && leading.length === 0 && first.rows.length === 1
        ? first.rows[0]!.values
        : undefined,
    chunks,
    invalidText: reader.invalidText,
    close: plain.close,
  };
}

/** An array of anything other than objects and arrays is refused, rather than reported as one bad row per element. */
function checkElements({ head, name: file }: PlainStream, inside: number): void {
  const first = skipSpace(head, inside, head.length);
  const isRow = head[first] === OPEN_BRACE || head[first] === OPEN_BRACKET;
  if (first === head.length || isRow || head[first] === CLOSE_BRACKET) return;
  const { message } = expected('"{" or "[" at the first element of the array', head, first, head.length);
  throw new FormatError(message, { at: { file, offset: first } });
}

function rowChunk({ rows, firstRow }: Batch, wanted: ReadonlySet<string> | undefined): RowChunk {
  const isWanted = (name: string): boolean => wanted === undefined || wanted.has(name);
  return {
    length: rows.length,
    firstRow,
    get: (i, name) => {
      const { values } = rows[i]!;
      return isWanted(name) && Object.hasOwn(values, name) ? values[name] : undefined;
    },
    names: (i) => Object.keys(rows[i]!.values).filter(isWanted),
    line: (i) => rows[i]!.line,
    offset: (i) => rows[i]!.offset,
  };
}

interface BatchReader {
  /** Rows up to a count, an amount of text, an unreadable row, or the end; at least one unless at the end. */
  read(maxRows: number, maxBytes: number, wanted: ReadonlySet<string> | undefined): Promise<Batch>;
  invalidText(): InvalidText | undefined;
}

function createBatchReader(plain: PlainStream, unit: Unit, options: JsonOptions): BatchReader {
  const parser = createJsonParser(options.maxDepth ?? DEFAULT_MAX_DEPTH);
  const splitter = SPLITTERS[unit](options.maxValueBytes ?? DEFAULT_MAX_VALUE_BYTES, plain.name);
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

  const read: BatchReader["read"] = async (maxRows, maxBytes, wanted) => {
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
      const bad = readRow(parser, unit, piece, row++, wanted, batch.rows);
      if (bad !== undefined) {
        batch.bad = bad.row;
        batch.tooLarge = bad.tooLarge;
        break;
      }
      bytes += piece.end - piece.start;
      decoded += parser.cost();
    }
    // Known only by searching one more piece, whose bytes then stay valid until it is read.
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
  wanted: ReadonlySet<string> | undefined,
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
      : parser.parseRow(bytes, start, end, wanted);
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

function pickAdvice({ likely, hint }: NonNullable<Piece["fault"]> | BadRow): Pick<BadRow, "likely" | "hint"> {
  return { ...(likely !== undefined && { likely }), ...(hint !== undefined && { hint }) };
}

/** Zero bytes at the end of `[start, end)`, which file systems leave for a block that was never written. */
function trailingZeros(bytes: Uint8Array, start: number, end: number): number {
  let first = end;
  while (first > start && bytes[first - 1] === 0) first--;
  return end - first;
}

/** Refuses a file that cannot be JSON with one error, instead of one error per "line". */
export function checkText({ head, name }: PlainStream): void {
  const utf16 = (head[0] === 0xff && head[1] === 0xfe) || (head[0] === 0xfe && head[1] === 0xff);
  if (utf16) {
    throw new FormatError("the file is UTF-16; JSON is read as UTF-8", {
      at: { file: name, offset: 0 },
      likely: "it was written by redirecting output in Windows PowerShell",
      hint: "convert it: iconv -f UTF-16 -t UTF-8",
    });
  }
  // A tail of zero bytes costs the row that it cuts off, not the file.
  const text = head.subarray(0, head.length - trailingZeros(head, 0, head.length) || 1);
  const binary = text.subarray(0, 1024).findIndex((byte) => byte < 0x20 && !isSpace(byte));
  if (binary >= 0) {
    const byte = `0x${head[binary]!.toString(16).padStart(2, "0")}`;
    throw new FormatError(`not JSON: byte ${byte} at offset ${binary} does not occur in text`, {
      at: { file: name, offset: binary },
    });
  }
}
