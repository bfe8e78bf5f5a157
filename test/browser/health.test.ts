import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { RunningView } from "../../bench/support/view-server.mjs";
import { eventually, goTo, hasBrowser, openPage, readText, warnWithoutBrowser } from "../support/browser.ts";
import { DEMO, DEMO_FLAGS, type Workplace } from "../support/built-view.ts";
import { useViewer } from "../support/use-viewer.ts";

warnWithoutBrowser("the page of a run's health");

describe.skipIf(!hasBrowser)("the page of a run's health", () => {
  let browser: Browser;
  let server: RunningView;
  let place: Workplace;
  useViewer(async (aBrowser, aPlace) => {
    [browser, place] = [aBrowser, aPlace];
    server = await place.serve(DEMO, ...DEMO_FLAGS);
  });

  it("leads from a step whose groups teach nothing to these groups", async () => {
    const { page, errors } = await openPage(browser);
    await goTo(page, server.url, "#/steps");
    await page.getByText("More ▾").click();
    await page.getByRole("link", { name: "Health" }).click();
    const flat = page.getByRole("region", { name: "Groups without spread in reward", exact: true });
    await eventually(() => readText(flat)).toContain("53 of 96 prompt groups (55.2 %)");
    await flat.getByRole("button", { name: "4 more" }).click();
    await flat.getByRole("link", { name: "150", exact: true }).click();
    await eventually(() => readText(page.locator(".sequences-view"))).toContain("64 of 768 sequences");
    expect(page.url()).toContain("steps=150..150");
    expect(errors).toEqual([]);
  });

  it("follows the chosen steps, and says so", async () => {
    const { page } = await openPage(browser);
    await goTo(page, server.url, "#/health?steps=10..20");
    const health = page.locator(".health");
    await eventually(() => readText(health)).toContain("Steps 10 to 20 only.");
    await eventually(() => readText(health)).toContain("1 of 16 prompt groups");
  });

  it("has what the run's own logger wrote, over the same steps", async () => {
    const lines = [10, 20, 30].map((step) =>
      JSON.stringify({ step, data: { "critic/rewards/mean": step / 100, "perf/throughput": 7 * step } }),
    );
    const file = join(place.folder, "metrics.jsonl");
    await writeFile(file, lines.join("\n"));
    const logged = await place.serve(DEMO, file, ...DEMO_FLAGS);
    const { page, errors } = await openPage(browser);
    await goTo(page, logged.url, "#/health");
    const panel = page.getByRole("region", { name: "Logged by the trainer" });
    await eventually(() => readText(panel)).toContain("2 metrics in 1 file.");
    const titles = (): Promise<string[]> => panel.locator("figure h3").allTextContents();
    expect(await titles()).toEqual(["critic/rewards/mean"]);
    await panel.getByRole("searchbox").fill("throughput");
    await eventually(titles).toEqual(["perf/throughput"]);
    expect(page.url()).toContain("logged=throughput");
    await eventually(() => readText(panel.locator("figure"))).toContain("most 210 at 30");
    await goTo(page, logged.url, "#/health?logged=throughput&steps=10..20");
    await eventually(() => readText(panel.locator("figure"))).toContain("most 140 at 20");
    await goTo(page, server.url, "#/health");
    await eventually(() => page.locator(".health section").count()).toBe(4);
    expect(await panel.count()).toBe(0);
    expect(errors).toEqual([]);
  });
});
