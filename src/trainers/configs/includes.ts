/**
 * Configs that a config includes: hydra's and NeMo-RL's `defaults`, `--config FILE`.
 *
 * @module
 */
import path from "node:path";
import { isLogratioError } from "../../core/base/index.ts";
import type { ConfigDocument, Entry } from "../shared/config-entry.ts";
import { readConfig } from "./formats/index.ts";
import { inheritsFrom, isInclude } from "./inherits.ts";

/** Reads an included file; undefined if nothing of a config's size is there. */
export type ReadIncluded = (file: string) => string | undefined;

/** Chains of real configs have three or four; a file that includes itself ends here. */
const DEEPEST = 8;
const MOST_FILES = 64;

/** A config with what it includes, the later of equal keys the one that counts. */
export interface Resolved {
  readonly document: ConfigDocument;
  /** The first include that could not be read. */
  readonly missing?: Entry;
}

interface Walk {
  readonly read: ReadIncluded;
  /** Where hydra looks besides the including file's own folder. */
  readonly root: string;
  files: number;
}

export function resolveIncludes(document: ConfigDocument, file: string, read?: ReadIncluded): Resolved {
  if (read === undefined) {
    const from = inheritsFrom(document);
    return { document, ...(from && { missing: from }) };
  }
  const walk: Walk = { read, root: path.dirname(file), files: 0 };
  return resolve(document, file, walk, 0);
}

function resolve(document: ConfigDocument, file: string, walk: Walk, depth: number): Resolved {
  const includes = document.entries.filter(isInclude);
  const self = includes.findIndex(({ text }) => text === "_self_");
  const [before, after]: [Entry[], Entry[]] = [[], []];
  let missing: Entry | undefined;
  for (const [at, entry] of includes.entries()) {
    const target = targetOf(entry);
    if (target === undefined) continue;
    const found = depth < DEEPEST ? readTarget(target, file, walk, depth) : undefined;
    if (found === undefined) missing ??= entry;
    else {
      (self >= 0 && at > self ? after : before).push(...found.document.entries);
      missing ??= found.missing && entry;
    }
  }
  return {
    document: { ...document, entries: [...before, ...document.entries, ...after] },
    ...(missing && { missing }),
  };
}

interface Target {
  readonly file: string;
  /** Where its keys go: the group of hydra's `algorithm: grpo`, or what follows its `@`. */
  readonly under: readonly string[];
}

/** `base.yaml`, `- base`, `- algorithm: grpo`, `- algorithm@algorithm.part: part`; undefined for what names none. */
function targetOf({ path: parts, text, key }: Entry): Target | undefined {
  if (text === "_self_" || text === "" || text === "null") return undefined;
  const group = parts[0] === "defaults" && parts.length > 2 ? key.split(".").slice(2).join(".") : undefined;
  if (group === undefined) return { file: withExtension(text), under: [] };
  const [folder = "", place] = group.replace(/^(override|optional)\s+/, "").split("@");
  if (/^\/?hydra\//.test(folder)) return undefined;
  const under = (place ?? folder.replace(/^\//, "").replaceAll("/", ".")).split(".").filter(Boolean);
  return { file: path.join(folder, withExtension(text)), under: under[0] === "_global_" ? [] : under };
}

function withExtension(name: string): string {
  return /\.(ya?ml|toml|json)$/.test(name) ? name : `${name}.yaml`;
}

function readTarget(target: Target, from: string, walk: Walk, depth: number): Resolved | undefined {
  for (const folder of new Set([path.dirname(from), walk.root])) {
    const file = path.resolve(folder, target.file);
    if (++walk.files > MOST_FILES) return undefined;
    const text = walk.read(file);
    if (text === undefined) continue;
    const document = parse(text, file);
    if (document === undefined) return undefined;
    const resolved = resolve(document, file, walk, depth + 1);
    const name = path.relative(walk.root, file);
    const entries = resolved.document.entries
      .filter((entry) => !isInclude(entry))
      .map((entry) => place(entry, target.under, name));
    return { ...resolved, document: { ...resolved.document, entries } };
  }
  return undefined;
}

/** An included file that does not parse counts as missing: the trainer would stop at it, too. */
function parse(text: string, file: string): ConfigDocument | undefined {
  try {
    return readConfig(text, file).documents[0];
  } catch (error) {
    if (isLogratioError(error)) return undefined;
    throw error;
  }
}

function place(entry: Entry, under: readonly string[], file: string): Entry {
  return {
    ...entry,
    path: [...under, ...entry.path],
    key: [...under, entry.key].join("."),
    file: entry.file ?? file,
  };
}
