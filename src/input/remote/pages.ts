import { StoreFailure } from "./remote-file.ts";

/** Half a million files in pages of a hundred. */
const MAX_PAGES = 5000;

/** The pages of a list, each of which names the next, as a chain that must end. */
export class PageChain {
  readonly #seen = new Set<string>();

  /**
   * Call with the name of the next page.
   *
   * @throws StoreFailure when that page was named before, or there are too many pages
   */
  follow(next: string): void {
    const fail = (words: string): never => {
      throw new StoreFailure(words, { status: 200, isPassing: false });
    };
    if (this.#seen.has(next)) fail("its list of files leads back to a page that was read");
    if (this.#seen.size >= MAX_PAGES) fail(`its list of files has more than ${MAX_PAGES} pages`);
    this.#seen.add(next);
  }
}
