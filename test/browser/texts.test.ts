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
import { DEMO, DEMO_FLAGS } from "../support/built-view.ts";
import { useViewer } from "../support/use-viewer.ts";

warnWithoutBrowser("texts in the viewer's lists");

const PHONE = { width: 390, height: 844 };

describe.skipIf(!hasBrowser)("texts where one chooses", () => {
  let browser: Browser;
  let server: RunningView;
  let plain: RunningView;
  let redacted: RunningView;
  useViewer(async (aBrowser, place) => {
    browser = aBrowser;
    const run = join(DEMO, "stale");
    [server, plain, redacted] = await Promise.all([
      place.serve(run, ...DEMO_FLAGS, "--compare", join(run, "step_0020.npz")),
      place.serve(run),
      place.serve(run, ...DEMO_FLAGS, "--redact", "text"),
    ]);
  });

  async function open(
    hash: string,
    url = server.url,
    options: Parameters<Browser["newPage"]>[0] = {},
  ): Promise<{ page: Page; errors: string[] }> {
    const opened = await openPage(browser, options);
    await goTo(opened.page, url, hash);
    return opened;
  }
  const rowTexts = (page: Page, row: number): Promise<string[]> =>
    page.locator("[role=grid] tbody tr[aria-rowindex]").nth(row).locator("td").allTextContents();

  it("lists what was asked, how it answered, and |Δ| along it", async () => {
    const { page, errors } = await open("#/sequences");
    await eventually(async () => (await rowTexts(page, 0)).slice(0, 2)).toEqual([
      "s30.q48",
      "Question: Solve x - 86 = 24. What is x?",
    ]);
    expect((await rowTexts(page, 0))[2]).toMatch(/Therefore x = 100\. #### 100$/);
    const beyond = page.locator("[role=grid] .spark .beyond").first();
    expect(await beyond.getAttribute("d")).toMatch(/^M\d/);
    // No UUID is in a cell; hovering shows the whole name.
    const group = page.locator("[role=grid] a[href*='#/group/']").first();
    expect(await readText(group)).toMatch(/^[0-9a-f]{6}$/);
    expect(await group.getAttribute("title")).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
    // The same far down the list.
    await page.keyboard.press("End");
    await eventually(async () => (await rowTexts(page, 20)).slice(0, 3).every((text) => text !== "")).toBe(
      true,
    );
    expect(errors).toEqual([]);
    await page.close();
  });

  it("shows the text of a row beside the list at Space, goes on with it, and closes it at Escape", async () => {
    const { page, errors } = await open("#/sequences?sort=sequence");
    const peek = page.getByRole("complementary", { name: "Text of the current row" });
    await page.keyboard.press(" ");
    await peek.waitFor();
    await eventually(() => readText(peek.locator(".tokens"))).toContain("#### 58");
    expect(await readText(peek.locator("h2"))).toBe("s10.q0");
    await page.keyboard.press("j");
    await eventually(() => readText(peek.locator("h2"))).toBe("s10.q1");
    await page.keyboard.press("ArrowDown");
    await eventually(() => readText(peek.locator("h2"))).toBe("s10.q2");
    expect(page.url()).toContain("peek=2");
    // A link opens the same view.
    await page.reload();
    await eventually(() => readText(peek.locator("h2"))).toBe("s10.q2");
    await page.locator("[role=grid] tr[aria-selected=true]").getByRole("link", { name: "s10.q2" }).waitFor();
    await page.keyboard.press("Escape");
    await eventually(() => peek.count()).toBe(0);
    expect(page.url()).not.toContain("peek");
    expect(errors).toEqual([]);
    await page.close();
  });

  it("leaves Space and Enter to a button that has the focus", async () => {
    const { page } = await open("#/sequences");
    await page.getByRole("button", { name: "Text beside" }).focus();
    await page.keyboard.press(" ");
    await page.getByRole("complementary", { name: "Text of the current row" }).waitFor();
    await page.locator("nav[aria-label=Views]").getByRole("link", { name: "Tokens", exact: true }).focus();
    await page.keyboard.press("Enter");
    await settled(page);
    expect(page.url()).toContain("#/tokens");
    await page.close();
  });

  it("chooses, pins and widens columns; what is shown is in the address, widths in the browser", async () => {
    const { page } = await open("#/sequences");
    await page.locator(".column-chooser summary").click();
    await page
      .getByRole("checkbox", { name: /^Answer/ })
      .first()
      .click();
    await page.getByRole("checkbox", { name: "Pin max |Δ|" }).click();
    await eventually(() => page.url()).toContain("pinned=worst");
    const heads = () => page.locator("[role=grid] thead th").allInnerTexts();
    expect((await heads())[1]).toContain("max |Δ|");
    expect(await heads()).not.toContain("Answer");
    const head = page.locator("[role=grid] thead th", { hasText: "Prompt" });
    const before = (await head.boundingBox())!.width;
    const handle = (await head.locator(".resize").boundingBox())!;
    await page.keyboard.press("Escape");
    await page.mouse.move(handle.x + 4, handle.y + 10);
    await page.mouse.down();
    await page.mouse.move(handle.x + 104, handle.y + 10, { steps: 4 });
    await page.mouse.up();
    await eventually(async () => Math.round((await head.boundingBox())!.width - before)).toBe(100);
    await page.reload();
    await settled(page);
    expect(Math.round((await head.boundingBox())!.width - before)).toBe(100);
    expect(page.url()).not.toContain("330");
    // Pinned columns stay while the rest scrolls.
    const pinned = page.locator("[role=grid] tbody td.pinned").first();
    const left = (await pinned.boundingBox())!.x;
    await page.locator(".virtual-table").evaluate((box) => box.scrollBy(400, 0));
    expect((await pinned.boundingBox())!.x).toBe(left);
    await page.close();
  });

  it("groups by any column", async () => {
    const { page } = await open("#/sequences?layout=groups");
    await page.locator(".grouped-by select").selectOption("correct");
    await eventually(() => page.url()).toContain("grouped-by=correct");
    const rows = page.locator("[role=grid] tbody tr.group");
    await eventually(() => rows.count()).toBe(2);
    expect(await readText(rows.nth(0))).toMatch(/▸ wrong.*79/);
    await rows.nth(0).getByRole("button").click();
    await eventually(async () => (await rowTexts(page, 1))[1]).toContain("#### 100");
    await page.close();
  });

  it("shows a group on a page: reached from the list and from a sequence, by pointer and by key", async () => {
    const { page, errors } = await open("#/sequences?layout=groups");
    await page.keyboard.press("o");
    await eventually(() => page.url()).toMatch(/#\/group\/[srq\d.]+\?/);
    await settled(page);
    const first = page.url();
    expect(await readText(page.locator("main h1"))).toMatch(/^“Question: .*” · step 30$/);
    expect(await readText(page.locator(".group-prompt"))).toContain("Solve x - 86 = 24. What is x?");
    expect(await readText(page.locator("main header"))).toContain(
      "without a spread the group gives no gradient",
    );
    const event = page.locator(".report-table tbody tr").first();
    expect(await readText(event)).toMatch(/× 7.*7 of 8.*−10\.7(?!\d)/);
    expect(await page.locator(".samples > li").count()).toBe(8);
    expect(await page.locator(".group-strip .branch").count()).toBeGreaterThan(0);
    await page.keyboard.press("j");
    await page.keyboard.press(" ");
    await eventually(() => readText(page.locator(".sample.current .tokens"))).toContain("x = 1");
    expect(page.url()).toContain("text-of=");
    await page.keyboard.press("Enter");
    await settled(page);
    expect(page.url()).toContain("#/sequence/");
    await page.keyboard.press("o");
    await eventually(() => page.url().replace(/\?.*/, "")).toBe(first.replace(/\?.*/, ""));
    await settled(page);
    await event.getByRole("link").click();
    await settled(page);
    // The link arrives with the token's card open.
    await eventually(() => readText(page.locator(".pinned-cards .card"))).toMatch(/rollout.*trainer/s);
    expect(errors).toEqual([]);
    await page.close();
  });

  it("says what is not there: a group beyond the run, texts that are redacted or not known", async () => {
    const { page } = await open("#/sequences");
    await page.goto(`${server.url}#/group/99999`);
    await eventually(() => readText(page.locator("main [role=alert]"))).toContain(
      "There is no sequence 99999",
    );
    await page.close();
    for (const [view, said] of [
      [plain, "--tokenizer DIR"],
      [redacted, "Texts are redacted."],
    ] as const) {
      const { page, errors } = await open("#/group/96", view.url);
      await eventually(() => readText(page.locator(".group-prompt"))).toContain(said);
      await goTo(page, view.url, "#/sequences");
      await eventually(() => page.locator("[role=grid] .spark").count()).toBeGreaterThan(10);
      expect(await readText(page.locator("main"))).not.toMatch(/Question|#### /);
      expect(errors).toEqual([]);
      await page.close();
    }
  });

  it("shows ids apart where there are no texts", async () => {
    const { page } = await open("#/sequence/s30.q48", plain.url);
    expect(await readText(page.locator(".strip-text .t").nth(20))).toMatch(/^\d+ $/);
    expect(await page.getByRole("radio", { name: "reading" }).count()).toBe(0);
    await page.close();
  });

  it("has what it is sorted by in sight of a phone", async () => {
    const { page } = await open("#/sequences", server.url, { viewport: PHONE });
    const cell = page.locator("[role=grid] tbody tr[aria-rowindex]").first().locator("td").nth(1);
    expect(await readText(cell)).toBe("10.7");
    const { x, width } = (await cell.boundingBox())!;
    expect(x + width).toBeLessThan(PHONE.width);
    await page.close();
  });

  it("says that the run lacks what a filter asks for, and hides no result behind what is written", async () => {
    const { page } = await open("#/sequences");
    const field = page.getByRole("combobox", { name: "Filter" });
    await field.pressSequentially("correct:no");
    await eventually(() => page.getByRole("listbox", { name: "Completions" }).count()).toBe(0);
    await field.fill("environment:math");
    await eventually(() => readText(page.locator(".nothing"))).toContain(
      "No matching sequences: none of the run has env.",
    );
    await page.close();
  });

  it("hints at a tokenizer where none was given, and names one that lies near", async () => {
    const { page } = await open("#/steps", plain.url);
    expect(await readText(page.locator(".tokenizer-hint"))).toMatch(
      /Tokens are shown as ids.*demo\/tokenizer/,
    );
    await goTo(page, server.url, "#/steps");
    expect(await page.locator(".tokenizer-hint").count()).toBe(0);
    await goTo(page, redacted.url, "#/steps");
    expect(await page.locator(".tokenizer-hint").count()).toBe(0);
    await page.close();
  });

  it("gives a new view the focus and says its name", async () => {
    const { page } = await open("#/steps");
    await page.locator("nav[aria-label=Views]").getByRole("link", { name: "Answers & tokens" }).click();
    await settled(page);
    await eventually(() => page.evaluate("document.activeElement.id")).toBe("main");
    expect(await readText(page.locator(".arrival[role=status]"))).toBe("Answers & tokens");
    await page.close();
  });

  it.each([
    "#/sequences?peek=3",
    "#/sequences?layout=groups",
    "#/group/96?text-of=102",
    "#/sequence/3",
    "#/compare",
  ])("fits a phone: %s", async (hash) => {
    const { page } = await open(hash, server.url, { viewport: PHONE });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(PHONE.width);
    const tab = (await page.locator("nav[aria-label=Views] [aria-current]").boundingBox())!;
    expect(tab.x + tab.width).toBeLessThanOrEqual(PHONE.width + 1);
    await page.close();
  });
});
