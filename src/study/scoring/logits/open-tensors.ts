import { EmptyInputError, UnsupportedError } from "../../../core/base/index.ts";
import { closeQuietly, containFileError } from "../../../ingest/index.ts";
import type { ByteSource, TreeDocument } from "../../../input/io/index.ts";
import { openFile } from "../../../input/io/index.ts";
import { isPickle, isZip, zipKind } from "../../../input/readers/index.ts";
import { isNpy, openNpy, openNpz } from "../../../input/readers/npz/index.ts";
import { isSafetensors, openSafetensors } from "../../../input/readers/safetensors/index.ts";
import { openTorch } from "../../../input/readers/torch/index.ts";

const HEAD_BYTES = 64;
/** Objects of unknown classes are kept by name, so that they do not hide the tensors. */
const PICKLES = { unknownClasses: "record" } as const;

export interface OpenTensors {
  readonly document: TreeDocument;
  /** The source that the document reads from and closes. */
  readonly source: ByteSource;
}

/** Opens a file of arrays by its content. @throws UnsupportedError for other formats, and what the readers raise */
export async function openTensors(path: string): Promise<OpenTensors> {
  const source = await openFile(path);
  try {
    return { document: await openBySniff(source), source };
  } catch (error) {
    await closeQuietly(source);
    throw containFileError(error, path);
  }
}

async function openBySniff(source: ByteSource): Promise<TreeDocument> {
  const at = { file: source.name };
  if (source.byteLength === 0) throw new EmptyInputError("the file is empty (0 bytes)", { at });
  const head = await source.slice(0, Math.min(HEAD_BYTES, source.byteLength));
  if (isNpy(head)) return openNpy(source, PICKLES);
  if (isZip(head))
    return (await zipKind(source)) === "npz" ? openNpz(source, PICKLES) : openTorch(source, PICKLES);
  const named = /\.(safetensors|npy|npz)$/.exec(source.name)?.[1];
  if (isSafetensors(head, source.byteLength) || named === "safetensors") return openSafetensors(source);
  // These readers report what is wrong with a file whose content does not match its name.
  if (named === "npy") return openNpy(source, PICKLES);
  if (named === "npz") return openNpz(source, PICKLES);
  if (isPickle(head)) return openTorch(source, PICKLES);
  throw new UnsupportedError(
    "unsupported file type; saved logits are read from .npz, .npy, .safetensors and .pt",
    {
      at,
      likely: "the whole file is compressed, or it has another format",
      hint: "save them with numpy.savez or safetensors.torch.save_file",
    },
  );
}
