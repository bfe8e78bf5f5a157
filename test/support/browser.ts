/**
 * A real browser for tests of pages.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { type Browser, chromium, type Locator, type Page } from "playwright-core";
import { expect, vi } from "vitest";

// Machines that run tests are slow, and hooks start servers and browsers.
vi.setConfig({ hookTimeout: 90_000, testTimeout: 120_000 });

const EXECUTABLE = [process.env.LOGRATIO_CHROMIUM, "/usr/bin/chromium", "/usr/bin/google-chrome"].find(
  (path) => path !== undefined && existsSync(path),
);

export const hasBrowser = EXECUTABLE !== undefined;

/** Warns visibly that tests are skipped. */
export function warnWithoutBrowser(what: string): void {
  if (!hasBrowser)
    console.warn(`SKIPPED: ${what}: no chromium (apt-get install chromium, or set LOGRATIO_CHROMIUM)`);
}

/** Violations of the page's security policy go to the console too, but not all of them as errors. */
const REPORT_VIOLATIONS = `addEventListener("securitypolicyviolation", (event) => {
  console.error("refused by the security policy: " + event.violatedDirective + " " + event.blockedURI);
})`;

export async function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: EXECUTABLE!, args: ["--no-sandbox"] });
}

/** A page that keeps every error and every refusal of the security policy. */
export async function openPage(
  browser: Browser,
  options: Parameters<Browser["newPage"]>[0] = {},
): Promise<{ page: Page; errors: string[] }> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  await page.addInitScript(REPORT_VIOLATIONS);
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  return { page, errors };
}

/** Goes to a place in the viewer, and waits until everything has loaded. */
export async function goTo(page: Page, url: string, hash: string): Promise<void> {
  const target = new URL(hash, url).href;
  // Changing only the hash would keep what the page remembers.
  if (page.url().split("#")[0] !== url) await page.goto(target);
  else await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  await settled(page);
}

/** Waits until the view is there with its data, and painted. */
export async function settled(page: Page): Promise<void> {
  await page.locator("main :is(h1, h2)").first().waitFor({ state: "attached" });
  await eventually(() => page.locator("main .loading").count()).toBe(0);
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
}

/** The page's own list of views, each with an address that leads there. */
export async function listViews(page: Page, url: string): Promise<{ name: string; hash: string }[]> {
  await goTo(page, url, "#/steps");
  const links = await page
    .locator("nav[aria-label=Views] a")
    .evaluateAll((all) =>
      all.map((link) => ({ name: link.textContent ?? "", hash: link.getAttribute("href") ?? "" })),
    );
  return [...links, { name: "Tokens", hash: "#/tokens" }, { name: "Sequence", hash: "#/sequence/0" }];
}

/** A computed style of an element. */
export async function readStyle(element: Locator, property: string): Promise<string> {
  return element.evaluate(
    (node, name) => node.ownerDocument.defaultView!.getComputedStyle(node).getPropertyValue(name),
    property,
  );
}

/** Whether one element is there, and visible within what scrolls around it. */
export async function isInSight(element: Locator, scroller: string): Promise<boolean> {
  if ((await element.count()) !== 1) return false;
  const [own, around] = await Promise.all([
    element.boundingBox(),
    element.page().locator(scroller).boundingBox(),
  ]);
  if (own === null || around === null) return false;
  return own.height > 0 && own.y >= around.y && own.y + own.height <= around.y + around.height;
}

export async function readText(element: Locator): Promise<string> {
  return (await element.textContent()) ?? "";
}

/** Expects a value to become right eventually, however slow the machine is. */
export function eventually<T>(value: () => T): ReturnType<typeof expect.poll<T>> {
  return expect.poll(value, { timeout: 20_000 });
}
