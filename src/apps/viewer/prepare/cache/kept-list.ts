/**
 * Short lists that the server stores for a run on behalf of the page, next to its caches, one JSON object per line.
 * They outlive a cache that is rebuilt.
 *
 * @module
 */
import { UsageError } from "../../../../core/base/index.ts";
import { readTextIfPresent, writeWholeFile } from "../../../../input/io/index.ts";

export interface KeptKind<Item> {
  /** Undefined, or throws, for what is not an item. */
  readonly read: (value: unknown) => Item | undefined;
  readonly most: number;
  /** The message when there would be more. */
  readonly tooMany: string;
}

/**
 * Empty without a file; lines that are not items are skipped.
 *
 * @throws FileSystemError if the file exists and cannot be read: the next change would overwrite it
 */
export async function readKept<Item>(file: string, { read, most }: KeptKind<Item>): Promise<Item[]> {
  const text = (await readTextIfPresent(file)) ?? "";
  const items = text.split("\n").flatMap((line): Item[] => {
    try {
      const item = read(JSON.parse(line));
      return item === undefined ? [] : [item];
    } catch {
      return [];
    }
  });
  return items.slice(0, most);
}

const writing = new Map<string, Promise<unknown>>();

type Change<Item> = (items: readonly Item[]) => readonly Item[];

/**
 * Changes the list. Changes of one file are made one after the other.
 *
 * @returns the list afterwards
 * @throws UsageError if there are too many
 * @throws FileSystemError if the file cannot be written
 */
export async function changeKept<Item>(
  file: string,
  kind: KeptKind<Item>,
  change: Change<Item>,
): Promise<readonly Item[]> {
  const before = writing.get(file) ?? Promise.resolve();
  const apply = (): Promise<readonly Item[]> => applyChange(file, kind, change);
  const done = before.then(apply, apply);
  writing.set(file, done);
  try {
    return await done;
  } finally {
    if (writing.get(file) === done) writing.delete(file);
  }
}

async function applyChange<Item>(
  file: string,
  kind: KeptKind<Item>,
  change: Change<Item>,
): Promise<readonly Item[]> {
  const items = change(await readKept(file, kind));
  if (items.length > kind.most) throw new UsageError(kind.tooMany);
  await writeWholeFile(file, items.map((each) => `${JSON.stringify(each)}\n`).join(""));
  return items;
}

/** The list with an item replacing the matching one, else appended; undefined removes it. */
export function putKept<Item>(
  items: readonly Item[],
  isLike: (item: Item) => boolean,
  item: Item | undefined,
): readonly Item[] {
  if (item === undefined) return items.filter((each) => !isLike(each));
  return items.some(isLike) ? items.map((each) => (isLike(each) ? item : each)) : [...items, item];
}
