import type { FileHandle } from "node:fs/promises";

/**
 * Writes all bytes. One write may take only a part of them, as where the disk gets full in its middle; the rest then
 * follows, or its error is raised.
 *
 * @param position where they go; by default where the last write ended
 */
export async function writeAll(file: FileHandle, bytes: Uint8Array, position?: number): Promise<void> {
  for (let from = 0; from < bytes.length; ) {
    const at = position === undefined ? null : position + from;
    from += (await file.write(bytes, from, bytes.length - from, at)).bytesWritten;
  }
}
