import { type ConfigDocument, type Entry, endsWith, normalizedPath } from "../shared/config-entry.ts";
import type { ConfigView, Dialect } from "../shared/dialect.ts";

export function makeView(document: ConfigDocument, text: string): ConfigView {
  return {
    document,
    text,
    get: (dotted) => {
      const parts = normalizedPath(dotted);
      return document.entries.findLast((entry) => endsWith(entry, parts));
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
  return document.entries.findLast((entry) => {
    if (isCallTo(document, dialect))
      return samePath(entry.path, bare) || samePath(entry.path, bare.slice(-1));
    return (
      settingPaths(dialect, name).some((path) =>
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
