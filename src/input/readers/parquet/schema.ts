/**
 * The writer's input: columns as flat typed arrays with row offsets, one batch of rows at a time.
 *
 * @module
 */
import type { NumericArray } from "../../../core/base/index.ts";
import { LengthMismatchError, SchemaError } from "../../../core/base/index.ts";

export type ScalarType = "int32" | "int64" | "float32" | "float64" | "bool" | "string";
export type ElementType = "int32" | "float32" | "float64" | "uint8";

/** A list of numbers per row; with `inner`, a list of lists of exactly that many numbers (top-k alternatives). */
export interface ListType {
  readonly list: ElementType;
  readonly inner?: number;
}

export interface ColumnSpec {
  readonly name: string;
  readonly type: ScalarType | ListType;
  /** Whether rows may have no value; default true. */
  readonly nullable?: boolean;
}

/**
 * One column of a batch.
 *
 * A scalar column has one value per row. A list column has the concatenated values of all rows, and `offsets`
 * (`[length + 1]`, in list entries): row i holds entries `[offsets[i], offsets[i + 1])`, each of `inner` values if the
 * column's type has `inner`.
 */
export interface ColumnData {
  readonly values: NumericArray | BigInt64Array | readonly (string | null | undefined)[];
  readonly offsets?: ArrayLike<number>;
  /** One byte per row, 0 = no value. Strings may also be null or undefined. */
  readonly valid?: Uint8Array;
}

/** Rows to write. The arrays must not change until they are written. */
export interface ColumnBatch {
  readonly length: number;
  /** Columns in the order of their specifications. */
  readonly columns: readonly ColumnData[];
  /** Called once all of its rows are written; not called for a batch without rows, or after an error. */
  readonly onWritten?: () => void;
}

const RANGES = {
  int32: [-(2 ** 31), 2 ** 31 - 1],
  int64: [-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  uint8: [0, 255],
  bool: [0, 1],
} as const;

/** Checks names and types once. */
export function checkSpecs(specs: readonly ColumnSpec[]): void {
  const seen = new Set<string>();
  for (const { name, type } of specs) {
    if (seen.has(name.toLowerCase()))
      throw new SchemaError(`two columns are named ${name}`, { at: { entry: name } });
    seen.add(name.toLowerCase());
    const inner = typeof type === "string" ? 1 : (type.inner ?? 1);
    if (!Number.isInteger(inner) || inner < 1) {
      throw new SchemaError(`lists of ${inner} values cannot be written`, { at: { entry: name } });
    }
  }
  if (specs.length === 0) throw new SchemaError("a parquet file needs at least one column");
}

/** Checks that a batch fits its specifications, values included. */
export function checkBatch(specs: readonly ColumnSpec[], batch: ColumnBatch): void {
  if (batch.columns.length !== specs.length) {
    throw new LengthMismatchError(
      `the batch has ${batch.columns.length} columns, ${specs.length} are specified`,
      { found: batch.columns.length, expected: specs.length },
    );
  }
  specs.forEach((spec, i) => {
    checkColumn(spec, batch.columns[i]!, batch.length);
  });
}

function checkColumn({ name, type, nullable = true }: ColumnSpec, data: ColumnData, length: number): void {
  const at = { entry: name };
  const { values, offsets, valid } = data;
  const fail = (what: string): never => {
    throw new LengthMismatchError(`column ${name}: ${what}`, { at });
  };
  if (valid !== undefined && valid.length !== length)
    fail(`${valid.length} validity bytes for ${length} rows`);
  const missing = valid?.indexOf(0) ?? -1;
  if (!nullable && missing >= 0)
    throw new SchemaError(`column ${name} has no value in row ${missing}`, { at });
  if (typeof type === "string") {
    if (values.length !== length) fail(`${values.length} values for ${length} rows`);
    if ((type === "string") !== Array.isArray(values)) {
      throw new SchemaError(`column ${name}: values of type ${type} are needed`, { at });
    }
    if (Array.isArray(values)) {
      const none = nullable ? -1 : values.findIndex((value) => value === null || value === undefined);
      if (none >= 0) throw new SchemaError(`column ${name} has no value in row ${none}`, { at });
    } else checkRange(name, type, values as NumericArray | BigInt64Array, valid);
    return;
  }
  if (offsets === undefined || offsets.length !== length + 1) {
    fail(`${offsets?.length ?? 0} offsets for ${length} rows; there must be one more than rows`);
  }
  for (let i = 0; i < length; i++) {
    if (offsets![i]! > offsets![i + 1]!)
      fail(`offset ${i + 1} is ${offsets![i + 1]}, below the one before it, ${offsets![i]}`);
  }
  const needed = offsets![length]! * (type.inner ?? 1);
  if (offsets![0]! < 0 || values.length < needed)
    fail(`the offsets need ${needed} values, found ${values.length}`);
  if (Array.isArray(values))
    throw new SchemaError(`column ${name}: values of type ${type.list} are needed`, { at });
  checkRange(name, type.list, values as NumericArray | BigInt64Array, undefined);
}

/** Checks that integer columns lose nothing; values where `valid` is 0 are ignored. */
function checkRange(
  name: string,
  type: ScalarType | ElementType,
  values: NumericArray | BigInt64Array,
  valid: Uint8Array | undefined,
): void {
  if (type === "float32" || type === "float64" || type === "string") return;
  if (type === "int32" && (values instanceof Int32Array || values instanceof Int16Array)) return;
  if (values instanceof Uint8Array && type !== "bool") return;
  if (values instanceof BigInt64Array && type === "int64") return;
  const [low, high] = RANGES[type];
  for (let i = 0; i < values.length; i++) {
    const value = Number(values[i]);
    if (valid?.[i] === 0 || (value >= low && value <= high && Number.isInteger(value))) continue;
    throw new SchemaError(`column ${name}: ${values[i]} is not of type ${type}`, {
      at: { entry: name, row: i },
    });
  }
}
