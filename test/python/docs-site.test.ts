/** The documentation's site as `npm run docs:site` builds it, from a server and in a browser. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasBrowser, openBrowser, openPage, warnWithoutBrowser } from "../support/browser.ts";
import { ROOT } from "../support/run-cli.ts";

/** The first run installs Sphinx. */
const BUILD_MS = 900_000;
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};
warnWithoutBrowser("the documentation's site");

let folder: string;
let said: string;
let status: number | null;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "logratio-docs-site-"));
  const build = spawnSync(process.execPath, ["scripts/docs-site.mjs", "--out", join(folder, "html")], {
    cwd: ROOT,
    encoding: "utf8",
  });
  ({ status } = build);
  said = build.stdout + build.stderr;
}, BUILD_MS);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const read = (name: string): string => readFileSync(join(folder, "html", name), "utf8");

it("is built without a warning, every link leads somewhere, and nothing is loaded from another host", () => {
  expect(said).toMatch(/: \d+ pages, \d{5} links\n$/);
  expect(status).toBe(0);
});

it("has the API of both languages", () => {
  expect(read("api/python.html")).toContain('id="logratio.report"');
  expect(read("api/node.html")).toContain('id="reportrun"');
});

it("can be served by GitHub Pages as it is", () => {
  expect(existsSync(join(folder, "html/.nojekyll"))).toBe(true);
  expect(existsSync(join(folder, "html/.doctrees"))).toBe(false);
});

describe.skipIf(!hasBrowser)("in a browser", () => {
  let browser: Browser;
  let server: Server;
  let base: string;

  beforeAll(async () => {
    server = createServer((request, response) => {
      const file = join(folder, "html", new URL(request.url!, "http://host").pathname);
      if (!existsSync(file)) return response.writeHead(404).end();
      return response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "" }).end(readFileSync(file));
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser.close();
    server.close();
  });

  it("finds a cause by its name, and asks only its own server", async () => {
    const { page, errors } = await openPage(browser);
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.goto(`${base}index.html`);
    await page.locator("input[name=q]").fill("softcap_mismatch");
    await page.keyboard.press("Enter");
    await page.locator("ul.search a[href^='causes/softcap_mismatch.html']").first().waitFor();
    expect(asked.filter((url) => !url.startsWith(base) && !url.startsWith("data:"))).toEqual([]);
    expect(errors).toEqual([]);
    await page.close();
  });

  it.each(["light", "dark"] as const)("fits a phone, %s", async (colorScheme) => {
    const { page, errors } = await openPage(browser, { viewport: { width: 390, height: 800 }, colorScheme });
    for (const name of ["index.html", "metrics.html", "causes/token_shift.html", "api/python.html"]) {
      await page.goto(base + name);
      expect(await page.evaluate("document.documentElement.scrollWidth"), name).toBeLessThanOrEqual(390);
      const background = await page.evaluate("getComputedStyle(document.body).backgroundColor");
      expect(background === "rgb(255, 255, 255)", name).toBe(colorScheme === "light");
    }
    expect(errors).toEqual([]);
    await page.close();
  });
});
