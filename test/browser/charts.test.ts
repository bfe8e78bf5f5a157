import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { RunningView } from "../../bench/support/view-server.mjs";
import {
  eventually,
  goTo,
  hasBrowser,
  openPage,
  readStyle,
  readText,
  settled,
  warnWithoutBrowser,
} from "../support/browser.ts";
import { DEMO, DEMO_FLAGS } from "../support/built-view.ts";
import { useViewer } from "../support/use-viewer.ts";

warnWithoutBrowser("charts of lines on the page");

describe.skipIf(!hasBrowser)("a chart of lines", () => {
  let server: RunningView;
  let page: Page;
  let errors: string[];
  let charts: Locator;
  useViewer(async (browser, place) => {
    server = await place.serve(DEMO, ...DEMO_FLAGS);
    ({ page, errors } = await openPage(browser));
    charts = page.locator(".line-chart");
  });

  const visits = (): Promise<number> => page.evaluate("history.length");
  const chosen = (): string | undefined => /steps=(-?\d+\.\.-?\d+)/.exec(page.url())?.[1];
  /** Moves the pointer to a share of a chart's width. */
  const moveTo = async (chart: Locator, share: number): Promise<void> => {
    const plot = chart.getByRole("slider");
    // Charts begin below the first screen.
    await plot.scrollIntoViewIfNeeded();
    const box = (await plot.boundingBox())!;
    await page.mouse.move(box.x + 50 + (box.width - 62) * share, box.y + box.height / 2, { steps: 5 });
  };

  it("is the drawing of the report, described in words", async () => {
    await goTo(page, server.url, "#/steps");
    const drawn = charts.first().getByRole("img");
    expect(await drawn.getAttribute("aria-label")).toMatch(
      /^Mean \|Δ\|\. mean: most [\d.e−-]+ at \d+; by step$/,
    );
    const title = readText(charts.first().getByRole("heading"));
    expect(await title).toContain("Mean |Δ|");
    expect(await drawn.locator("path").count()).toBeGreaterThan(5);
  });

  it("shows one crosshair in all charts, with the numbers there", async () => {
    await goTo(page, server.url, "#/steps");
    await moveTo(charts.first(), 1);
    await eventually(() => page.locator(".line-chart .cross").count()).toBe(await charts.count());
    expect(await readText(charts.nth(2).locator(".at"))).toBe("step 150");
    expect(await readText(charts.first().locator(".lines"))).not.toContain("at");
    await page.mouse.move(0, 0);
    await eventually(() => page.locator(".line-chart .cross").count()).toBe(0);
  });

  it("brushes while it is dragged, in all charts, and leaves one step for the back button", async () => {
    await goTo(page, server.url, "#/steps");
    const before = await visits();
    await moveTo(charts.nth(1), 0.2);
    await page.mouse.down();
    await moveTo(charts.nth(1), 0.5);
    await settled(page);
    const half = chosen();
    expect(half).toBeDefined();
    await eventually(() => page.locator(".line-chart .select").count()).toBe(await charts.count());
    await moveTo(charts.nth(1), 1.2);
    await page.mouse.up();
    await settled(page);
    expect(chosen()).toMatch(/\.\.150$/);
    expect(chosen()?.split("..")[0]).toBe(half?.split("..")[0]);
    expect(await visits()).toBe(before + 1);
    await page.goBack();
    await settled(page);
    expect(chosen()).toBeUndefined();
    expect(page.url()).toContain("#/steps");
  });

  it("brushes with Shift and the arrows", async () => {
    await goTo(page, server.url, "#/steps");
    await charts.first().getByRole("slider").focus();
    await page.keyboard.press("End");
    expect(chosen()).toBeUndefined();
    for (let press = 0; press < 2; press++) await page.keyboard.press("Shift+ArrowLeft");
    await settled(page);
    const first = chosen();
    expect(first).toMatch(/^\d+\.\.150$/);
    await page.keyboard.press("Shift+ArrowRight");
    await settled(page);
    expect(Number.parseInt(chosen()!, 10)).toBeGreaterThan(Number.parseInt(first!, 10));
    await page.goBack();
    await settled(page);
    expect(chosen()).toBeUndefined();
  });

  it("is drawn anew in another width, and in the colors of the theme", async () => {
    await goTo(page, server.url, "#/steps");
    const drawn = charts.first().getByRole("img");
    const line = drawn.locator("path[stroke-linejoin]").first();
    const widths = async (): Promise<[number, number]> => [
      Number(await drawn.getAttribute("width")),
      Math.round((await charts.first().locator(".plot").boundingBox())!.width),
    ];
    const [wide] = await widths();
    const light = await readStyle(line, "stroke");
    await page.setViewportSize({ width: 700, height: 900 });
    await eventually(async () => (await widths())[0]).not.toBe(wide);
    const [svg, plot] = await widths();
    expect(Math.abs(svg - plot)).toBeLessThanOrEqual(1);
    await page.emulateMedia({ colorScheme: "dark" });
    await eventually(() => readStyle(line, "stroke")).not.toBe(light);
    expect(errors).toEqual([]);
  });
});
