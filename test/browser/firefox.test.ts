import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Browser, Page } from "puppeteer-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PROGRAM, type RunningView } from "../../bench/support/view-server.mjs";
import { DEMO, DEMO_FLAGS, type Workplace, workplace } from "../support/built-view.ts";
import { hasFirefox, openFirefox, openFirefoxPage, warnWithoutFirefox } from "../support/firefox.ts";

warnWithoutFirefox("the viewer in Firefox");

describe.skipIf(!hasFirefox)("the viewer in Firefox", () => {
  let browser: Browser;
  let place: Workplace;
  let server: RunningView;
  let page: Page;
  let errors: string[];
  beforeAll(async () => {
    [browser, place] = await Promise.all([openFirefox(), workplace()]);
    server = await place.serve(DEMO, ...DEMO_FLAGS);
    ({ page, errors } = await openFirefoxPage(browser));
  });
  afterAll(async () => {
    await browser?.close();
    await place?.leave();
  });

  const goTo = async (hash: string): Promise<void> => {
    await page.goto(new URL(hash, server.url).href);
    await page.waitForSelector("main :is(h1, h2)");
  };
  const readMain = (): Promise<string> =>
    page.$eval("main", (main) => (main as unknown as { readonly innerText: string }).innerText);
  const sees = (text: string): Promise<void> =>
    expect.poll(readMain, { timeout: 30_000, interval: 200 }).toContain(text);

  it("goes from the verdict to the worst token, and what the trainer would have said there", async () => {
    await goTo("#/steps");
    await sees("ELEVATED");
    const worst = await page.waitForSelector("a ::-p-text(s30.q48.t39)");
    await worst!.click();
    await sees("p trainer");
    await sees("2.20e−5");
    expect(errors).toEqual([]);
  });

  it("filters by typing, opens a row by keys, and goes on with j", async () => {
    await goTo("#/sequences");
    const box = await page.waitForSelector("input[type=search]");
    await box!.type("abs>0.5 correct:no");
    await sees("of 768 sequences");
    const before = page.url();
    expect(before).toContain("filter=");
    await goTo("#/sequence/3");
    await page.keyboard.press("j");
    await expect.poll(() => page.url(), { timeout: 10_000 }).not.toContain("/sequence/3");
    expect(errors).toEqual([]);
  });

  it("drags a bound of a correction, and has the trainer's lines for it", async () => {
    await goTo("#/correct?correction=weight:token+truncate:..2");
    await sees("kept tokens");
    await page.waitForSelector(".threshold[role=slider]");
    await page.focus(".threshold[role=slider]");
    await page.keyboard.press("ArrowLeft");
    await expect.poll(() => page.url(), { timeout: 10_000 }).not.toMatch(/truncate:\.\.2($|&)/);
    await sees("verl");
    expect(errors).toEqual([]);
  });

  it("completes a filter, counts its terms, and runs SQL", async () => {
    await goTo("#/sequences");
    const box = await page.waitForSelector("input[type=search]");
    await box!.type("corr");
    await page.waitForSelector(".filter-input [role=option]");
    await page.keyboard.press("Tab");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await sees("5,477 tokens in 79 sequences");
    expect(decodeURIComponent(page.url())).toContain("filter=correct:no");
    await goTo("#/sql");
    const example = await page.waitForSelector("button ::-p-text(the most divergent tokens)");
    await example!.click();
    await sees("s30.q48.t39");
    expect(errors).toEqual([]);
  });

  it.each(["doctor", "health", "tokens", "tokens?by=turn", "digits", "group/3"])(
    "shows %s without an error",
    async (hash) => {
      await goTo(`#/${hash}`);
      await expect.poll(() => page.$$eval("main .loading", (all) => all.length), { timeout: 30_000 }).toBe(0);
      expect((await readMain()).length).toBeGreaterThan(80);
      const beyond = "document.documentElement.scrollWidth - innerWidth";
      expect(await page.evaluate(beyond)).toBeLessThanOrEqual(0);
      expect(errors).toEqual([]);
    },
  );

  it("opens a bundle from a disk", async () => {
    const folder = join(place.folder, "site");
    const words = ["view", join(DEMO, "stale"), ...DEMO_FLAGS, "--steps", "10..30", "--bundle", folder];
    await promisify(execFile)(process.execPath, [PROGRAM, ...words, "--cache", join(place.folder, "cache")]);
    await page.goto(`file://${folder}/index.html`);
    await sees("Elevated");
    await sees("so 110.");
    await page.goto(`file://${folder}/index.html#/sequence/0`);
    await page.waitForSelector(".strip .t");
    expect(errors).toEqual([]);
  });
});
