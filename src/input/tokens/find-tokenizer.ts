/**
 * Finds the tokenizer of a run: in the given directory, or where a trainer saved it next to its dumps. slime and miles
 * save theirs as `DIR/tokenizer` with `--dump-details DIR` (`slime/rollout/data_source.py` commit 624b824a,
 * `miles/rollout/data_source.py` commit 31f1ca96).
 *
 * @module
 */
import { basename, dirname, join } from "node:path";
import { leadsInside } from "../io/confinement.ts";
import { statIfPresent } from "../io/if-present.ts";

/** Folders of `--dump-details DIR` next to the tokenizer. */
const DUMPS: ReadonlySet<string> = new Set(["train_data", "rollout_data", "policy_loss_debug"]);

async function isFile(path: string): Promise<boolean> {
  return (await statIfPresent(path))?.isFile() === true;
}

/** The parent of the dump folder that the path is or is in; else the path itself, which may be a directory. */
function findDumpRoot(path: string): string {
  for (const folder of [path, dirname(path)]) if (DUMPS.has(basename(folder))) return dirname(folder);
  return path;
}

/**
 * The directory of the tokenizer next to the dumps that the paths name.
 *
 * @returns undefined when there is none, or the paths have different ones
 */
export async function findTokenizer(paths: readonly string[]): Promise<string | undefined> {
  const found = new Set<string>();
  for (const path of paths) {
    const root = findDumpRoot(path);
    const file = join(root, "tokenizer", "tokenizer.json");
    if ((await leadsInside(file)) && (await isFile(file))) found.add(join(root, "tokenizer"));
  }
  return found.size === 1 ? [...found][0] : undefined;
}
