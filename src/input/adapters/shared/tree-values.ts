/**
 * Reads the values of a tree document: descriptions, and numbers by row.
 *
 * @module
 */
import { isNumericArray, type NumericArray } from "../../../core/base/index.ts";
import type { Allocate } from "../../io/byte-source.ts";
import type { TreeValue } from "../../io/columns.ts";
import { isList, isMap, isPickled, isTensor } from "../../io/tree-guards.ts";

export { isList, isMap, isPickled, isTensor } from "../../io/tree-guards.ts";

/** `float32 [64, 136]`, `list of 64 × float64 [136]`, `text`: for messages. */
export function describeValue(value: TreeValue | undefined): string {
  if (value === undefined || value === null) return "null";
  if (isTensor(value))
    return value.shape.length === 0 ? value.dtype : `${value.dtype} [${value.shape.join(", ")}]`;
  if (value instanceof Uint8Array) return `bytes [${value.length}]`;
  if (isNumericArray(value)) return `numbers [${value.length}]`;
  if (isList(value))
    return value.length === 0 ? "empty list" : `list of ${value.length} × ${describeValue(value[0])}`;
  if (isPickled(value)) return `object ${value.className}`;
  if (isMap(value)) return `object with ${Object.keys(value).length} keys`;
  return typeof value === "string" ? "text" : typeof value;
}

/** The number in a scalar, a tensor of one element, or a list of one. */
export async function readScalar(value: TreeValue | undefined): Promise<number | undefined> {
  if (typeof value === "number") return value;
  if (typeof value === "boolean") return Number(value);
  if (isTensor(value)) {
    const elements = value.shape.reduce((a, b) => a * b, 1);
    return elements === 1 && value.dtype !== "string" ? (await value.readRows(0, 1))[0] : undefined;
  }
  if (isNumericArray(value) || isList(value)) return value.length === 1 ? readScalar(value[0]) : undefined;
  return undefined;
}

/** One number per row, from a `[B]` or `[B, 1]` tensor or a list; NaN for an element that is not a number. */
export async function readNumbers(
  value: TreeValue | undefined,
  rows: number,
): Promise<ArrayLike<number> | undefined> {
  if (isTensor(value)) {
    const elements = value.shape.reduce((a, b) => a * b, 1);
    return value.dtype !== "string" && elements === rows && value.shape[0] === rows
      ? value.readRows(0, rows)
      : undefined;
  }
  if (isNumericArray(value)) return value.length === rows ? value : undefined;
  if (!isList(value) || value.length !== rows) return undefined;
  return Promise.all(value.map(async (element) => (await readScalar(element)) ?? NaN));
}

/** One text per row; numbers become text. */
export async function readTexts(
  value: TreeValue | undefined,
  rows: number,
): Promise<(string | undefined)[] | undefined> {
  if (isTensor(value) && value.dtype === "string") {
    return value.shape[0] === rows ? value.readStrings?.(0, rows) : undefined;
  }
  if (isList(value)) {
    if (value.length !== rows) return undefined;
    return value.map((element) =>
      typeof element === "string" ? element : typeof element === "number" ? String(element) : undefined,
    );
  }
  if (typeof value === "string") return rows === 1 ? [value] : undefined;
  const numbers = await readNumbers(value, rows);
  return numbers === undefined
    ? undefined
    : Array.from(numbers, (n) => (Number.isNaN(n) ? undefined : String(n)));
}

/** An array of one or more dimensions, read as rows of the first. */
export interface Matrix {
  readonly rows: number;
  /** Elements per row; undefined when rows differ. */
  readonly width: number | undefined;
  /** Dimensions after the first, if they are the same for all rows. */
  readonly inner: readonly number[];
  /** @param allocate as for `Tensor.readRows`: the rows may be views on that memory */
  readRows(start: number, end: number, allocate?: Allocate): Promise<readonly NumericArray[]>;
}

function flatten(value: TreeValue): NumericArray | undefined {
  if (isNumericArray(value)) return value;
  if (!isList(value)) return undefined;
  const flat: number[] = [];
  for (const element of value) {
    if (typeof element === "number") flat.push(element);
    else if (typeof element === "boolean") flat.push(Number(element));
    else if (element === null) flat.push(NaN);
    else {
      const inner = flatten(element);
      if (inner === undefined) return undefined;
      for (const number of inner) flat.push(number);
    }
  }
  return Float64Array.from(flat);
}

async function readWhole(value: TreeValue): Promise<NumericArray | undefined> {
  if (!isTensor(value)) return flatten(value);
  if (value.dtype === "string") return undefined;
  return value.readRows(0, value.shape[0] ?? 1);
}

function measureLength(value: TreeValue): number | undefined {
  if (isTensor(value)) return value.dtype === "string" ? undefined : value.shape.reduce((a, b) => a * b, 1);
  return flatten(value)?.length;
}

/** A tensor of two or more dimensions, or a list of arrays; undefined for anything else. */
export function asMatrix(value: TreeValue | undefined): Matrix | undefined {
  if (isTensor(value)) {
    const [rows, ...inner] = value.shape;
    if (rows === undefined || inner.length === 0 || value.dtype === "string") return undefined;
    const width = inner.reduce((a, b) => a * b, 1);
    return {
      rows,
      width,
      inner,
      async readRows(start, end, allocate) {
        const block = await value.readRows(start, end, allocate);
        return Array.from({ length: end - start }, (_, i) => block.subarray(i * width, (i + 1) * width));
      },
    };
  }
  if (!isList(value) || value.length === 0) return undefined;
  const lengths = value.map(measureLength);
  if (lengths.some((length, i) => length === undefined || typeof value[i] === "number")) return undefined;
  const width = lengths.every((length) => length === lengths[0]) ? lengths[0] : undefined;
  return {
    rows: value.length,
    width,
    inner: width === undefined ? [] : [width],
    async readRows(start, end) {
      const arrays = await Promise.all(value.slice(start, end).map(readWhole));
      return arrays.map((array) => array ?? new Float64Array(0));
    },
  };
}

/** All elements of a one-dimensional array, or of one with a single row. */
export async function readVector(value: TreeValue | undefined): Promise<NumericArray | undefined> {
  if (isTensor(value)) {
    const { shape } = value;
    if (value.dtype === "string" || shape.length === 0 || shape.length > 2) return undefined;
    if (shape.length === 2 && shape[0] !== 1) return undefined;
    return value.readRows(0, shape[0]!);
  }
  if (isNumericArray(value)) return value;
  if (!isList(value)) return undefined;
  const only = value[0];
  if (value.length === 1 && only !== undefined && typeof only === "object") return readVector(only);
  return value.some((element) => typeof element === "object" && element !== null)
    ? undefined
    : flatten(value);
}

/** Length of the result of {@link readVector}, without reading it. */
export function vectorLength(value: TreeValue | undefined): number | undefined {
  if (isTensor(value)) {
    const { dtype, shape } = value;
    if (dtype === "string") return undefined;
    if (shape.length === 1) return shape[0];
    return shape.length === 2 && shape[0] === 1 ? shape[1] : undefined;
  }
  if (isNumericArray(value)) return value.length;
  if (!isList(value)) return undefined;
  const only = value[0];
  if (value.length === 1 && only !== undefined && typeof only === "object") return vectorLength(only);
  // Only what `flatten` accepts: a text among the numbers has no numeric value.
  const isElement = (element: TreeValue): boolean =>
    element === null || typeof element === "number" || typeof element === "boolean";
  return value.every(isElement) ? value.length : undefined;
}
