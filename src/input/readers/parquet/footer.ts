/**
 * The footer of a Parquet file: its columns, row groups and text pairs, and the errors of a file without one. Field
 * numbers are those of https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift.
 *
 * @module
 */
import { FormatError, isLogratioError, LimitError, UnsupportedError } from "../../../core/base/index.ts";
import type { ByteSource } from "../../io/byte-source.ts";
import { MAX_PARQUET_FOOTER_BYTES } from "../../io/limits.ts";
import { integerAt, readThrift, structAt, structsAt, type ThriftStruct, textAt } from "./thrift.ts";

/** Fields of FileMetaData. */
export const FILE = { schema: 2, rows: 3, rowGroups: 4, keyValues: 5 } as const;
/** Fields of RowGroup. */
export const GROUP = { columns: 1, rows: 3, fileOffset: 5 } as const;
/** Fields of ColumnChunk. */
export const CHUNK = { fileOffset: 2, metadata: 3, offsetIndex: 4, columnIndex: 6 } as const;
/** Fields of ColumnMetaData. */
export const COLUMN = {
  type: 1,
  path: 3,
  values: 5,
  uncompressed: 6,
  compressed: 7,
  dataPage: 9,
  indexPage: 10,
  dictionaryPage: 11,
  bloomFilter: 14,
} as const;
/** Fields of SchemaElement. */
const ELEMENT = { typeLength: 2, name: 4, children: 5 } as const;
/** Fields of KeyValue. */
export const PAIR = { key: 1, value: 2 } as const;

const MAGIC = "PAR1";
const ENCRYPTED_MAGIC = "PARE";
const TRAILER_BYTES = 8;
const SMALLEST_FILE = 12;
/** Decoded bytes of a value of each physical type; strings are counted by their column's size. */
const WIDTHS: Readonly<Record<number, number>> = { 0: 1, 1: 4, 2: 8, 3: 16, 4: 4, 5: 8 };
/** A string in DuckDB's vectors, without its characters. */
const STRING_BYTES = 16;

export interface RowGroup {
  readonly rows: number;
  /** Decoded bytes of each top-level column, estimated from the footer. */
  readonly bytes: ReadonlyMap<string, number>;
}

