/**
 * The stars of a run, next to its caches, one JSON object per line: they outlive a rebuilt cache.
 *
 * @module
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { UsageError } from "../../../../core/base/index.ts";
import { writeWholeFile } from "../../../../input/io/index.ts";
import type { Star, StarChange, StarList } from "../../../../results/index.ts";
import { seenFrom } from "./alert-list.ts";
import { digest } from "./inputs.ts";

/** More than anyone reads; limits what a page can make the server store. */
export const MOST_STARS = 500;
export const MOST_NOTE_CHARACTERS = 4000;
const HANDLE = /^(?:s-?\d{1,15}\.)?(?:r\d{1,15}\.)?q\d{1,15}(?:\.t\d{1,15})?$/;

/** Named like the list of alerts: no part of the name comes from a page. */
export function starListFile(place: string, paths: readonly string[]): string {
  return join(place, `stars-${digest(seenFrom(place, paths))}.jsonl`);
}

/** @throws UsageError when it is not a change of a star, or too long */
export function readStarChange(asked: unknown): StarChange {
  const { handle, note, before } = (asked ?? {}) as Record<string, unknown>;
  if (typeof handle !== "string" || !HANDLE.test(handle))
    throw new UsageError("a star needs the handle of a sequence or token, such as s30.q48.t39");
  if (note === undefined && before !== undefined) {
    if (before !== null && (typeof before !== "string" || !HANDLE.test(before)))
      throw new UsageError("a star is moved before the handle of another star, or with null to the end");
    return { handle, before };
  }
  if (note !== null && typeof note !== "string")
    throw new UsageError("the note of a star must be a text, or null to remove the star");
  if (note !== null && note.length > MOST_NOTE_CHARACTERS)
    throw new UsageError(`the note has ${note.length} characters; the limit is ${MOST_NOTE_CHARACTERS}`);
  return { handle, note };
}

/** Empty without a file; lines that are not stars are skipped. */
export async function readStarList(file: string): Promise<StarList> {
  const text = await readFile(file, "utf8").catch(() => "");
  const stars = text.split("\n").flatMap((line): Star[] => {
    try {
      const star = readStarChange(JSON.parse(line));
      return !("note" in star) || star.note === null ? [] : [{ handle: star.handle, note: star.note }];
    } catch {
      return [];
    }
  });
  return { schemaVersion: 1, kind: "view-stars", stars: stars.slice(0, MOST_STARS) };
}

const writing = new Map<string, Promise<unknown>>();

/**
 * Adds a star, changes its note, moves it, or removes it. Changes of one file are made one after the other.
 *
 * @throws UsageError when there are too many
 * @throws FileSystemError when the file cannot be written
 */
export async function changeStar(file: string, change: StarChange): Promise<StarList> {
  const before = writing.get(file) ?? Promise.resolve();
  const done = before.then(
    () => applyChange(file, change),
    () => applyChange(file, change),
  );
  writing.set(file, done);
  try {
    return await done;
  } finally {
    if (writing.get(file) === done) writing.delete(file);
  }
}

async function applyChange(file: string, change: StarChange): Promise<StarList> {
  const list = await readStarList(file);
  const stars =
    "note" in change ? setNote(list.stars, change) : moveStar(list.stars, change.handle, change.before);
  if (stars.length > MOST_STARS)
    throw new UsageError(`at most ${MOST_STARS} places can be starred; remove a star first`);
  await writeWholeFile(file, formatStars(stars));
  return { ...list, stars };
}

function setNote(
  stars: readonly Star[],
  { handle, note }: Extract<StarChange, { readonly note: unknown }>,
): readonly Star[] {
  if (note === null) return stars.filter((star) => star.handle !== handle);
  const isKnown = stars.some((star) => star.handle === handle);
  if (!isKnown) return [...stars, { handle, note }];
  return stars.map((star) => (star.handle === handle ? { handle, note } : star));
}

/** Where another page has taken away the star, or the one that it should stand before, all stay where they are. */
function moveStar(stars: readonly Star[], handle: string, before: string | null): readonly Star[] {
  const star = stars.find((one) => one.handle === handle);
  const others = stars.filter((one) => one !== star);
  const at = before === null ? others.length : others.findIndex((one) => one.handle === before);
  return star === undefined || at < 0 ? stars : [...others.slice(0, at), star, ...others.slice(at)];
}

function formatStars(stars: readonly Star[]): string {
  return stars.map(({ handle, note }) => `${JSON.stringify({ handle, note })}\n`).join("");
}
