/**
 * Messages for clients without a shell: the names in a directory, and arguments in place of flags.
 *
 * @module
 */
import { readdir, realpath } from "node:fs/promises";
import { dirname } from "node:path";
import { COLUMN_FLAGS } from "../../core/schema/index.ts";
import { isAdmitted, type Roots } from "./roots.ts";
import type { Tool } from "./tools.ts";

const MOST_NAMES = 20;

/**
 * The names in a directory, or in the nearest existing one above a missing path, if it may be read; undefined where
 * there are none. Directories end in `/`; hidden names are left out.
 */
export async function listNames(path: string, roots: Roots): Promise<string | undefined> {
  for (let place = path; isAdmitted(place, roots); place = dirname(place)) {
    const entries = await readdir(place, { withFileTypes: true }).catch(() => undefined);
    if (entries === undefined) continue;
    // Names of another place would be told if a part of this path is a link, also one that was exchanged just now.
    if ((await realpath(place).catch(() => undefined)) !== place) return undefined;
    const names = entries
      .filter(({ name }) => !name.startsWith("."))
      .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
      .sort();
    if (names.length === 0) return `${place} is empty`;
    const more = names.length - MOST_NAMES;
    return `in ${place}: ${names.slice(0, MOST_NAMES).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  }
  return undefined;
}

/** A verb's message, with the tool's arguments in place of flags. */
export function nameArguments(text: string, { input }: Pick<Tool, "input">): string {
  const columns = new Map<string, string>(
    "columns" in input ? Object.entries(COLUMN_FLAGS).map(([name, flag]) => [flag, `columns.${name}`]) : [],
  );
  return text.replace(/--[a-z][a-z-]*/g, (flag) => {
    const name = flag.slice(2).replaceAll("-", "_");
    return columns.get(flag) ?? (Object.hasOwn(input, name) ? name : flag);
  });
}
