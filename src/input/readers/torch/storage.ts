/**
 * The storages of torch's tensors: members of a zip archive, or ranges of bytes in memory.
 *
 * @module
 */
import { checkMemory, FormatError, LimitError, memoryLimit, type Place } from "../../../core/base/index.ts";
import { LIKELY_DAMAGED } from "../../io/advice.ts";
import type { ByteSource } from "../../io/byte-source.ts";
import { memorySource } from "../../io/file-source.ts";
import type { ZipArchive, ZipMember } from "../../io/zip.ts";
import { openMember, readMember } from "../../io/zip-member.ts";
import type { PickleBudget } from "../shared/pickle-stack.ts";
import type { PyStorage, PyValue, StoredBytes } from "../shared/pickle-values.ts";
import { formatShape } from "../shared/shape.ts";
import { parseStorageId } from "./torch-dtypes.ts";

/** State shared by a file's pickles, including nested ones. */
export interface TorchBudget extends PickleBudget {
  /** Bytes that tensors reference beyond those stored. */
  repeated: number;
  /** Number of pickles around the one that is read. */
  depth: number;
}

export function createBudget(): TorchBudget {
  return { spent: 0, expandable: false, repeated: 0, depth: 0 };
}

/** The parts of a torch archive that its pickle refers to. */
export interface TorchArchive {
  readonly zip: ZipArchive;
  /** Folder of all records, with a slash: torch names it after the file. */
  readonly prefix: string;
  readonly littleEndian: boolean;
  /** By key; closed with the document. */
  readonly opened: Map<string, OpenStorage>;
}

export interface OpenStorage extends StoredBytes {
  close(): Promise<void>;
}

/** Looks up a persistent id of the pickle in the archive. */
export function resolveStorage(archive: TorchArchive, id: PyValue, at: Place): PyStorage {
  const { key, dtype, length, byteLength } = parseStorageId(id, at);
  const member = archive.zip.members.get(`${archive.prefix}data/${key}`);
  if (member === undefined) {
    throw new FormatError(`torch archive lacks the storage data/${key} that its pickle refers to`, {
      at,
      likely: "the archive was changed after it was saved",
    });
  }
  if (byteLength !== undefined && byteLength !== member.byteLength) {
    throw new FormatError(
      `torch storage data/${key} has another size: the pickle declares ${byteLength} bytes, found ${member.byteLength}`,
      { at: { ...at, entry: member.name }, likely: LIKELY_DAMAGED },
    );
  }
  let bytes = archive.opened.get(key);
  if (bytes === undefined) {
    bytes = openStorage(archive.zip, member);
    archive.opened.set(key, bytes);
  }
  return { kind: "storage", dtype, length, bytes, littleEndian: archive.littleEndian };
}

/** One source for all tensors of a storage. */
function openStorage(zip: ZipArchive, member: ZipMember): OpenStorage {
  const at = { file: zip.source.name, entry: member.name };
  let source: ByteSource | undefined;
  // Deflated and shared by several tensors: inflated once instead of once per tensor.
  let held: ByteSource | undefined;
  return {
    at,
    byteLength: member.byteLength,
    named: 0,
    open() {
      if (source === undefined) {
        source = openMember(zip, member);
        return source;
      }
      if (member.method === "stored") return source;
      held ??= heldMember(zip, member, at);
      return held;
    },
    async close() {
      await source?.close();
      await held?.close();
    },
  };
}

/** A deflated member that is inflated completely when it is first read. */
function heldMember(zip: ZipArchive, member: ZipMember, at: Place): ByteSource {
  let bytes: Promise<Uint8Array> | undefined;
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

/** A storage whose bytes are in memory. */
export function heldStorage(file: string, bytes: Uint8Array, at: Place): StoredBytes {
  const source = memorySource(file, bytes);
  return { at, byteLength: bytes.length, named: 0, open: () => source };
}

/** Minimum bytes of an element once it is read. */
const DECODED_BYTES = 4;

/**
 * With strides of 0, windows, or many tensors over one storage, the stored bytes do not bound the cost of reading.
 *
 * @throws LimitError when all tensors together reference more bytes beyond the stored ones than the memory limit
 */
export function countNamed(
  bytes: StoredBytes,
  elements: number,
  itemBytes: number,
  budget: TorchBudget,
  shape: readonly number[],
  at: Place,
): void {
  const more = elements * itemBytes;
  const beyond = Math.max(0, bytes.named + more - Math.max(bytes.named, bytes.byteLength));
  // Only the repeated part counts as it will be decoded: reading every element once is no more than such a file may
  // take.
  budget.repeated += beyond * Math.max(1, DECODED_BYTES / itemBytes);
  bytes.named += more;
  const { repeated } = budget;
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
