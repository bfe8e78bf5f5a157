/**
 * Token ids, masks and lengths in any form that a file may use: arrays, lists, single numbers.
 *
 * @module
 */
import { isNumericArray, type NumericArray, type Place, SchemaError } from "../../../core/base/index.ts";
import { isTensor, type TreeValue } from "../../../input/io/index.ts";

/** One number, or `[n]`. @throws SchemaError when the values are not 32-bit integers */
export async function readIntegers(value: TreeValue, at: Place): Promise<Int32Array> {
  const [values, ...more] = await readMatrix(value, at);
  if (values === undefined || more.length > 0)
    throw new SchemaError(`expected a number or a single row of numbers, got ${more.length + 1} rows`, {
      at,
    });
  return values;
}

/** `[n]` (one row), `[rows, n]`, or a list of rows of any lengths. @throws SchemaError as {@link readIntegers} */
export async function readMatrix(value: TreeValue, at: Place): Promise<Int32Array[]> {
  if (typeof value === "number") return [integers([value], at)];
  if (isNumericArray(value)) return [integers(value, at)];
  if (Array.isArray(value)) {
    const rows: Int32Array[] = [];
    for (const item of value as readonly TreeValue[]) rows.push(...(await readMatrix(item, at)));
    return rows;
  }
  if (!isTensor(value)) throw new SchemaError(`expected integers, got ${typeof value}`, { at });
  const { shape, dtype } = value;
  if (shape.length > 2)
    throw new SchemaError(
      `an array of shape [${shape.join(", ")}] is not a table of integers: at most 2 dimensions`,
      {
        at,
      },
    );
  if (dtype === "string") throw new SchemaError("expected integers, got strings", { at });
  const count = shape[0] ?? 1;
  const values = integers(await value.readRows(0, count), at);
  if (shape.length < 2) return [values];
  const width = shape[1]!;
  return Array.from({ length: count }, (_, row) => values.subarray(row * width, (row + 1) * width));
}

function integers(values: NumericArray | readonly number[], at: Place): Int32Array {
  if (values instanceof Int32Array) return values;
  const narrow = Int32Array.from(values);
  for (let i = 0; i < narrow.length; i++) {
    if (narrow[i] !== values[i])
      throw new SchemaError(`value ${i} is ${values[i]}, not a 32-bit integer`, { at });
  }
  return narrow;
}
