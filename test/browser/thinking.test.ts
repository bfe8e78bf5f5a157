import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { RunningView } from "../../bench/support/view-server.mjs";
import { openTokenizer } from "../../src/input/tokens/open-tokenizer.ts";
import { goTo, hasBrowser, openPage, readStyle, readText, warnWithoutBrowser } from "../support/browser.ts";
import { DEMO_FLAGS } from "../support/built-view.ts";
import { useViewer } from "../support/use-viewer.ts";

warnWithoutBrowser("thinking in a text");

describe.skipIf(!hasBrowser)("thinking in a text", () => {
  let server: RunningView;
  let page: Page;
  let errors: string[];
  let counts: readonly [thinking: number, answer: number];
  useViewer(async (browser, place) => {
    const { encode } = await openTokenizer(DEMO_FLAGS[1]!);
    const [thought, answer] = [encode("<think>6 and 1</think>"), encode(" 7!")];
    counts = [thought.length, answer.length];
    const rows = [[...thought, ...answer], answer].map((ids) => ({
      ...{ step: 1, prompt_ids: encode("6+1="), response_ids: ids, response_mask: ids.map(() => 1) },
      rollout_log_probs: ids.map(() => -1),
      old_log_probs: ids.map((_, at) => (at < thought.length && ids.length > answer.length ? -1.5 : -1.25)),
    }));
    const path = join(place.folder, "run.jsonl");
    await writeFile(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    server = await place.serve(path, ...DEMO_FLAGS);
    ({ page, errors } = await openPage(browser));
  });

  it("is in italics, with figures apart from the answer's", async () => {
    await goTo(page, server.url, "#/sequence/0");
    await page.locator(".strip .t").first().waitFor();
    const texts = await page.locator(".strip .t.thinking").allTextContents();
    expect(texts.join("")).toBe("<think>6 and 1</think>");
    expect(await readStyle(page.locator(".strip .t.thinking").first(), "font-style")).toBe("italic");
    const answer = page.locator(".strip .turn-section.turn .t:not(.thinking)");
    expect(await readStyle(answer.first(), "font-style")).toBe("normal");
    const heading = await readText(page.locator(".turn-heading", { hasText: "Turn 0" }));
    expect(heading).toContain(`thinking: ${counts[0]} tokens, mean |Δ| 0.500`);
    expect(heading).toContain(`answer: ${counts[1]} tokens, mean |Δ| 0.250`);
    expect(await readText(page.locator(".strip-legend"))).toContain("thinking");
  });

  it("is not spoken of where there is none", async () => {
    await goTo(page, server.url, "#/sequence/1");
    await page.locator(".strip .t").first().waitFor();
    expect(await readText(page.locator(".strip-legend"))).not.toContain("thinking");
    expect(await readText(page.locator(".turn-heading", { hasText: "Turn 0" }))).not.toContain("thinking");
    expect(errors).toEqual([]);
  });
});
