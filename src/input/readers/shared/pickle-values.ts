import type { Place } from "../../../core/base/index.ts";
import type { ByteSource, Tensor } from "../../io/index.ts";
import type { NumpyType } from "./numpy-type.ts";

/** What a pickle builds, before it becomes a tree. Objects are compared by identity, as in Python. */
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
  /** Holds the whole list as long as it holds only numbers that came in runs; then `items` is empty. */
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

/** A class or function that was named, looked up in the allow-list, and not touched. */
export interface PyGlobal {
  readonly kind: "global";
  /** `module.name`, with Python 2's module names brought to Python 3's. */
  readonly name: string;
  /** Not in the allow-list: its calls are recorded. */
  readonly unknown: boolean;
}

/** A call of a class that nobody made: the class's name, the arguments, and what was to be put into the result. */
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

/** The bytes of a torch storage, wherever they are. */
export interface StoredBytes {
  readonly at: Place;
  readonly byteLength: number;
  /** Bytes that its tensors name, those named twice counted twice. */
  named: number;
  /** A source for one more tensor. */
  open(): ByteSource;
}

/** A torch storage, named by the pickle and kept beside it. */
export interface PyStorage {
  readonly kind: "storage";
  /** torch's name, for instance `float32`; undefined where the storage is untyped. */
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
  /** Where each row begins in the values, and where the last one ends. */
  readonly offsets: PyTensor;
  /** Where rows do not reach up to the next. */
  readonly lengths: PyTensor | undefined;
}

/** The numbers of a list, growing. `values` has room for more than `length`. */
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

/** How an error message names a value. */
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
