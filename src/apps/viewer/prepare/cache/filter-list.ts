/**
 * The saved filters of a run, next to its caches.
 *
 * @module
 */
import { join } from "node:path";
import { UsageError } from "../../../../core/base/index.ts";
import type { SavedFilter, SavedFilterChange, SavedFilterList } from "../../../../results/filters.ts";
import { seenFrom } from "./alert-list.ts";
import { digest } from "./inputs.ts";
import { changeKept, type KeptKind, putKept, readKept } from "./kept-list.ts";

export const MOST_FILTERS = 200;
export const MOST_NAME_CHARACTERS = 200;
/** As many as a filter may have where it is asked. */
export const MOST_FILTER_CHARACTERS = 2000;

const FILTERS: KeptKind<SavedFilter> = {
  read: (value) => {
    const { name, filter } = readFilterChange(value);
    return filter === null ? undefined : { name, filter };
  },
  most: MOST_FILTERS,
  tooMany: `at most ${MOST_FILTERS} filters can be saved; remove one first`,
};

export function filterListFile(place: string, paths: readonly string[]): string {
  return join(place, `filters-${digest(seenFrom(place, paths))}.jsonl`);
}

/** @throws UsageError if it is not a change of a saved filter, or is too long */
export function readFilterChange(asked: unknown): SavedFilterChange {
  const { name, filter } = (asked ?? {}) as Record<string, unknown>;
  if (typeof name !== "string" || name.trim() === "") throw new UsageError("a saved filter needs a name");
  if (name.length > MOST_NAME_CHARACTERS)
    throw new UsageError(`the name has ${name.length} characters; the limit is ${MOST_NAME_CHARACTERS}`);
  if (filter !== null && (typeof filter !== "string" || filter.trim() === ""))
    throw new UsageError("a saved filter must be a text, or null to remove it");
  if (filter !== null && filter.length > MOST_FILTER_CHARACTERS)
    throw new UsageError(
      `the filter has ${filter.length} characters; the limit is ${MOST_FILTER_CHARACTERS}`,
    );
  return { name: name.trim(), filter };
}

/** Empty without a file; lines that are not filters are skipped. */
export async function readFilterList(file: string): Promise<SavedFilterList> {
  return filterList(await readKept(file, FILTERS));
}

/**
 * Saves a filter, changes the one of that name, or removes it.
 *
 * @throws UsageError if there are too many
 * @throws FileSystemError if the file cannot be written
 */
export async function changeFilter(
  file: string,
  { name, filter }: SavedFilterChange,
): Promise<SavedFilterList> {
  const saved = filter === null ? undefined : { name, filter };
  const changed = await changeKept(file, FILTERS, (filters) =>
    putKept(filters, (each) => each.name === name, saved),
  );
  return filterList(changed);
}

function filterList(filters: readonly SavedFilter[]): SavedFilterList {
  return { schemaVersion: 1, kind: "view-filters", filters };
}
