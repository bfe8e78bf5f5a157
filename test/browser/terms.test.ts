import type { Browser, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { RunningView } from "../../bench/support/view-server.mjs";
import { buildGlossary } from "../../src/render/glossary/build-glossary.ts";
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

warnWithoutBrowser("terms that explain themselves");

describe.skipIf(!hasBrowser)("a term in a heading", () => {
  let browser: Browser;
  let server: RunningView;
  let page: Page;
  let errors: string[];
  useViewer(async (aBrowser, place) => {
    browser = aBrowser;
    server = await place.serve(DEMO, ...DEMO_FLAGS);
    ({ page, errors } = await openPage(browser));
  });
  const { meanings } = buildGlossary();
  const said = () => page.getByRole("tooltip");

  it("says what it means to the pointer and to Tab, until the pointer leaves or Escape", async () => {
    await goTo(page, server.url, "#/steps");
    const ess = page.getByRole("cell", { name: "ESS", exact: true }).getByRole("button");
    await ess.hover();
    expect(await readText(said())).toBe("effective share of the tokens, (Σρ)² / (n Σρ²)");
    const [term, sentence] = [(await ess.boundingBox())!, (await said().boundingBox())!];
    expect(Math.abs(sentence.y - term.y - term.height)).toBeLessThan(2);
    await page.mouse.move(2, 2);
    await eventually(() => said().count()).toBe(0);
    await ess.focus();
    await said().waitFor();
    await page.keyboard.press("Escape");
    await eventually(() => said().count()).toBe(0);
    // Below the end of the window there is no room.
    await page.setViewportSize({ width: 1280, height: Math.ceil(term.y + term.height + 4) });
    await ess.hover();
    expect((await said().boundingBox())!.y).toBeLessThan(term.y);
    await page.setViewportSize({ width: 1280, height: 900 });
    expect(errors).toEqual([]);
  });

  it("stands in cards, sortable columns and titles of charts, with the words of the glossary", async () => {
    await goTo(page, server.url, "#/steps");
    const card = page.getByRole("list", { name: "Where to look first" }).getByRole("listitem");
    const gradient = card
      .filter({ hasText: "Worst for the gradient" })
      .getByRole("button", { name: "advantage" });
    expect(await gradient.getAttribute("aria-description")).toBe(meanings.advantage);
    await page.getByRole("heading", { name: "Effective sample size" }).getByRole("button").hover();
    expect(await readText(said())).toBe(meanings.ess);
    await goTo(page, server.url, "#/digits");
    await page.getByRole("columnheader", { name: "exp(avg)" }).first().getByRole("button").hover();
    expect(await readText(said())).toBe(meanings["exp(avg)"]);
    await goTo(page, server.url, "#/sequences");
    const k3 = page.getByRole("columnheader", { name: "k3" }).getByRole("button");
    await k3.hover();
    expect(await readText(said())).toBe("mean k3 = exp Δ − 1 − Δ, nats");
    await k3.click();
    expect(page.url()).toContain("sort=-k3");
    expect(errors).toEqual([]);
  });

  it("answers a tap, on the card of a token too, and goes with a tap elsewhere", async () => {
    const { page: phone, errors: wrong } = await openPage(browser, {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    await phone.goto(`${server.url}#/steps`);
    await settled(phone);
    await phone.getByRole("list", { name: "Where to look first" }).getByRole("link").nth(1).tap();
    const rho = phone.locator(".pinned-cards").getByRole("button", { name: "ρ", exact: true });
    await rho.tap();
    const sentence = phone.getByRole("tooltip");
    expect(await readText(sentence)).toBe(meanings.ρ);
    const box = (await sentence.boundingBox())!;
    expect(box.x).toBeGreaterThanOrEqual(0);
    expect(box.x + box.width).toBeLessThanOrEqual(390);
    await phone.getByRole("heading", { level: 1 }).tap();
    await eventually(() => sentence.count()).toBe(0);
    expect(wrong).toEqual([]);
    await phone.close();
  });
});
