/**
 * Values of DuckDB's column vectors as row values. Lists of numbers become views on one typed array that is copied out
 * of DuckDB's memory for a run of rows; everything else is made on demand.
 *
 * The flat arrays behind the vectors (`items`, `dataView`, `validity`) are private in the types of `@duckdb/node-api`;
 * the pinned version has them, and the tests read every type through them.
 *
 * @module
 */
import {
  DuckDBArrayValue,
  DuckDBBlobValue,
  DuckDBDecimalValue,
  DuckDBListValue,
  DuckDBListVector,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBStructVector,
  DuckDBTypeId,
  type DuckDBValue,
  type DuckDBVector,
} from "@duckdb/node-api";
import type { NumericArray } from "../../../core/base/index.ts";
import type { RowMap, RowValue } from "../../io/columns.ts";

/** The value at an index of the vector, within the requested run. */
export type Cell = (index: number) => RowValue;

interface Validity {
  /** One bit per value, 1 = present; null when all are. */
  readonly data: BigUint64Array | null;
  readonly offset: number;
}

type Flat = NumericArray | BigInt64Array | BigUint64Array;

const FLAT_TYPES: ReadonlySet<DuckDBTypeId> = new Set([
  DuckDBTypeId.BOOLEAN,
  DuckDBTypeId.TINYINT,
  DuckDBTypeId.SMALLINT,
  DuckDBTypeId.INTEGER,
  DuckDBTypeId.BIGINT,
  DuckDBTypeId.UTINYINT,
  DuckDBTypeId.USMALLINT,
  DuckDBTypeId.UINTEGER,
  DuckDBTypeId.UBIGINT,
  DuckDBTypeId.FLOAT,
  DuckDBTypeId.DOUBLE,
]);

/** Cells `[start, end)` of a vector; their content outlives the vector. */
export function cells(vector: DuckDBVector, start: number, end: number): Cell {
  if (vector instanceof DuckDBListVector) return listCells(vector, start, end);
  if (vector instanceof DuckDBStructVector) return structCells(vector, start, end);
  return (index) => plain(vector.getItem(index));
}

function listCells(vector: DuckDBListVector, start: number, end: number): Cell {
  let first = Number.POSITIVE_INFINITY;
  let last = 0;
  const there = (index: number): boolean => isValid(getValidity(vector), index);
  for (let i = start; i < end; i++) {
    if (!there(i)) continue;
    const offset = vector.getEntryOffset(i);
    first = Math.min(first, offset);
    last = Math.max(last, offset + vector.getEntryLength(i));
  }
  if (first > last) first = last;
  const child = vector.childVector;
  if (FLAT_TYPES.has(child.type.typeId)) {
    const values = numbers(child, first, last);
    return (index) => {
      if (!there(index)) return null;
      const offset = vector.getEntryOffset(index) - first;
      return values.subarray(offset, offset + vector.getEntryLength(index));
    };
  }
  const inner = cells(child, first, last);
  return (index) => {
    if (!there(index)) return null;
    const offset = vector.getEntryOffset(index);
    return Array.from({ length: vector.getEntryLength(index) }, (_, i) => inner(offset + i));
  };
}

function structCells(vector: DuckDBStructVector, start: number, end: number): Cell {
  const { entryNames } = vector.type;
  const entries = entryNames.map((_, i) => cells(vector.entryVectorAt(i), start, end));
  return (index) => {
    if (!vector.isItemValid(index)) return null;
    return record(entryNames.map((name, i) => [name, entries[i]!(index)]));
  };
}

/** An object from pairs, in which `__proto__` is an ordinary name. */
function record(pairs: readonly (readonly [string, RowValue])[]): RowMap {
  return Object.fromEntries(pairs);
}

/** Flat values `[start, end)` as a copy: 64-bit integers narrowed, nulls as NaN, booleans as 0 and 1. */
function numbers(vector: DuckDBVector, start: number, end: number): NumericArray {
  const { items, dataView } = vector as unknown as { items?: Flat; dataView?: DataView };
  const flat = items ?? new Uint8Array(dataView!.buffer, dataView!.byteOffset, dataView!.byteLength);
  const isWide = flat instanceof BigInt64Array || flat instanceof BigUint64Array;
  const values = isWide ? narrow(flat.subarray(start, end)) : flat.slice(start, end);
  return withNaN(values, getValidity(vector), start);
}

/** Int32Array when every value fits, else Float64Array (which rounds above 2^53). */
function narrow(wide: BigInt64Array | BigUint64Array): NumericArray {
  const halves = new Int32Array(wide.buffer, wide.byteOffset, 2 * wide.length);
  const signed = wide instanceof BigInt64Array;
  const small = new Int32Array(wide.length);
  for (let i = 0; i < wide.length; i++) {
    const low = halves[2 * i]!;
    const sign = signed || low >= 0 ? low >> 31 : 1;
    if (halves[2 * i + 1] !== sign) return Float64Array.from(wide, Number);
    small[i] = low;
  }
  return small;
}

function withNaN(values: NumericArray, validity: Validity, start: number): NumericArray {
  const { data } = validity;
  if (data === null) return values;
  let result = values;
  for (let i = 0; i < values.length; i++) {
    if (isValid(validity, start + i)) continue;
    if (!(result instanceof Float32Array || result instanceof Float64Array))
      result = Float64Array.from(values);
    result[i] = NaN;
  }
  return result;
}

function getValidity(vector: DuckDBVector): Validity {
  return (vector as unknown as { validity: Validity }).validity;
}

function isValid({ data, offset }: Validity, index: number): boolean {
  if (data === null) return true;
  const bit = offset + index;
  return ((new Uint8Array(data.buffer, data.byteOffset)[bit >> 3]! >> (bit & 7)) & 1) === 1;
}

/** A scalar, or a value of a type that is not read in bulk. */
function plain(value: DuckDBValue): RowValue {
  if (value === null || typeof value === "boolean" || typeof value === "number" || typeof value === "string")
    return value;
  // An id that does not fit a double keeps all its digits as text.
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (value instanceof DuckDBBlobValue) return Uint8Array.from(value.bytes);
  if (value instanceof DuckDBDecimalValue) return value.toDouble();
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue) return value.items.map(plain);
  if (value instanceof DuckDBStructValue) {
    return record(Object.entries(value.entries).map(([name, entry]) => [name, plain(entry)]));
  }
  if (value instanceof DuckDBMapValue) {
    return record(value.entries.map(({ key, value: entry }) => [String(key), plain(entry)]));
  }
  return String(value);
}

/** Bytes of the values in `vector`, to choose how many rows to return at once. */
export function vectorBytes(vector: DuckDBVector): number {
  if (vector instanceof DuckDBListVector) return 16 * vector.itemCount + vectorBytes(vector.childVector);
  if (vector instanceof DuckDBStructVector) {
    return vector.type.entryNames.reduce((sum, _, i) => sum + vectorBytes(vector.entryVectorAt(i)), 0);
  }
  const { items } = vector as unknown as { items?: Flat };
  return items?.byteLength ?? 16 * vector.itemCount;
}
