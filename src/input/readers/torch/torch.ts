import { checkMemory, EmptyInputError, FormatError, isLogratioError } from "../../../core/base/index.ts";
import { LIKELY_CUT_OFF } from "../../io/advice.ts";
import type { ByteSource } from "../../io/byte-source.ts";
import type { FormatName, TreeDocument, TreeValue } from "../../io/columns.ts";
import { memorySource } from "../../io/file-source.ts";
import { isZip } from "../../io/zip.ts";
import { asTreeMap } from "../shared/as-tree-map.ts";
import { type PickleOptions, pickleTree, readPickle } from "../shared/pickle.ts";
import { isPickle, zipKind } from "../shared/sniff.ts";
import { readArchive } from "./archive.ts";
import { checkNesting, expandTree } from "./expand.ts";
import { isLegacy, LEGACY_HEAD_BYTES, readLegacy } from "./legacy.ts";
import { pickleSource } from "./pickle-source.ts";
import { createBudget, type TorchBudget } from "./storage.ts";

interface Opened {
  readonly value: TreeValue;
  readonly notes: Readonly<Record<string, string>>;
  readonly format: FormatName;
  readonly close: () => Promise<void>;
}

/**
 * Opens a file of `torch.save` (zip or legacy) or of `pickle.dump`. The pickle inside is read through an allow-list
 * and nothing in it is executed; tensors of a zip stay in the file until their rows are read, the other two formats
 * are held whole. A file whose outermost value is not a dict has that value under the name `value`. TensorDicts become
 * dicts, nested tensors lists of their rows, and files of `torch.save` inside byte strings their content.
 *
 * The document owns `source` and closes it; when this throws, the caller still owns it.
 *
 * @throws FormatError if the file is cut off or damaged, or its pickle names a refused class or function
 * @throws LimitError if the pickle needs more than any real dump does
 * @throws UnsupportedError for TorchScript, sparse and quantized tensors, protocols 0 and 1
 */
export async function openTorch(source: ByteSource, options: PickleOptions = {}): Promise<TreeDocument> {
  const at = { file: source.name };
  if (source.byteLength === 0) {
    throw new EmptyInputError("the file is empty (0 bytes)", { at, likely: LIKELY_CUT_OFF });
  }
  const budget = createBudget();
  const nested: (() => Promise<void>)[] = [];
  const { value, notes, format, close } = await openOuter(source, budget, options);

  const openNested = async (bytes: Uint8Array): Promise<TreeValue> => {
    const inside = memorySource(source.name, bytes);
    if (!isLegacy(bytes) && !(isZip(bytes) && (await isArchive(inside)))) return bytes;
    checkNesting(++budget.depth, at);
    const inner = await openInner(inside, bytes, budget, options);
    nested.push(inner.close);
    const expanded = await expandTree(inner.value, openNested, at);
    budget.depth--;
    return expanded;
  };
  const root = budget.expandable ? await expandTree(value, openNested, at) : value;
  return {
    kind: "tree",
    format,
    file: source.name,
    root: asTreeMap(root),
    metadata: notes,
    close: async () => {
      for (const closer of [...nested, close]) await closer();
      await source.close();
    },
  };
}

async function openOuter(source: ByteSource, budget: TorchBudget, options: PickleOptions): Promise<Opened> {
  const head = await source.slice(0, Math.min(LEGACY_HEAD_BYTES, source.byteLength));
  if (isZip(head)) return { ...(await readArchive(source, budget, options)), format: "torch" };
  const legacy = isLegacy(head);
  if (!legacy && !isPickle(head)) throw neither(source.name);
  const what = legacy ? "a torch file of the legacy format, which is held whole," : "the pickle";
  checkMemory(source.byteLength, what, { file: source.name });
  const bytes = await source.slice(0, source.byteLength);
  if (legacy) return openInner(source, bytes, budget, options);
  const value = readPickle(bytes, pickleSource(source.name, budget, options), options);
  return { value, notes: {}, format: "pickle", close: async () => {} };
}

/** Byte strings that look like a zip may be something else, such as images of a data set. */
async function isArchive(source: ByteSource): Promise<boolean> {
  try {
    return (await zipKind(source)) === "torch";
  } catch (error) {
    if (isLogratioError(error)) return false;
    throw error;
  }
}

/** A file of torch.save in memory. */
async function openInner(
  source: ByteSource,
  bytes: Uint8Array,
  budget: TorchBudget,
  options: PickleOptions,
): Promise<Opened> {
  if (isZip(bytes)) return { ...(await readArchive(source, budget, options)), format: "torch" };
  const from = pickleSource(source.name, budget, options);
  const root = readLegacy(bytes, from, options);
  const value = pickleTree({ root, end: bytes.length }, bytes.length, from);
  return { value, notes: {}, format: "torch", close: async () => {} };
}

function neither(file: string): FormatError {
  return new FormatError(
    "not a torch file or pickle: it begins neither as a zip archive nor as a pickle of protocol 2 to 5",
    {
      at: { file, offset: 0 },
      likely: "the file is not in the format that its name says, or its beginning is damaged",
      hint: "write or copy the file again; python -c 'import torch; torch.load(FILE)' says whether PyTorch can read it",
    },
  );
}
