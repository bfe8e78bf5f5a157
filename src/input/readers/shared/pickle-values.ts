import type { Place } from "../../../core/base/index.ts";
import type { ByteSource } from "../../io/byte-source.ts";
import type { Tensor } from "../../io/columns.ts";
import type { NumpyType } from "./numpy-type.ts";

/** Values that a pickle builds, before they become a tree. Objects are compared by identity, as in Python. */
export type PyValue = null | boolean | number | string | Uint8Array | PyObject;

export type PyObject =
  | PyList
  | PyTuple
  | PySet
  | PyDict
  | PyGlobal
  | PyRecorded
  | PyDtype
  | PyNdarray
  | PyStorage
  | PyTensor
  | PyJagged;

export interface PyList {
  readonly kind: "list";
  /** Holds the whole list while it consists of runs of numbers; `items` is then empty. */
  run: NumberRun | undefined;
  items: PyValue[];
}

export interface PyTuple {
  readonly kind: "tuple";
  readonly items: readonly PyValue[];
}

export interface PySet {
  readonly kind: "set";
  readonly items: PyValue[];
}

export interface PyDict {
  readonly kind: "dict";
  readonly keys: PyValue[];
  readonly values: PyValue[];
}

/** A class or function that was named and looked up in the allow-list, nothing more. */
export interface PyGlobal {
  readonly kind: "global";
  /** `module.name`, with Python 2's module names converted to Python 3's. */
  readonly name: string;
  /** Whether it is not in the allow-list, so that its calls are recorded. */
  readonly unknown: boolean;
}

/** A recorded call of a class, never made: the class's name, the arguments, and the state and items for the result. */
export interface PyRecorded {
  readonly kind: "recorded";
  readonly className: string;
  readonly args: readonly PyValue[];
  state: PyValue | undefined;
  readonly items: PyValue[];
  readonly keys: PyValue[];
  readonly values: PyValue[];
}

export interface PyDtype {
  readonly kind: "dtype";
  /** NumPy's code without byte order, for instance `f4`. */
  readonly code: string;
  /** `<`, `>`, `|` or `=`. */
  order: string;
}

export interface PyNdarray {
  readonly kind: "ndarray";
  /** Undefined until the pickle has filled the array in. */
  content: NdarrayContent | undefined;
}

export interface NdarrayContent {
  readonly type: NumpyType;
  readonly shape: readonly number[];
  readonly fortran: boolean;
  readonly data: Uint8Array | PyList;
}

/** The bytes of a torch storage, in a file or in memory. */
export interface StoredBytes {
  readonly at: Place;
  readonly byteLength: number;
  /** Bytes that its tensors reference, with repeated references counted again. */
  named: number;
  /** Returns a source for one more tensor. */
  open(): ByteSource;
}

/** A torch storage, named by the pickle and stored outside it. */
export interface PyStorage {
  readonly kind: "storage";
  /** torch's name, for instance `float32`; undefined for an untyped storage. */
  readonly dtype: string | undefined;
  /** Elements of that type, or bytes. */
  readonly length: number;
  readonly bytes: StoredBytes;
  readonly littleEndian: boolean;
}

export interface PyTensor {
  readonly kind: "tensor";
  readonly tensor: Tensor;
  readonly storage: PyStorage;
}

/** A nested tensor: the values of all rows end to end. */
export interface PyJagged {
  readonly kind: "jagged";
  readonly values: PyTensor;
  /** Start of each row in the values, and the end of the last one. */
  readonly offsets: PyTensor;
  /** Lengths, if rows are shorter than their offsets say. */
  readonly lengths: PyTensor | undefined;
}

/** The numbers of a growing list. `values` has capacity for more than `length`. */
export interface NumberRun {
  values: Int32Array | Float64Array;
  length: number;
}

export function pyList(): PyList {
  return { kind: "list", run: undefined, items: [] };
}

export function pyDict(): PyDict {
  return { kind: "dict", keys: [], values: [] };
}

export function recorded(className: string, args: readonly PyValue[]): PyRecorded {
  return { kind: "recorded", className, args, state: undefined, items: [], keys: [], values: [] };
}

export function isPy<K extends PyObject["kind"]>(
  value: PyValue | undefined,
  kind: K,
): value is Extract<PyObject, { kind: K }> {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === kind;
}

/** The name of a value in error messages. */
export function describe(value: PyValue | undefined): string {
  if (value === undefined) return "nothing";
  if (value === null) return "None";
  if (typeof value === "string")
    return `the string "${value.length > 40 ? `${value.slice(0, 40)}…` : value}"`;
  if (typeof value !== "object") return String(value);
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  if (value.kind === "global") return value.name;
  if (value.kind === "recorded") return `an object of ${value.className}`;
  return `a ${value.kind}`;
}

/** Items of a list or tuple; undefined for anything else. */
export function sequenceItems(value: PyValue | undefined): readonly PyValue[] | undefined {
  if (isPy(value, "tuple")) return value.items;
  if (!isPy(value, "list")) return undefined;
  return value.run === undefined ? value.items : Array.from(value.run.values.subarray(0, value.run.length));
}
