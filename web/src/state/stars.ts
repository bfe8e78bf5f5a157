/**
 * Starred places of the run: kept by the server, so that every page of it has them.
 *
 * @module
 */
import { type ReadonlySignal, signal } from "@preact/signals";
import type { Star } from "../../../src/results/index.ts";
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

/** @param note null takes the star away */
export async function setStar(handle: string, note: string | null): Promise<void> {
  try {
    await client.changeStar(handle, note);
    failed.value = "";
  } catch (error) {
    failed.value = error instanceof Error ? error.message : String(error);
    return;
  }
  await Promise.all([stars.again(), story.again()]);
}
