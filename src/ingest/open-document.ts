/**
 * From bytes to a document: the content decides on the reader.
 *
 * @module
 */
import { writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { EmptyInputError, LimitError, memoryLimit } from "../core/base/index.ts";
import {
  type ByteSource,
  type ByteStream,
  createScratch,
  holdStream,
  isZip,
  openPlain,
  type PlainStream,
  SCRATCH_PER_MEMORY,
  type SourceDocument,
} from "../input/io/index.ts";
import { openJsonDocument, sniffJson } from "../input/readers/json/index.ts";
import { isMemmapMeta, MEMMAP_META, openMemmap } from "../input/readers/memmap/index.ts";
import { isNpy, openNpy, openNpz } from "../input/readers/npz/index.ts";
import { isParquet, openParquet, type ParquetOptions } from "../input/readers/parquet/index.ts";
import { isSafetensors, openSafetensors } from "../input/readers/safetensors/index.ts";
import { isPickle, zipKind } from "../input/readers/shared/index.ts";
import { openTorch } from "../input/readers/torch/index.ts";
import { copyToDisk } from "../input/remote/index.ts";
import { nameBytes } from "./other-files/by-bytes.ts";
import { nameText, unknownFile } from "./other-files/by-text.ts";
import { OtherFileError } from "./other-files/other-file.ts";

const HEAD_BYTES = 64 * 1024;
/** Containers that need random access: npz, torch, safetensors inside gzip or zstd, or from a pipe. */
const NEEDS_ALL = "the whole file, which this format needs at once,";
/** Objects whose classes are not plain data are kept by name, so that one of them does not make a dump unreadable. */
const PICKLES = { unknownClasses: "record" } as const;

type Container = "npy" | "zip" | "parquet" | "safetensors" | "pickle";

/** Decides by the first bytes, so a cut-off file goes to its reader, which reports it. */
function sniffContainer(head: Uint8Array, byteLength: number): Container | undefined {
  if (isNpy(head)) return "npy";
  if (isZip(head)) return "zip";
  if (isParquet(head, head.subarray(0, 4))) return "parquet";
  // A safetensors header of 640 to 1535 bytes begins like a pickle.
  if (isSafetensors(head, byteLength)) return "safetensors";
  return isPickle(head) ? "pickle" : undefined;
}

const CONTAINERS_BY_NAME: ReadonlyMap<string, Container> = new Map<string, Container>([
  ["npy", "npy"],
  ["npz", "zip"],
  ["pt", "zip"],
  ["pth", "zip"],
  ["pkl", "pickle"],
  ["pickle", "pickle"],
  ["parquet", "parquet"],
  ["safetensors", "safetensors"],
]);

/** If the bytes do not tell the format, the reader that the name suggests reports what is wrong with them. */
function containerByName(name: string): Container | undefined {
  return CONTAINERS_BY_NAME.get(name.slice(name.lastIndexOf(".") + 1).toLowerCase());
}

/** How a document is opened. */
export type OpenOptions = Pick<ParquetOptions, "forSample" | "onDecoding">;

async function openContainer(
  source: ByteSource,
  container: Container,
  options: OpenOptions,
): Promise<SourceDocument> {
  switch (container) {
    case "npy":
      return openNpy(source, PICKLES);
    case "zip":
      return openZipped(source);
    case "parquet":
      // DuckDB opens the path itself.
      await source.close();
      return source.isRemote === true ? openParquetCopy(source) : openParquet(source.name, options);
    case "safetensors":
      return openSafetensors(source);
    case "pickle":
      return openTorch(source, PICKLES);
  }
}

/** Refuses archives of other things, unless the name promises a dump; its reader then says what is missing. */
async function openZipped(source: ByteSource): Promise<SourceDocument> {
  const kind = await zipKind(source);
  if (kind === "npz") return openNpz(source, PICKLES);
  if (kind === "other" && containerByName(source.name) === undefined) {
    throw new OtherFileError(source.name, {
      what: "a zip archive",
      why: "there are no arrays in it, and archives are not searched",
      hint: "unpack it, and give the directory",
    });
  }
  return openTorch(source, PICKLES);
}

/** Throws for well-known files that hold no data, whatever their names say. */
function refuseOthers(head: Uint8Array, byteLength: number | undefined, name: string): void {
  const other = nameBytes(head, byteLength);
  if (other !== undefined) throw new OtherFileError(name, other);
}

/** @throws LimitError before more than {@link SCRATCH_PER_MEMORY} times the memory limit is on disk */
async function* boundedScratch({ name, bytes }: PlainStream): AsyncGenerator<Uint8Array> {
  const most = memoryLimit() * SCRATCH_PER_MEMORY;
  let length = 0;
  for await (const chunk of bytes) {
    length += chunk.length;
    if (length > most) {
      throw new LimitError(
        `compressed parquet unpacks to more than ${most} bytes, which would be written to ${tmpdir()} while it is read`,
        {
          at: { file: name },
          likely:
            "the file was crafted to fill the disk, or does not need the extra compression: Parquet compresses its pages itself",
          hint: `decompress it to a file first (gzip -d or zstd -d), or raise the limit, ${SCRATCH_PER_MEMORY} times the memory: --memory (MiB)`,
        },
      );
    }
    yield chunk;
  }
}

/** DuckDB reads Parquet only from disk, so a compressed file is decompressed to disk while it is open. */
async function openParquetStream(plain: PlainStream): Promise<SourceDocument> {
  const scratch = await createScratch();
  try {
    const path = join(scratch.path, "data.parquet");
    await writeFile(path, boundedScratch(plain));
    return owning(await openParquet(path, { name: plain.name }), [scratch.remove]);
  } catch (error) {
    await scratch.remove();
    throw error;
  }
}

async function openParquetCopy(source: ByteSource): Promise<SourceDocument> {
  const { path, release } = await copyToDisk(source);
  try {
    return owning(await openParquet(path, { name: source.name }), [release]);
  } catch (error) {
    await release();
    throw error;
  }
}

/** Makes closing the document close its source. */
function owning(document: SourceDocument, closers: readonly (() => Promise<void>)[]): SourceDocument {
  const close = async (): Promise<void> => {
    await document.close();
    for (const closer of closers) await closer();
  };
  return { ...document, close };
}

function isStream(input: ByteSource | ByteStream): input is ByteStream {
  return "bytes" in input;
}

/**
 * The container that a name promises, for bytes that do not tell.
 *
 * @throws OtherFileError when the bytes are something else: a pointer, a page instead of a download
 */
function promisedContainer(head: Uint8Array, byteLength: number, name: string): Container | undefined {
  refuseOthers(head, byteLength, name);
  if (sniffJson(head, name) !== undefined) return undefined;
  const container = containerByName(name);
  const other = container === undefined ? undefined : nameText(head, name);
  if (other?.standsForData) throw new OtherFileError(name, other);
  return container;
}

/** Text or an unseekable container behind a stream or a compression. */
async function openStreamed(input: ByteSource | ByteStream, plain: PlainStream): Promise<SourceDocument> {
  const { head, name } = plain;
  const closers = [plain.close, ...(isStream(input) ? [] : [() => input.close()])];
  const container = sniffContainer(head, Number.MAX_SAFE_INTEGER);
  if (container === "parquet") return owning(await openParquetStream(plain), closers);
  if (container !== undefined)
    return owning(await openContainer(await holdStream(plain, NEEDS_ALL), container, {}), closers);
  refuseOthers(head, undefined, name);
  const named = name === "-" ? "-.jsonl" : name;
  if (sniffJson(head, named) === undefined) throw unknownFile(head, name, name);
  const document = await openJsonDocument(plain, { name: named });
  if (document.kind === "rows") return owning(document, closers);
  // A single object is now fully read: a run of a thousand such files must not keep a thousand of them open.
  for (const close of closers) await close();
  if (basename(name) === MEMMAP_META && isMemmapMeta(document.root)) return openMemmap(name);
  return document;
}

/**
 * Opens the content of a file or stream; closing the document closes the source. When this throws, the source is
 * closed too.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { isTensor, openDocument, openFile } from "logratio/node";
 *
 * const document = await openDocument(await openFile("examples/demo/stale/step_0010.npz"));
 * assert(document.kind === "tree" && isTensor(document.root.rollout_log_probs));
 * await document.close();
 * ```
 *
 * @param input `openFile` or `memorySource` give one
 * @returns a tree of named values (npz, torch, pickles, safetensors, one JSON object), or rows (JSONL, Parquet)
 * @throws EmptyInputError if there are no bytes
 * @throws FormatError if the bytes have no known format, or violate it
 * @throws LimitError if a compressed container does not fit into the memory limit
 * @throws UnsupportedError for formats and features that are known but not supported
 */
export async function openDocument(input: ByteSource | ByteStream): Promise<SourceDocument> {
  return openWith(input, {});
}

/** {@link openDocument}, with options that are not public. */
export async function openWith(
  input: ByteSource | ByteStream,
  options: OpenOptions,
): Promise<SourceDocument> {
  try {
    if (!isStream(input)) {
      const { byteLength } = input;
      if (byteLength === 0)
        throw new EmptyInputError("the file is empty (0 bytes)", { at: { file: input.name } });
      const head = await input.slice(0, Math.min(byteLength, HEAD_BYTES));
      const container = sniffContainer(head, byteLength) ?? promisedContainer(head, byteLength, input.name);
      if (container !== undefined) return await openContainer(input, container, options);
    }
    return await openStreamed(input, await openPlain(input, HEAD_BYTES));
  } catch (error) {
    if (!isStream(input)) await input.close();
    throw error;
  }
}
