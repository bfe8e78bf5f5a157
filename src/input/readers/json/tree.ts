/**
 * A file that is one JSON object.
 *
 * @module
 */
import { isUtf8 } from "node:buffer";
import { EmptyInputError, FormatError, isLogratioError, LimitError } from "../../../core/base/index.ts";
import type { ByteSource } from "../../io/byte-source.ts";
import type { RowDocument, RowMap, TreeDocument, TreeMap } from "../../io/columns.ts";
import { type ByteStream, openPlain } from "../../io/decompress.ts";
import { findEnd, newBoundary } from "./boundary.ts";
import { createJsonParser, DEFAULT_MAX_DEPTH } from "./parser.ts";
import { createCarry } from "./pieces.ts";
import { DEFAULT_MAX_VALUE_BYTES, type JsonOptions } from "./row-batches.ts";
import { checkText } from "./rows.ts";
import { byteOrderMark, LINE_FEED, OPEN_BRACE, skipSpace } from "./syntax.ts";

/**
 * Reads a file or stream that is one JSON object; plain, gzip or zstd. Arrays of numbers and nulls arrive as
 * Float64Array (null is NaN), arrays of those as arrays of Float64Array.
 *
 * @throws EmptyInputError if there is nothing but white space
 * @throws FormatError if it is not an object, invalid, cut off, or followed by more; `at` has line and offset
 * @throws LimitError if it takes more than `maxValueBytes`, or than the memory limit once it is decoded
 */
export async function openJson(
  input: ByteSource | ByteStream,
  options: JsonOptions = {},
): Promise<TreeDocument> {
  const plain = await openPlain(input);
  const file = plain.name;
  checkText(plain);
  const carry = createCarry(options.maxValueBytes ?? DEFAULT_MAX_VALUE_BYTES, file);
  for await (const chunk of plain.bytes) {
    carry.append(chunk, 0, chunk.length);
    const overflow = carry.overflow();
    if (overflow !== undefined) throw overflow;
  }
  const end = carry.length();
  const bytes = carry.take();
  const start = skipSpace(bytes, byteOrderMark(bytes), end);
  if (start === end) {
    throw new EmptyInputError(end === 0 ? "the file is empty" : "the file has only blank lines", {
      at: { file },
    });
  }
  const document = treeDocument(file, parseRoot(bytes, start, end, file, options));
  const isValid = isUtf8(bytes.subarray(0, end));
  return isValid ? document : { ...document, invalidText: () => ({ rows: 1, row: 0 }) };
}

/** One object as a document, which may also be the only row of a file of rows. */
export function treeDocument(file: string, root: TreeMap): TreeDocument {
  const parts = { file, metadata: {}, close: async () => {} };
  return { ...parts, kind: "tree", format: "json", root, otherwise: oneRow(file, root as RowMap) };
}

/** The object as the only row of a JSONL file. */
function oneRow(file: string, row: RowMap): RowDocument {
  return {
    kind: "rows",
    format: "jsonl",
    file,
    sample: [row],
    metadata: {},
    async *chunks({ columns } = {}) {
      const isWanted = (name: string): boolean => columns === undefined || columns.includes(name);
      yield {
        length: 1,
        firstRow: 0,
        get: (_, name) => (isWanted(name) && Object.hasOwn(row, name) ? row[name] : undefined),
        names: () => Object.keys(row).filter(isWanted),
        line: () => 1,
        offset: () => 0,
      };
    },
    close: async () => {},
  };
}

function parseRoot(
  bytes: Uint8Array,
  start: number,
  end: number,
  file: string,
  options: JsonOptions,
): TreeMap {
  try {
    return createJsonParser(options.maxDepth ?? DEFAULT_MAX_DEPTH).parseRow(bytes, start, end);
  } catch (error) {
    if (isLogratioError(error, "LimitError")) throw atFile(error, file);
    if (!isLogratioError(error, "FormatError")) throw error;
    const close = findEnd(bytes, start, end, newBoundary());
    if (bytes[start] === OPEN_BRACE && close < 0) {
      throw new FormatError(`the JSON object is cut off: ${end} bytes without its closing brace`, {
        at: { file, offset: end },
        likely: "the file was being written or copied when it was read",
        hint: "wait until its writer has finished, or copy it again",
      });
    }
    const offset = error.at.offset ?? start;
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, offset);
    let count = 0;
    for (let pos = text.indexOf(LINE_FEED); pos >= 0; pos = text.indexOf(LINE_FEED, pos + 1)) count++;
    const line = count + 1;
    const column = offset - text.lastIndexOf(LINE_FEED);
    const another = offset > start && bytes[offset] === OPEN_BRACE && offset === skipSpace(bytes, close, end);
    throw new FormatError(`line ${line}, column ${column}: ${error.message}`, {
      at: { file, line, offset },
      ...(another
        ? { likely: "there are several objects in the file", hint: "put each on its own line: jq -c ." }
        : {}),
    });
  }
}

/** Adds the file, which the parser does not know. */
function atFile({ message, likely, hint, at }: LimitError, file: string): LimitError {
  return new LimitError(message, {
    at: { ...at, file },
    ...(likely !== undefined && { likely }),
    ...(hint !== undefined && { hint }),
  });
}
