import { FormatError, LimitError, type Place, UnsupportedError } from "../../../core/base/index.ts";
import type { PickledObject, Tensor, TreeValue } from "../../io/index.ts";
import {
  LIKELY_CRAFTED,
  MAX_PICKLE_DEPTH,
  MAX_PICKLE_EXPANSION,
  MAX_PICKLE_EXPANSION_FLOOR,
  memorySource,
} from "../../io/index.ts";
import {
  describe,
  isPy,
  type NdarrayContent,
  type PyJagged,
  type PyList,
  type PyNdarray,
  type PyObject,
  type PyRecorded,
  type PyValue,
} from "./pickle-values.ts";
import { columnMajorStrides, rowMajorStrides } from "./strides.ts";
import { tensorOver } from "./tensor.ts";

/** A finished value, and how many values it is when shared ones are counted at each place that names them. */
interface Converted {
  readonly value: TreeValue;
  readonly weight: number;
}

/** The data that an object of a known class holds; undefined keeps the object as it is. */
export type Unwrap = (object: PyRecorded, at: Place) => PyValue | undefined;

/** The class under which a nested tensor stands in a tree: its arguments are values, offsets and lengths or None. */
export const JAGGED_CLASS = "torch.nested.jagged";

/**
 * Turns unpickled values into a tree. Lists and tuples of numbers become typed arrays: Int32Array when all are ints
 * that fit, Float64Array otherwise (ints beyond 2^53 are rounded); dicts become maps without a prototype, their keys
 * written as text; arrays become tensors in memory; classes that were named become their names.
 *
 * @throws LimitError if values are nested too deep, or name each other too often
 * @throws FormatError if a container holds itself, or two keys of a dict read alike
 */
