/** `npm run dev` on a copy of the sources, so that this test can leave no edit in the real ones. */
import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  eventually,
  hasBrowser,
  openBrowser,
  openPage,
  settled,
  warnWithoutBrowser,
} from "../support/browser.ts";
import { ROOT } from "../support/run-cli.ts";

const COPIED = [
  "bin",
  "dist",
  "scripts",
  "src",
  "web",
  "package.json",
  "tsconfig.json",
  "tsconfig.build.json",
];
const HEADING = '{ name: "answer", title: "Answer"';

warnWithoutBrowser("npm run dev");

describe.skipIf(!hasBrowser)("npm run dev", () => {
  let folder: string;
  let dev: ChildProcess;
  /** What it has printed. */
  let said = "";
  let url: string;
  let browser: Browser;
  let page: Page;
  let errors: string[];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "logratio-dev-"));
    for (const name of COPIED)
      cpSync(join(ROOT, name), join(folder, name), { recursive: true, preserveTimestamps: true });
    cpSync(join(ROOT, "examples/demo"), join(folder, "examples/demo"), { recursive: true });
    symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"), "junction");
    const { INIT_CWD: _, ...env } = process.env;
    dev = spawn(process.execPath, ["scripts/dev.mjs"], {
      cwd: folder,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const address = new Promise<string>((resolve, reject) => {
      for (const stream of [dev.stdout!, dev.stderr!]) {
        stream.setEncoding("utf8").on("data", (text: string) => {
          said += text;
          const [found] = /^http:\S+$/m.exec(said) ?? [];
          if (found !== undefined) resolve(found);
        });
      }
      dev.once("exit", (status) => reject(new Error(`it ended with status ${status}: ${said}`)));
    });
    [browser, url] = await Promise.all([openBrowser(), address]);
    ({ page, errors } = await openPage(browser));
    await page.goto(url);
  });
  afterAll(async () => {
    await browser?.close();
    if (dev.exitCode === null) dev.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });

  it("shows an edit of a component without loading the page again", async () => {
    await settled(page);
    await page.evaluate("globalThis.stillHere = true");
    const file = join(folder, "web/src/routes.tsx");
    const before = readFileSync(file, "utf8");
    expect(before).toContain(HEADING);
    writeFileSync(file, before.replace(HEADING, HEADING.replace("Answer", "Edited here")));
    const link = page.locator("nav[aria-label=Views] a").first();
    await eventually(() => link.textContent()).toContain("Edited here");
    expect(await page.evaluate("globalThis.stillHere")).toBe(true);
    expect(errors).toEqual([]);
  });

  it("starts the server again after an edit of what it runs, and keeps the browser let in", async () => {
    await page.evaluate("globalThis.stillHere = true");
    const file = join(folder, "src/apps/viewer/server/security.ts");
    const before = readFileSync(file, "utf8");
    const header = '"referrer-policy": "no-referrer"';
    expect(before).toContain(header);
    const policy = async (): Promise<string | null> =>
      (await fetch(new URL(url).origin + "/api/run").catch(() => undefined))?.headers.get(
        "referrer-policy",
      ) ?? null;
    const patiently = { timeout: 60_000 };
    writeFileSync(file, before.replace(header, '"referrer-policy": "same-origin"'));
    await expect.poll(policy, patiently).toBe("same-origin");
    // The page was reloaded with the cookie of the previous server; the printed address was reloaded too.
    await expect.poll(() => page.evaluate("globalThis.stillHere === undefined"), patiently).toBe(true);
    await settled(page);
    expect((await fetch(url, { redirect: "manual" })).headers.get("set-cookie")).toContain("logratio_");
    // A file that does not parse is not run.
    writeFileSync(file, before.replace(header, '"referrer-policy": ('));
    await expect.poll(() => said, patiently).toMatch(/security\.ts:19: /);
    expect(await policy()).toBe("same-origin");
    writeFileSync(file, before);
    await expect.poll(policy, patiently).toBe("no-referrer");
  }, 300_000);

  it("asks for the viewer's token, and keeps its rules on host and origin", async () => {
    const answer = async (init: RequestInit = {}, path = "api/run"): Promise<number> =>
      (await fetch(new URL(path, new URL(url).origin), { redirect: "manual", ...init })).status;
    const authorization = `Bearer ${new URL(url).searchParams.get("token")}`;
    const question = { method: "POST", body: "{}" };
    const json = { "content-type": "application/json", authorization };
    expect(await answer()).toBe(401);
    expect(await answer({}, "/?token=wrong")).toBe(401);
    expect(await answer({ headers: { authorization } })).toBe(200);
    expect(
      await answer({ ...question, headers: { ...json, origin: "http://elsewhere.invalid" } }, "api/correct"),
    ).toBe(403);
    expect(
      await answer({ ...question, headers: { ...json, origin: new URL(url).origin } }, "api/correct"),
    ).toBe(400);
  });

  it("serves nothing of the disk but what the page is made of", async () => {
    const { origin } = new URL(url);
    expect((await fetch(`${origin}/@fs${join(folder, "package.json")}`)).status).toBe(403);
    expect((await fetch(`${origin}/@fs/etc/passwd`)).status).toBe(403);
    const policy = (await fetch(origin)).headers.get("content-security-policy");
    expect(policy).toContain("default-src 'self'");
    expect(policy).not.toContain("script-src");
  });

  it("ends with the viewer that it started", async () => {
    const brought = await fetch(url, { redirect: "manual" });
    const [, port] = /^logratio_(\d+)=/.exec(brought.headers.get("set-cookie") ?? "") ?? [];
    const viewer = `http://127.0.0.1:${port}/`;
    expect((await fetch(viewer)).status).toBe(401);
    const ended = new Promise((resolve) => dev.once("exit", resolve));
    dev.kill("SIGINT");
    expect(await ended).toBe(0);
    await expect(fetch(url)).rejects.toThrow();
    await expect(fetch(viewer)).rejects.toThrow();
  });
});