export interface Footer {
  readonly rows: number;
  /** Top-level columns in file order. */
  readonly columns: readonly string[];
  readonly rowGroups: readonly RowGroup[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly fields: ThriftStruct;
  /** Offset of the footer, which is the end of the data. */
  readonly start: number;
}

function ascii(bytes: Uint8Array, start: number): string {
  return start < 0 ? "" : Buffer.from(bytes.subarray(start, start + 4)).toString("latin1");
}

/** Whether the first and last bytes of a file (at least four each) are those of Parquet. */
export function isParquet(head: Uint8Array, tail: Uint8Array): boolean {
  return ascii(head, 0) === MAGIC && ascii(tail, tail.length - 4) === MAGIC;
}

/**
 * Reads only the footer.
 *
 * @throws FormatError if it is not a Parquet file, is cut off, or its footer is damaged
 * @throws UnsupportedError if it is encrypted
 */
export async function readFooter(source: ByteSource): Promise<Footer> {
  const { name: file, byteLength: size } = source;
  const head = await source.slice(0, Math.min(4, size));
  const tail = await source.slice(Math.max(0, size - TRAILER_BYTES), size);
  const end = ascii(tail, tail.length - 4);
  if (ascii(head, 0) === ENCRYPTED_MAGIC || end === ENCRYPTED_MAGIC) {
    throw new UnsupportedError("the parquet file is encrypted", { at: { file }, hint: "decrypt it first" });
  }
  if (ascii(head, 0) !== MAGIC) {
    throw new FormatError(`not parquet: the ${size} bytes do not start with "${MAGIC}"`, {
      at: { file, offset: 0 },
    });
  }
  if (size < SMALLEST_FILE || end !== MAGIC) {
    throw new FormatError(
      `parquet file is cut off: its ${size} bytes do not end with a footer and "${MAGIC}"`,
      {
        at: { file, offset: size },
        likely: "the file was still being written or copied; Parquet writes its table of contents last",
        hint: "wait until its writer has closed it, or copy it again",
      },
    );
  }
  const length = new DataView(tail.buffer, tail.byteOffset, 4).getUint32(0, true);
  if (length > size - SMALLEST_FILE) {
    throw damaged(file, size - TRAILER_BYTES, `it declares ${length} bytes, the file has ${size}`, undefined);
  }
  if (length > MAX_PARQUET_FOOTER_BYTES) {
    throw new LimitError(`parquet footer has ${length} bytes; at most ${MAX_PARQUET_FOOTER_BYTES} are read`, {
      needed: length,
      limit: MAX_PARQUET_FOOTER_BYTES,
      at: { file, offset: size - TRAILER_BYTES },
      likely: "the file is damaged, crafted to fill the memory, or has thousands of columns and row groups",
      hint: "rewrite it with larger row groups",
    });
  }
  const start = size - TRAILER_BYTES - length;
  try {
    return checkClaims(describe(readThrift(await source.slice(start, start + length)), start));
  } catch (cause) {
    if (!isLogratioError(cause, "FormatError") || cause.at.file !== undefined) throw cause;
    throw damaged(file, start + (cause.at.offset ?? 0), cause.message, cause);
  }
}

function damaged(file: string, offset: number, what: string, cause: unknown): FormatError {
  return new FormatError(`parquet footer is damaged: ${what}`, {
    at: { file, offset },
    likely: "the file was damaged in a copy",
    hint: "copy it again",
    cause,
  });
}

function describe(fields: ThriftStruct, start: number): Footer {
  const elements = structsAt(fields, FILE.schema);
  const rows = integerAt(fields, FILE.rows);
  if (elements.length === 0 || rows === undefined) throw new FormatError("it has no schema or no row count");
  const widths = leafWidths(elements);
  return {
    rows,
    columns: topLevel(elements),
    rowGroups: structsAt(fields, FILE.rowGroups).map((group) => ({
      rows: integerAt(group, GROUP.rows) ?? 0,
      bytes: decodedBytes(structsAt(group, GROUP.columns), widths),
    })),
    metadata: Object.fromEntries(
      structsAt(fields, FILE.keyValues).map((pair) => [
        textAt(pair, PAIR.key) ?? "",
        textAt(pair, PAIR.value) ?? "",
      ]),
    ),
    fields,
    start,
  };
}

/** Refuses numbers in the footer that contradict each other; DuckDB would trust them. */
function checkClaims(footer: Footer): Footer {
  const { rows, rowGroups, start } = footer;
  const whole = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;
  const inGroups = rowGroups.reduce((sum, group) => sum + group.rows, 0);
  if (!whole(rows) || !rowGroups.every((group) => whole(group.rows)) || inGroups !== rows)
    throw new FormatError(`it declares ${rows} rows, its row groups ${inGroups}`);
  for (const group of structsAt(footer.fields, FILE.rowGroups)) {
    for (const chunk of structsAt(group, GROUP.columns)) {
      const column = structAt(chunk, CHUNK.metadata);
      if (column === undefined) continue;
      const size = integerAt(column, COLUMN.compressed) ?? 0;
      const values = integerAt(column, COLUMN.values) ?? 0;
      if (!whole(values) || !whole(size) || size > start)
        throw new FormatError(
          `it declares a column of ${size} bytes and ${values} values, but only ${start} bytes come before the footer`,
        );
    }
  }
  return footer;
}

/** The schema is a tree in depth-first order; its root is the first element. */
function topLevel(elements: readonly ThriftStruct[]): string[] {
  const names: string[] = [];
  let inside = 0;
  for (const element of elements.slice(1)) {
    if (inside === 0) names.push(textAt(element, ELEMENT.name) ?? "");
    else inside--;
    inside += integerAt(element, ELEMENT.children) ?? 0;
  }
  return names;
}

/** Declared lengths of fixed-length columns, in the order of the leaves. */
function leafWidths(elements: readonly ThriftStruct[]): (number | undefined)[] {
  const leaves = elements.slice(1).filter((element) => (integerAt(element, ELEMENT.children) ?? 0) === 0);
  return leaves.map((element) => integerAt(element, ELEMENT.typeLength));
}

function decodedBytes(
  chunks: readonly ThriftStruct[],
  widths: readonly (number | undefined)[],
): Map<string, number> {
  const bytes = new Map<string, number>();
  chunks.forEach((chunk, leaf) => {
    const column = structAt(chunk, CHUNK.metadata);
    if (column === undefined) return;
    const path = column.get(COLUMN.path);
    const first = path?.type === "list" ? path.items[0] : undefined;
    const name = first?.type === "binary" ? Buffer.from(first.value).toString("utf8") : "";
    const values = integerAt(column, COLUMN.values) ?? 0;
    const width = WIDTHS[integerAt(column, COLUMN.type) ?? -1];
    const variable =
      values * (STRING_BYTES + (widths[leaf] ?? 0)) + (integerAt(column, COLUMN.uncompressed) ?? 0);
    bytes.set(name, (bytes.get(name) ?? 0) + (width === undefined ? variable : values * width));
  });
  return bytes;
}
