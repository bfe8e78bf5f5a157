import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { RunningView } from "../../bench/support/view-server.mjs";
import { openTokenizer } from "../../src/input/tokens/open-tokenizer.ts";
import { eventually, goTo, hasBrowser, openPage, readText, warnWithoutBrowser } from "../support/browser.ts";
import { ROOT } from "../support/run-cli.ts";
import { useViewer } from "../support/use-viewer.ts";

warnWithoutBrowser("tokens that are parts of characters");

const TOKENIZER = join(ROOT, "test/fixtures/tokenizer/byte-level");
const TEXT = "a 😀日 b";
/** A byte that begins a character that nothing completes. */
const LONE = 0xf0;

describe.skipIf(!hasBrowser)("tokens that are parts of characters", () => {
  let server: RunningView;
  let page: Page;
  let errors: string[];
  let bytes: string[];
  useViewer(async (browser, place) => {
    const { encode, bytesOf, vocabularySize } = await openTokenizer(TOKENIZER);
    const lone = Array.from({ length: vocabularySize }, (_, id) => id).find(
      (id) => bytesOf(id)?.length === 1 && bytesOf(id)![0] === LONE,
    );
    const ids = [...encode(TEXT), lone!, ...encode("a")];
    bytes = ids.map((id) => Array.from(bytesOf(id)!, (byte) => byte.toString(16).padStart(2, "0")).join(" "));
    const write = async (name: string, prompt: string): Promise<string> => {
      const path = join(place.folder, name);
      const row = {
        ...{ step: 1, prompt_ids: encode(prompt), response_ids: ids, response_mask: ids.map(() => 1) },
        rollout_log_probs: ids.map((_, at) => -1 - at / 10),
        old_log_probs: ids.map((_, at) => -1.2 - at / 9),
      };
      await writeFile(path, `${JSON.stringify(row)}\n`);
      return path;
    };
    const [a, b] = [await write("a.jsonl", "x²=9"), await write("b.jsonl", "12 3")];
    server = await place.serve(a, "--tokenizer", TOKENIZER, "--compare", b);
    ({ page, errors } = await openPage(browser));
  });

  it("show each character once, and each token's own bytes on its card", async () => {
    await goTo(page, server.url, "#/sequence/0");
    await page.locator(".strip .t").first().waitFor();
    const shown = (await page.locator(".strip .turn-section.turn .chunk").allTextContents()).join("");
    expect(shown).toContain(`${TEXT}\ufffda`);
    for (const [token, own] of bytes.entries()) {
      await goTo(page, server.url, `#/sequence/0/t${token}?pins=${token}`);
      await eventually(() => readText(page.locator(".card-place").first())).toMatch(
        new RegExp(`\\.t${token} · id \\d+ · bytes ${own}$`),
      );
    }
    expect(errors).toEqual([]);
  });

  it("are found by the character that they spell together", async () => {
    for (const wanted of ["😀日", 'token:"😀"']) {
      await goTo(page, server.url, `#/sequence/0?find=${encodeURIComponent(wanted)}`);
      await eventually(() => readText(page.locator(".find-said"))).toContain("1 ");
      expect(await page.locator(".strip .t.hit").count(), wanted).toBeGreaterThan(0);
    }
  });

  it("say of a comparison that means nothing so wherever it is seen", async () => {
    for (const hash of ["#/steps", "#/sequence/0?run=b"]) {
      await goTo(page, server.url, hash);
      const banner = page.getByRole("alert");
      await eventually(() => readText(banner)).toContain("No prompt is in both runs");
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
      await banner.getByRole("link").click();
      await eventually(() => page.url()).toContain("#/compare");
    }
    await goTo(page, server.url, "#/sequence/0");
    expect(await page.getByRole("alert").count()).toBe(0);
    expect(errors).toEqual([]);
  });
});
