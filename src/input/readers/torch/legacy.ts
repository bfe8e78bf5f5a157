/**
 * torch's format before 1.6, in which a tensor inside a plain pickle still holds its numbers: five consecutive pickles
 * (magic number, version, machine, object, keys of its storages), then the storages. `_legacy_save` of
 * torch/serialization.py, torch 2.15.0.
 *
 * @module
 */
import { FormatError, type Place, UnsupportedError } from "../../../core/base/index.ts";
import { LIKELY_CUT_OFF, LIKELY_DAMAGED } from "../../io/advice.ts";
import { type PickleOptions, type PickleSource, unpickle } from "../shared/pickle.ts";
import {
  describe,
  isPy,
  type PyStorage,
  type PyValue,
  type StoredBytes,
  sequenceItems,
} from "../shared/pickle-values.ts";
import { heldStorage } from "./storage.ts";
import { parseStorageId, type StorageId } from "./torch-dtypes.ts";
import { entry } from "./torch-tensor.ts";

/** The magic number 0x1950a86a20f9469cfc6c as LONG1: what the first pickle holds. */
const MAGIC = [0x8a, 10, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19];
const PROTO_BYTES = 2;
/** FRAME and its length, from protocol 4 on. */
const FRAME = 0x95;
const FRAME_BYTES = 9;
/** A storage begins with its number of elements. */
const LENGTH_BYTES = 8;

/** Bytes that {@link isLegacy} needs. */
export const LEGACY_HEAD_BYTES = PROTO_BYTES + FRAME_BYTES + MAGIC.length;

export function isLegacy(head: Uint8Array): boolean {
  if (head[0] !== 0x80) return false;
  const start = PROTO_BYTES + (head[PROTO_BYTES] === FRAME ? FRAME_BYTES : 0);
  return MAGIC.every((byte, i) => head[start + i] === byte);
}

/** A storage whose place is known only after the object that names it has been read. */
interface Awaited {
  readonly id: StorageId;
  readonly bytes: StoredBytes;
  found: StoredBytes | undefined;
}

/**
 * Reads a whole legacy file. Its storages are views on `bytes`.
 *
 * @returns the outermost value; a storage when only a storage was saved
 * @throws FormatError if it is cut off or damaged
 * @throws UnsupportedError for other versions of the format, and storages that are views
 */
export function readLegacy(bytes: Uint8Array, source: PickleSource, options: PickleOptions): PyValue {
  return new LegacyFile(bytes, source, options).read();
}

/**
 * A cursor over the file. The object's pickle only names its storages, whose bytes follow all five pickles:
 *
 * ```
 * magic │ version │ machine │ object │ keys │ length, bytes │ length, bytes │ …
 *                     │          │        └── the order of the storages
 *                     │          └── awaited: what each storage must be, with a reader that has no bytes yet
 *                     └── byte order
 * ```
 */
class LegacyFile {
  readonly #bytes: Uint8Array;
  readonly #source: PickleSource;
  readonly #options: PickleOptions;
  readonly #awaited = new Map<string, Awaited>();
  #position = 0;

  constructor(bytes: Uint8Array, source: PickleSource, options: PickleOptions) {
    this.#bytes = bytes;
    this.#source = source;
    this.#options = options;
  }

  read(): PyValue {
    // `isLegacy` has seen the magic number.
    this.#next();
    this.#checkVersion(this.#next());
    const machine = this.#next();
    const littleEndian = !(isPy(machine, "dict") && entry(machine, "little_endian") === false);
    const { file } = this.#source;
    const root = this.#next((id, place) => awaitStorage(this.#awaited, id, littleEndian, file, place));
    const keys = sequenceItems(this.#next());
    if (keys === undefined) throw this.#damaged("legacy torch file has no list of its storages");
    for (const key of keys) this.#readStorage(key, littleEndian);
    this.#checkFound();
    return root;
  }

  /** The pickle at the cursor. Only the object's may name storages. */
  #next(persistent?: PickleSource["persistent"]): PyValue {
    const { persistent: _, ...plain } = this.#source;
    const { root, end } = unpickle(
      this.#bytes.subarray(this.#position),
      {
        ...plain,
        ...(persistent === undefined ? {} : { persistent }),
        base: (this.#source.base ?? 0) + this.#position,
        trailing: true,
      },
      this.#options,
    );
    this.#position += end;
    return root;
  }

  #checkVersion(version: PyValue): void {
    if (version === 1001) return;
    throw new UnsupportedError(
      `torch files of the legacy version ${describe(version)} are not read; 1001 is`,
      {
        at: this.#at(),
      },
    );
  }

