import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { RunningView } from "../../bench/support/view-server.mjs";
import {
  eventually,
  goTo,
  hasBrowser,
  listViews,
  openPage,
  readStyle,
  readText,
  settled,
  warnWithoutBrowser,
} from "../support/browser.ts";
import { HOSTILE_TEXTS, RIGHT_TO_LEFT, writeHostileRun } from "../support/hostile-run.ts";
import { useViewer } from "../support/use-viewer.ts";

warnWithoutBrowser("hostile text in the viewer");

/** Markup that the page never makes itself, so that any of it must have come from the data. */
const FOREIGN =
  "img, iframe, object, embed, style:not([data-vite-dev-id]), script:not([src]), main svg[onload], [onerror], [onload], [onmouseover], [onclick], b[onmouseover]";

describe.skipIf(!hasBrowser)("text that is not text", () => {
  let server: RunningView;
  let page: Page;
  let errors: string[];
  /** Dialogs, and requests to anything but the server. */
  const happened: string[] = [];
  useViewer(async (browser, place) => {
    const { path, tokenizer } = await writeHostileRun(place.folder);
    server = await place.serve(path, "--tokenizer", tokenizer, "--adapter", "generic");
    ({ page, errors } = await openPage(browser));
    page.on("dialog", (dialog) => {
      happened.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("request", (request) => {
      const { protocol, origin } = new URL(request.url());
      if (!["data:", "blob:"].includes(protocol) && origin !== new URL(server.url).origin)
        happened.push(`request: ${request.url()}`);
    });
  });

  const expectHarmless = async (where: string): Promise<void> => {
    expect(await page.evaluate("globalThis.hacked"), where).toBeUndefined();
    expect(await page.locator(FOREIGN).count(), where).toBe(0);
    expect(await page.getByRole("heading", { name: "not ours" }).count(), where).toBe(0);
    expect(errors, where).toEqual([]);
    expect(happened, where).toEqual([]);
  };

  it("runs nothing of it, and makes no elements of it, on any view", async () => {
    const more = ["groups", "matrix"].map((layout) => ({
      name: layout,
      hash: `#/sequences?layout=${layout}`,
    }));
    const lists = ["token", "class"].map((by) => ({ name: `by ${by}`, hash: `#/tokens?by=${by}` }));
    const modes = ["exact", "ids"].map((mode) => ({ name: mode, hash: `#/sequence/0?mode=${mode}` }));
    for (const { name, hash } of [...(await listViews(page, server.url)), ...more, ...lists, ...modes]) {
      await goTo(page, server.url, hash);
      expect(await page.locator("main [role=alert]").allTextContents(), name).toEqual([]);
      await expectHarmless(name);
    }
    expect(await page.title()).toContain("<img src=x");
  });

  it("shows it as text: in the strip, on cards, in the palette", async () => {
    await goTo(page, server.url, "#/sequence/0");
    const shown = await readText(page.locator(".strip"));
    for (const text of HOSTILE_TEXTS.slice(0, 5)) expect(shown).toContain(text);
    const reversed = page.locator(".strip .t", { hasText: "gnirts desrever" }).last();
    expect(RIGHT_TO_LEFT).toBeGreaterThan(0);
    expect(await readStyle(reversed, "unicode-bidi")).toMatch(/isolate/);
    for (let token = 0; token < HOSTILE_TEXTS.length; token++) {
      await goTo(page, server.url, `#/sequence/0/t${token}?pins=${token}`);
      await page.locator(".pinned-cards .card").waitFor();
      expect(await readText(page.locator(".readout"))).toContain(`t${token} `);
    }
    await expectHarmless("cards");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").getByRole("combobox").fill("script");
    await eventually(() => readText(page.getByRole("listbox"))).toContain("<script>");
    await expectHarmless("palette");
    await page.keyboard.press("Escape");
  });

  it.each([
    `"<img src=x onerror='globalThis.hacked = 1'>`,
    "is:</script><script>globalThis.hacked=1</script>",
    "is:javascript:globalThis.hacked=1",
    "is:\u202E<b onmouseover='globalThis.hacked = 1'>\u001B[31m",
  ])("shows what is wrong with the filter %j as text", async (filter) => {
    await goTo(page, server.url, `#/sequences?filter=${encodeURIComponent(filter)}`);
    await page.locator(".filter-problems p").first().waitFor();
    await expectHarmless("filter");
  });

  it("stays usable with 10,000 newlines", async () => {
    await goTo(page, server.url, "#/sequence/1");
    expect(await page.locator("*").count()).toBeLessThan(20_000);
    const strip = page.locator(".strip");
    await strip.evaluate((element) => {
      element.scrollTop = element.scrollHeight / 2;
    });
    await page.keyboard.press("]");
    await eventually(() => page.url()).toMatch(/\/t\d+\?/);
    await page.keyboard.press("g");
    await page.keyboard.press("o");
    await settled(page);
    expect(page.url()).toContain("#/steps");
    const width = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
    expect(width).toBeLessThanOrEqual(0);
    await expectHarmless("newlines");
  });
});
