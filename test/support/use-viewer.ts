import type { Browser } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { openBrowser } from "./browser.ts";
import { type Workplace, workplace } from "./built-view.ts";

/** A browser and a folder for the tests of one `describe`; both are removed after them. */
export function useViewer(prepare: (browser: Browser, place: Workplace) => Promise<void>): void {
  let browser: Browser;
  let place: Workplace;
  beforeAll(async () => {
    [browser, place] = await Promise.all([openBrowser(), workplace()]);
    await prepare(browser, place);
  });
  afterAll(async () => {
    await browser.close();
    await place.leave();
  });
}
