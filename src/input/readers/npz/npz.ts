import { checkMemory, EmptyInputError, FormatError, LimitError } from "../../../core/base/index.ts";
import { LIKELY_CUT_OFF } from "../../io/advice.ts";
import type { ByteSource } from "../../io/byte-source.ts";
import type { TreeDocument, TreeValue } from "../../io/columns.ts";
import { MAX_PLAIN_MEMBER_BYTES } from "../../io/limits.ts";
import { openZip, type ZipArchive, type ZipMember } from "../../io/zip.ts";
import { openMember, readMember } from "../../io/zip-member.ts";
import { asTreeMap } from "../shared/as-tree-map.ts";
import type { PickleOptions } from "../shared/pickle.ts";
import { readNpyArray } from "./npy-array.ts";

/**
 * Opens an npz archive (`numpy.savez`, `numpy.savez_compressed`): one value per member under its name without `.npy`;
 * members that are not arrays are bytes. Arrays of numbers and strings stay in the file until their rows are read;
 * object arrays are unpickled immediately, through an allow-list.
 *
 * The document owns `source` and closes it; when this throws, the caller still owns it.
 *
 * @throws FormatError if the archive or an array is cut off, damaged, or holds a pickle that names a refused class
 * @throws LimitError if a declared size is larger than in any real dump
 * @throws UnsupportedError for complex numbers, dates, record types and members that are encrypted or compressed other
 * than by deflate
 * @throws EmptyInputError if there is no member
 */
export async function openNpz(source: ByteSource, options: PickleOptions = {}): Promise<TreeDocument> {
  const zip = await openZip(source);
  if (zip.members.size === 0) {
    throw new EmptyInputError("npz archive has no members", {
      at: { file: source.name },
      likely: "numpy.savez was called without arrays",
    });
  }
  const root: Record<string, TreeValue> = Object.create(null);
  const opened: ByteSource[] = [];
  let plainBytes = 0;
  for (const member of zip.members.values()) {
    if (member.name.endsWith("/")) continue;
    const at = { file: source.name, entry: member.name };
    const isArray = member.name.endsWith(".npy");
    const name = isArray ? member.name.slice(0, -".npy".length) : member.name;
    if (name in root) {
      throw new FormatError(`npz archive holds "${name}" twice, with and without .npy`, { at });
    }
    if (isArray) {
      const bytes = openMember(zip, member);
      opened.push(bytes);
      root[name] = await readNpyArray(bytes, at, options);
    } else {
      plainBytes += member.byteLength;
      checkMemory(plainBytes, "what the npz archive holds besides arrays", at);
      root[name] = await readPlainMember(zip, member);
    }
  }
  return {
    kind: "tree",
    format: "npz",
    file: source.name,
    root,
    metadata: {},
    close: async () => {
      for (const member of opened) await member.close();
      await source.close();
    },
  };
}

async function readPlainMember(zip: ZipArchive, member: ZipMember): Promise<Uint8Array> {
  if (member.byteLength > MAX_PLAIN_MEMBER_BYTES) {
    throw new LimitError(
      `npz member is not an array and has ${member.byteLength} bytes; at most ${MAX_PLAIN_MEMBER_BYTES} are read`,
      {
        needed: member.byteLength,
        limit: MAX_PLAIN_MEMBER_BYTES,
        at: { file: zip.source.name, entry: member.name },
        hint: "remove it from the archive: zip -d",
      },
    );
  }
  return readMember(zip, member);
}

/**
 * Opens an npy file. Its array is named `value`; a dict that was saved as an array is the root itself. Ownership and
 * errors as for {@link openNpz}.
 */
export async function openNpy(source: ByteSource, options: PickleOptions = {}): Promise<TreeDocument> {
  if (source.byteLength === 0) {
    throw new EmptyInputError("the file is empty (0 bytes)", {
      at: { file: source.name },
      likely: LIKELY_CUT_OFF,
    });
  }
  const root = asTreeMap(await readNpyArray(source, { file: source.name }, options));
  return { kind: "tree", format: "npy", file: source.name, root, metadata: {}, close: () => source.close() };
}
