/**
 * The one place where an error of one file stays an error of that file, whatever it is.
 *
 * @module
 */

import type { LogratioError } from "../../core/base/index.ts";
import { containError, fileSystemError, isSystemError } from "../../core/base/index.ts";

/** What reading a file threw, as an error with a tag: see {@link containError}. */
export function containFileError(error: unknown, file: string): LogratioError {
  return isSystemError(error) ? fileSystemError(error, "read", { file }) : containError(error, { file });
}

/** What was read of a file counts even where closing it fails; the system closes it with the process. */
export async function closeQuietly(opened: { close(): Promise<void> } | undefined): Promise<void> {
  await opened?.close().catch(() => {});
}
