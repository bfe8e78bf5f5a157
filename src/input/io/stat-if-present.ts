import type { Stats } from "node:fs";
import { stat } from "node:fs/promises";
import { fileSystemError, isSystemError } from "../../core/base/index.ts";

/** ENOTDIR: part of the path is a file, so nothing can be below it. */
const ABSENT = new Set(["ENOENT", "ENOTDIR"]);

/**
 * The stats of a path; undefined when nothing exists there. An inaccessible path is an error: treated as absent, a
 * directory without permission would be reported as missing, and the files in it as free to be overwritten.
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
