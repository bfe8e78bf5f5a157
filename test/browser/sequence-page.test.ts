import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { writeLongRun } from "../../bench/support/long-run.mjs";
import type { RunningView } from "../../bench/support/view-server.mjs";
import {
  eventually,
  goTo,
  hasBrowser,
  isInSight,
  openPage,
  readStyle,
  readText,
  settled,
  warnWithoutBrowser,
} from "../support/browser.ts";
import { DEMO, DEMO_FLAGS } from "../support/built-view.ts";
import { useViewer } from "../support/use-viewer.ts";

warnWithoutBrowser("the page of one sequence");

const LONG = 100_000;

describe.skipIf(!hasBrowser)("the page of a sequence", () => {
  let demo: RunningView;
  let long: RunningView;
  let page: Page;
  let errors: string[];
  useViewer(async (browser, place) => {
    const path = join(place.folder, "long.jsonl");
    writeLongRun(path, LONG);
    [demo, long] = await Promise.all([
      place.serve(DEMO, ...DEMO_FLAGS, "--compare", DEMO),
      place.serve(path, ...DEMO_FLAGS),
    ]);
    ({ page, errors } = await openPage(browser));
  });
  beforeEach(() => {
    errors.length = 0;
  });

  const box = (): Locator => page.getByRole("searchbox", { name: "Find" });
  const said = (): Promise<string> => readText(page.locator(".find-said"));
  const param = (name: string): string | null =>
    new URLSearchParams(new URL(page.url()).hash.split("?")[1]).get(name);
  const token = (): number => Number(/\/t(\d+)\?/.exec(page.url())?.[1] ?? -1);
  /** Nothing that an earlier page had open is open in this one. */
  const fresh = async (url: string, hash: string): Promise<void> => {
    await page.goto("about:blank");
    await goTo(page, url, hash);
  };
  const open = async (url: string, hash: string): Promise<void> => {
    await fresh(url, hash);
    await page.locator(".strip .t").first().waitFor();
  };

  it("finds a text across tokens, says how often, and goes from one to the next", async () => {
    await open(demo.url, "#/sequence/3");
    const text = await readText(page.locator(".turn-section.turn .chunk").first());
    const wanted = /\p{L}{4,}/u.exec(text)![0];
    const all = (await page.locator(".strip .chunk").allTextContents()).join("");
    const times = all.toLowerCase().split(wanted.toLowerCase()).length - 1;
    await page.keyboard.press("/");
    await box().fill(wanted.toUpperCase());
    await eventually(said).toContain(`${times} hit`);
    expect(param("find")).toBe(wanted.toUpperCase());
    const marked = (await page.locator(".strip .t.hit").allTextContents()).join("");
    expect(marked.toLowerCase()).toContain(wanted.toLowerCase());
    await box().press("Enter");
    await eventually(said).toContain(`1 of ${times}`);
    await eventually(() => isInSight(page.locator(".strip .t.current"), ".strip")).toBe(true);
    await box().press("Shift+Enter");
    await eventually(said).toContain(`${times} of ${times}`);
    await page.keyboard.press("Escape");
    await eventually(() => box().count()).toBe(0);
    expect(param("find")).toBe(null);
    expect(await page.locator(".strip .t.hit").count()).toBe(0);
    expect(errors).toEqual([]);
  });

  it("finds tokens by what they are, and text that only looks like it when told so", async () => {
    await open(demo.url, "#/sequence/3?find=mask:1+pos<4");
    await eventually(said).toMatch(/^\d+ matching tokens/);
    expect(await page.locator(".strip .t.hit").count()).toBeGreaterThan(0);
    await page.getByRole("button", { name: "as text" }).click();
    await eventually(said).toBe("not in this text");
    await page.getByRole("button", { name: "as text" }).click();
    await page.keyboard.press("n");
    await eventually(said).toMatch(/^1 of/);
    expect(token()).toBeGreaterThanOrEqual(0);
  });

  it("begins with the tokens that the list was filtered by", async () => {
    await open(demo.url, "#/sequence/3?filter=abs%3E0.0001");
    await eventually(said).toContain("matching tokens");
    expect(await box().inputValue()).toBe("abs>0.0001");
    await page.getByRole("button", { name: "Close find" }).click();
    await eventually(() => box().count()).toBe(0);
    await page.reload();
    await settled(page);
    expect(await box().count()).toBe(0);
  });

  it("finds in all of 100,000 tokens, opens what is folded, and shows it in the minimap", async () => {
    await open(long.url, "#/sequence/0");
    // Tool output, which is folded at first, and tokens far outside the view.
    await page.keyboard.press("/");
    await box().fill("mask:0 pos>50000");
    await eventually(said).toContain("5,000 matching tokens");
    expect(await page.locator(".strip .t.hit").count()).toBe(0);
    await box().press("Enter");
    await eventually(token).toBe(50_900);
    await eventually(() => isInSight(page.locator(".strip .t.current.hit"), ".strip")).toBe(true);
    expect(param("toggled")).toMatch(/^\d+$/);
    await box().press("Escape");
    expect(errors).toEqual([]);
  });

  it("goes from sequence to sequence as the list has them", async () => {
    await fresh(demo.url, "#/sequences?sort=-tokens&filter=tokens>0");
    const links = page.locator(".virtual-table a[href*='#/sequence/']");
    await links.first().waitFor();
    const hrefs = await links.evaluateAll((all) => all.map((link) => link.getAttribute("href") ?? ""));
    const order = [...new Set(hrefs.map((href) => /sequence\/([\w.]+)/.exec(href)![1]!))];
    await links.first().click();
    await settled(page);
    const where = page.getByRole("link", { name: /in this order/ });
    await eventually(() => readText(where)).toMatch(/^1 of \d+ in this order$/);
    await page.keyboard.press("j");
    await eventually(() => page.url()).toContain(`#/sequence/${order[1]}?`);
    await settled(page);
    await page.keyboard.press("j");
    await eventually(() => page.url()).toContain(`#/sequence/${order[2]}?`);
    await settled(page);
    await page.keyboard.press("k");
    await eventually(() => page.url()).toContain(`#/sequence/${order[1]}?`);
    await where.click();
    await settled(page);
    expect(page.url()).toContain("#/sequences?");
    expect(param("sort")).toBe("-tokens");
  });

  it("goes from step to step", async () => {
    await open(demo.url, "#/sequence/0?sort=sequence");
    const step = async (): Promise<number> =>
      Number(/s(\d+)\./.exec(await readText(page.locator("h1")))?.[1] ?? -1);
    const first = await step();
    await page.keyboard.press("J");
    await eventually(step).toBeGreaterThan(first);
    await settled(page);
    await page.keyboard.press("K");
    await eventually(step).toBe(first);
  });

  it("shows no correction until one is chosen, and then what it does", async () => {
    await open(demo.url, "#/sequence/3");
    expect(await page.locator(".key.truncated").count()).toBe(0);
    const correction = page.locator("details.correction-picker");
    await correction.locator("summary").focus();
    await page.keyboard.press("Enter");
    await correction.getByLabel("Token").check({ force: true });
    await correction.getByRole("button", { name: "truncate" }).click();
    const upper = correction.getByLabel("to", { exact: true });
    await upper.fill("1.001");
    await upper.press("Enter");
    await eventually(() => param("correction")).toBe("weight:token truncate:..1.001");
    const counted = Number(/: ([\d,]+)$/.exec(await readText(page.locator(".key.truncated")))![1]);
    expect(counted).toBeGreaterThan(0);
    expect(await readStyle(page.locator(".strip .t.truncated").first(), "text-decoration-line")).toBe(
      "underline",
    );
    const link = await correction.getByRole("link").getAttribute("href");
    expect(link).toMatch(/#\/correct\?.*truncate:\.\.1\.001/);
    await correction.getByRole("button", { name: "no correction" }).click();
    await eventually(() => page.locator(".key.truncated").count()).toBe(0);
    await page.keyboard.press("Escape");
    expect(await correction.getAttribute("open")).toBe(null);
  });

  it("has keys for metrics and both ends, and none while one types", async () => {
    await open(demo.url, "#/sequence/3");
    await page.keyboard.press("3");
    await eventually(() => param("metric")).toBe("k3");
    await page.keyboard.press("G");
    await eventually(token).toBeGreaterThan(0);
    const last = token();
    await page.keyboard.press("g");
    await page.keyboard.press("g");
    await eventually(token).toBe(0);
    await page.keyboard.press("/");
    await box().pressSequentially("1G.x");
    await eventually(() => param("find")).toBe("1G.x");
    expect(param("metric")).toBe("k3");
    expect(token()).toBe(0);
    expect(last).toBeGreaterThan(token());
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    const keys = await readText(page.getByRole("dialog"));
    for (const what of ["find in all tokens", "next hit", "last token", "next step"])
      expect(keys).toContain(what);
    await page.keyboard.press("Escape");
  });

  it("takes keys on the minimap: along it, and a range with Shift", async () => {
    await open(demo.url, "#/sequence/3/t0");
    await page.locator(".minimap").focus();
    await page.keyboard.press("PageDown");
    await eventually(token).toBeGreaterThan(1);
    const from = token();
    await page.keyboard.press("Shift+PageDown");
    await eventually(() => param("range")).toMatch(new RegExp(`^${from}-\\d+$`));
    expect(await readText(page.locator(".readout .range"))).toMatch(/mean \|Δ\| .* k3 /);
    expect(await page.locator(".minimap").getAttribute("aria-valuetext")).toBe(`token ${token()}`);
  });

  it("keeps the token in sight above the drawer of cards where there is little room", async () => {
    await page.setViewportSize({ width: 700, height: 900 });
    await open(demo.url, "#/sequence/3/t2?pins=1_2_3");
    const drawer = page.locator(".pinned-cards");
    await drawer.waitFor();
    await page.keyboard.press("G");
    const current = page.locator(".strip .t.current");
    await eventually(() => isInSight(current, ".strip")).toBe(true);
    const [card, own] = await Promise.all([drawer.boundingBox(), current.boundingBox()]);
    expect(card!.y + card!.height).toBeLessThanOrEqual(901);
    await eventually(async () => (await current.boundingBox())!.y + own!.height <= card!.y).toBe(true);
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
    await page.getByRole("button", { name: "unpin all" }).click();
    await eventually(() => drawer.count()).toBe(0);
    await page.setViewportSize({ width: 1280, height: 900 });
  });

  it("shows the compared run's sequence under its badge, and leaves it with any other link", async () => {
    await open(demo.url, "#/sequence/3?run=b&sort=sequence");
    expect(await readText(page.locator(".run-badge"))).toContain("run B");
    await page.keyboard.press("j");
    await eventually(() => page.url()).toContain("#/sequence/s10.q4?");
    expect(param("run")).toBe("b");
    await page.locator(".strip .t").first().waitFor();
    expect(await page.getByRole("link", { name: "Answers & tokens" }).getAttribute("href")).not.toContain(
      "run=b",
    );
    await page.goto(`${long.url}#/sequence/0?run=b`);
    await eventually(() => readText(page.getByRole("alert"))).toContain("not compared");
    expect(errors).toEqual([]);
  });
});
