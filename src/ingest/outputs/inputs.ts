/**
 * The files and directories that a command reads, and that an output must not touch.
 *
 * @module
 */
import type { Stats } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { join, relative, resolve, sep } from "node:path";
import { statIfPresent } from "../../input/io/index.ts";

export interface Input {
  readonly path: string;
  readonly real: string;
  readonly isDirectory: boolean;
}

export function isBelow(path: string, directory: string): boolean {
  const below = relative(directory, path);
  return below === "" || (!below.startsWith(`..${sep}`) && below !== ".." && resolve(below) !== below);
}

export async function findInput(path: string): Promise<Input | undefined> {
  if (path === "-") return undefined;
  const stats = await statIfPresent(path);
  return stats && { path, real: await realpath(path), isDirectory: stats.isDirectory() };
}

export async function listFiles(inputs: readonly Input[]): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  const seen = new Set<string>();
  const enter = async (folder: string): Promise<void> => {
    const real = await realpath(folder).catch(() => undefined);
    if (real === undefined || seen.has(real)) return;
    seen.add(real);
    for (const name of await readdir(folder).catch(() => [])) {
      if (name.startsWith(".")) continue;
      const path = join(folder, name);
      // An inaccessible file is not read either: the walk reports it and leaves it out.
      const stats = await stat(path).catch(() => undefined);
      if (stats?.isDirectory() === true) await enter(path);
      else if (stats?.isFile() === true) files.set(formatKey(stats), path);
    }
  };
  for (const { path, isDirectory } of inputs) {
    if (isDirectory) await enter(path);
    else files.set(formatKey(await stat(path)), path);
  }
  return files;
}

export function formatKey({ dev, ino }: Pick<Stats, "dev" | "ino">): string {
  return `${dev}:${ino}`;
}
