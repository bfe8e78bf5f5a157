import { EmptyInputError, FormatError } from "../../../core/base/index.ts";
import { closeQuietly, containFileError } from "../../../ingest/index.ts";
import type { SourceDocument } from "../../../input/io/index.ts";
import { openFile, openPlain } from "../../../input/io/index.ts";
import { openJsonDocument, sniffJson } from "../../../input/readers/json/index.ts";
import { isParquet, openParquet } from "../../../input/readers/parquet/index.ts";

const HEAD_BYTES = 64 * 1024;

/**
 * Opens a file of texts: JSON, JSONL (each also in gzip or zstd) or Parquet, by its content.
 *
 * @throws FormatError when it is not one of them, and what the readers raise
 */
export async function openRows(path: string): Promise<SourceDocument> {
  const source = await openFile(path);
  try {
    if (source.byteLength === 0)
      throw new EmptyInputError("the file is empty (0 bytes)", { at: { file: path } });
    const start = await source.slice(0, Math.min(4, source.byteLength));
    if (isParquet(start, start)) {
      await source.close();
      return await openParquet(path);
    }
    const plain = await openPlain(source, HEAD_BYTES);
    if (sniffJson(plain.head, path) === undefined) throw notRows(path, plain.head);
    const document = await openJsonDocument(plain, { name: path });
    return {
      ...document,
      close: async () => {
        await document.close();
        await source.close();
      },
    };
  } catch (error) {
    await closeQuietly(source);
    throw containFileError(error, path);
  }
}

function notRows(file: string, head: Uint8Array): FormatError {
  const start = [...head.subarray(0, 4)].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
  return new FormatError(`the file is neither JSON objects, JSONL nor Parquet: it starts with ${start}`, {
    at: { file, offset: 0 },
    hint: "texts are read from a JSON list or object, from JSONL, each also in gzip or zstd, and from Parquet",
  });
}
