import { join } from "node:path";
import type { Browser } from "playwright-core";
import { describe, expect, it } from "vitest";
import { writeLongRun } from "../../bench/support/long-run.mjs";
import { type Measures, measureSequence } from "../../bench/support/view-measures.mjs";
import { hasBrowser, openPage, warnWithoutBrowser } from "../support/browser.ts";
import { DEMO_FLAGS, type Workplace } from "../support/built-view.ts";
import { sample } from "../support/run-size.ts";
import { useViewer } from "../support/use-viewer.ts";

warnWithoutBrowser("long sequences in the viewer");

/** `npm run bench -- view` measures how fast they are shown. */
describe.skipIf(!hasBrowser)("long sequences", () => {
  let browser: Browser;
  let place: Workplace;
  useViewer(async (aBrowser, aPlace) => {
    [browser, place] = [aBrowser, aPlace];
  });

  it.each(sample([100_000, 25_000], 2))("of %i tokens never have as many nodes as tokens", async (tokens) => {
    const path = join(place.folder, `${tokens}.jsonl`);
    writeLongRun(path, tokens);
    const { url } = await place.serve(path, ...DEMO_FLAGS);
    const { page, errors } = await openPage(browser);
    const { nodes }: Measures = await measureSequence(page, url);
    expect(nodes).toBeLessThan(20_000);
    expect(errors).toEqual([]);
    await page.close();
  });
});
