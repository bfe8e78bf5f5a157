/** The page of `logratio serve`: its runs, as they arrive, and the viewer of one. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { describe, expect, it } from "vitest";
import { makeBatch, putBatch, startServe } from "../../bench/support/serve-load.mjs";
import { eventually, hasBrowser, openPage, readText, warnWithoutBrowser } from "../support/browser.ts";
import type { Workplace } from "../support/built-view.ts";
import { useViewer } from "../support/use-viewer.ts";

warnWithoutBrowser("the list of runs");

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core"), "utf8");
/** Of `axe-core`, which runs in the page. */
const VIOLATIONS =
  "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + nodes[0].html))";
const HOSTILE = '<img src=x onerror="alert(1)">/../7';

describe.skipIf(!hasBrowser)("the list of runs", () => {
  let browser: Browser;
  let place: Workplace;
  useViewer(async (aBrowser, aPlace) => {
    browser = aBrowser;
    place = aPlace;
  });

  it("grows while it is looked at, and leads to each run", async () => {
    const server = await startServe(join(place.folder, "runs"));
    try {
      const { page, errors } = await openPage(browser);
      await page.goto(server.url);
      await eventually(() => readText(page.locator("main.runs"))).toContain("There are no runs yet");
      const body = makeBatch({ step: 3, sequences: 32, tokens: 64 });
      expect((await putBatch(server.url, { run: HOSTILE, step: 3 }, body)).status).toBe(201);
      const row = page.locator("main.runs tbody tr");
      await eventually(() => readText(row)).toContain("3–3");
      const text = await readText(row);
      expect(text).toContain(HOSTILE);
      expect(text).toContain("2,048");
      expect(await row.locator(".level").count()).toBe(1);
      await page.evaluate(AXE);
      expect(await page.evaluate(VIOLATIONS)).toEqual([]);
      await row.locator("a").click();
      await page.locator(".top-bar .run").waitFor({ timeout: 60_000 });
      expect(await readText(page.locator(".top-bar"))).toContain("32 answers");
      expect(errors).toEqual([]);
      await page.close();
    } finally {
      expect(await server.stop()).toBe(0);
    }
  });
});
