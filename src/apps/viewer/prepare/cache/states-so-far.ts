/**
 * States of a run while it is read for the first time: the answers so far, in a temporary cache that shares the growing
 * files with the one being built.
 *
 * @module
 */
import { isLogratioError } from "../../../../core/base/index.ts";
import { temporaryCache } from "./cache-place.ts";
import { openPrepared } from "./open-prepared.ts";
import type { PrepareOptions } from "./options.ts";
import { sharePassFiles } from "./share-file.ts";

/** Before the first state. */
const FIRST_MS = 1000;
/** Reading gets at least this many times the time spent on writing states. */
const READ_SHARE = 8;
/** The least time between two states: the page draws each. */
const BETWEEN_MS = 2500;

export class StatesSoFar {
  readonly #places: readonly string[];
  readonly #paths: readonly string[];
  readonly #options: PrepareOptions;
  #next: number;
  #count = 0;

  constructor(places: readonly string[], paths: readonly string[], options: PrepareOptions) {
    this.#places = places;
    this.#paths = paths;
    this.#options = options;
    this.#next = Date.now() + (options.soFar?.everyMs ?? FIRST_MS);
  }

  /** Whether a page waits for one, and it would hardly slow down reading. */
  get isDue(): boolean {
    const { soFar } = this.#options;
    return soFar !== undefined && Date.now() >= this.#next && soFar.isWatched();
  }

  /**
   * Publishes what was read so far.
   *
   * @param growing where the files that grow are
   * @param readShare of the bytes; undefined if their number is not known
   * @param write writes the other answers of the state with this number into a directory
   */
  async show(
    growing: string,
    readShare: number | undefined,
    write: (directory: string, count: number) => Promise<string>,
  ): Promise<void> {
    const began = Date.now();
    const temporary = await temporaryCache(this.#places);
    try {
      await sharePassFiles(growing, temporary.path);
      await write(temporary.path, ++this.#count);
      const run = await openPrepared(temporary.path, {
        status: "preparing",
        ...(readShare !== undefined && { readShare }),
        paths: this.#paths,
        flags: this.#options.flags ?? [],
        reused: false,
        complete: false,
        onClosed: () => temporary.remove(),
      });
      this.#options.soFar!.onRun(run);
    } catch (error) {
      await temporary.remove();
      // No token can be compared yet.
      if (!isLogratioError(error, "EmptyInputError")) throw error;
    }
    const { everyMs } = this.#options.soFar!;
    const took = Date.now() - began;
    this.#next = Date.now() + (everyMs ?? Math.max(BETWEEN_MS, READ_SHARE * took));
  }
}
