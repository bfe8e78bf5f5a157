import type { FileHandle } from "node:fs/promises";

/**
 * Writes all bytes. A write may take only a part of them, for example when the disk becomes full; the rest then
 * follows, or its error is raised.
 *
 * @param position file offset; default the end of the last write
 */
export async function writeAll(file: FileHandle, bytes: Uint8Array, position?: number): Promise<void> {
  for (let from = 0; from < bytes.length; ) {
    const at = position === undefined ? null : position + from;
    from += (await file.write(bytes, from, bytes.length - from, at)).bytesWritten;
  }
}
