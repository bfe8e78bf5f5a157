import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { PROGRAM, type RunningView } from "../../bench/support/view-server.mjs";
import { readBundledJson } from "../../src/apps/viewer/bundle/read-bundled.test-data.ts";
import type { StarList, StoryPage } from "../../src/results/story.ts";
import { eventually, goTo, hasBrowser, openPage, readText, warnWithoutBrowser } from "../support/browser.ts";
import { DEMO, DEMO_FLAGS, type Workplace } from "../support/built-view.ts";
import { useViewer } from "../support/use-viewer.ts";

warnWithoutBrowser("stars and the story");

describe.skipIf(!hasBrowser)("a starred place", () => {
  let server: RunningView;
  let page: Page;
  let errors: string[];
  let place: Workplace;
  useViewer(async (browser, workplace) => {
    place = workplace;
    server = await place.serve(DEMO, ...DEMO_FLAGS);
    ({ page, errors } = await openPage(browser));
  });

  /** A retried test must start in the same state. */
  const removeStars = async (): Promise<void> => {
    const address = new URL("api/stars", server.url);
    const { stars } = (await (await fetch(address)).json()) as StarList;
    for (const { handle } of stars)
      await fetch(address, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ handle, note: null }),
      });
  };

  it("is told on the story page, with a note that outlives the page", async () => {
    await removeStars();
    await goTo(page, server.url, "#/story");
    await eventually(() => readText(page.locator(".story-view"))).toContain("Nothing is starred yet");
    await goTo(page, server.url, "#/steps");
    await page.getByRole("list", { name: "Where to look first" }).getByRole("link").nth(1).click();
    await page.locator(".strip .t").first().waitFor();
    const handle = await readText(page.locator(".pinned-cards .card-place").first());
    const token = /^s\d+\.q\d+\.t\d+/.exec(handle)![0];
    await page.keyboard.press("s");
    await page.getByRole("button", { name: `Star ${token}`, pressed: true }).waitFor();
    await page.getByRole("button", { name: `Star ${token.replace(/\.t\d+$/, "")}`, exact: true }).click();
    await page.keyboard.press("g");
    await page.keyboard.press("y");
    const entries = page.locator(".story-entry");
    await eventually(() => entries.count()).toBe(2);
    const entry = entries.first();
    expect(await readText(entry.locator("h2 a"))).toBe(token);
    expect(await readText(entry.locator(".story-strip mark"))).toBe("0");
    expect(await readText(entry.locator("table .sampled"))).toMatch(/“0” \(sampled\)\s*0\.983\s*2\.20e−5/);
    expect(await entry.getByRole("img").getAttribute("aria-label")).toContain("|Δ| along the response");
    const note = entry.getByRole("textbox", { name: `Note on ${token}` });
    await note.fill("stale weights copy 110\nas 100");
    await note.blur();
    await eventually(async () => await (await fetch(new URL("api/stars", server.url))).text()).toContain(
      "copy 110",
    );
    await page.reload();
    await eventually(() => note.inputValue()).toBe("stale weights copy 110\nas 100");
    // The order is the author's, and the focus stays with the place that is moved.
    const titles = (): Promise<string[]> => entries.locator("h2 a").allInnerTexts();
    const [first = "", second = ""] = await titles();
    await page.getByRole("button", { name: `Move ${first} down, 1 of 2` }).focus();
    await page.keyboard.press("Enter");
    await eventually(titles).toEqual([second, first]);
    const moved = page.getByRole("button", { name: `Move ${first} down, 2 of 2` });
    await eventually(() => moved.evaluate((button) => button === button.ownerDocument.activeElement)).toBe(
      true,
    );
    expect(await moved.getAttribute("aria-disabled")).toBe("true");
    await page.reload();
    await eventually(titles).toEqual([second, first]);
    await page.getByRole("button", { name: `Move ${first} up, 2 of 2` }).click();
    await eventually(titles).toEqual([first, second]);
    // A place with a note is not lost by a click on its star.
    await entry.locator("h2 a").click();
    await page.getByRole("link", { name: `${token} is starred: see the story` }).waitFor();
    expect(errors).toEqual([]);
  });

  it("is marked in every list that it stands in", async () => {
    const marked = (row: string) => page.locator(row).first().getByRole("img", { name: "starred" });
    await goTo(page, server.url, "#/sequences");
    await marked("tbody tr[aria-selected=true]").waitFor();
    expect(await page.getByRole("img", { name: "starred" }).count()).toBe(1);
    await goTo(page, server.url, "#/sequences?layout=groups");
    await marked("tbody tr[aria-selected=true]").waitFor();
    await goTo(page, server.url, "#/tokens");
    await marked("tbody tr[aria-selected=true]").waitFor();
    await goTo(page, server.url, "#/steps");
    const worst = page
      .locator(".report-table")
      .filter({ has: page.getByRole("heading", { name: "Worst tokens" }) });
    await worst.getByRole("row").nth(1).getByRole("img", { name: "starred" }).waitFor();
    // Two of its cards lead to the starred token, and one to its sequence, which has no star.
    const cards = page.getByRole("list", { name: "Where to look first" });
    await cards.getByRole("img", { name: "starred" }).first().waitFor();
    expect(errors).toEqual([]);
  });

  it("is exported as lines of JSON, printed without the page around it, and put into bundles", async () => {
    await goTo(page, server.url, "#/story");
    await page.getByRole("button", { name: "Export stars" }).click();
    const saving = page.waitForEvent("download");
    await page.getByRole("menuitem", { name: "JSONL" }).click();
    const file = await (await saving).path();
    const rows = (await readFile(file, "utf8"))
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatchObject({ note: "stale weights copy 110\nas 100", token_text: "0" });
    expect(rows[0].trainer_alternatives[0][0]).toBe("1");
    await page.emulateMedia({ media: "print" });
    expect(await page.getByRole("navigation", { name: "Views" }).isVisible()).toBe(false);
    expect(await page.getByRole("textbox").first().isVisible()).toBe(false);
    expect(await readText(page.locator(".on-paper").first())).toContain("stale weights");
    await page.emulateMedia({ media: "screen" });
    const target = join(place.folder, "site");
    await promisify(execFile)(process.execPath, [
      PROGRAM,
      ...["view", DEMO, ...DEMO_FLAGS, "--cache", join(place.folder, "cache"), "--bundle", target],
    ]);
    const told = await readBundledJson<StoryPage>(target, "story");
    expect(told.entries.map(({ note }) => note)).toEqual(["stale weights copy 110\nas 100", ""]);
  });

  it("is removed from the story", async () => {
    await goTo(page, server.url, "#/story");
    page.once("dialog", (dialog) => void dialog.accept());
    await page.getByRole("button", { name: /Remove the star of .*\.t\d+/ }).click();
    await eventually(() => page.locator(".story-entry").count()).toBe(1);
    await page.getByRole("button", { name: /Remove the star of/ }).click();
    await eventually(() => readText(page.locator(".story-view"))).toContain("Nothing is starred yet");
    expect(errors).toEqual([]);
  });
});
