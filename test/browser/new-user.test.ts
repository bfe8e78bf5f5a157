import type { Browser, Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { RunningView } from "../../bench/support/view-server.mjs";
import {
  eventually,
  hasBrowser,
  isInSight,
  openPage,
  readText,
  settled,
  warnWithoutBrowser,
} from "../support/browser.ts";
import { hasLab, INT8, INT8_FLAGS, printed, warnWithoutLab } from "../support/built-view.ts";
import { useViewer } from "../support/use-viewer.ts";

interface WorstTurn {
  readonly sequence: number;
  readonly handle: string;
  readonly turn: number;
  readonly first: number;
}

warnWithoutBrowser("a new user of the viewer");
warnWithoutLab("a new user of the viewer");

/** Only what is in sight is used: no keys, no addresses. */
describe.skipIf(!hasBrowser || !hasLab)("a new user, on the lab's int8 run", () => {
  let browser: Browser;
  let server: RunningView;
  let page: Page;
  let errors: string[];
  useViewer(async (aBrowser, place) => {
    browser = aBrowser;
    server = await place.serve(INT8, ...INT8_FLAGS);
    ({ page, errors } = await openPage(browser, { permissions: ["clipboard-read", "clipboard-write"] }));
  });

  const firstLook = (name: string) =>
    page.getByRole("list", { name: "Where to look first" }).getByRole("listitem").filter({ hasText: name });
  const clipboard = (): Promise<string> => page.evaluate<string>("navigator.clipboard.readText()");
  const goToView = async (name: string): Promise<void> => {
    await page.getByRole("navigation", { name: "Views" }).getByRole("link", { name, exact: true }).click();
    await settled(page);
  };

  it("finds the worst turn among the steps", async () => {
    await page.goto(`${server.url}#/steps`);
    await settled(page);
    const look = firstLook("Worst turn");
    await look.waitFor();
    const link = look.getByRole("link");
    const box = (await link.boundingBox())!;
    expect(box.y + box.height).toBeLessThan(900);
    const tokens = await page.evaluate<{ turns: { by_mean: WorstTurn[] } }>(
      "fetch('api/tokens').then((answer) => answer.json())",
    );
    const [worst] = tokens.turns.by_mean;
    expect(await readText(link)).toBe(`${worst!.handle} turn ${worst!.turn}`);
    await link.click();
    await settled(page);
    expect(page.url()).toContain(`#/sequence/${worst!.handle}/t${worst!.first}`);
    await eventually(() => isInSight(page.locator(".strip .t.current"), ".strip")).toBe(true);
  });

  it("finds the worst token, and what both policies would have written there", async () => {
    const { worst_tokens } = await printed<{ worst_tokens: { handle: string }[] }>("report", INT8, "--json");
    await goToView("Steps");
    const link = firstLook("Worst token").getByRole("link");
    expect(await readText(link)).toBe(worst_tokens[0]!.handle);
    await link.click();
    await settled(page);
    const current = page.locator(".strip .t.current");
    await eventually(() => isInSight(current, ".strip")).toBe(true);
    // A link to a token arrives with its card open.
    const card = page.locator(".pinned-cards .card");
    await card.waitFor();
    expect(await readText(card)).toContain(worst_tokens[0]!.handle);
    const alternatives = card.getByRole("table").filter({ hasText: "p rollout" });
    await eventually(() => alternatives.getByRole("row").count()).toBeGreaterThan(3);
    expect(await readText(alternatives)).toMatch(/p trainer.*sampled.*rest of the vocabulary/s);
  });

  it("sees what a trainer's correction does at each step", async () => {
    await goToView("Steps");
    const part = page.getByRole("region", { name: "What a correction would do, step by step" });
    await part.getByRole("button", { name: "slime-mis" }).click();
    const set = page.getByRole("region", { name: "Under the current correction" });
    for (const title of ["Kept", "Clipped, rejected, vetoed", "ESS after correction", "Dropped, by outcome"])
      await set.getByRole("heading", { name: title }).waitFor();
    await set.getByRole("button", { name: "none", exact: true }).click();
    await part.waitFor();
  });

  it("drags a threshold, and leaves with a config and a link", async () => {
    await goToView("Correction");
    const recommended = page.getByRole("region", { name: "Recommended" });
    await eventually(() => readText(recommended)).toContain(
      "No correction is needed; as a safety net: token-tis 2",
    );
    const slider = page.getByRole("slider", { name: "1 truncate above" });
    const box = (await slider.boundingBox())!;
    const [x, y] = [box.x + box.width / 2, box.y + box.height - 20];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x - 150, y, { steps: 10 });
    await page.mouse.up();
    const cap = /truncate:\.\.([\d.]+)/.exec(page.url())![1]!;
    expect(Number(cap)).toBeLessThan(2);
    await page.getByRole("tab", { name: "slime", exact: true }).click();
    const copy = page.getByRole("button", { name: /^Copy config/ });
    await eventually(() => copy.isEnabled()).toBe(true);
    await copy.click();
    expect(await clipboard()).toContain(cap);
    await page
      .locator("main")
      .getByRole("button", { name: /^Copy link/ })
      .click();
    const link = await clipboard();
    const { page: other } = await openPage(browser);
    await other.goto(link);
    await settled(other);
    const there = other.getByRole("slider", { name: "1 truncate above" });
    expect(await there.getAttribute("aria-valuetext")).toBe(await slider.getAttribute("aria-valuetext"));
    await other.close();
    expect(errors).toEqual([]);
  });

  it.each([
    ["a laptop", { viewport: { width: 1440, height: 900 }, colorScheme: "light" }],
    ["a phone", { viewport: { width: 390, height: 844 }, colorScheme: "dark", hasTouch: true }],
  ] as const)("gets from the first screen to a page to show in under ten clicks, on %s", async (_, size) => {
    const own = await openPage(browser, { ...size, permissions: ["clipboard-read", "clipboard-write"] });
    let clicks = 0;
    const click = async (target: Locator): Promise<void> => {
      await ("hasTouch" in size ? target.tap() : target.click());
      clicks++;
      await settled(own.page);
    };
    const tab = (name: string) =>
      own.page.getByRole("navigation", { name: "Views" }).getByRole("link", { name, exact: true });
    await own.page.goto(server.url);
    await settled(own.page);
    // The run is sound; the steps show what moved the gradient most.
    await click(tab("Steps"));
    await click(
      own.page.getByRole("listitem").filter({ hasText: "Worst for the gradient" }).getByRole("link"),
    );
    const card = own.page.locator(".pinned-cards .card");
    await eventually(() => readText(card)).toMatch(/p rollout.*p trainer.*sampled/s);
    const handle = /s\d+\.q\d+\.t\d+/.exec(await readText(card))![0];
    await click(card.getByRole("button", { name: /star/i }).first());
    // The line of config that corrects the mismatch.
    await click(tab("Correction"));
    await click(own.page.getByRole("tab", { name: "verl", exact: true }));
    const copy = own.page.getByRole("button", { name: /^Copy config/ });
    await eventually(() => copy.isEnabled()).toBe(true);
    await click(copy);
    expect(await own.page.evaluate<string>("navigator.clipboard.readText()")).toContain(
      'rollout_is: "token"',
    );
    await click(own.page.getByText("More ▾"));
    await click(tab("Story"));
    const story = own.page.locator("main");
    await eventually(() => readText(story)).toContain(handle);
    expect(await readText(story)).toContain("What each policy would have said there");
    expect(clicks).toBeLessThan(10);
    expect(own.errors).toEqual([]);
    // The next window size starts without stars.
    await story
      .getByRole("button", { name: /remove/i })
      .first()
      .click();
    await eventually(() => readText(story)).not.toContain("What each policy");
    await own.page.close();
  });
});
