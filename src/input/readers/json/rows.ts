/**
 * Rows of JSONL, of server-sent events, and of one array of objects or arrays.
 *
 * @module
 */
import { EmptyInputError, FormatError, LimitError, UsageError } from "../../../core/base/index.ts";
import type { ByteSource } from "../../io/byte-source.ts";
import type { BadRow, RowChunk, RowDocument, RowMap } from "../../io/columns.ts";
import { type ByteStream, openPlain, type PlainStream } from "../../io/decompress.ts";
import { beginsWithEvent } from "./events.ts";
import { createRowFinder } from "./row-at.ts";
import {
  type Batch,
  type BatchReader,
  createBatchReader,
  type JsonOptions,
  pickAdvice,
  trailingZeros,
  type Unit,
} from "./row-batches.ts";
import {
  byteOrderMark,
  CLOSE_BRACKET,
  expected,
  isSpace,
  OPEN_BRACE,
  OPEN_BRACKET,
  skipSpace,
} from "./syntax.ts";

const CHUNK_TEXT_BYTES = 8 << 20;
const CHUNK_ROWS = 1024;
/** The first chunk is read when the file is opened, so it is small. */
const FIRST_TEXT_BYTES = 1 << 18;
const FIRST_ROWS = 64;
const SAMPLE_ROWS = 8;
/** Limit on unreadable rows before the first readable one. */
const LEADING_BAD_ROWS = 64;

/** A RowDocument that knows whether the file holds only one row. */
export interface JsonRows extends RowDocument {
  /** The row of a file with a single row, readable or not. */
  readonly onlyRow: RowMap | undefined;
}

/**
 * Opens JSONL, or one array of objects; a file or a stream, plain, gzip or zstd. Blank lines, a byte order mark and
 * CRLF are allowed. Only the current chunk of rows (about 8 MiB of text, or one row) is held.
 *
 * A row that is invalid, takes more than `maxValueBytes`, or takes more than the memory limit once it is decoded, is
 * reported to `onBadRow` and skipped; `chunks` throws a fault of the compressed file after the rows before it. With
 * `columns`, the values of other columns are skipped unchecked.
 *
 * @throws EmptyInputError if there is only white space
 * @throws FormatError if it is not text, nothing in it looks like JSON, or it is an array of something else
 * @throws LimitError if the only row is too large
 */
export async function openJsonl(
  input: ByteSource | ByteStream,
  options: JsonOptions = {},
): Promise<JsonRows> {
  const plain = await openPlain(input);
  const file = plain.name;
  checkText(plain);
  const start = findStart(plain.head);
  const isArray = plain.head[start] === OPEN_BRACKET;
  if (isArray) checkElements(plain, start + 1);
  const unit = isArray ? "element" : beginsWithEvent(plain.head) ? "event" : "line";
  const reader = createBatchReader(plain, unit, options);
  const seekable = unit === "line" ? await plain.seek() : undefined;
  const opening = await readOpening(reader);
  checkOpening(plain, unit, opening);
  const { first, leading } = opening;
  let used = false;
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
    async *chunks(wish) {
      if (used) throw new UsageError(`the rows of ${file} were requested twice; open the file again`);
      used = true;
      yield* readChunks(reader, opening, wish);
    },
    invalidText: reader.invalidText,
    ...(seekable && createRowFinder(seekable, options)),
    async close() {
      await seekable?.close();
      await plain.close();
    },
  };
}

/** What is read when a file is opened: enough to tell whether it is a table at all, and what its rows look like. */
interface Opening {
  /** Rows before `first` that cannot be read. */
  readonly leading: readonly BadRow[];
  readonly first: Batch;
}

async function readOpening(reader: BatchReader): Promise<Opening> {
  const leading: BadRow[] = [];
  for (;;) {
    const first = await reader.read(FIRST_ROWS, FIRST_TEXT_BYTES, {});
    const { rows, bad, last } = first;
    // A few wrong rows do not make a file unreadable, but reading stops if a file has nothing else.
    if (rows.length > 0 || bad === undefined || last || leading.length >= LEADING_BAD_ROWS)
      return { leading, first };
    leading.push(bad);
  }
}

/** @throws LogratioError if no row was read, unless one may still come: after bad rows, or once it is written */
function checkOpening(plain: PlainStream, unit: Unit, { leading, first }: Opening): void {
  if (first.rows.length > 0) return;
  const { head, name: file } = plain;
  if (first.failure !== undefined) throw first.failure.error;
  if (first.bad === undefined) {
    if (first.last) throw new EmptyInputError(describeEmpty(head, unit), { at: { file } });
    return;
  }
  const bad = leading[0] ?? first.bad;
  const { message, line, offset } = bad;
  const detail = { at: { file, line: line!, offset: offset! }, ...pickAdvice(bad) };
  if (first.last && first.tooLarge === true) throw new LimitError(message, detail);
  // A file that is still being written may be followed; for a file whose only row is wrong, the error says why.
  const wrong = first.last && leading.length === 0 && !message.includes("cut off");
  if (wrong && unit !== "element") throw new FormatError(`no row can be read: ${message}`, detail);
  if (unit === "line" && head[findStart(head)] !== OPEN_BRACE)
    throw new FormatError(`not JSON: ${message}`, detail);
}

function describeEmpty(head: Uint8Array, unit: Unit): string {
  if (head.length === 0) return "the file is empty";
  return unit === "element" ? "the array is empty" : "the file has only blank lines";
}

/** Index of the first byte after a byte order mark and white space. */
function findStart(head: Uint8Array): number {
  return skipSpace(head, byteOrderMark(head), head.length);
}

async function* readChunks(
  reader: BatchReader,
  { leading, first }: Opening,
  { columns, isNarrow, onBadRow }: Parameters<RowDocument["chunks"]>[0] = {},
): AsyncGenerator<RowChunk> {
  const wanted = columns === undefined ? undefined : new Set(columns);
  for (const bad of leading) onBadRow?.(bad);
  let batch = first;
  for (;;) {
    // The bad row that ended a batch comes after its rows, and the error that ended the stream last.
    if (batch.rows.length > 0) yield rowChunk(batch, wanted);
    if (batch.bad !== undefined) onBadRow?.(batch.bad);
    if (batch.failure !== undefined) throw batch.failure.error;
    if (batch.last) return;
    batch = await reader.read(CHUNK_ROWS, CHUNK_TEXT_BYTES, { wanted, isNarrow });
  }
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
