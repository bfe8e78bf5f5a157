/**
 * Guesses where the tokenizer of a run is, for a hint; it is not used unless given.
 *
 * @module
 */
import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";

/** Names of folders next to a run to search. */
const LIKELY = /token|model|checkpoint|actor|policy|hf/i;
const MOST_FOLDERS = 32;

/**
 * A directory with `tokenizer.json`: the run's own, the one above, a folder of either with a model-like name, or the
 * one that a `config.json` there names. Undefined without one, or if the run is not on this machine.
 */
export async function guessTokenizer([path]: readonly string[]): Promise<string | undefined> {
  if (path === undefined || path === "-" || path.includes("://")) return undefined;
  const isDirectory = await stat(path).then(
    (found) => found.isDirectory(),
    () => undefined,
  );
  if (isDirectory === undefined) return undefined;
  const own = isDirectory ? resolve(path) : dirname(resolve(path));
  for (const near of [own, dirname(own)])
    for (const folder of [near, ...(await likelyFolders(near))]) {
      const named = (await hasTokenizer(folder)) ? folder : await namedByConfig(folder);
      if (named !== undefined) return named;
    }
  return undefined;
}

async function likelyFolders(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && LIKELY.test(entry.name))
    .slice(0, MOST_FOLDERS)
    .map(({ name }) => join(directory, name))
    .sort();
}

/** A model's configuration names its source directory. */
async function namedByConfig(directory: string): Promise<string | undefined> {
  try {
    const config: unknown = JSON.parse(await readFile(join(directory, "config.json"), "utf8"));
    const name = (config as { _name_or_path?: unknown } | null)?._name_or_path;
    if (typeof name !== "string" || name === "") return undefined;
    const named = resolve(directory, name);
    return (await hasTokenizer(named)) ? named : undefined;
  } catch {
    // Not a configuration.
    return undefined;
  }
}

function hasTokenizer(directory: string): Promise<boolean> {
  return stat(join(directory, "tokenizer.json")).then(
    (found) => found.isFile(),
    () => false,
  );
}
