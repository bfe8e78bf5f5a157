import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { RunningView } from "../../bench/support/view-server.mjs";
import {
  eventually,
  goTo,
  hasBrowser,
  isInSight,
  openPage,
  readText,
  settled,
  warnWithoutBrowser,
} from "../support/browser.ts";
import { DEMO, DEMO_FLAGS, printed, type Workplace } from "../support/built-view.ts";
import { useViewer } from "../support/use-viewer.ts";

warnWithoutBrowser("the viewer without a mouse");

describe.skipIf(!hasBrowser)("without a mouse", () => {
  let place: Workplace;
  let server: RunningView;
  let page: Page;
  let errors: string[];
  useViewer(async (browser, aPlace) => {
    place = aPlace;
    server = await place.serve(DEMO, ...DEMO_FLAGS);
    ({ page, errors } = await openPage(browser));
  });

  const focused = (): Promise<string> =>
    page.evaluate(
      "document.activeElement?.getAttribute('aria-label') || document.activeElement?.textContent || ''",
    );

  it("leads from the steps to the worst token's card by keys", async () => {
    const { worst_tokens } = await printed<{ worst_tokens: { handle: string }[] }>("report", DEMO, "--json");
    const worst = worst_tokens[0]!.handle;
    await goTo(page, server.url, "#/steps");
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("Skip to the view");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("main");

    await page.keyboard.press("g");
    await page.keyboard.press("t");
    await settled(page);
    expect(page.url()).toContain("#/tokens");
    await page.keyboard.press("Enter");
    await settled(page);
    const current = page.locator(".strip .t.current");
    await eventually(() => isInSight(current, ".strip")).toBe(true);
    // It is open on arrival; x closes and reopens it.
    const cards = page.locator(".pinned-cards .card");
    await cards.waitFor();
    await page.keyboard.press("x");
    await eventually(() => cards.count()).toBe(0);
    await page.keyboard.press("x");
    await cards.waitFor();
    expect(await readText(cards)).toContain(worst);
    expect(await readText(cards)).toMatch(/rollout.*trainer.*log p/s);
    await page.keyboard.press("Escape");
    await eventually(() => cards.count()).toBe(0);
  });

  it("walks by tokens, divergent tokens, turns and sequences", async () => {
    await goTo(page, server.url, "#/sequence/3?sort=sequence");
    const place = (): number => Number(/\/t(\d+)\?/.exec(page.url())?.[1] ?? -1);
    await page.keyboard.press("]");
    await eventually(place).toBeGreaterThanOrEqual(0);
    const first = place();
    await page.keyboard.press("ArrowRight");
    await eventually(place).toBe(first + 1);
    await page.keyboard.press(".");
    await eventually(place).toBeGreaterThan(first + 1);
    const divergent = place();
    await page.keyboard.press(".");
    await eventually(place).toBeGreaterThan(divergent);
    await page.keyboard.press(",");
    await eventually(place).toBe(divergent);
    await page.keyboard.press("m");
    await eventually(() => page.url()).toContain("metric=");
    await page.keyboard.press("j");
    await eventually(() => page.url()).toContain("#/sequence/s10.q4?");
    await settled(page);
    await page.keyboard.press("k");
    await eventually(() => page.url()).toContain("#/sequence/s10.q3?");
  });

  it("reaches what it needs by Tab alone", async () => {
    await goTo(page, server.url, "#/steps");
    await page.reload();
    await settled(page);
    const reached = new Set<string>();
    for (let press = 0; press < 60; press++) {
      await page.keyboard.press("Tab");
      reached.add((await focused()).trim());
    }
    for (const name of ["Answer", "Steps", "Answers & tokens", "Cause", "Correction", "More ▾", "Send…"])
      expect([...reached], name).toContain(name);
    const charts = page.locator(".line-chart").getByRole("slider");
    await charts.first().focus();
    await page.keyboard.press("End");
    expect(await charts.first().getAttribute("aria-valuetext")).toContain("150");
    await page.keyboard.press("Enter");
    await settled(page);
    expect(page.url()).toMatch(/#\/sequences\?.*steps=150\.\.150/);
    await page.keyboard.press("/");
    expect(await page.evaluate("document.activeElement.type")).toBe("search");
    expect(errors).toEqual([]);
  });
});
