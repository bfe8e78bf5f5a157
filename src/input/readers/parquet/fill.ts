/**
 * Copies rows of batches into DuckDB's column vectors, a whole column at a time.
 *
 * @module
 */
import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  type DuckDBDataChunk,
  type DuckDBType,
  FLOAT,
  INTEGER,
  LIST,
  UTINYINT,
  VARCHAR,
} from "@duckdb/node-api";
import duckdb, { type Vector } from "@duckdb/node-bindings";
import type { ColumnBatch, ColumnData, ColumnSpec, ElementType, ListType, ScalarType } from "./schema.ts";

type Stored = Int32Array | BigInt64Array | Float32Array | Float64Array | Uint8Array;

const DUCKDB_TYPES: Readonly<Record<ScalarType | ElementType, DuckDBType>> = {
  int32: INTEGER,
  int64: BIGINT,
  float32: FLOAT,
  float64: DOUBLE,
  bool: BOOLEAN,
  string: VARCHAR,
  uint8: UTINYINT,
};

export function duckdbType({ type }: ColumnSpec): DuckDBType {
  if (typeof type === "string") return DUCKDB_TYPES[type];
  const list = LIST(DUCKDB_TYPES[type.list]);
  return type.inner === undefined ? list : LIST(list);
}

/** Fills `chunk` with rows `[start, end)` of the batch. */
export function fillChunk(
  chunk: DuckDBDataChunk,
  specs: readonly ColumnSpec[],
  batch: ColumnBatch,
  start: number,
  end: number,
): void {
  chunk.rowCount = end - start;
  const { chunk: raw } = chunk as unknown as { chunk: Parameters<typeof duckdb.data_chunk_get_vector>[0] };
  specs.forEach(({ type }, i) => {
    const data = batch.columns[i]!;
    const vector = duckdb.data_chunk_get_vector(raw, i);
    if (type === "string") fillStrings(vector, data, start, end);
    else if (typeof type === "string") copy(vector, stored(type, data.values as Stored, start, end));
    else fillList(vector, type, data, start, end);
    if (data.valid !== undefined) markMissing(vector, end - start, (row) => data.valid![start + row] === 0);
  });
}

function fillStrings(vector: Vector, { values }: ColumnData, start: number, end: number): void {
  const texts = values as readonly (string | null | undefined)[];
  let missing = false;
  for (let i = start; i < end; i++) {
    const text = texts[i];
    if (text === null || text === undefined) missing = true;
    // Passed as bytes, so that a zero byte does not end the text.
    else duckdb.vector_assign_string_element_len(vector, i - start, Buffer.from(text));
  }
  if (missing)
    markMissing(
      vector,
      end - start,
      (row) => texts[start + row] === null || texts[start + row] === undefined,
    );
}

function fillList(vector: Vector, type: ListType, data: ColumnData, start: number, end: number): void {
  const offsets = data.offsets!;
  const first = offsets[start]!;
  const entries = offsets[end]! - first;
  const child = spans(vector, end - start, entries, (row) => offsets[start + row]! - first);
  const inner = type.inner ?? 1;
  const values = stored(type.list, data.values as Stored, first * inner, (first + entries) * inner);
  if (type.inner === undefined) copy(child, values);
  else
    copy(
      spans(child, entries, entries * inner, (entry) => entry * inner),
      values,
    );
}

/** Lays out a list vector: row i spans `[offset(i), offset(i + 1))` of the child, which is returned. */
function spans(vector: Vector, rows: number, entries: number, offset: (row: number) => number): Vector {
  duckdb.list_vector_reserve(vector, entries);
  duckdb.list_vector_set_size(vector, entries);
  // Pairs of 64-bit offset and length; both fit 32 bits.
  const pairs = new Uint32Array(4 * rows);
  for (let row = 0; row < rows; row++) {
    const from = offset(row);
    pairs[4 * row] = from;
    pairs[4 * row + 2] = (row + 1 < rows ? offset(row + 1) : entries) - from;
  }
  copy(vector, pairs);
  return duckdb.list_vector_get_child(vector);
}

function copy(vector: Vector, values: Stored | Uint32Array): void {
  if (values.length === 0) return;
  duckdb.copy_data_to_vector(vector, 0, values.buffer as ArrayBuffer, values.byteOffset, values.byteLength);
}

/** Values `[start, end)` in the array type of the column's vector. */
function stored(type: ScalarType | ElementType, values: Stored, start: number, end: number): Stored {
  const part = values.subarray(start, end);
  if (type === "int64")
    return part instanceof BigInt64Array ? part : BigInt64Array.from(part as Int32Array, toBigInt);
  const numbers = part instanceof BigInt64Array ? Float64Array.from(part, Number) : part;
  if (type === "int32") return numbers instanceof Int32Array ? numbers : Int32Array.from(numbers);
  if (type === "float32") return numbers instanceof Float32Array ? numbers : Float32Array.from(numbers);
  if (type === "float64") return numbers instanceof Float64Array ? numbers : Float64Array.from(numbers);
  return numbers instanceof Uint8Array ? numbers : Uint8Array.from(numbers);
}

/** The placeholder of a missing value may be NaN. */
function toBigInt(value: number): bigint {
  return Number.isInteger(value) ? BigInt(value) : 0n;
}

function markMissing(vector: Vector, rows: number, missing: (row: number) => boolean): void {
  const bits = new Uint8Array(8 * Math.ceil(rows / 64)).fill(0xff);
  for (let row = 0; row < rows; row++) if (missing(row)) bits[row >> 3]! &= ~(1 << (row & 7));
  duckdb.vector_ensure_validity_writable(vector);
  duckdb.copy_data_to_vector_validity(vector, 0, bits.buffer, 0, bits.byteLength);
}
