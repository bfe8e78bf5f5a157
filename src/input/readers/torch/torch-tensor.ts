import {
  checkMemory,
  FormatError,
  LimitError,
  memoryLimit,
  type Place,
  UnsupportedError,
} from "../../../core/base/index.ts";
import type { ByteSource, ZipArchive, ZipMember } from "../../io/index.ts";
import { LIKELY_DAMAGED, openMember, readMember } from "../../io/index.ts";
import { type FixedDType, ITEM_BYTES } from "../shared/dtypes.ts";
import { sizes } from "../shared/pickle-numpy.ts";
import type { Builder } from "../shared/pickle-stack.ts";
import {
  describe,
  isPy,
  type PyStorage,
  type PyTensor,
  type PyValue,
  sequenceItems,
} from "../shared/pickle-values.ts";
import { countElements, formatShape } from "../shared/shape.ts";
import { spanLength } from "../shared/strides.ts";
import { tensorOver } from "../shared/tensor.ts";

/** The parts of a torch archive that its pickle refers to. */
export interface TorchArchive {
  readonly zip: ZipArchive;
  /** Folder of all records, with the slash: torch names it after the file. */
  readonly prefix: string;
  readonly littleEndian: boolean;
  /** What tensors read from, by storage; closed with the document. */
  readonly opened: Map<string, OpenStorage>;
  /** Bytes that tensors name beyond those that are stored. */
  repeated: number;
}

export interface OpenStorage {
  readonly source: ByteSource;
  /** Bytes that its tensors name, those named twice counted twice. */
  named: number;
  /** Deflated, and shared by several tensors: inflated once instead of once for each. */
  held?: ByteSource;
}

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
  ...[...DTYPES.keys()].map((name) => `torch.${name}`),
  ...OTHER_DTYPES.split(" ").map((name) => `torch.${name}`),
]);

/** Globals that torch pickles call: each makes a tensor over a storage, or plain data. */
export function torchBuilders(archive: TorchArchive): ReadonlyMap<string, Builder> {
  const builders = new Map<string, Builder>([
    ["torch._utils._rebuild_tensor", (args, at) => rebuildTensor(archive, args, undefined, undefined, at)],
    ["torch._utils._rebuild_tensor_v2", (args, at) => rebuildTensor(archive, args, undefined, args[6], at)],
    ["torch._utils._rebuild_tensor_v3", (args, at) => rebuildTensor(archive, args, args[6], args[7], at)],
    ["torch._utils._rebuild_parameter", (args, at) => tensorArgument(args[0], at)],
    ["torch._utils._rebuild_parameter_with_state", (args, at) => tensorArgument(args[0], at)],
    ["torch.Size", (args, at) => ({ kind: "tuple", items: sizes(args[0], at) })],
    ["torch.device", (args) => args.filter((arg) => arg !== null).join(":")],
  ]);
  // Tensors with attributes, or of a subclass: (function, class, its arguments, attributes).
  builders.set("torch._tensor._rebuild_from_type_v2", ([callee, type, args], at) => {
    const builder = isPy(callee, "global") ? builders.get(callee.name) : undefined;
    const items = sequenceItems(args);
    if (builder === undefined || items === undefined || !isPy(type, "global") || type.unknown) {
      throw new UnsupportedError(`tensors of ${describe(type)} are not read`, {
        at,
        hint: "save it as a plain tensor: tensor.as_subclass(torch.Tensor)",
      });
    }
    return builder(items, at);
  });
  return builders;
}

/** Persistent ids of torch: ("storage", storage class, key, device, number of elements). */
export function resolveStorage(archive: TorchArchive, id: PyValue, at: Place): PyStorage {
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
  const member = archive.zip.members.get(`${archive.prefix}data/${key}`);
  if (member === undefined) {
    throw new FormatError(`torch archive lacks the storage data/${key} that its pickle refers to`, {
      at,
      likely: "the archive was changed after it was saved",
    });
  }
  const fixed = untyped ? "uint8" : dtypeNamed(dtype);
  const declared = fixed === undefined ? member.byteLength : length * ITEM_BYTES[fixed];
  if (declared !== member.byteLength) {
    throw new FormatError(
      `torch storage data/${key} has another size: the pickle declares ${declared} bytes, found ${member.byteLength}`,
      { at: { ...at, entry: member.name }, likely: LIKELY_DAMAGED },
    );
  }
  return { kind: "storage", dtype, length, key };
}

