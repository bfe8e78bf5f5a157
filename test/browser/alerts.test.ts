/** Alerts on the page: as they are raised, and in a run that is opened later. */
import { readFileSync } from "node:fs";
import { copyFile, mkdir, utimes, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { makeBatch, putBatch, startServe } from "../../bench/support/serve-load.mjs";
import { readBundledJson } from "../../src/apps/viewer/bundle/read-bundled.test-data.ts";
import type { AlertList } from "../../src/results/alerts.ts";
import { eventually, goTo, hasBrowser, openPage, readText, warnWithoutBrowser } from "../support/browser.ts";
import { DEMO, DEMO_FLAGS, type Workplace } from "../support/built-view.ts";
import { runCli } from "../support/run-cli.ts";
import { useViewer } from "../support/use-viewer.ts";

warnWithoutBrowser("alerts in the viewer");

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core"), "utf8");
/** Of `axe-core`, which runs in the page. */
const VIOLATIONS =
  "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + nodes[0].html))";
const FAR_OFF = "per_step.delta_abs_mean is 0.0172 at step 30 (per_step.delta_abs_mean > 0.012)";

describe.skipIf(!hasBrowser)("alerts", () => {
  let browser: Browser;
  let place: Workplace;
  useViewer(async (aBrowser, aPlace) => {
    browser = aBrowser;
    place = aPlace;
  });

  async function writeStep(folder: string, step: string): Promise<void> {
    const path = join(folder, `step_${step}.npz`);
    await copyFile(join(DEMO, "stale", `step_${step}.npz`), path);
    const past = new Date(Date.now() - 60_000);
    await utimes(path, past, past);
  }

  const table = (page: Page) => page.locator(".overview section.alerts");
  const slider = (page: Page) => page.getByRole("slider").first();

  it("are pushed to a page that is open, marked at their step, reached by keys, and there later", async () => {
    const folder = join(place.folder, "told");
    await mkdir(folder);
    const rules = join(place.folder, "rules.yaml");
    await writeFile(
      rules,
      "version: 1\nrules:\n  - {name: far <off>, when: per_step.delta_abs_mean > 0.012}\n",
    );
    await writeStep(folder, "0010");
    await writeStep(folder, "0020");
    const server = await place.serve(folder, ...DEMO_FLAGS, "--follow", "--alerts", rules);
    const { page, errors } = await openPage(browser);
    await goTo(page, server.url, "#/steps");
    const pills = page.locator(".top-bar .news");
    await eventually(() => readText(pills)).toMatch(/so far: (too few|normal|elevated|high|fault)/);
    expect(await table(page).count()).toBe(0);

    await writeStep(folder, "0030");
    // Pushed: the page has not asked for the new steps, and the charts stay unchanged.
    await eventually(() => readText(pills)).toContain("1 alert, at step 30");
    expect(await readText(page.locator(".top-bar .facts"))).toContain("steps 10–20");
    const row = table(page).locator("tbody tr");
    await eventually(() => readText(row)).toContain(FAR_OFF);
    expect(await readText(row)).toContain("far <off>");
    expect(await page.locator(".overview .mark-note").count()).toBe(0);
    await page.locator(".top-bar .pill.new").click();
    await eventually(() => readText(page.locator(".top-bar .facts"))).toContain("steps 10–30");
    await eventually(() => page.locator(".overview .mark-note").count()).toBe(1);
    expect(await page.locator(".charts .plot title", { hasText: FAR_OFF }).count()).toBe(
      await page.locator(".charts figure.line-chart").count(),
    );
    await page.evaluate(AXE);
    expect(await page.evaluate(VIOLATIONS)).toEqual([]);

    await goTo(page, server.url, "#/answer");
    const alert = page.locator(".answer .beside", { hasText: "Alert" });
    expect(await readText(alert)).toContain(`Alert: far <off>: ${FAR_OFF}.`);
    await alert.getByRole("link", { name: "All alerts" }).click();

    await slider(page).focus();
    await page.keyboard.press("PageDown");
    await eventually(() => slider(page).getAttribute("aria-valuetext")).toContain(
      `alert: far <off>: ${FAR_OFF}`,
    );
    expect(await slider(page).getAttribute("aria-valuenow")).toBe("30");
    expect(await readText(page.locator(".overview .mark-note"))).toBe(`alert: far <off>: ${FAR_OFF}`);
    await page.keyboard.press("Enter");
    await eventually(() => Promise.resolve(page.url())).toMatch(/#\/sequences\?.*steps=30\.\.30/);
    await goTo(page, server.url, "#/steps");
    await row.getByRole("link", { name: "step 30" }).click();
    await eventually(() => Promise.resolve(page.url())).toMatch(/#\/sequences\?.*steps=30\.\.30/);
    expect(errors).toEqual([]);
    await page.close();

    // Opened later, without rules; and as a bundle.
    const later = await place.serve(folder, ...DEMO_FLAGS);
    const { page: second } = await openPage(browser);
    await goTo(second, later.url, "#/steps");
    await eventually(() => readText(table(second))).toContain(FAR_OFF);
    expect(await second.locator(".overview .mark-note").count()).toBe(1);
    await second.close();
    expect(
      runCli(place.folder, ["view", "told", ...DEMO_FLAGS, "--cache", "cache", "--bundle", "bundle"]).status,
    ).toBe(0);
    const list = await readBundledJson<AlertList>(join(place.folder, "bundle"), "alerts");
    expect(list.alerts).toMatchObject([{ rule: "far <off>", since: 30 }]);
  });

  it("of a served run stand in the list of runs, pushed, and are marked in its viewer", async () => {
    const rules = join(place.folder, "served.yaml");
    await writeFile(rules, "version: 1\nrules:\n  - {name: far off, when: per_step.delta_abs_mean > 0.8}\n");
    const server = await startServe(join(place.folder, "runs"), ["--alerts", rules]);
    try {
      const put = async (step: number, drift = 0): Promise<void> => {
        const body = makeBatch({ step, drift, sequences: 8, tokens: 64 });
        expect((await putBatch(server.url, { step }, body)).status).toBe(201);
      };
      await put(1);
      await put(2);
      const { page, errors } = await openPage(browser);
      await page.goto(server.url);
      const row = page.locator("main.runs tbody tr");
      await eventually(() => readText(row)).toContain("1–2");
      let asked = 0;
      page.on("request", (request) => {
        if (request.url().endsWith("/api/run")) asked++;
      });
      await put(3, 1);
      await eventually(() => readText(row)).toContain("far off: per_step.delta_abs_mean is 1.");
      expect(await readText(row)).toContain("1–3");
      expect((await row.locator("polyline").getAttribute("points"))!.split(" ")).toHaveLength(3);
      expect(await readText(row.locator("td:has(svg)"))).toMatch(/^\s*1\.\d/);
      const titles = await page.locator("main.runs thead th").allInnerTexts();
      expect(await readText(row.locator("td").nth(titles.indexOf("Last alert") - 1))).toContain("goes on");
      // The row came with the event.
      expect(asked).toBe(0);
      await page.evaluate(AXE);
      expect(await page.evaluate(VIOLATIONS)).toEqual([]);
      await row.locator("a").click();
      await eventually(() => readText(page.locator(".top-bar .news"))).toContain("1 alert, at step 3");
      await page.locator(".top-bar .pill.alert").click();
      await eventually(() => readText(table(page))).toContain("step 3");
      await eventually(() => page.locator(".overview .mark-note").count()).toBe(1);
      // Raised by the server, a different process from the open viewer.
      await put(4);
      await put(5, 1);
      await eventually(() => readText(page.locator(".top-bar .news"))).toContain("2 alerts, last at step 5");
      // Still in one row; whole facts of the run are dropped to make room.
      await page.setViewportSize({ width: 1440, height: 900 });
      expect((await page.locator("header.top").boundingBox())!.height).toBeLessThan(60);
      // A part may be on its way to the disk, which the header then says in place of "live".
      await eventually(() => page.locator(".top-bar .news").innerText()).toMatch(/^live\s+so far: \w/);
      // Over a few connections, as on a page that stays open for long.
      await page.evaluate(
        "(async () => { for (let at = 0; at < 100; at++) await (await fetch('api/run?again')).text(); })()",
      );
      expect(server.messages()).not.toContain("MaxListenersExceededWarning");
      expect(errors).toEqual([]);
      await page.close();
    } finally {
      expect(await server.stop()).toBe(0);
    }
  });
});
