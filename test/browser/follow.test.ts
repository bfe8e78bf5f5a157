import { readFileSync } from "node:fs";
import { copyFile, mkdir, readFile, rename, utimes, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { RunningView } from "../../bench/support/view-server.mjs";
import { seededRandom } from "../../src/core/statistics/random.ts";
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

/** Completes a step's file, so that nothing writes to it any more. */
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
    expect(await readText(page.locator(".top-bar .facts"))).toContain("step 10");
    expect(await readText(reading(page))).toBe("live");

    await goTo(page, server.url, "#/sequence/3/t5");
    const title = await readText(page.locator("main :is(h1, h2)").first());
    const whole = await readFile(join(STEPS, "step_0020.npz"));
    const half = join(folder, "step_0020.npz");
    await writeFile(half, whole.subarray(0, whole.length / 2));
    await eventually(() => readText(reading(page))).toBe("writing step_0020.npz");
    expect(await pill(page).count()).toBe(0);
    expect(await page.locator("main [role=alert]").count()).toBe(0);

    const heightOf = async (): Promise<number> => (await page.locator("header.top").boundingBox())!.height;
    const height = await heightOf();
    const complete = join(place.folder, "step_0020.tmp");
    await writeFile(complete, whole);
    await rename(complete, half);
    await eventually(() => pill(page).count()).toBe(1);
    expect(await readText(pill(page))).toBe("1 new step · show");
    expect(await heightOf()).toBeLessThanOrEqual(height);
    // Nothing moves before the user asks, and the sequence stays when the user does.
    expect(await readText(page.locator(".top-bar .facts"))).toContain("step 10");
    expect(page.url()).toMatch(/#\/sequence\/s10(?:\.r\d+)?\.q3\/t5/);
    await pill(page).click();
    await eventually(() => readText(page.locator(".top-bar .facts"))).toContain("steps 10–20");
    await eventually(() => pill(page).count()).toBe(0);
    expect(page.url()).toMatch(/#\/sequence\/s10(?:\.r\d+)?\.q3\/t5/);
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
    await goTo(page, server.url, "#/steps");
    await eventually(() => readText(page.locator(".top-bar .facts"))).toContain("step 20");
    await page.getByRole("button", { name: "Follow" }).click();
    expect(page.url()).toContain("live=1");
    await step("0030");
    await eventually(() => readText(page.locator(".top-bar .facts"))).toContain("steps 20–30");
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
    await goTo(page, server.url, "#/steps");
    await eventually(() => readText(page.locator(".top-bar .facts"))).toContain("step 20");
    await copyFile(join(STEPS, "step_0030.npz"), path);
    await eventually(() => server.messages()).toContain(
      `reading everything again: ${path}, which was read before, has changed`,
    );
    await eventually(() => pill(page).count()).toBe(1);
    await page.close();
  });

  it("says in the terminal and on the page that it went bad, once, and names the step", async () => {
    const { folder, server } = await follow("turns");
    const { page, errors } = await openPage(browser);
    const write = async (step: number): Promise<void> => {
      const path = join(folder, `step_${String(step).padStart(4, "0")}.jsonl`);
      await writeFile(path, drawStep(step));
      await settle(path);
    };
    for (let step = 1; step <= SOUND_STEPS; step++) await write(step);
    await goTo(page, server.url, "#/steps?live=1");
    const facts = page.locator(".top-bar .facts");
    await eventually(() => readText(facts)).toContain(`steps 1–${SOUND_STEPS}`);
    await settled(page);
    expect(server.messages()).not.toContain("alarm:");
    expect(await readText(page.locator("main"))).not.toContain("since step");

    const last = SOUND_STEPS + BAD_STEPS;
    for (let step = SOUND_STEPS + 1; step <= last; step++) await write(step);
    await eventually(() => readText(facts)).toContain(`steps 1–${last}`);
    await eventually(() => server.messages()).toContain("alarm: since step ");
    const alarms = server.messages().match(/^alarm: .*$/gm) ?? [];
    const telling = alarms.filter((line) => line.includes("mean |Δ| of prompts rose to"));
    expect(telling).toHaveLength(1);
    const since = Number(/since step (\d+)/.exec(telling[0]!)?.[1]);
    expect(Math.abs(since - (SOUND_STEPS + 1))).toBeLessThanOrEqual(1);
    const text = telling[0]!.replace("alarm: ", "");
    await eventually(() => readText(page.locator("main"))).toContain(text);
    // The same word stands above every view and on the Answer.
    await goTo(page, server.url, "#/answer?live=1");
    const chip = await readText(page.locator(".top-bar .news b"));
    expect((await readText(page.locator(".sentence .badge"))).toLowerCase()).toContain(chip);
    expect(await readText(page.locator(".sentence > b"))).toContain("13");
    expect(errors).toEqual([]);
    await page.close();
  });
});

const SOUND_STEPS = 12;
const BAD_STEPS = 8;

/** Two policies over two outcomes, sampled from the first; after the sound steps they are four times as far apart. */
function drawStep(step: number): string {
  const random = seededRandom(1000 + step);
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const noise = step > SOUND_STEPS ? 0.4 : 0.1;
  const rows = Array.from({ length: 24 }, (_, prompt) => {
    const tokens = Array.from({ length: 40 }, () => {
      const logit = 2 * normal();
      const shift = noise * normal();
      const sign = random() < 1 / (1 + Math.exp(-logit)) ? 1 : -1;
      const logprob = (of: number): number => -Math.log1p(Math.exp(-sign * of));
      return [logprob(logit), logprob(logit + shift)] as const;
    });
    return JSON.stringify({
      ...{ step, uid: `s${step}p${prompt}`, response_ids: tokens.map((_, t) => 5 + (t % 9)) },
      response_mask: tokens.map(() => 1),
      rollout_log_probs: tokens.map(([rollout]) => rollout),
      old_log_probs: tokens.map(([, trainer]) => trainer),
    });
  });
  return `${rows.join("\n")}\n`;
}
