import { type ConfigDocument, type Entry, endsWith, normalizedPath } from "../shared/config-entry.ts";
import type { ConfigView, Dialect } from "../shared/dialect.ts";

interface Index {
  /** By the last part of their paths, in the document's order. */
  readonly byLast: ReadonlyMap<string, readonly Entry[]>;
  readonly dotted: readonly string[];
}

const indexes = new WeakMap<ConfigDocument, Index>();

/** Every trainer's keys are looked up in every config: a pass over all entries for each would take most of the time. */
function indexOf(document: ConfigDocument): Index {
  const known = indexes.get(document);
  if (known) return known;
  const byLast = new Map<string, Entry[]>();
  for (const entry of document.entries) {
    const last = entry.path.at(-1) ?? "";
    const same = byLast.get(last);
    if (same) same.push(entry);
    else byLast.set(last, [entry]);
  }
  const index = { byLast, dotted: document.entries.map(({ path }) => path.join(".")) };
  indexes.set(document, index);
  return index;
}

/** The first entry whose dotted path matches. */
export function findMarked(document: ConfigDocument, mark: RegExp): Entry | undefined {
  return document.entries[indexOf(document).dotted.findIndex((path) => mark.test(path))];
}

/** Entries whose path ends with these parts at least. */
function endingIn(document: ConfigDocument, parts: readonly string[]): readonly Entry[] {
  return indexOf(document).byLast.get(parts.at(-1) ?? "") ?? [];
}

export function makeView(document: ConfigDocument, text: string): ConfigView {
  return {
    document,
    text,
    get: (dotted) => {
      const parts = normalizedPath(dotted);
      return endingIn(document, parts).findLast((entry) => endsWith(entry, parts));
    },
    below: (dotted) => {
      const parts = normalizedPath(dotted);
      return document.entries.flatMap((entry) => {
        const at = findParts(entry.path, parts);
        return at < 0 || at + parts.length >= entry.path.length
          ? []
          : [{ rest: entry.path.slice(at + parts.length), entry }];
      });
    },
  };
}

/** All possible paths of a setting: its name in each section, or alone. */
export function settingPaths(dialect: Dialect, name: string): string[][] {
  const parts = normalizedPath(name);
  return dialect.sections.map((section) => {
    const parents = section === "" ? [] : normalizedPath(section);
    return parents.every((part, i) => parts[i] === part) ? parts : [...parents, ...parts];
  });
}

/** The last entry that sets this, with its section. */
export function findSetting(document: ConfigDocument, dialect: Dialect, setting: string): Entry | undefined {
  const name = dialect.names?.[setting] ?? setting;
  const bare = normalizedPath(name);
  const entries = endingIn(document, bare);
  if (entries.length === 0) return undefined;
  const paths = settingPaths(dialect, name);
  return entries.findLast((entry) => {
    if (isCallTo(document, dialect))
      return samePath(entry.path, bare) || samePath(entry.path, bare.slice(-1));
    return (
      paths.some((path) =>
        path.length === bare.length ? samePath(entry.path, path) : endsWith(entry, path),
      ) || samePath(entry.path, bare)
    );
  });
}

export function isCallTo({ callee }: ConfigDocument, dialect: Dialect): boolean {
  return callee !== undefined && dialect.callees.includes(callee);
}

function samePath(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((part, i) => part === b[i]);
}

function findParts(path: readonly string[], parts: readonly string[]): number {
  return path.findIndex((_, at) => parts.every((part, i) => path[at + i] === part));
}
