/**
 * Hugging Face checkpoints under PyTorch, scored by a Python process. Models that run in this process are elsewhere.
 *
 * @module
 */
import { homedir } from "node:os";
import { join } from "node:path";
import { NotFoundError } from "../../../core/base/index.ts";
import { listIfPresent, readTextIfPresent, statIfPresent } from "../../../input/io/index.ts";

const WEIGHTS = /\.(safetensors|bin)$/;

/**
 * Finds the directory of a location: the location itself or, for `DIR@REVISION`, the revision below it: a folder of
 * that name (`step_500`), `checkpoint-N` or `global_step_N` for a number, the same inside its `huggingface` or `hf`
 * folder, or the entry in the Hub's cache under `snapshots` for a branch, tag or commit. `ORG/MODEL` is a directory, or
 * a model in that cache.
 *
 * @throws NotFoundError when there is no such directory or revision, FileSystemError if that cannot be determined
 */
export async function findCheckpoint(where: string): Promise<string> {
  if (await isDirectory(where)) return where;
  const cached = await findCached(where);
  if (cached !== undefined) return cached;
  const at = where.lastIndexOf("@");
  const dir = where.slice(0, at);
  const revision = where.slice(at + 1);
  if (at < 0 || revision === "" || !(await isDirectory(dir))) {
    await refuseUncached(where);
    const missing = at < 0 ? where : dir;
    throw new NotFoundError(`${missing} is not a directory`, {
      at: { file: missing },
      likely: "the path is misspelled, or the model is named as on the Hub",
      hint: "download the model first, and give its directory: hf download MODEL --local-dir DIR",
    });
  }
  const names = /^\d+$/.test(revision)
    ? [revision, `checkpoint-${revision}`, `global_step_${revision}`, `step_${revision}`]
    : [revision];
  const folders = names.flatMap((name) => [name, join(name, "huggingface"), join(name, "hf")]);
  for (const folder of [...folders, ...(await findSnapshot(dir, revision))])
    if ((await checkpointFiles(join(dir, folder))).length > 0) return join(dir, folder);
  const found = await revisionNames(dir);
  throw new NotFoundError(`${dir} has no revision ${revision}`, {
    at: { file: dir },
    likely: found.length > 0 ? `its revisions are ${found.join(", ")}` : "none of its folders holds a model",
    hint: `looked for ${names.join(", ")} and snapshots/${revision}: give the revision's directory itself`,
  });
}

/** A model by its name on the Hub. */
interface HubModel {
  /** `ORG/MODEL`. */
  readonly name: string;
  /** `main` unless named. */
  readonly revision: string;
  readonly cache: string;
  /** Where it is in the cache. */
  readonly dir: string;
}

/** Undefined if the text cannot be such a name. */
function parseHubName(where: string): HubModel | undefined {
  const [, org, model, revision = "main"] = /^([\w-][\w.-]*)\/([\w.-]+)(?:@(.+))?$/.exec(where) ?? [];
  if (org === undefined) return undefined;
  const { HF_HUB_CACHE, HF_HOME } = process.env;
  const cache = HF_HUB_CACHE || join(HF_HOME || join(homedir(), ".cache", "huggingface"), "hub");
  return { name: `${org}/${model}`, revision, cache, dir: join(cache, `models--${org}--${model}`) };
}

/** A model that the Hub's own programs have downloaded. */
async function findCached(where: string): Promise<string | undefined> {
  const named = parseHubName(where);
  if (named === undefined) return undefined;
  for (const folder of await findSnapshot(named.dir, named.revision))
    if ((await checkpointFiles(join(named.dir, folder))).length > 0) return join(named.dir, folder);
  return undefined;
}

/** @throws NotFoundError for a name that may be one of the Hub's, unless a directory of that name begins it */
async function refuseUncached(where: string): Promise<void> {
  const named = parseHubName(where);
  if (named === undefined || (await isDirectory(named.name.slice(0, named.name.indexOf("/"))))) return;
  const { name, revision, cache, dir } = named;
  const isKnown = await isDirectory(dir);
  const what = isKnown ? `the revision ${revision} of ${name} is` : `${name} is`;
  throw new NotFoundError(`${what} not in the Hub's cache ${cache}, and ${name} is not a directory`, {
    at: { file: isKnown ? dir : cache },
    likely: isKnown
      ? "only another revision was downloaded, or without its weights"
      : "the model was not downloaded on this machine, HF_HOME names another cache, or the path is misspelled",
    hint: `download it first: hf download ${name}${revision === "main" ? "" : ` --revision ${revision}`}`,
  });
}

/** The Hub's cache keeps branches and tags as files that name a commit, and commits as folders. */
async function findSnapshot(dir: string, revision: string): Promise<string[]> {
  const commit = await readTextIfPresent(join(dir, "refs", revision));
  return [...(commit === undefined ? [] : [join("snapshots", commit.trim())]), join("snapshots", revision)];
}

/** Names of revisions for a hint, without directories that cannot be read. */
async function revisionNames(dir: string): Promise<string[]> {
  const found: string[] = [];
  for (const name of ((await listIfPresent(dir)) ?? []).sort())
    if ((await checkpointFiles(join(dir, name)).catch(() => [])).length > 0) found.push(name);
  return found.slice(0, 12);
}

/** Configuration and weight files of a directory; empty if it lacks either. @throws FileSystemError */
export async function checkpointFiles(dir: string): Promise<string[]> {
  const names = (await listIfPresent(dir)) ?? [];
  const weights = names.filter((name) => WEIGHTS.test(name)).sort();
  return names.includes("config.json") && weights.length > 0
    ? ["config.json", ...weights].map((name) => join(dir, name))
    : [];
}

async function isDirectory(path: string): Promise<boolean> {
  return (await statIfPresent(path))?.isDirectory() === true;
}
