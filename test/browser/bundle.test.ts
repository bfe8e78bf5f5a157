import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { copyFile, readdir, readFile, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join, normalize } from "node:path";
import { promisify } from "node:util";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PROGRAM } from "../../bench/support/view-server.mjs";
import { memorySource } from "../../src/input/io/file-source.ts";
import { openZip } from "../../src/input/io/zip.ts";
import { readMember } from "../../src/input/io/zip-member.ts";
import {
  eventually,
  goTo,
  hasBrowser,
  listViews,
  openBrowser,
  openPage,
  readText,
  warnWithoutBrowser,
} from "../support/browser.ts";
import { DEMO, DEMO_FLAGS, type Workplace, workplace } from "../support/built-view.ts";

warnWithoutBrowser("bundles of the viewer");

const TYPES: Readonly<Record<string, string>> = { html: "text/html", js: "text/javascript", css: "text/css" };

describe.skipIf(!hasBrowser)("a bundle", () => {
  let browser: Browser;
  let place: Workplace;
  let folder: string;
  let server: Server;
  let url: string;
  const bundle = async (target: string, ...words: readonly string[]): Promise<void> => {
    await promisify(execFile)(process.execPath, [
      PROGRAM,
      "view",
      join(DEMO, "stale"),
      ...DEMO_FLAGS,
      ...["--steps", "10..30", "--cache", join(place.folder, "cache"), "--bundle", target, ...words],
    ]);
  };
  beforeAll(async () => {
    [browser, place] = await Promise.all([openBrowser(), workplace()]);
    folder = join(place.folder, "site");
    await bundle(folder);
    // A file server as simple as they come.
    server = createServer((request, response) => {
      const path = normalize(new URL(request.url!, "http://x").pathname);
      try {
        const bytes = readFileSync(join(folder, path.endsWith("/") ? `${path}index.html` : path));
        response.setHeader("content-type", TYPES[path.split(".").pop()!] ?? "application/octet-stream");
        if (path.endsWith("/")) response.setHeader("content-type", "text/html");
        response.end(bytes);
      } catch {
        response.writeHead(404).end("nothing here");
      }
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  });
  afterAll(async () => {
    await browser.close();
    server.close();
    await place.leave();
  });

  it("opens every view from a server of files", async () => {
    const { page, errors } = await openPage(browser);
    const failures: string[] = [];
    page.on("response", (response) => {
      if (response.status() >= 400) failures.push(new URL(response.url()).pathname);
    });
    for (const { name, hash } of await listViews(page, url)) {
      await goTo(page, url, hash);
      expect(await page.locator("main [role=alert]").allTextContents(), name).toEqual([]);
      expect(await page.title()).toContain(`${name} · logratio`);
    }
    await goTo(page, url, "#/steps?steps=30..80");
    expect(await readText(page.locator("main"))).toContain("A bundle cannot sum the chosen steps");
    await goTo(page, url, "#/sequence/0");
    expect(await page.locator(".strip .t").count()).toBeGreaterThan(20);
    // The recommended correction was computed when the bundle was written.
    await goTo(page, url, "#/correct");
    await page.getByRole("tab", { name: "verl", exact: true }).click();
    expect(await readText(page.locator("#config-text"))).toContain('rollout_is: "token"');
    await goTo(page, url, "#/correct?correction=weight:token+truncate:..3");
    await eventually(() => readText(page.locator("main"))).toContain(
      "no exact figures: a bundle cannot compute them; logratio view of the run can",
    );
    await goTo(page, url, "#/sql");
    expect(await readText(page.locator("main"))).toContain("A bundle cannot run SQL");
    // Fields and values are completed without a server; matches of terms are not counted, and filters are not stored.
    await goTo(page, url, "#/sequences");
    await page.getByRole("combobox", { name: "Filter" }).pressSequentially("finish:");
    await eventually(() => page.getByRole("option").count()).toBeGreaterThan(0);
    await page.getByText("Saved", { exact: true }).click();
    expect(await page.getByRole("button", { name: "Save this filter" }).count()).toBe(0);
    expect(await page.locator(".filter-terms").count()).toBe(0);
    expect(failures).toEqual([]);
    expect(errors).toEqual([]);
    await page.close();
  });

  it("opens by a double click, without any server", async () => {
    const { page, errors } = await openPage(browser);
    const file = `file://${folder}/index.html`;
    await page.goto(file);
    await eventually(() => readText(page.locator(".sentence"))).toContain("Elevated");
    expect(await readText(page.locator(".card.mistake"))).toContain("so 110.");
    for (const { name, hash } of await listViews(page, file)) {
      await goTo(page, file, hash);
      expect(await page.locator("main [role=alert]").allTextContents(), name).toEqual([]);
    }
    await goTo(page, file, "#/sequence/0");
    expect(await page.locator(".strip .t").count()).toBeGreaterThan(20);
    await page.getByText("Send…", { exact: true }).click();
    const link = page.getByRole("link", { name: "Save the answer" });
    expect(await readFile(new URL((await link.getAttribute("href"))!, file), "utf8")).toContain(
      "Meanwhile: ",
    );
    expect(errors).toEqual([]);
    await page.close();
  });

  it("says what is missing where its first file was unpacked alone", async () => {
    const { page } = await openPage(browser);
    const alone = join(place.folder, "index.html");
    await copyFile(join(folder, "index.html"), alone);
    await page.goto(`file://${alone}`);
    const said = page.getByText("Unpack the whole archive, then open its index.html.");
    expect((await said.boundingBox())!.height).toBeGreaterThan(10);
    await page.close();
  });

  it("holds a comparison with its warnings, and both runs' sequences", async () => {
    // Next to the first one, under the same server.
    await bundle(join(folder, "compared"), "--compare", join(DEMO, "stale/step_0020.npz"));
    const { page, errors } = await openPage(browser);
    const site = `${url}compared/`;
    await goTo(page, site, "#/compare");
    expect(await readText(page.locator(".compare-view .warnings"))).toContain("Doubtful.");
    await eventually(() => page.locator(".pair-strip .cell").count()).toBeGreaterThan(20);
    await page.getByRole("radio", { name: "by own turn" }).check({ force: true });
    expect(page.url()).toContain("align=own");
    await eventually(() => readText(page.locator(".pair"))).toContain("No partner:");
    const toB = page.locator(".pair > p a").nth(1);
    expect(await toB.getAttribute("href")).toContain("run=b");
    await toB.click();
    await eventually(() => page.locator(".strip .t").count()).toBeGreaterThan(10);
    expect(errors).toEqual([]);
    await page.close();
    await rm(join(folder, "compared"), { recursive: true });
  });

  it("is the same files as a zip", async () => {
    const target = join(place.folder, "site.zip");
    await bundle(target);
    const zip = await openZip(memorySource("site.zip", new Uint8Array(await readFile(target))));
    const names = (await readdir(folder, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
    expect([...zip.members.keys()].sort()).toEqual(names.sort());
    for (const name of ["index.html", "api/run.js", "api/sequences.js", "api/sequence/0.js"]) {
      const bytes = await readMember(zip, zip.members.get(name)!);
      expect(Buffer.from(bytes).equals(await readFile(join(folder, name))), name).toBe(true);
    }
  });
});
