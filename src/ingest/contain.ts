/**
 * Turns anything thrown while a file is read into an error of that file.
 *
 * @module
 */

import type { LogratioError } from "../core/base/index.ts";
import { containError, fileSystemError, isSystemError } from "../core/base/index.ts";

/** Turns anything thrown while a file is read into an error with a tag: see {@link containError}. */
export function containFileError(error: unknown, file: string): LogratioError {
  return isSystemError(error) ? fileSystemError(error, "read", { file }) : containError(error, { file });
}

/** Closes a file and ignores a failure: what was read counts, and the system closes the file with the process. */
export async function closeQuietly(opened: { close(): Promise<void> } | undefined): Promise<void> {
  await opened?.close().catch(() => {});
}
