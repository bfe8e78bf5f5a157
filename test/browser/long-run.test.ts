import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { RunningView } from "../../bench/support/view-server.mjs";
import { eventually, goTo, hasBrowser, openPage, readText, warnWithoutBrowser } from "../support/browser.ts";
import { useViewer } from "../support/use-viewer.ts";

warnWithoutBrowser("charts of long runs");

const STEPS = 1000;
/** Steps that are far off, on both sides; everywhere else Δ is 0.01. */
const BAD = [411, 812, 813];

describe.skipIf(!hasBrowser)("charts of a run of 1,000 steps", () => {
  let server: RunningView;
  let page: Page;
  let errors: string[];
  let mean: Locator;
  useViewer(async (browser, place) => {
    const rows = Array.from({ length: STEPS }, (_, at) => {
      const far = BAD.includes(at + 1) ? 2 + at / 1000 : 0.01;
      const response = [1, 2, 3, 4];
      return JSON.stringify({
        step: at + 1,
        rollout_logprobs: response.map(() => -4),
        trainer_logprobs: response.map((token) => -4 + (token % 2 === 0 ? far : -far)),
        response_mask: response.map(() => 1),
      });
    });
    const path = join(place.folder, "long.jsonl");
    await writeFile(path, `${rows.join("\n")}\n`);
    server = await place.serve(path);
    ({ page, errors } = await openPage(browser));
    mean = page.locator(".line-chart").first();
  });

  it("are medians in a band of extremes, and tell the range of steps that a point stands for", async () => {
    await goTo(page, server.url, "#/steps");
    await eventually(() => readText(mean.locator(".lines"))).toMatch(
      /mean, most 2\.81 at 813.*each point: median of \d+ steps, in a band of their extremes/s,
    );
    const plot = mean.getByRole("slider");
    await plot.focus();
    await page.keyboard.press("End");
    const range = /^steps (\d+)–1000$/.exec(await readText(mean.locator(".at")))!;
    expect(range).not.toBeNull();
    expect(await readText(mean.locator(".lines li").first())).toBe("mean median 0.0100 (0.0100 to 0.0100)");
    // Enter opens the sequences of all these steps.
    await page.keyboard.press("Enter");
    await eventually(() => page.url()).toContain(`steps=${range[1]}..1000`);
    await eventually(() => readText(page.locator(".sequences-view .counts strong"))).toBe(
      String(STEPS - Number(range[1]) + 1),
    );
  });

  it("name the steps beyond a baseline, and lead to their sequences", async () => {
    await goTo(page, server.url, "#/steps");
    const note = mean.locator(".beyond");
    expect(await readText(note)).toContain("3 steps above 0.100: 813, 812, 411");
    await note.getByRole("link", { name: "3 steps" }).click();
    await eventually(() => readText(page.locator(".sequences-view .counts strong"))).toBe("3");
    expect(await page.getByRole("combobox", { name: "Filter" }).inputValue()).toBe("step:411,812..813");
  });

  it("smooth by a moving median when asked, and say so", async () => {
    await goTo(page, server.url, "#/steps");
    expect(await readText(mean.locator(".lines"))).not.toContain("smoothed");
    await page.getByRole("radio", { name: "15", exact: true }).check({ force: true });
    await eventually(() => readText(mean.locator(".lines"))).toContain("smoothed: moving median of 15 steps");
    expect(page.url()).toContain("smooth=15");
    // The spikes belong to the raw values and are gone from the smoothed ones.
    expect(await readText(mean.locator(".lines"))).toMatch(
      /mean, most 2\.81 at 813.*smoothed mean, most 0\.0100 at/s,
    );
  });

  it("are enlarged with all their values, by a link too", async () => {
    await goTo(page, server.url, "#/steps");
    await mean.getByRole("button", { name: "Enlarge mean-abs-delta" }).click();
    const dialog = page.getByRole("dialog", { name: "Mean |Δ|" });
    await dialog.waitFor();
    expect(page.url()).toContain("enlarged=mean-abs-delta");
    const grid = dialog.getByRole("grid");
    expect(await grid.getAttribute("aria-rowcount")).toBe(String(STEPS + 1));
    expect(await readText(grid.locator("tbody tr").first())).toMatch(/^1\s*0\.0100$/);
    expect((await dialog.locator(".plot").boundingBox())!.height).toBeGreaterThan(300);
    await page.keyboard.press("Escape");
    await eventually(() => page.url()).not.toContain("enlarged");
    await goTo(page, server.url, "#/steps?enlarged=ess");
    await page.getByRole("dialog", { name: "Effective sample size" }).waitFor();
    expect(errors).toEqual([]);
  });
});
