/**
 * The versions of trainers that are installed or pinned where a config lies.
 *
 * @module
 */
import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { leadsInside } from "../../../input/io/index.ts";
import type { FoundVersion } from "../judge.ts";
import { findPin, normalizedName } from "./pins.ts";

/** Folders above the config that are looked at: a project's root is seldom farther. */
const MOST_FOLDERS = 6;
/** A lock file of thousands of packages has about two million characters. */
const LARGEST_FILE = 1 << 24;
const PINS = /^(requirements[\w.-]*\.txt|uv\.lock|poetry\.lock|pyproject\.toml)$/;
const ENVIRONMENTS = ["VIRTUAL_ENV", "CONDA_PREFIX"];

/** A place with versions, in the order in which they count. */
type Place = (distribution: string) => FoundVersion | undefined;

/**
 * Looks for versions from a config's folder up to the root of its repository: a virtual environment there (what will
 * run), then what its files pin, then the active environment. Files that cannot be read are passed over.
 *
 * @param environment the variables that name the active environment; `process.env`
 * @returns what is found for a distribution on PyPI
 */
export async function findVersions(
  file: string,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<(distribution: string) => FoundVersion | undefined> {
  const near: Place[] = [];
  for (const folder of await listFolders(path.dirname(path.resolve(file)))) {
    const names = await listNames(folder);
    for (const name of names.filter((one) => /^\.?venv$/.test(one)))
      near.push(...(await readEnvironment(path.join(folder, name))));
    for (const name of names.filter((one) => PINS.test(one)).sort(byWeight))
      near.push(...(await readPins(path.join(folder, name))));
  }
  const active = await Promise.all(
    ENVIRONMENTS.flatMap((name) => {
      const folder = environment[name];
      return folder === undefined || folder === "" ? [] : readEnvironment(folder);
    }),
  );
  const places = [...near, ...active.flat()];
  return (distribution) => {
    for (const place of places) {
      const found = place(distribution);
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

/** The names in a folder; none where nothing is, or nothing that may be read. */
async function listNames(folder: string): Promise<string[]> {
  if (!(await leadsInside(folder))) return [];
  return readdir(folder).catch(() => []);
}

/** The folder and those above it, up to the one with `.git`. */
async function listFolders(start: string): Promise<string[]> {
  const folders = [start];
  while (folders.length < MOST_FOLDERS) {
    const last = folders.at(-1)!;
    const isRoot = await stat(path.join(last, ".git")).then(
      () => true,
      () => false,
    );
    const above = path.dirname(last);
    if (isRoot || above === last) break;
    folders.push(above);
  }
  return folders;
}

/** Lock files say what was installed; requirements and pyproject.toml what was asked for. */
function byWeight(a: string, b: string): number {
  return Number(/\.lock$/.test(b)) - Number(/\.lock$/.test(a)) || a.localeCompare(b);
}

async function readPins(file: string): Promise<Place[]> {
  const about = await stat(file).catch(() => undefined);
  if (!about?.isFile() || about.size > LARGEST_FILE || !(await leadsInside(file))) return [];
  const text = await readFile(file, "utf8").catch(() => "");
  return [
    (distribution) => {
      const pin = findPin(text, file, distribution);
      return pin && { version: pin.version, from: `${path.basename(file)}, line ${pin.line}` };
    },
  ];
}

/** What `site-packages` of an environment has, by the names of its metadata folders. */
async function readEnvironment(folder: string): Promise<Place[]> {
  const lib = path.join(folder, "lib");
  const pythons = (await listNames(lib)).filter((name) => /^python3/.test(name));
  const listed = await Promise.all(
    pythons.map((python) => listNames(path.join(lib, python, "site-packages"))),
  );
  const installed = new Map<string, string>();
  for (const name of listed.flat()) {
    const [, distribution, version] = /^(.+?)-(\d[^-]*)\.dist-info$/.exec(name) ?? [];
    if (distribution !== undefined && version !== undefined)
      installed.set(normalizedName(distribution), version);
  }
  return [
    (distribution) => {
      const version = installed.get(normalizedName(distribution));
      return version === undefined ? undefined : { version, from: `installed in ${path.basename(folder)}` };
    },
  ];
}
