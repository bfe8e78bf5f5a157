import { checkMemory, EmptyInputError, FormatError, UnsupportedError } from "../../../core/base/index.ts";
import type { ByteSource, TreeDocument } from "../../io/index.ts";
import { LIKELY_CUT_OFF, openMember, openZip, readMember, type ZipArchive } from "../../io/index.ts";
import { asTreeMap, type PickleOptions, readPickle } from "../shared/pickle.ts";
import { isPickle, isZip } from "../shared/sniff.ts";
import { resolveStorage, TORCH_NAMES, type TorchArchive, torchBuilders } from "./torch-tensor.ts";

/** Small text records beside the pickle. */
const NOTES = ["version", ".format_version", "byteorder"];
const MAX_NOTE_BYTES = 1024;

/** How a legacy file starts: PROTO 2 and the magic number 0x1950a86a20f9469cfc6c as LONG1. */
const LEGACY_MAGIC = [0x80, 2, 0x8a, 10, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19];

/**
 * Opens a file of `torch.save` (the zip format, the default since torch 1.6). The pickle inside is read through an
 * allow-list and nothing in it is executed; tensors stay in the file until their rows are read. A file whose
 * outermost value is no dict has that value under the name `value`.
 *
 * The document owns `source` and closes it; when this throws, the caller still owns it.
 *
 * @throws FormatError if the file is cut off or damaged, or its pickle names a class or function that is refused
 * @throws LimitError if the pickle asks for more than any dump has
 * @throws UnsupportedError for legacy files, plain pickles, TorchScript, sparse, nested and quantized tensors
 */
export async function openTorch(source: ByteSource, options: PickleOptions = {}): Promise<TreeDocument> {
  const at = { file: source.name };
  if (source.byteLength === 0) {
    throw new EmptyInputError("the file is empty (0 bytes)", { at, likely: LIKELY_CUT_OFF });
  }
  const head = await source.slice(0, Math.min(LEGACY_MAGIC.length, source.byteLength));
  if (!isZip(head)) throw notZip(head, source.name);
  const zip = await openZip(source);
  const prefix = findPrefix(zip);
  const notes = await readNotes(zip, prefix);
  const byteOrder = notes.byteorder ?? "little";
  if (byteOrder !== "little" && byteOrder !== "big") {
    throw new FormatError(`torch archive has the byte order "${byteOrder}"; "little" and "big" exist`, {
      at: { ...at, entry: `${prefix}byteorder` },
    });
  }
  const archive: TorchArchive = {
    zip,
    prefix,
    littleEndian: byteOrder === "little",
    opened: new Map(),
    repeated: 0,
  };
  const entry = `${prefix}data.pkl`;
  const member = zip.members.get(entry)!;
  checkMemory(member.byteLength, "the pickle of this archive", { ...at, entry });
  const value = readPickle(
    await readMember(zip, member),
    {
      file: source.name,
      entry,
      builders: torchBuilders(archive),
      names: TORCH_NAMES,
      persistent: (id, place) => resolveStorage(archive, id, place),
    },
    options,
  );
  return {
    kind: "tree",
    format: "torch",
    file: source.name,
    root: asTreeMap(value),
    metadata: notes,
    close: async () => {
      for (const { source: record, held } of archive.opened.values()) {
        await record.close();
        await held?.close();
      }
      await source.close();
    },
  };
}

function findPrefix(zip: ZipArchive): string {
  const names = [...zip.members.keys()];
  const pickles = names.filter((name) => /^[^/]+\/data\.pkl$/.test(name));
  const at = { file: zip.source.name };
  const [pickle] = pickles;
  if (pickle === undefined) {
    throw new FormatError(
      `zip archive has no data.pkl (members: ${names.length}), so it was not written by torch.save`,
      {
        at,
        likely: "it is a different kind of archive",
        hint: names.some((name) => name.endsWith(".npy"))
          ? "it holds .npy arrays: name it .npz"
          : "unpack it first",
      },
    );
  }
  if (pickles.length > 1) {
    throw new FormatError(`zip archive has ${pickles.length} records data.pkl; torch.save writes one`, {
      at,
    });
  }
  const prefix = pickle.slice(0, -"data.pkl".length);
  if (zip.members.has(`${prefix}constants.pkl`)) {
    throw new UnsupportedError("TorchScript archives (torch.jit.save) are not read", {
      at,
      hint: "save the tensors with torch.save",
    });
  }
  return prefix;
}

async function readNotes(zip: ZipArchive, prefix: string): Promise<Record<string, string>> {
  const notes: Record<string, string> = {};
  for (const name of NOTES) {
    const member = zip.members.get(prefix + name);
    if (member === undefined || member.byteLength > MAX_NOTE_BYTES) continue;
    const source = openMember(zip, member);
    notes[name.replace(/^\./, "")] = Buffer.from(await source.slice(0, source.byteLength))
      .toString("utf8")
      .trim();
  }
  return notes;
}

function notZip(head: Uint8Array, file: string): UnsupportedError | FormatError {
  const again = file.replace(/(\.[^./\\]*)?$/, "-new.pt");
  if (LEGACY_MAGIC.every((byte, i) => head[i] === byte)) {
    return new UnsupportedError("torch files of the legacy format (torch before 1.6) are not read", {
      at: { file, offset: 0 },
      likely: "it was saved by an old torch, or with _use_new_zipfile_serialization=False",
      hint: `save it again: python -c "import torch; torch.save(torch.load('${file}', weights_only=True), '${again}')"`,
    });
  }
  if (isPickle(head)) {
    return new UnsupportedError("plain pickles are not read", {
      at: { file, offset: 0 },
      likely: "it was saved with pickle.dump instead of torch.save",
      hint: `if you trust it, save it again: python -c "import pickle, torch; torch.save(pickle.load(open('${file}', 'rb')), '${again}')"`,
    });
  }
  const found = Array.from(head.subarray(0, 4), (byte) => byte.toString(16).padStart(2, "0")).join(" ");
  return new FormatError(`not a torch file: it starts with ${found}, not 50 4b 03 04 (zip)`, {
    at: { file, offset: 0 },
    likely: "the file has another format, or its beginning is damaged",
  });
}
