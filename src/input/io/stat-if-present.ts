import type { Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { fileSystemError, isSystemError } from "../../core/base/index.ts";

/** ENOTDIR: a file stands where the path has a directory, so nothing can be below it. */
const ABSENT = new Set(["ENOENT", "ENOTDIR"]);

/**
 * What is at a path; undefined where nothing is. What may be there and cannot be looked at is an error: taken for
 * absent, a directory without permission would be reported as missing, and what is in it as free to be written over.
 *
 * @throws FileSystemError
 */
export async function statIfPresent(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (cause) {
    if (isSystemError(cause) && ABSENT.has(cause.code)) return undefined;
    throw fileSystemError(cause, "read", { file: path });
  }
}
