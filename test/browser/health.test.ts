import type { Browser } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { RunningView } from "../../bench/support/view-server.mjs";
import { eventually, goTo, hasBrowser, openPage, readText, warnWithoutBrowser } from "../support/browser.ts";
import { DEMO, DEMO_FLAGS } from "../support/built-view.ts";
import { useViewer } from "../support/use-viewer.ts";

warnWithoutBrowser("the page of a run's health");

describe.skipIf(!hasBrowser)("the page of a run's health", () => {
  let browser: Browser;
  let server: RunningView;
  useViewer(async (aBrowser, place) => {
    browser = aBrowser;
    server = await place.serve(DEMO, ...DEMO_FLAGS);
  });

  it("leads from a step whose groups teach nothing to these groups", async () => {
    const { page, errors } = await openPage(browser);
    await goTo(page, server.url, "#/overview");
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
});
