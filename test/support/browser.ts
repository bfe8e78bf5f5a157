/**
 * A real browser for tests of pages.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { type Browser, chromium, type Page } from "playwright-core";

const EXECUTABLE = [process.env.LOGRATIO_CHROMIUM, "/usr/bin/chromium", "/usr/bin/google-chrome"].find(
  (path) => path !== undefined && existsSync(path),
);

export const hasBrowser = EXECUTABLE !== undefined;

/** Says loudly that tests are skipped. */
export function warnWithoutBrowser(what: string): void {
  if (!hasBrowser)
    console.warn(`SKIPPED: ${what}: no chromium (apt-get install chromium, or set LOGRATIO_CHROMIUM)`);
}

export async function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: EXECUTABLE!, args: ["--no-sandbox"] });
}

/** A page of which every error and every refusal of the security policy is kept. */
export async function openPage(
  browser: Browser,
  options: Parameters<Browser["newPage"]>[0] = {},
): Promise<{ page: Page; errors: string[] }> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  const errors: string[] = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  return { page, errors };
}
