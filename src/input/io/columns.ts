/**
 * The documents that readers pass to adapters: bytes have become named values, but what the names mean is not known
 * yet.
 *
 * A file is either a *tree* (npz, safetensors, torch, one JSON object: a few large arrays under names) or *rows*
 * (JSONL, Parquet, a JSON array of objects: many objects with the same names).
 *
 * @module
 */
import type { NumericArray } from "../../core/base/index.ts";
import type { Allocate } from "./byte-source.ts";

export type FormatName =
  | "npy"
  | "npz"
  | "safetensors"
  | "torch"
  | "pickle"
  | "memmap"
  | "parquet"
  | "json"
  | "jsonl";

/** Element types by the files' names; `string` is NumPy's `U`/`S`. */
export type DType =
  | "float64"
  | "float32"
  | "float16"
  | "bfloat16"
  | "int64"
  | "int32"
  | "int16"
  | "int8"
  | "uint64"
  | "uint32"
  | "uint16"
  | "uint8"
  | "bool"
  | "string";

/** A dense row-major array that stays on disk until its rows are requested. */
export interface Tensor {
  /** Tells values apart. */
  readonly kind: "tensor";
  /** Type of the elements in the file. */
  readonly dtype: DType;
  /** `[]` is a scalar: one row of one element. */
  readonly shape: readonly number[];
  /**
   * Elements of rows `[start, end)` of the first dimension, flattened in row-major order.
   *
   * float16 and bfloat16 widen to Float32Array; int64 and uint64 become Int32Array when every value fits and
   * Float64Array otherwise; bool becomes Uint8Array. Ranges of a tensor must not go backwards (a compressed member is
   * inflated once, from front to back).
   *
   * @param allocate returns memory for the elements, which need not be used: for callers that read block after block and
   * are done with each before the next. Default: new memory
   */
  readRows(start: number, end: number, allocate?: Allocate): Promise<NumericArray>;
  /** For dtypes `float16` and `bfloat16`: the elements of those rows as they are stored, 16 bits each. */
  readBits?(start: number, end: number, allocate?: Allocate): Promise<Uint16Array>;
  /** The elements of rows `[start, end)`, for dtype `string`. */
  readStrings?(start: number, end: number): Promise<string[]>;
}

/** An object that the allow-list unpickler recorded but did not build. */
export interface PickledObject {
  /** Tells values apart. */
  readonly kind: "object";
  /** `module.name` as the pickle spells it. */
  readonly className: string;
  /** Arguments of its constructor. */
  readonly args: readonly TreeValue[];
  /** The state that the pickle set on it; undefined when none. */
  readonly state: TreeValue | undefined;
  /** Items that the pickle appended to the object or assigned to its keys (subclasses of list and dict). */
  readonly items?: TreeValue;
}

/** A value of a document; `isTensor` recognizes those that stay in the file. */
export type TreeValue =
  | null
  | boolean
  | number
  | string
  | Uint8Array
  | NumericArray
  | Tensor
  | PickledObject
  | readonly TreeValue[]
  | TreeMap;

/** An object of named values. */
export interface TreeMap {
  readonly [name: string]: TreeValue;
}

/** Invalid UTF-8 that was read as U+FFFD: the number of rows so far, and the first place. */
export interface InvalidText {
  readonly rows: number;
  readonly row: number;
  readonly line?: number;
  readonly offset?: number;
}

/** A file of a few large values under names: npz, safetensors, torch, one JSON object. */
export interface TreeDocument {
  /** Tells documents apart. */
  readonly kind: "tree";
  /** The file format. */
  readonly format: FormatName;
  /** The path as the user wrote it, or `-`. */
  readonly file: string;
  /** All its values by name. */
  readonly root: TreeMap;
  /** Free-form text pairs (safetensors `__metadata__`, Parquet key-value metadata). */
  readonly metadata: Readonly<Record<string, string>>;
  /** A single JSON object read as a file with one row; its names decide which of the two it is. */
  readonly otherwise?: RowDocument;
  /** Text that was not UTF-8, in what has been read so far. */
  invalidText?(): InvalidText | undefined;
  /** Closes the document; its tensors cannot be read afterwards. */
  close(): Promise<void>;
}

/**
 * One value of a row. A JSON array of numbers and nulls arrives as a Float64Array (null becomes NaN); a Parquet list
 * of numbers as a view on its typed values. Views are valid until the next chunk is requested.
 */
export type RowValue = null | boolean | number | string | NumericArray | readonly RowValue[] | RowMap;

export interface RowMap {
  readonly [name: string]: RowValue;
}

/** Consecutive rows. */
export interface RowChunk {
  readonly length: number;
  /** Zero-based index in the file of the chunk's first row. */
  readonly firstRow: number;
  /** Undefined when row `i` of this chunk has no value under that name. */
  get(i: number, name: string): RowValue | undefined;
  /** Names that occur in row `i`. */
  names(i: number): readonly string[];
  /** One-based line, where the format has lines. */
  line?(i: number): number;
  /** Byte offset in the decompressed file, where the format has one. */
  offset?(i: number): number;
}

/** A row that could not be read, and why; reading continues after it. */
export interface BadRow {
  readonly row: number;
  readonly line?: number;
  readonly offset?: number;
  readonly message: string;
  readonly likely?: string;
  readonly hint?: string;
}

/** A file of many objects with the same names: JSONL, Parquet, a JSON array. */
export interface RowDocument {
  /** Tells documents apart. */
  readonly kind: "rows";
  /** The file format. */
  readonly format: FormatName;
  /** The path as the user wrote it, or `-`. */
  readonly file: string;
  /** Names in the first rows, and a bounded sample of those rows, for detection. */
  readonly sample: readonly RowMap[];
  /** Free-form text pairs, such as Parquet's key-value metadata. */
  readonly metadata: Readonly<Record<string, string>>;
  /** May be called once. Bad rows are reported through `onBadRow` and skipped. */
  chunks(options?: {
    columns?: readonly string[];
    /** Lists of numbers may have narrower types than `RowValue` says, which hold their values exactly. */
    isNarrow?: boolean;
    onBadRow?: (bad: BadRow) => void;
  }): AsyncGenerator<RowChunk>;
  /**
   * The row that begins at a byte offset of the decompressed file. May be called at any time before `close`, whatever
   * `chunks` has read. Absent where the file has to be read from front to back: a stream, gzip, most of zstd.
   *
   * @throws FormatError when no row begins there
   */
  readonly rowAt?: ((offset: number) => Promise<RowMap>) | undefined;
  /**
   * Rows whose JSON contains a text, byte for byte, in their order: a search of a long index takes a fraction of reading
   * it. A row may contain it in another place than meant. Absent where {@link rowAt} is.
   *
   * @throws FormatError when such a row is not JSON
   */
  readonly rowsWith?: ((text: string) => AsyncGenerator<RowMap>) | undefined;
  /** The only row of a JSONL file as one object: a whole batch on one line. */
  readonly otherwise?: TreeDocument;
  /** Text that was not UTF-8, in what has been read so far. */
  invalidText?(): InvalidText | undefined;
  /** Frees what was opened; nothing is read afterwards. */
  close(): Promise<void>;
}

/** A file, read: one tree of named values, or rows. */
export type SourceDocument = TreeDocument | RowDocument;
