import { FormatError, type Place, UnsupportedError } from "../../../core/base/index.ts";
import { LIKELY_DAMAGED } from "../../io/advice.ts";
import { type FixedDType, ITEM_BYTES } from "../shared/dtypes.ts";
import { describe, isPy, type PyValue, sequenceItems } from "../shared/pickle-values.ts";

/** torch's element types that can be read, by torch's name without `torch.`. */
const DTYPES: ReadonlyMap<string, FixedDType> = new Map<string, FixedDType>([
  ["float64", "float64"],
  ["float32", "float32"],
  ["float16", "float16"],
  ["bfloat16", "bfloat16"],
  ["int64", "int64"],
  ["int32", "int32"],
  ["int16", "int16"],
  ["int8", "int8"],
  ["uint64", "uint64"],
  ["uint32", "uint32"],
  ["uint16", "uint16"],
  ["uint8", "uint8"],
  ["bool", "bool"],
]);

/** Element type of a typed storage class, by torch's name of the class. */
const STORAGE_DTYPES: ReadonlyMap<string, string> = new Map<string, string>([
  ["torch.DoubleStorage", "float64"],
  ["torch.FloatStorage", "float32"],
  ["torch.HalfStorage", "float16"],
  ["torch.BFloat16Storage", "bfloat16"],
  ["torch.LongStorage", "int64"],
  ["torch.IntStorage", "int32"],
  ["torch.ShortStorage", "int16"],
  ["torch.CharStorage", "int8"],
  ["torch.ByteStorage", "uint8"],
  ["torch.BoolStorage", "bool"],
  ["torch.ComplexDoubleStorage", "complex128"],
  ["torch.ComplexFloatStorage", "complex64"],
  ["torch.QUInt8Storage", "quint8"],
  ["torch.QInt8Storage", "qint8"],
  ["torch.QInt32Storage", "qint32"],
]);

const UNTYPED_STORAGES: ReadonlySet<string> = new Set([
  "torch.storage.UntypedStorage",
  "torch.UntypedStorage",
  "torch.storage._UntypedStorage",
]);

const OTHER_DTYPES =
  "complex64 complex128 complex32 quint8 qint8 qint32 quint4x2 quint2x4 bits8 bits16 float8_e4m3fn " +
  "float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu float4_e2m1fn_x2";

/** Globals that torch pickles name without calling them. */
export const TORCH_NAMES: ReadonlySet<string> = new Set([
  ...STORAGE_DTYPES.keys(),
  ...UNTYPED_STORAGES,
  "torch.storage.TypedStorage",
  "torch.Tensor",
  "torch.nn.parameter.Parameter",
  "torch.nested._internal.nested_tensor.NestedTensor",
  ...[...DTYPES.keys()].map((name) => `torch.${name}`),
  ...OTHER_DTYPES.split(" ").map((name) => `torch.${name}`),
]);

/** The element type of a name, with or without `torch.`; undefined for unsupported types. */
export function dtypeNamed(name: string | undefined): FixedDType | undefined {
  return name === undefined ? undefined : DTYPES.get(name.replace(/^torch\./, ""));
}

/** A storage as torch's persistent id describes it. */
export interface StorageId {
  readonly key: string;
  /** torch's name of the element type; undefined for an untyped storage. */
  readonly dtype: string | undefined;
  readonly length: number;
  /** Undefined for an unsupported element type. */
  readonly byteLength: number | undefined;
}

/**
 * Persistent ids of torch: ("storage", storage class, key, device, number of elements).
 *
 * @throws FormatError if it is not such an id
 * @throws UnsupportedError for unsupported storage classes
 */
export function parseStorageId(id: PyValue, at: Place): StorageId {
  const [tag, type, key, , length] = sequenceItems(id) ?? [];
  if (tag !== "storage" || !isPy(type, "global") || typeof key !== "string" || typeof length !== "number") {
    throw new FormatError(`torch pickle refers to ${describe(id)}, which is not a storage`, {
      at,
      likely: LIKELY_DAMAGED,
    });
  }
  const untyped = UNTYPED_STORAGES.has(type.name);
  const dtype = untyped ? undefined : STORAGE_DTYPES.get(type.name);
  if (!untyped && dtype === undefined)
    throw new UnsupportedError(`storages of ${type.name} are not read`, { at });
  const fixed = untyped ? "uint8" : dtypeNamed(dtype);
  return { key, dtype, length, byteLength: fixed === undefined ? undefined : length * ITEM_BYTES[fixed] };
}
