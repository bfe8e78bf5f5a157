/** Torch's pickles assembled by hand, for content that torch never writes. */
import { isLogratioError, type LogratioError } from "../../../core/base/errors.ts";
import type { TreeDocument } from "../../io/columns.ts";
import { memorySource } from "../../io/file-source.ts";
import {
  assemble,
  type Piece,
  pickle,
  text,
  uint32,
  writeGlobal,
} from "../shared/pickle-writer.test-data.ts";
import { openTorch } from "./torch.ts";

export const [TUPLE1, TUPLE2, TUPLE3, NEWTRUE, NEWFALSE, NEWOBJ] = [0x85, 0x86, 0x87, 0x88, 0x89, 0x81];

export const FLOATS = new Uint8Array(Float32Array.of(1, 2, 3, 4, 5, 6).buffer);

export const int = (value: number): Uint8Array => assemble("J", uint32(value >>> 0));
export const tuple = (...items: readonly Piece[]): Uint8Array => assemble("(", ...items, "t");
export const list = (...items: readonly Piece[]): Uint8Array => assemble("(", ...items, "l");
export const sizes = (...values: readonly number[]): Uint8Array => tuple(...values.map(int));

/** A dict of text keys. */
export const dict = (entries: Readonly<Record<string, Piece>>): Uint8Array =>
  assemble("}(", ...Object.entries(entries).flatMap(([key, value]) => [text(key), value]), "u");

/** A call of a global. */
export const build = (module: string, name: string, ...args: readonly Piece[]): Uint8Array =>
  assemble(writeGlobal(module, name), tuple(...args), "R");

/** An object of a class, with its state. */
export const object = (module: string, name: string, state: Piece): Uint8Array =>
  assemble(writeGlobal(module, name), ")", NEWOBJ, state, "b");

export interface StorageSpec {
  readonly type?: string;
  readonly key?: string;
  readonly length?: number;
  /** What legacy files have after the length: None, or the view that the storage is. */
  readonly view?: Piece;
}

/** A persistent id of torch: a storage. */
export function storage({
  type = "torch.FloatStorage",
  key = "0",
  length = 6,
  view,
}: StorageSpec = {}): Uint8Array {
  const at = type.lastIndexOf(".");
  const global = writeGlobal(type.slice(0, at), type.slice(at + 1));
  return assemble(
    tuple(
      text("storage"),
      global,
      text(key),
      text("cpu"),
      int(length),
      ...(view === undefined ? [] : [view]),
    ),
    "Q",
  );
}

export interface TensorSpec extends StorageSpec {
  readonly offset?: number;
  readonly shape?: readonly number[];
  readonly strides?: readonly number[];
  /** The storage to build on; a default one if not given. */
  readonly on?: Piece;
}

/** `_rebuild_tensor_v2`; a vector of the whole storage by default. */
export function tensor(spec: TensorSpec = {}): Uint8Array {
  const { offset = 0, shape = [spec.length ?? 6], strides = [1], on = storage(spec) } = spec;
  const hooks = build("collections", "OrderedDict");
  const parts = [on, int(offset), sizes(...shape), sizes(...strides), NEWFALSE, hooks];
  return build("torch._utils", "_rebuild_tensor_v2", ...parts);
}

/** The magic number of the legacy format. */
const MAGIC = [0x8a, 10, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19];

export interface LegacySpec {
  readonly version?: Piece;
  readonly machine?: Piece;
  readonly keys?: Piece;
  /** Each storage's number of elements, and its bytes. */
  readonly storages?: readonly (readonly [elements: number, bytes: Uint8Array])[];
  readonly bigEndian?: boolean;
}

/** A file of the legacy format that holds one value. */
export function legacy(root: Piece, spec: LegacySpec = {}): Uint8Array {
  const { version = int(1001), machine = dict({ little_endian: NEWTRUE }), keys = list(text("0")) } = spec;
  const { storages = [[6, FLOATS]], bigEndian = false } = spec;
  const lengths = storages.map(([elements]) => {
    const bytes = Buffer.alloc(8);
    if (bigEndian) bytes.writeBigInt64BE(BigInt(elements));
    else bytes.writeBigInt64LE(BigInt(elements));
    return bytes;
  });
  return assemble(
    ...[pickle(...MAGIC), pickle(version), pickle(machine), pickle(root), pickle(keys)],
    ...storages.flatMap(([, bytes], i) => [lengths[i]!, bytes]),
  );
}

export const open = (bytes: Uint8Array, options = {}): Promise<TreeDocument> =>
  openTorch(memorySource("step_1.pt", bytes), options);

export async function failure(bytes: Uint8Array): Promise<LogratioError> {
  const error: unknown = await open(bytes).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isLogratioError(error)) throw error ?? new Error("it was read");
  return error;
}
