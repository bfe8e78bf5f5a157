import { readFileSync } from "node:fs";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningView } from "../../bench/support/view-server.mjs";
import {
  eventually,
  goTo,
  hasBrowser,
  openBrowser,
  openPage,
  warnWithoutBrowser,
} from "../support/browser.ts";
import { DEMO, DEMO_FLAGS, type Workplace, workplace } from "../support/built-view.ts";

warnWithoutBrowser("exports of the viewer");

/** Views, and a picture or table that each must give away. */
const VIEWS = [
  ["#/overview", "mean-abs-delta"],
  ["#/sequences", "sequences"],
  ["#/sequences?layout=matrix", "sequences-by-turns"],
  ["#/sequences?layout=groups", "groups"],
  ["#/sequence/0", "sequence-delta"],
  ["#/tokens", "tokens by occurrence"],
  ["#/whatif", "ratio-histogram"],
  ["#/digits", "digit metrics"],
] as const;

describe.skipIf(!hasBrowser)("exports", () => {
  let browser: Browser;
  let place: Workplace;
  let server: RunningView;
  let page: Page;
  beforeAll(async () => {
    [browser, place] = await Promise.all([openBrowser(), workplace()]);
    server = await place.serve(DEMO, ...DEMO_FLAGS);
    ({ page } = await openPage(browser));
  });
  afterAll(async () => {
    await browser.close();
    await place.leave();
  });

  const menuOf = (name: string): Locator => page.getByRole("menu", { name: `Export ${name}`, exact: true });

  async function saved(name: string, format: string): Promise<string> {
    const button = page.getByRole("button", { name: `Export ${name}`, exact: true }).first();
    await button.click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      menuOf(name).getByRole("menuitem", { name: format, exact: true }).click(),
    ]);
    await menuOf(name).waitFor({ state: "detached" });
    return readFileSync(await download.path(), "utf8");
  }

  it.each(VIEWS)(
    "of %s: every picture as SVG that parses, every menu as rows",
    async (hash, needed) => {
      await goTo(page, server.url, hash);
      const names = async (): Promise<string[]> =>
        page
          .locator(".export-menu > button")
          .evaluateAll((buttons) =>
            buttons.map((button) => button.getAttribute("aria-label")?.slice(7) ?? ""),
          );
      await eventually(names).toEqual(expect.arrayContaining([expect.stringMatching(needed)]));
      for (const name of new Set(await names())) {
        const button = page.getByRole("button", { name: `Export ${name}`, exact: true }).first();
        await button.click();
        const items = menuOf(name).getByRole("menuitem");
        await items.first().waitFor();
        const formats = await items.allTextContents();
        expect(formats, name).toEqual(expect.arrayContaining(["CSV", "JSON", "Parquet"]));
        await items.first().press("Escape");
        await menuOf(name).waitFor({ state: "detached" });
        if (formats.includes("SVG")) {
          const svg = await saved(name, "SVG");
          const root = await page.evaluate<string>(
            `new DOMParser().parseFromString(${JSON.stringify(svg)}, "image/svg+xml").documentElement.localName`,
          );
          expect(root, name).toBe("svg");
          expect(svg, name).not.toMatch(/NaN|undefined|var\(/);
        }
        expect((await saved(name, "CSV")).split("\r\n").length, name).toBeGreaterThan(1);
      }
    },
    120_000,
  );
});
