/**
 * The stars of a run, next to its caches.
 *
 * @module
 */
import { join } from "node:path";
import { UsageError } from "../../../../core/base/index.ts";
import { readHandle } from "../../../../core/schema/index.ts";
import type { Star, StarChange, StarList } from "../../../../results/story.ts";
import { seenFrom } from "./alert-list.ts";
import { digest } from "./inputs.ts";
import { changeKept, type KeptKind, putKept, readKept } from "./kept-list.ts";

/** More than anyone reads; limits what a page can make the server store. */
export const MOST_STARS = 500;
export const MOST_NOTE_CHARACTERS = 4000;

const STARS: KeptKind<Star> = {
  read: (value) => {
    const star = readStarChange(value);
    return !("note" in star) || star.note === null ? undefined : { handle: star.handle, note: star.note };
  },
  most: MOST_STARS,
  tooMany: `at most ${MOST_STARS} places can be starred; remove a star first`,
};

/** Named like the list of alerts: no part of the name comes from a page. */
export function starListFile(place: string, paths: readonly string[]): string {
  return join(place, `stars-${digest(seenFrom(place, paths))}.jsonl`);
}

/** @throws UsageError when it is not a change of a star, or too long */
export function readStarChange(asked: unknown): StarChange {
  const { handle, note, before } = (asked ?? {}) as Record<string, unknown>;
  if (typeof handle !== "string" || readHandle(handle) === undefined)
    throw new UsageError("a star needs the handle of a sequence or token, such as s30.q48.t39");
  if (note === undefined && before !== undefined) {
    if (before !== null && (typeof before !== "string" || readHandle(before) === undefined))
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
  return starList(await readKept(file, STARS));
}

/**
 * Adds a star, changes its note, moves it, or removes it. Changes of one file are made one after the other.
 *
 * @throws UsageError when there are too many
 * @throws FileSystemError when the file cannot be written
 */
export async function changeStar(file: string, change: StarChange): Promise<StarList> {
  const changed = await changeKept(file, STARS, (stars) =>
    "note" in change ? setNote(stars, change) : moveStar(stars, change.handle, change.before),
  );
  return starList(changed);
}

function setNote(
  stars: readonly Star[],
  { handle, note }: Extract<StarChange, { readonly note: unknown }>,
): readonly Star[] {
  return putKept(stars, (star) => star.handle === handle, note === null ? undefined : { handle, note });
}

/** If another page has removed the star, or the one it should precede, the order does not change. */
function moveStar(stars: readonly Star[], handle: string, before: string | null): readonly Star[] {
  const star = stars.find((one) => one.handle === handle);
  const others = stars.filter((one) => one !== star);
  const at = before === null ? others.length : others.findIndex((one) => one.handle === before);
  return star === undefined || at < 0 ? stars : [...others.slice(0, at), star, ...others.slice(at)];
}

function starList(stars: readonly Star[]): StarList {
  return { schemaVersion: 1, kind: "view-stars", stars };
}
