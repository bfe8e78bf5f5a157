/**
 * Starred places of the run: kept by the server, so that every page of it has them.
 *
 * @module
 */
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { Star, StarChange } from "../../../src/results/story.ts";
import { client } from "../api/client.ts";
import { lazily } from "./loaded.ts";

export const stars = lazily(client.stars);
export const story = lazily(client.story);

const failed = signal("");
/** Why the last star could not be saved; empty if it was. */
export const starFailure: ReadonlySignal<string> = failed;

/** The star of a handle; undefined without one, or until the list is loaded. */
export function findStar(handle: string): Star | undefined {
  const loaded = stars().value;
  return loaded.state === "ready" ? loaded.value.stars.find((star) => star.handle === handle) : undefined;
}

/** The handles that are starred, with those of the sequences that starred tokens are in. */
export const starred: ReadonlySignal<ReadonlySet<string>> = computed(() => {
  const loaded = stars().value;
  if (loaded.state !== "ready") return new Set();
  return new Set(loaded.value.stars.flatMap(({ handle }) => [handle, handle.replace(/\.t\d+$/, "")]));
});

export async function changeStar(change: StarChange): Promise<void> {
  try {
    await client.changeStar(change);
    failed.value = "";
  } catch (error) {
    failed.value = error instanceof Error ? error.message : String(error);
    return;
  }
  await Promise.all([stars.again(), story.again()]);
}
