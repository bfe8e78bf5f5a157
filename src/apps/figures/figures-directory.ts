/**
 * A directory of figures, and which files in it are ours.
 *
 * @module
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { UsageError } from "../../core/base/index.ts";

export const FIGURES_MANIFEST = "figures.json";
export const FIGURES_KIND = "logratio-figures";

/**
 * Checks that figures may be written into a directory: a new or empty one, one with earlier figures, or with `force`
 * any.
 *
 * @throws UsageError if it contains something else
 */
export async function checkFiguresDirectory(dir: string, force = false): Promise<void> {
  const names = await readdir(dir).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return [];
    throw new UsageError(`--figures ${dir} is not a directory that can be read: ${cause.message}`, {
      at: { file: dir },
      hint: "name a new directory",
    });
  });
  if (force || names.length === 0 || (await holdsFigures(dir))) return;
  throw new UsageError(`--figures ${dir} holds other files, which figures of the same names would replace`, {
    at: { file: dir },
    hint: "name a new directory, or add --force",
  });
}

async function holdsFigures(dir: string): Promise<boolean> {
  const text = await readFile(join(dir, FIGURES_MANIFEST), "utf8").catch(() => "");
  return text.includes(`"${FIGURES_KIND}"`);
}
