/**
 * Columns of `[B, T]` cut to each row's own part, so that arrays with left padding, or shifted by one, become rows
 * that begin together.
 *
 * @module
 */
import { LengthMismatchError, type NumericArray } from "../../../core/base/index.ts";
import type { Tensor, TreeMap, TreeValue } from "../../io/columns.ts";
import { asMatrix, describeValue, isTensor, type Matrix } from "./tree-values.ts";

/** Elements `[start, end)` of a row. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A column as rows. */
export interface NamedRows {
  readonly name: string;
  readonly matrix: Matrix;
  /** For messages: `float32 [64, 136]`. */
  readonly shape: string;
}

/** The named column as rows of numbers; undefined when it is absent or something else. */
export function findRows(columns: TreeMap, name: string): NamedRows | undefined {
  const value = columns[name];
  const matrix = asMatrix(value ?? undefined);
  return matrix === undefined ? undefined : { name, matrix, shape: describeValue(value) };
}

/**
 * @param widths that the column may have
 * @throws LengthMismatchError when it has a different number of rows or columns
 */
export function checkSize(
  { name, matrix, shape }: NamedRows,
  rows: number,
  widths: readonly number[],
  reference: NamedRows,
  file: string,
): void {
  if (matrix.rows === rows && (matrix.width === undefined || widths.includes(matrix.width))) return;
  throw new LengthMismatchError(`${name} is ${shape}, ${reference.name} is ${reference.shape}`, {
    at: { file, entry: name },
    likely: "the arrays come from different batches, or the file was changed after it was written",
  });
}

/** Each row's span as its own array, read on demand. */
export function viewRows(
  { matrix }: NamedRows,
  spans: readonly Span[],
  value: TreeValue | undefined,
): Tensor[] {
  const dtype = isTensor(value) ? value.dtype : "float64";
  return spans.map(({ start, end }, row) => ({
    kind: "tensor",
    dtype,
    shape: [Math.max(0, end - start)],
    readRows: async (from, to) => {
      const [values] = await matrix.readRows(row, row + 1);
      return values!.subarray(start + from, start + to);
    },
  }));
}

/** All rows of a mask, as 0 and 1. */
export async function readMask({ matrix }: NamedRows): Promise<Uint8Array[]> {
  const masks: Uint8Array[] = [];
  const step = 256;
  for (let start = 0; start < matrix.rows; start += step) {
    const rows = await matrix.readRows(start, Math.min(matrix.rows, start + step));
    for (const row of rows) masks.push(Uint8Array.from(row, (value) => (value > 0 ? 1 : 0)));
  }
  return masks;
}

/** The range from the first set element to the last; empty when none is set. */
export function findOnes(mask: NumericArray): Span {
  let start = 0;
  while (start < mask.length && mask[start] === 0) start++;
  let end = mask.length;
  while (end > start && mask[end - 1] === 0) end--;
  return { start, end };
}
