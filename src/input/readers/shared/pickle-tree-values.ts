/**
 * Makes tree values that no longer contain unpickled values.
 *
 * @module
 */
import { type Place, UnsupportedError } from "../../../core/base/index.ts";
import type { PickledObject, Tensor, TreeValue } from "../../io/columns.ts";
import { memorySource } from "../../io/file-source.ts";
import { describe, isPy, type NdarrayContent, type PyJagged, type PyValue } from "./pickle-values.ts";
import { columnMajorStrides, rowMajorStrides } from "./strides.ts";
import { tensorOver } from "./tensor.ts";

/** The class that represents a nested tensor in a tree; its arguments are values, offsets, and lengths or None. */
export const JAGGED_CLASS = "torch.nested.jagged";

/** Cost, in values, of a tensor that is referenced again: its elements are then read again. */
export function againWeight(value: TreeValue): number {
  if (typeof value !== "object" || value === null || !("kind" in value) || value.kind !== "tensor") return 0;
  return (value as Tensor).shape.reduce((product, size) => product * size, 1) * AGAIN_PART;
}

/** Tensors are fast to read, and often have two names: each element counts as this fraction of a value. */
const AGAIN_PART = 1 / 16;

export function jaggedValue({ values, offsets, lengths }: PyJagged): PickledObject {
  const args = [values.tensor, offsets.tensor, lengths?.tensor ?? null];
  return { kind: "object", className: JAGGED_CLASS, args, state: undefined };
}

/** A class that is a value, not a call. */
export function classValue(className: string): PickledObject {
  return { kind: "object", className, args: [], state: undefined };
}

export function typedNumbers(values: readonly PyValue[]): Int32Array | Float64Array | undefined {
  if (values.length === 0) return undefined;
  let int32 = true;
  for (const value of values) {
    if (typeof value !== "number") return undefined;
    if (!Object.is(value | 0, value)) int32 = false;
  }
  const numbers = values as readonly number[];
  return int32 ? Int32Array.from(numbers) : Float64Array.from(numbers);
}

export function keyText(key: PyValue, at: Place): string {
  if (typeof key === "string") return key;
  if (typeof key === "number") return String(key);
  if (key === null) return "None";
  if (typeof key === "boolean") return key ? "True" : "False";
  if (isPy(key, "tuple") && key.items.every((item) => item === null || typeof item !== "object")) {
    return `(${key.items.map((item) => (typeof item === "string" ? `'${item}'` : keyText(item, at))).join(", ")})`;
  }
  throw new UnsupportedError(
    `dict has ${describe(key)} as a key; strings, numbers and tuples of them are read`,
    {
      at,
      hint: "save it with strings as keys",
    },
  );
}

export function ndarrayTensor(content: NdarrayContent, data: Uint8Array, at: Place): Tensor {
  const { type, shape, fortran } = content;
  return tensorOver(memorySource(at.file ?? "", data), {
    dtype: type.kind === "fixed" ? type.dtype : type.kind === "string" ? type.layout : "uint8",
    littleEndian: type.kind === "fixed" ? type.littleEndian : true,
    shape,
    strides: fortran ? columnMajorStrides(shape) : rowMajorStrides(shape),
    offset: 0,
    at,
  });
}

/**
 * An object array of one dimension becomes a list, of more dimensions nested lists. NumPy always pickles objects row
 * by row.
 */
export function nest(flat: TreeValue, content: NdarrayContent): TreeValue {
  const { shape } = content;
  if (shape.length === 1) return flat;
  // Without this, a shape such as [2^40, 0] would build 2^40 empty rows.
  if (shape.includes(0)) return [];
  const values = Array.from(flat as ArrayLike<TreeValue>);
  if (shape.length === 0) return values[0]!;
  const strides = rowMajorStrides(shape);
  const build = (dimension: number, from: number): TreeValue => {
    const size = shape[dimension]!;
    if (dimension === shape.length - 1) {
      const row = values.slice(from, from + size);
      return typedNumbers(row as PyValue[]) ?? row;
    }
    return Array.from({ length: size }, (_, i) => build(dimension + 1, from + i * strides[dimension]!));
  };
  return build(0, 0);
}
