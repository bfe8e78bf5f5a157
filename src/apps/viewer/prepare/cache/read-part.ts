import type { FileHandle } from "node:fs/promises";
import { FormatError } from "../../../../core/base/index.ts";

/** Bytes of a cache's file. @throws FormatError when it ends before */
export async function readPart(
  file: FileHandle,
  from: number,
  length: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length; ) {
    const { bytesRead } = await file.read(bytes, at, length - at, from + at);
    if (bytesRead === 0)
      throw new FormatError(
        `the viewer's cache is truncated: expected ${length} bytes at ${from}, found ${at}`,
        {
          hint: "remove the .logratio folder next to the data and start again",
        },
      );
    at += bytesRead;
  }
  return bytes;
}
