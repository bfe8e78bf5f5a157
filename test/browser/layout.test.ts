import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { RunningView } from "../../bench/support/view-server.mjs";
import { eventually, goTo, hasBrowser, openPage, settled, warnWithoutBrowser } from "../support/browser.ts";
import { DEMO, DEMO_FLAGS } from "../support/built-view.ts";
import { useViewer } from "../support/use-viewer.ts";

warnWithoutBrowser("sizes and places in the viewer");

const LAPTOP = { width: 1440, height: 900 };
const PHONE = { width: 390, height: 844 };
const LEAST_LABEL = 9;

/** Labels of pictures that are drawn too small to be read, as `7.9 px: turn 3`. */
const SMALL_LABELS = `[...document.querySelectorAll("svg text")].flatMap((label) => {
  const size = parseFloat(getComputedStyle(label).fontSize) * (label.getScreenCTM()?.a ?? 1);
  return size < ${LEAST_LABEL} ? [size.toFixed(1) + " px: " + label.textContent] : [];
})`;

/** Tokens in their context that lie outside the box that clips their table. */
const CUT_TOKENS = `[...document.querySelectorAll("main td mark")].flatMap((mark) => {
  const box = mark.closest(".scroll").getBoundingClientRect();
  const { left, right } = mark.getBoundingClientRect();
  return left < box.left || right > box.right ? [mark.textContent + ": " + right + " of " + box.right] : [];
})`;

/** Tables that are wider than their box although the page has room for them, as `Worst tokens: 626 of 441`. */
const CUT_TABLES = `[...document.querySelectorAll(".report-table")].flatMap((table) => {
  const { scrollWidth, clientWidth } = table.querySelector(".scroll");
  return scrollWidth > clientWidth ? [table.querySelector("h3").textContent + ": " + scrollWidth + " of " + clientWidth] : [];
})`;

/** Headings of columns that do not fit although the page has room for them, as `turn 0: 206 of 192`. */
const CUT_HEADINGS = `[...document.querySelectorAll(".virtual-table th")].flatMap((th) =>
  th.scrollWidth > th.clientWidth ? [th.textContent + ": " + th.scrollWidth + " of " + th.clientWidth] : []
)`;

