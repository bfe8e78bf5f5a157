import { readFileSync } from "node:fs";
import { copyFile, mkdir, readFile, rename, utimes, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { RunningView } from "../../bench/support/view-server.mjs";
import {
  eventually,
  goTo,
  hasBrowser,
  openPage,
  readText,
  settled,
  warnWithoutBrowser,
} from "../support/browser.ts";
import { DEMO, DEMO_FLAGS, type Workplace } from "../support/built-view.ts";
import { useViewer } from "../support/use-viewer.ts";

warnWithoutBrowser("following a run in the viewer");

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core"), "utf8");
/** Of `axe-core`, which runs in the page. */
const VIOLATIONS =
  "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + nodes[0].html))";
const STEPS = join(DEMO, "stale");

/** A step's file as it is once it is whole and nobody writes to it any more. */
async function settle(path: string): Promise<void> {
  const past = new Date(Date.now() - 60_000);
  await utimes(path, past, past);
}

describe.skipIf(!hasBrowser)("a run that is followed", () => {
  let browser: Browser;
  let place: Workplace;
  useViewer(async (aBrowser, aPlace) => {
    browser = aBrowser;
    place = aPlace;
  });

  const pill = (page: Page) => page.locator(".top-bar .pill.new");
  const reading = (page: Page) => page.locator(".top-bar .pill").first();

  async function follow(name: string): Promise<{ folder: string; server: RunningView }> {
    const folder = join(place.folder, name);
    await mkdir(folder);
    return { folder, server: await place.serve(folder, ...DEMO_FLAGS, "--follow") };
  }

  it("is waited for, shown at its first step, and grows when someone asks", async () => {
    const { folder, server } = await follow("grows");
    const { page, errors } = await openPage(browser);
    await page.goto(server.url);
    await page.locator("main.waiting").waitFor();
    expect(await readText(page.locator("main.waiting h1"))).toBe(`Waiting for the first step in ${folder}`);
    await eventually(() => readText(page.locator("main.waiting [role=status]"))).toContain(
      "no recorded data",
    );
    await page.evaluate(AXE);
    expect(await page.evaluate(VIOLATIONS)).toEqual([]);

    const first = join(folder, "step_0010.npz");
    await copyFile(join(STEPS, "step_0010.npz"), first);
    await settle(first);
    await eventually(() => page.locator("nav[aria-label=Views] a").count()).toBeGreaterThan(3);
    await settled(page);
    expect(await readText(page.locator(".top-bar .facts"))).toContain("1 step (10)");
    expect(await readText(reading(page))).toBe("reading …");

    await goTo(page, server.url, "#/sequence/3/t5");
    const title = await readText(page.locator("main :is(h1, h2)").first());
    const whole = await readFile(join(STEPS, "step_0020.npz"));
    const half = join(folder, "step_0020.npz");
    await writeFile(half, whole.subarray(0, whole.length / 2));
    await eventually(() => readText(reading(page))).toBe("still being written: step_0020.npz");
    expect(await pill(page).count()).toBe(0);
    expect(await page.locator("main [role=alert]").count()).toBe(0);

    const complete = join(place.folder, "step_0020.tmp");
    await writeFile(complete, whole);
    await rename(complete, half);
    await eventually(() => pill(page).count()).toBe(1);
    expect(await readText(pill(page))).toBe("1 new step · show");
    // Nothing has moved before someone asks, and the sequence stays when someone does.
    expect(await readText(page.locator(".top-bar .facts"))).toContain("1 step (10)");
    expect(page.url()).toContain("#/sequence/3/t5");
    await pill(page).click();
    await eventually(() => readText(page.locator(".top-bar .facts"))).toContain("2 steps (10–20)");
    await eventually(() => pill(page).count()).toBe(0);
    expect(page.url()).toContain("#/sequence/3/t5");
    expect(await readText(page.locator("main :is(h1, h2)").first())).toBe(title);

    await goTo(page, server.url, "#/sequences?steps=20..20");
    const table = page.getByRole("grid", { name: "Sequences" });
    await eventually(() => table.locator("tbody td:first-child a").count()).toBeGreaterThan(5);
    for (const handle of await table.locator("tbody td:first-child a").allInnerTexts())
      expect(handle).toMatch(/^s20\./);
    expect(server.messages()).not.toContain("reading everything again");
    expect(errors).toEqual([]);
    await page.close();
  });

  it("is shown as it grows while Follow is pressed, and asked for where no events come through", async () => {
    const folder = join(place.folder, "live");
    await mkdir(folder);
    const step = async (number: string): Promise<void> => {
      const path = join(folder, `step_${number}.npz`);
      await copyFile(join(STEPS, `step_${number}.npz`), path);
      await settle(path);
    };
    await step("0020");
    const server = await place.serve(folder, ...DEMO_FLAGS, "--follow");
    const { page } = await openPage(browser);
    await page.route("**/api/events", (route) => route.fulfill({ status: 502, body: "no" }));
    await goTo(page, server.url, "#/overview");
    await eventually(() => readText(page.locator(".top-bar .facts"))).toContain("1 step (20)");
    await page.getByRole("button", { name: "Follow" }).click();
    expect(page.url()).toContain("live=1");
    await step("0030");
    await eventually(() => readText(page.locator(".top-bar .facts"))).toContain("2 steps (20–30)");
    await page.close();
  });

  it("is read anew when a file that was read changes, and the page is told", async () => {
    const folder = join(place.folder, "anew");
    await mkdir(folder);
    const path = join(folder, "step_0020.npz");
    await copyFile(join(STEPS, "step_0020.npz"), path);
    await settle(path);
    const server = await place.serve(folder, ...DEMO_FLAGS, "--follow");
    const { page } = await openPage(browser);
    await goTo(page, server.url, "#/overview");
    await eventually(() => readText(page.locator(".top-bar .facts"))).toContain("1 step (20)");
    await copyFile(join(STEPS, "step_0030.npz"), path);
    await eventually(() => server.messages()).toContain(
      `reading everything again: ${path}, which was read before, has changed`,
    );
    await eventually(() => pill(page).count()).toBe(1);
    await page.close();
  });
});
