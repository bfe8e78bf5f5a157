/**
 * The place of an output: what exists there, and whether it is writable.
 *
 * @module
 */

import { constants, type Stats } from "node:fs";
import { access, lstat, readdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { fileSystemError, UsageError } from "../../core/base/index.ts";
import type { OutputKind } from "./kinds.ts";

/** Undefined when nothing exists; a dangling link counts as nothing. */
export async function statOutput(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT")
      throw fileSystemError(cause, "write", { file: path });
    const link = await lstat(path).catch(() => undefined);
    if (link?.isSymbolicLink() === true)
      throw new UsageError(`${path} is a broken symbolic link`, {
        at: { file: path },
        hint: "remove it, or give another name",
      });
    return undefined;
  }
}

/** Resolves a path that need not exist: the existing part is resolved, the rest stays as given. */
export async function resolveRealPath(path: string): Promise<string> {
  const whole = resolve(path);
  const real = await realpath(whole).catch(() => undefined);
  if (real !== undefined) return real;
  const parent = dirname(whole);
  return parent === whole ? whole : join(await resolveRealPath(parent), basename(whole));
}

/** Kinds whose writers create the directory. */
const MAKES_DIRECTORY: readonly OutputKind[] = ["corrected arrays", "bundle", "event file"];

/** Fails now rather than after an hour of reading. */
export async function checkDirectoryFor(path: string, kind: OutputKind): Promise<void> {
  let directory = dirname(resolve(path));
  while (MAKES_DIRECTORY.includes(kind) && (await statOutput(directory)) === undefined)
    directory = dirname(directory);
  try {
    await access(directory, constants.W_OK | constants.X_OK);
    if (!(await stat(directory)).isDirectory())
      throw Object.assign(new Error("not a directory"), { code: "ENOTDIR" });
  } catch (cause) {
    throw fileSystemError(cause, "write", { file: path });
  }
}

export async function namesIn(path: string): Promise<readonly string[]> {
  return readdir(path).catch((cause: unknown) => {
    throw fileSystemError(cause, "list", { file: path });
  });
}
