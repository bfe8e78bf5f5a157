import { copyFile, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { RunningView } from "../../bench/support/view-server.mjs";
import { eventually, goTo, hasBrowser, openPage, readText, warnWithoutBrowser } from "../support/browser.ts";
import { DEMO, DEMO_FLAGS } from "../support/built-view.ts";
import { useViewer } from "../support/use-viewer.ts";

warnWithoutBrowser("files dropped on the page");

describe.skipIf(!hasBrowser)("files dropped on the page", () => {
  let server: RunningView;
  let page: Page;
  let errors: string[];
  let other: string;
  useViewer(async (browser, place) => {
    server = await place.serveWithToken(join(DEMO, "stale"), ...DEMO_FLAGS);
    ({ page, errors } = await openPage(browser));
    other = join(place.folder, "first-steps");
    await mkdir(join(other, "dumps"), { recursive: true });
    for (const name of (await readdir(join(DEMO, "stale"))).sort().slice(0, 3))
      await copyFile(join(DEMO, "stale", name), join(other, "dumps", name));
    await writeFile(join(other, ".DS_Store"), "not of the run");
    await writeFile(join(place.folder, "notes.txt"), "no run at all");
  });

  /** Drags a file as a person would from a folder of the system. */
  const drag = async (path: string): Promise<void> => {
    const session = await page.context().newCDPSession(page);
    const data = { items: [], files: [path], dragOperationsMask: 1 };
    for (const type of ["dragEnter", "dragOver", "drop"] as const)
      await session.send("Input.dispatchDragEvent", { type, x: 600, y: 400, data });
    await session.detach();
  };
  const compareLink = () =>
    page
      .getByRole("navigation", { name: "Views" })
      .getByRole("link", { name: "Compare", includeHidden: true });

  it("that are not a run say why and what to try, and change nothing", async () => {
    await page.goto(server.url);
    await goTo(page, page.url().split("#")[0]!, "#/steps");
    await drag(join(other, "..", "notes.txt"));
    const dialog = page.getByRole("dialog", { name: "Dropped files" });
    await eventually(() => readText(dialog)).toContain("hint: ");
    expect(await readText(dialog)).toContain("notes.txt");
    await dialog.getByRole("button", { name: "Close" }).click();
    expect(await dialog.count()).toBe(0);
    expect(await compareLink().count()).toBe(0);
    // The browser itself reports every response that is not 200.
    expect(errors.splice(0).every((error) => error.includes("422"))).toBe(true);
  });

  it("that the browser cannot read are named, with what to try", async () => {
    // What a browser does with a file that changed since it was dropped, or that may not be read.
    await page.evaluate(`
      globalThis.readPiece = Blob.prototype.arrayBuffer;
      Blob.prototype.arrayBuffer = () => Promise.reject(new DOMException("", "NotReadableError"));
    `);
    await drag(join(other, "..", "notes.txt"));
    const dialog = page.getByRole("dialog", { name: "Dropped files" });
    await eventually(() => readText(dialog)).toContain("notes.txt: the browser cannot read it");
    expect(await readText(dialog)).toContain("hint: drop it again, or name it in a terminal");
    await dialog.getByRole("button", { name: "Close" }).click();
    await page.evaluate("Blob.prototype.arrayBuffer = globalThis.readPiece");
    expect(errors.splice(0)).toEqual([]);
  });

  it("are another run to compare with, whole folders too", async () => {
    await drag(other);
    await page
      .getByRole("heading", { level: 1, name: "Compare" })
      .or(page.locator(".compare-view h1"))
      .first()
      .waitFor();
    await compareLink().waitFor({ state: "attached" });
    expect(page.url()).toContain("with=first-steps");
    await page.getByRole("status").filter({ hasText: "1 hidden file left out" }).waitFor();
    expect(await readText(page.locator(".compare-view"))).toContain("192");
    // The run itself is still there, and its links still work.
    await goTo(page, page.url().split("#")[0]!, "#/sequence/0");
    await page.locator(".strip .t").first().waitFor();
    expect(errors).toEqual([]);
  });
});
