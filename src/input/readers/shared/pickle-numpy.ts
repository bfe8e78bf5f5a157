import { FormatError, type Place, UnsupportedError } from "../../../core/base/index.ts";
import { LIKELY_DAMAGED } from "../../io/advice.ts";
import { decodeElements } from "./decode.ts";
import { ITEM_BYTES } from "./dtypes.ts";
import { type NumpyType, parseNumpyType } from "./numpy-type.ts";
import type { Builder } from "./pickle-stack.ts";
import {
  describe,
  isPy,
  type NdarrayContent,
  type PyDtype,
  type PyNdarray,
  type PyValue,
  sequenceItems,
} from "./pickle-values.ts";
import { countElements, formatShape } from "./shape.ts";
import { decodeStrings } from "./strings.ts";

/** What NumPy arrays, types and scalars pickle to: `numpy.core` before NumPy 2, `numpy._core` since. */
export const NUMPY_BUILDERS: ReadonlyMap<string, Builder> = new Map(
  ["numpy.core", "numpy._core"].flatMap((core): [string, Builder][] => [
    [`${core}.multiarray._reconstruct`, () => ({ kind: "ndarray", content: undefined })],
    [`${core}.multiarray.scalar`, buildScalar],
    [`${core}.numeric._frombuffer`, buildFromBuffer],
  ]),
).set("numpy.dtype", buildDtype);

export const NUMPY_NAMES: ReadonlySet<string> = new Set(["numpy.ndarray"]);

function buildDtype(args: readonly PyValue[], at: Place): PyDtype {
  const code = args[0];
  if (typeof code !== "string")
    throw new FormatError(`numpy.dtype of ${describe(code)}`, { at, likely: LIKELY_DAMAGED });
  return { kind: "dtype", code, order: "=" };
}

/** State of a dtype: (version, byte order, subarray, field names, fields, item size, …). */
export function setDtypeOrder(dtype: PyDtype, state: PyValue, at: Place): void {
  const items = sequenceItems(state);
  const order = items?.[1];
  if (items === undefined || typeof order !== "string" || !/^[<>|=]$/.test(order)) {
    throw new FormatError("pickled numpy.dtype has no byte order", { at, likely: LIKELY_DAMAGED });
  }
  if (items[3] !== null && items[3] !== undefined) {
    throw new UnsupportedError("NumPy record types are not read", {
      at,
      hint: "save each field as an array of its own",
    });
  }
  dtype.order = order;
}

/** State of an array: (version, shape, dtype, Fortran order, bytes or list of objects). */
export function fillNdarray(array: PyNdarray, state: PyValue, at: Place): void {
  const items = sequenceItems(state);
  if (items?.length !== 5 || array.content !== undefined) {
    throw new FormatError("pickled numpy.ndarray has no state of five parts", { at, likely: LIKELY_DAMAGED });
  }
  const [, shape, dtype, fortran, data] = items;
  array.content = checkContent(shape, dtype, fortran === true, data, at);
}

function buildFromBuffer(args: readonly PyValue[], at: Place): PyNdarray {
  const [data, dtype, shape, order] = args;
  return { kind: "ndarray", content: checkContent(shape, dtype, order === "F", data, at) };
}

function checkContent(
  shapeValue: PyValue | undefined,
  dtype: PyValue | undefined,
  fortran: boolean,
  data: PyValue | undefined,
  at: Place,
): NdarrayContent {
  const type = readNumpyType(dtype, at);
  const shape = sizes(shapeValue, at);
  const count = countElements("pickled numpy.ndarray", shape, at);
  if (type.kind === "object") {
    const list = isPy(data, "list") ? data : undefined;
    const found = list === undefined ? undefined : (list.run?.length ?? list.items.length);
    if (list === undefined || found !== count) {
      throw new FormatError(
        `pickled numpy.ndarray of shape ${formatShape(shape)} needs a list of ${count} objects, it has ${
          found === undefined ? describe(data) : found
        }`,
        { at, likely: LIKELY_DAMAGED },
      );
    }
    return { type, shape, fortran, data: list };
  }
  const width = type.kind === "fixed" ? ITEM_BYTES[type.dtype] : type.layout.itemBytes;
  if (!(data instanceof Uint8Array) || data.length !== count * width) {
    throw new FormatError(
      `pickled numpy.ndarray of shape ${formatShape(shape)} needs ${count * width} bytes, it has ${describe(data)}`,
      { at, likely: LIKELY_DAMAGED },
    );
  }
  return { type, shape, fortran, data };
}

function buildScalar(args: readonly PyValue[], at: Place): PyValue {
  const type = readNumpyType(args[0], at);
  const data = args[1];
  const width =
    type.kind === "fixed" ? ITEM_BYTES[type.dtype] : type.kind === "string" ? type.layout.itemBytes : -1;
  if (!(data instanceof Uint8Array) || data.length !== width) {
    throw new FormatError(`pickled NumPy scalar of ${width} bytes has ${describe(data)}`, {
      at,
      likely: LIKELY_DAMAGED,
    });
  }
  if (type.kind === "string") return decodeStrings(data, type.layout, at)[0] ?? "";
  if (type.kind !== "fixed") return null;
  const value = decodeElements(type.dtype, data, type.littleEndian)[0]!;
  return type.dtype === "bool" ? value !== 0 : value;
}

function readNumpyType(dtype: PyValue | undefined, at: Place): NumpyType {
  if (!isPy(dtype, "dtype"))
    throw new FormatError(`${describe(dtype)} is not a numpy.dtype`, { at, likely: LIKELY_DAMAGED });
  return parseNumpyType(dtype.order === "=" ? dtype.code : dtype.order + dtype.code, at);
}

/** A tuple of whole numbers. */
export function sizes(value: PyValue | undefined, at: Place): number[] {
  const items = sequenceItems(value);
  if (items === undefined || !items.every((item): item is number => typeof item === "number")) {
    throw new FormatError(`${describe(value)} is not a shape`, { at, likely: LIKELY_DAMAGED });
  }
  return [...items];
}
