/**
 * Firefox for tests of pages. Playwright supports only its own build of Firefox; Puppeteer uses WebDriver BiDi with the
 * one that users have.
 *
 * @module
 */
import { existsSync } from "node:fs";
import puppeteer, { type Browser, type Page } from "puppeteer-core";

const EXECUTABLE = [
  process.env.LOGRATIO_FIREFOX,
  "/usr/bin/firefox-esr",
  "/usr/bin/firefox",
  "/Applications/Firefox.app/Contents/MacOS/firefox",
].find((path) => path !== undefined && existsSync(path));

export const hasFirefox = EXECUTABLE !== undefined;

/** Warns visibly that tests are skipped. */
export function warnWithoutFirefox(what: string): void {
  if (!hasFirefox)
    console.warn(`SKIPPED: ${what}: no Firefox (apt-get install firefox-esr, or set LOGRATIO_FIREFOX)`);
}

export function openFirefox(): Promise<Browser> {
  return puppeteer.launch({ browser: "firefox", executablePath: EXECUTABLE!, headless: true });
}

/** A page that keeps every error. */
export async function openFirefoxPage(browser: Browser): Promise<{ page: Page; errors: string[] }> {
  const page = await browser.newPage();
  await page.setViewport({ width: 1280, height: 900 });
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  return { page, errors };
}