export function toTree(
  root: PyValue,
  pickleBytes: number,
  at: Place,
  unwrap: Unwrap = () => undefined,
): TreeValue {
  const finished = new Map<PyObject, Converted>();
  const open = new Set<PyObject>();
  const limit = MAX_PICKLE_EXPANSION_FLOOR + MAX_PICKLE_EXPANSION * pickleBytes;

  const convert = (value: PyValue): Converted => {
    if (value === null || typeof value !== "object" || value instanceof Uint8Array)
      return { value, weight: 1 };
    const known = finished.get(value);
    if (known !== undefined) return { value: known.value, weight: known.weight + againWeight(known.value) };
    if (open.has(value)) {
      throw new FormatError(`pickle holds ${describe(value)} that contains itself`, {
        at,
        likely: LIKELY_CRAFTED,
      });
    }
    if (open.size >= MAX_PICKLE_DEPTH) {
      throw new LimitError(`pickle is nested deeper than ${MAX_PICKLE_DEPTH} levels`, {
        at,
        likely: LIKELY_CRAFTED,
      });
    }
    open.add(value);
    const converted = convertObject(value);
    open.delete(value);
    if (converted.weight > limit) {
      throw new LimitError(
        `pickle of ${pickleBytes} bytes unfolds to ${converted.weight} values; at most ${limit} are read`,
        { at, likely: "its lists refer to each other again and again, to exhaust memory" },
      );
    }
    finished.set(value, converted);
    return converted;
  };

  const convertAll = (values: readonly PyValue[]): Converted => {
    const numbers = typedNumbers(values);
    if (numbers !== undefined) return { value: numbers, weight: 1 + numbers.length };
    let weight = 1;
    const items = values.map((item) => {
      const converted = convert(item);
      weight += converted.weight;
      return converted.value;
    });
    return { value: items, weight };
  };

  const convertMap = (keys: readonly PyValue[], values: readonly PyValue[]): Converted => {
    const map: Record<string, TreeValue> = Object.create(null);
    const named = new Map<string, PyValue>();
    let weight = 1;
    keys.forEach((key, i) => {
      const name = keyText(key, at);
      const other = named.get(name);
      if (other !== undefined && typeof other !== typeof key) {
        throw new FormatError(`dict has two keys that both become "${name}"`, { at });
      }
      named.set(name, key);
      const converted = convert(values[i]!);
      weight += converted.weight;
      map[name] = converted.value;
    });
    return { value: map, weight };
  };

  const convertRecorded = (object: PyRecorded): Converted => {
    const plain = unwrap(object, at);
    if (plain !== undefined) return convert(plain);
    const args = object.args.map(convert);
    const state = object.state === undefined ? undefined : convert(object.state);
    const items =
      object.keys.length > 0
        ? convertMap(object.keys, object.values)
        : object.items.length > 0
          ? convertAll(object.items)
          : undefined;
    const value: PickledObject = {
      kind: "object",
      className: object.className,
      args: args.map((arg) => arg.value),
      state: state?.value,
      ...(items === undefined ? {} : { items: items.value }),
    };
    const weight =
      args.reduce((sum, arg) => sum + arg.weight, 1) + (state?.weight ?? 0) + (items?.weight ?? 0);
    return { value, weight };
  };

  const convertObject = (value: PyObject): Converted => {
    switch (value.kind) {
      case "list":
        return convertList(value);
      case "tuple":
      case "set":
        return convertAll(value.items);
      case "dict":
        return convertMap(value.keys, value.values);
      case "recorded":
        return convertRecorded(value);
      case "global":
        return { value: value.unknown ? classValue(value.name) : value.name, weight: 1 };
      case "dtype":
        return { value: value.code, weight: 1 };
      case "tensor":
        return { value: value.tensor, weight: 1 };
      case "ndarray":
        return convertNdarray(value);
      case "jagged":
        return { value: jaggedValue(value), weight: 3 };
      case "storage":
        throw new UnsupportedError("a bare torch storage is not read", { at, hint: "save it as a tensor" });
    }
  };

  const convertList = (list: PyList): Converted => {
    if (list.run === undefined) return convertAll(list.items);
    const { values, length } = list.run;
    return { value: length === values.length ? values : values.slice(0, length), weight: 1 + length };
  };

  const convertNdarray = (array: PyNdarray): Converted => {
    const { content } = array;
    if (content === undefined) throw new FormatError("pickled numpy.ndarray was never filled in", { at });
    if (content.data instanceof Uint8Array)
      return { value: ndarrayTensor(content, content.data, at), weight: 1 };
    const flat = convertList(content.data);
    return { value: nest(flat.value, content), weight: flat.weight };
  };

  return convert(root).value;
}

/** Elements of a tensor that is named once more: reading it costs them again, whatever its place in the file costs. */
function againWeight(value: TreeValue): number {
  if (typeof value !== "object" || value === null || !("kind" in value) || value.kind !== "tensor") return 0;
  return (value as Tensor).shape.reduce((product, size) => product * size, 1) * AGAIN_PART;
}

/** Tensors are read fast, and one under two names is common: each of their elements counts for this much of a value. */
const AGAIN_PART = 1 / 16;

function jaggedValue({ values, offsets, lengths }: PyJagged): PickledObject {
  const args = [values.tensor, offsets.tensor, lengths?.tensor ?? null];
  return { kind: "object", className: JAGGED_CLASS, args, state: undefined };
}

/** A class that is a value, not a call. */
function classValue(className: string): PickledObject {
  return { kind: "object", className, args: [], state: undefined };
}

function typedNumbers(values: readonly PyValue[]): Int32Array | Float64Array | undefined {
  if (values.length === 0) return undefined;
  let int32 = true;
  for (const value of values) {
    if (typeof value !== "number") return undefined;
    if (!Object.is(value | 0, value)) int32 = false;
  }
  const numbers = values as readonly number[];
  return int32 ? Int32Array.from(numbers) : Float64Array.from(numbers);
}

function keyText(key: PyValue, at: Place): string {
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

function ndarrayTensor(content: NdarrayContent, data: Uint8Array, at: Place): Tensor {
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

/** An object array of one dimension is its list; of more, lists in lists. NumPy pickles objects row by row, always. */
function nest(flat: TreeValue, content: NdarrayContent): TreeValue {
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
