/**
 * The zip format of torch.save, the default since torch 1.6.
 *
 * @module
 */
import { checkMemory, FormatError, UnsupportedError } from "../../../core/base/index.ts";
import type { ByteSource } from "../../io/byte-source.ts";
import type { TreeValue } from "../../io/columns.ts";
import { openZip, type ZipArchive } from "../../io/zip.ts";
import { openMember, readMember } from "../../io/zip-member.ts";
import { type PickleOptions, readPickle } from "../shared/pickle.ts";
import { pickleSource } from "./pickle-source.ts";
import { resolveStorage, type TorchArchive, type TorchBudget } from "./storage.ts";

/** Small text records next to the pickle. */
const NOTES = ["version", ".format_version", "byteorder"];
const MAX_NOTE_BYTES = 1024;

export interface OpenArchive {
  readonly value: TreeValue;
  readonly notes: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/**
 * Reads the pickle of an archive; tensors stay in the archive until their rows are read. Closing leaves `source` open.
 */
export async function readArchive(
  source: ByteSource,
  budget: TorchBudget,
  options: PickleOptions,
): Promise<OpenArchive> {
  const at = { file: source.name };
  const zip = await openZip(source);
  const prefix = findPrefix(zip);
  const notes = await readNotes(zip, prefix);
  const byteOrder = notes.byteorder ?? "little";
  if (byteOrder !== "little" && byteOrder !== "big") {
    throw new FormatError(`torch archive has the byte order "${byteOrder}", expected "little" or "big"`, {
      at: { ...at, entry: `${prefix}byteorder` },
    });
  }
  const archive: TorchArchive = { zip, prefix, littleEndian: byteOrder === "little", opened: new Map() };
  const entry = `${prefix}data.pkl`;
  const member = zip.members.get(entry)!;
  checkMemory(member.byteLength, "the pickle of this archive", { ...at, entry });
  const value = readPickle(
    await readMember(zip, member),
    {
      ...pickleSource(source.name, budget, options),
      entry,
      persistent: (id, place) => resolveStorage(archive, id, place),
    },
    options,
  );
  return {
    value,
    notes,
    close: async () => {
      for (const storage of archive.opened.values()) await storage.close();
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
          ? "rename it to .npz: it holds .npy arrays"
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