describe.skipIf(!hasBrowser)("the viewer's layout", () => {
  let browser: Browser;
  let server: RunningView;
  useViewer(async (aBrowser, place) => {
    browser = aBrowser;
    server = await place.serve(DEMO, ...DEMO_FLAGS, "--compare", join(DEMO, "stale/step_0020.npz"));
  });

  async function open(hash: string, viewport: { width: number; height: number }) {
    const opened = await openPage(browser, { viewport });
    await goTo(opened.page, server.url, hash);
    return opened;
  }

  it("cuts no table of the steps on a laptop, and shows each worst token", async () => {
    const { page, errors } = await open("#/steps", LAPTOP);
    await page.locator("main td mark").first().waitFor();
    expect(await page.evaluate(CUT_TOKENS)).toEqual([]);
    expect(await page.evaluate(CUT_TABLES)).toEqual([]);
    expect(errors).toEqual([]);
    await page.close();
  });

  it.each([
    "sequences",
    "sequences?columns=advantage,impact,tokens,turns,response,prompt,k3,ess,sum,reward,correct,step",
    "sequences?layout=groups",
    "sequences?layout=matrix",
    "tokens",
    "tokens?by=turn",
    "compare",
  ])("shows every heading of a list whole: %s", async (view) => {
    const { page } = await open(`#/${view}`, LAPTOP);
    await page.locator(".virtual-table th").first().waitFor();
    expect(await page.evaluate(CUT_HEADINGS)).toEqual([]);
    await page.close();
  });

  it.each([
    ["laptop", LAPTOP],
    ["phone", PHONE],
  ])("draws no label too small to read on a %s", async (_, viewport) => {
    const { page } = await open("#/steps", viewport);
    for (const hash of ["#/steps", "#/digits", "#/sequences"]) {
      await goTo(page, server.url, hash);
      await page.locator("svg text").first().waitFor();
      expect(await page.evaluate(SMALL_LABELS), hash).toEqual([]);
    }
    await page.close();
  });

  it.each([
    ["correct", "Why, and what else was tried"],
    ["sequences", "Fields"],
    ["sequences", "Columns"],
    ["sequences", "Saved"],
    ["sql", "sequences: a row for each sequence"],
    ["steps", "Quantiles and tails"],
  ])("keeps %s within the width of a phone when %s is open", async (view, name) => {
    const { page } = await open(`#/${view}`, PHONE);
    await page.locator("main summary").filter({ hasText: name }).first().click();
    await settled(page);
    const widths = "[document.documentElement.scrollWidth, document.documentElement.clientWidth]";
    const [needed, shown] = await page.evaluate<[number, number]>(widths);
    expect(needed).toBe(shown);
    await page.close();
  });

  it("closes what lies over the page when one presses beside it, goes elsewhere or presses Escape", async () => {
    const { page } = await open("#/sequences", LAPTOP);
    const [fields, columns] = [page.locator("details.filter-help"), page.locator("details.column-chooser")];
    const isOpen = async () => [await fields.getAttribute("open"), await columns.getAttribute("open")];
    await fields.locator("summary").click();
    await eventually(isOpen).toEqual(["", null]);
    await columns.locator("summary").click();
    await eventually(isOpen).toEqual([null, ""]);
    // A press inside keeps it open.
    await columns.getByRole("checkbox").first().click();
    expect(await isOpen()).toEqual([null, ""]);
    await page.locator(".top-bar .facts").click();
    await eventually(isOpen).toEqual([null, null]);
    await fields.locator("summary").click();
    await page.keyboard.press("Escape");
    await eventually(isOpen).toEqual([null, null]);
    expect(
      await page.evaluate('document.querySelector(".filter-help").contains(document.activeElement)'),
    ).toBe(true);
    await page.close();
  });

  it("opens a link to a pair at its texts", async () => {
    const { page } = await openPage(browser, { viewport: LAPTOP });
    await page.goto(`${server.url}#/compare`);
    const link = page.getByRole("link", { name: "beside" }).nth(2);
    const href = await link.getAttribute("href");
    await page.close();

    const fresh = await openPage(browser, { viewport: LAPTOP });
    await fresh.page.goto(`${server.url}${href}`);
    const isShown = () => headingTop(fresh.page);
    await eventually(isShown).toBeLessThan(LAPTOP.height / 2);
    expect(await isShown()).toBeGreaterThanOrEqual(0);
    await fresh.page.close();
  });

  it("stays at the top of Compare where no pair is asked for", async () => {
    const { page } = await open("#/compare", LAPTOP);
    await page.locator(".pair .strip-tools").waitFor();
    expect(await page.evaluate("scrollY")).toBe(0);
    await page.close();
  });

  it("gives rollout and trainer the same colors on a token's card and in Digits", async () => {
    const { page } = await open("#/sequence/3/t20?pins=20", LAPTOP);
    const colors = (rollout: string, trainer: string, property: string) =>
      page.evaluate<string[]>(
        `[${JSON.stringify(rollout)}, ${JSON.stringify(trainer)}].map((each) =>
          getComputedStyle(document.querySelector(each)).${property})`,
      );
    await page.locator(".bar.trainer").first().waitFor({ state: "attached" });
    const onCard = await colors(".bar.rollout", ".bar.trainer", "backgroundColor");
    await goTo(page, server.url, "#/digits");
    await page.locator(".interval.orange").first().waitFor();
    const inDigits = await colors(".interval.blue", ".interval.orange", "color");
    expect(inDigits).toEqual(onCard);
    expect(new Set(onCard).size).toBe(2);
    await page.close();
  });
});

function headingTop(page: Page): Promise<number> {
  return page.evaluate<number>(
    'document.getElementById("compare-pair")?.getBoundingClientRect().top ?? Infinity',
  );
}