/** Arguments: storage, storage offset, size, stride, requires_grad, hooks; then what the version adds. */
function rebuildTensor(
  archive: TorchArchive,
  args: readonly PyValue[],
  dtypeArgument: PyValue | undefined,
  metadata: PyValue | undefined,
  at: Place,
): PyTensor {
  const [storage, offset, size, stride] = args;
  if (!isPy(storage, "storage") || typeof offset !== "number") {
    throw new FormatError(`torch tensor is built on ${describe(storage)}`, { at, likely: LIKELY_DAMAGED });
  }
  if (isPy(metadata, "dict") && metadata.keys.some((key) => key === "conj" || key === "neg")) {
    throw new UnsupportedError("tensors with a pending conjugation or negation are not read", {
      at,
      hint: "save it as tensor.resolve_conj().resolve_neg()",
    });
  }
  const name = isPy(dtypeArgument, "global") ? dtypeArgument.name.slice("torch.".length) : storage.dtype;
  const dtype = dtypeNamed(name);
  if (dtype === undefined) {
    throw new UnsupportedError(`torch tensors of ${name ?? "no type"} are not read`, {
      at,
      hint: "save it as tensor.float()",
    });
  }
  const shape = sizes(size, at);
  const strides = sizes(stride, at);
  const member = archive.zip.members.get(`${archive.prefix}data/${storage.key}`)!;
  const place = { file: archive.zip.source.name, entry: member.name };
  const held = Math.floor(member.byteLength / ITEM_BYTES[dtype]);
  const count = checkGeometry(shape, strides, offset, held, at);
  const source = storageSource(
    archive,
    storage.key,
    member,
    count * Math.max(DECODED_BYTES, ITEM_BYTES[dtype]),
  );
  checkRepeated(archive, shape, at);
  const tensor = tensorOver(source, {
    dtype,
    littleEndian: archive.littleEndian,
    shape,
    strides,
    offset: offset * ITEM_BYTES[dtype],
    at: place,
  });
  return { kind: "tensor", tensor };
}

function checkGeometry(
  shape: readonly number[],
  strides: readonly number[],
  offset: number,
  held: number,
  at: Place,
): number {
  const count = countElements("torch tensor", shape, at);
  const whole = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;
  if (strides.length !== shape.length || !strides.every(whole) || !whole(offset)) {
    throw new FormatError(
      `torch tensor of shape ${formatShape(shape)} has strides ${formatShape(strides)} and offset ${offset}`,
      { at, likely: LIKELY_DAMAGED },
    );
  }
  const end = count === 0 ? 0 : offset + spanLength(shape, strides);
  if (end > held) {
    throw new FormatError(
      `torch tensor of shape ${formatShape(shape)} exceeds its storage: it needs ${end} elements, but it has ${held}`,
      { at, likely: LIKELY_DAMAGED },
    );
  }
  return count;
}

/** What an element takes at least once it is read. */
const DECODED_BYTES = 4;

/** One source for all tensors of a storage. */
function storageSource(archive: TorchArchive, key: string, member: ZipMember, bytes: number): ByteSource {
  const known = archive.opened.get(key);
  const before = known?.named ?? 0;
  archive.repeated += Math.max(0, before + bytes - Math.max(before, member.byteLength));
  if (known === undefined) {
    const source = openMember(archive.zip, member);
    archive.opened.set(key, { source, named: bytes });
    return source;
  }
  known.named += bytes;
  if (member.method === "stored") return known.source;
  known.held ??= heldMember(archive, member);
  return known.held;
}

/** A deflated member that is inflated whole when it is first read. */
function heldMember({ zip }: TorchArchive, member: ZipMember): ByteSource {
  let bytes: Promise<Uint8Array> | undefined;
  const at = { file: zip.source.name, entry: member.name };
  return {
    name: zip.source.name,
    byteLength: member.byteLength,
    slice: async (start, end) => {
      if (bytes === undefined) {
        checkMemory(member.byteLength, "a deflated storage that several tensors share", at);
        bytes = readMember(zip, member);
      }
      return (await bytes).subarray(start, end);
    },
    close: async () => {
      bytes = undefined;
    },
  };
}

/** Strides of 0, windows, many tensors over one storage: the stored bytes do not bound what these cost to read. */
function checkRepeated({ repeated }: TorchArchive, shape: readonly number[], at: Place): void {
  if (repeated <= memoryLimit()) return;
  throw new LimitError(
    `the tensors of this archive, to the one of shape ${formatShape(shape)}, repeat stored values: ${repeated} bytes more than are stored; the limit is ${memoryLimit()}`,
    {
      needed: repeated,
      limit: memoryLimit(),
      at,
      likely: "tensors were saved expanded (strides of 0), or the file was crafted to take forever",
      hint: `save them before they are expanded, or raise the limit: --memory ${Math.ceil((repeated * 1.25) / 2 ** 20)} (MiB)`,
    },
  );
}

function dtypeNamed(name: string | undefined): FixedDType | undefined {
  return name === undefined ? undefined : DTYPES.get(name);
}

function tensorArgument(value: PyValue | undefined, at: Place): PyTensor {
  if (isPy(value, "tensor")) return value;
  throw new FormatError(`torch parameter is built on ${describe(value)}`, { at, likely: LIKELY_DAMAGED });
}