  #readStorage(key: PyValue, littleEndian: boolean): void {
    const storage = typeof key === "string" ? this.#awaited.get(key) : undefined;
    if (storage === undefined) {
      throw this.#damaged(`legacy torch file lists ${describe(key)}, a storage that nothing refers to`);
    }
    const bytes = this.#bytes;
    const start = this.#position + LENGTH_BYTES;
    const length = storage.bytes.byteLength;
    if (start + length > bytes.length) {
      throw new FormatError(
        `legacy torch file is cut off: storage ${storage.id.key} needs ${length} bytes, found ${Math.max(0, bytes.length - start)}`,
        { at: this.#at(), likely: LIKELY_CUT_OFF },
      );
    }
    // The size is stored twice: if the two differ, every later storage would be read from the wrong place.
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const declared = view.getBigInt64(this.#position, littleEndian);
    if (declared !== BigInt(storage.id.length)) {
      throw this.#damaged(
        `torch storage ${storage.id.key} has another size: the pickle declares ${storage.id.length} elements, found ${declared}`,
      );
    }
    storage.found = heldStorage(this.#source.file, bytes.subarray(start, start + length), storage.bytes.at);
    this.#position = start + length;
  }

  /** Refuses missing storages now: reading a tensor later cannot tell that the file's list lacked its storage. */
  #checkFound(): void {
    for (const { found, id } of this.#awaited.values()) {
      if (found !== undefined) continue;
      throw new FormatError(`legacy torch file lacks the storage ${id.key} that its pickle refers to`, {
        at: this.#at(),
        likely: LIKELY_CUT_OFF,
      });
    }
  }

  #damaged(message: string): FormatError {
    return new FormatError(message, { at: this.#at(), likely: LIKELY_DAMAGED });
  }

  #at(): Place {
    const { file, entry: member, base = 0 } = this.#source;
    return { file, ...(member === undefined ? {} : { entry: member }), offset: base + this.#position };
  }
}

function awaitStorage(
  awaited: Map<string, Awaited>,
  id: PyValue,
  littleEndian: boolean,
  file: string,
  at: Place,
): PyStorage {
  const parsed = parseStorageId(id, at);
  const { key, dtype, length, byteLength } = parsed;
  if (!Number.isSafeInteger(length) || length < 0) {
    throw new FormatError(`torch storage ${key} declares ${length} elements`, { at, likely: LIKELY_DAMAGED });
  }
  if (byteLength === undefined) {
    throw new UnsupportedError(`torch storages of ${dtype} are not read`, {
      at,
      hint: "save it as tensor.float()",
    });
  }
  const view = sequenceItems(id)?.[5];
  if (view !== null && view !== undefined) {
    throw new UnsupportedError("torch storages that are views of other storages are not read", {
      at,
      likely: "it was saved by a torch before 1.0",
      hint: "save it again with a current torch",
    });
  }
  let known = awaited.get(key);
  if (known === undefined) {
    const storage: Awaited = {
      id: parsed,
      found: undefined,
      bytes: {
        at,
        byteLength,
        named: 0,
        open: () => ({
          name: file,
          byteLength,
          slice: (start, end) => storage.found!.open().slice(start, end),
          close: async () => {},
        }),
      },
    };
    awaited.set(key, storage);
    known = storage;
  } else if (known.bytes.byteLength !== byteLength) {
    throw new FormatError(
      `torch storage ${key} is declared with ${known.bytes.byteLength} bytes, and again with ${byteLength}`,
      { at, likely: LIKELY_DAMAGED },
    );
  }
  return { kind: "storage", dtype, length, bytes: known.bytes, littleEndian };
}
