/**
 * Paths to files: a directory is walked, and what cannot be data is left out by name.
 *
 * @module
 */
import { readdir, realpath, stat } from "node:fs/promises";
import { join, relative } from "node:path";
import { NotFoundError } from "../base/errors.ts";

export interface FoundFile {
  readonly path: string;
  /** The path that the user gave. */
  readonly root: string;
  /** Below `root`; empty when the user gave the file itself. */
  readonly relative: string;
}

export interface Walk {
  readonly files: readonly FoundFile[];
  /** Left out by name. */
  readonly ignored: readonly string[];
  /** Folders with a `STABLE` file, which prime-rl writes when a step's files are complete. */
  readonly stable: ReadonlySet<string>;
}

const DATA = /\.(?:npz|npy|pt|pth|safetensors|parquet|jsonl|ndjson|json|pkl)(?:\.(?:gz|zst|zstd))?$/i;
const NO_DATA =
  /^(?:README.*|STABLE|.*config\.json|tokenizer.*\.json|vocab\.json|special_tokens_map\.json|added_tokens\.json|chat_template\.json|preprocessor_config\.json|trainer_state\.json|model\.safetensors\.index\.json|model(?:-\d+-of-\d+)?\.safetensors|optimizer.*\.pt|scheduler\.pt|rng_state.*\.pth|training_args\.bin|train_dataloader.*\.pt|metrics\.jsonl?)$/i;

/** Whether a file of this name in a directory is taken for recorded data. */
export function isDataName(name: string): boolean {
  return DATA.test(name) && !NO_DATA.test(name);
}

const byName = new Intl.Collator("en", { numeric: true }).compare;

/**
 * Files under the given paths, in natural order; links are followed once. Hidden files, and files whose name says
 * that they are no recorded data, are left out of directories; a file that is named itself is never left out.
 *
 * @throws NotFoundError when a path does not exist
 */
export async function walk(paths: readonly string[]): Promise<Walk> {
  const files: FoundFile[] = [];
  const ignored: string[] = [];
  const stable = new Set<string>();
  const seen = new Set<string>();

  async function enter(folder: string, root: string): Promise<void> {
    const real = await realpath(folder);
    if (seen.has(real)) return;
    seen.add(real);
    for (const name of (await readdir(folder)).sort(byName)) {
      const path = join(folder, name);
      if (name.startsWith(".")) continue;
      if (name === "STABLE") stable.add(folder);
      const stats = await stat(path).catch(() => undefined);
      if (stats?.isDirectory() === true) await enter(path, root);
      else if (stats?.isFile() === true && isDataName(name)) {
        files.push({ path, root, relative: relative(root, path) });
      } else ignored.push(path);
    }
  }

  for (const path of paths) {
    if (path === "-") {
      files.push({ path, root: path, relative: "" });
      continue;
    }
    const stats = await stat(path).catch((cause: unknown) => {
      throw new NotFoundError(`${path} does not exist`, { at: { file: path }, cause });
    });
    if (stats.isDirectory()) await enter(path, path);
    else files.push({ path, root: path, relative: "" });
  }
  return { files, ignored, stable };
}
