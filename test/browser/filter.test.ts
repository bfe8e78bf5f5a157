import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { RunningView } from "../../bench/support/view-server.mjs";
import { TOKEN_FLAGS } from "../../src/core/base/token-class.ts";
import { turnOfMark } from "../../src/core/kernels/turns.ts";
import type { RunInfo } from "../../src/results/view.ts";
import { decodeSequence, type WireSequence } from "../../src/results/wire/sequence.ts";
import { eventually, goTo, hasBrowser, openPage, readText, warnWithoutBrowser } from "../support/browser.ts";
import { DEMO, DEMO_FLAGS } from "../support/built-view.ts";
import { useViewer } from "../support/use-viewer.ts";

warnWithoutBrowser("filters of the viewer");

/** A filter with thresholds for figures as small as the demo's. */
const FILTER = "abs>0.05 turn:2 is:number correct:no";

describe.skipIf(!hasBrowser)("a filter on tokens", () => {
  let server: RunningView;
  let page: Page;
  let errors: string[];
  let meant: { readonly handle: string; readonly tokens: number[]; readonly worst: number }[];
  /** For each incorrect sequence, its tokens with mask 1, and those among them that {@link FILTER} selects. */
  let all: {
    readonly handle: string;
    readonly tokens: { readonly abs: number; readonly isAsked: boolean }[];
  }[];
  let sequences = 0;

  useViewer(async (browser, place) => {
    server = await place.serve(DEMO, ...DEMO_FLAGS);
    ({ page, errors } = await openPage(browser));
    const info = (await (await fetch(new URL("api/run", server.url))).json()) as RunInfo;
    ({ sequences } = info);
    [meant, all] = [[], []];
    for (let index = 0; index < sequences; index++) {
      const answer = await fetch(new URL(`api/sequence/${index}`, server.url));
      const sequence = decodeSequence(new Uint8Array(await answer.arrayBuffer()));
      const tokens = matching(sequence);
      const { handle, correct } = sequence.meta;
      if (correct === 0) {
        const own = Array.from(sequence.mask.keys()).filter((token) => sequence.mask[token] === 1);
        const asked = new Set(tokens);
        all.push({
          handle,
          tokens: own.map((token) => ({
            abs: Math.abs(sequence.trainer[token]! - sequence.rollout[token]!),
            isAsked: asked.has(token),
          })),
        });
      }
      if (tokens.length === 0) continue;
      const distance = (token: number): number =>
        Math.abs(sequence.trainer[token]! - sequence.rollout[token]!);
      const worst = tokens.reduce((a, b) => (distance(b) > distance(a) ? b : a));
      meant.push({ handle, tokens, worst });
    }
  });

  function matching({ meta, mask, turnMarks, flags, rollout, trainer }: WireSequence): number[] {
    if (meta.correct !== 0) return [];
    return Array.from(mask.keys()).filter(
      (token) =>
        mask[token] === 1 &&
        turnOfMark(turnMarks[token]!) === 2 &&
        Math.abs(trainer[token]! - rollout[token]!) > 0.05 &&
        (flags[meta.promptLength + token]! & TOKEN_FLAGS.digit) !== 0,
    );
  }

  it("leaves the sequences that a look at every token leaves, with their counts", async () => {
    expect(meant.length).toBeGreaterThan(1);
    await goTo(page, server.url, "#/sequences");
    const box = page.getByRole("combobox", { name: "Filter" });
    await box.focus();
    await page.keyboard.type(FILTER, { delay: 5 });
    const counts = page.locator(".sequences-view .counts");
    const total = meant.reduce((sum, { tokens }) => sum + tokens.length, 0);
    await eventually(() => readText(counts)).toMatch(new RegExp(` ${total.toLocaleString("en")} match$`));
    expect(await readText(counts.locator("strong"))).toBe(meant.length.toLocaleString("en"));
    const rows = page.getByRole("grid", { name: "Sequences" }).locator("tbody tr");
    for (const row of (await rows.all()).slice(0, 5)) {
      const handle = await readText(row.locator("td").first());
      const own = meant.find((each) => each.handle === handle)!;
      const link = row.locator("td").nth(1).getByRole("link").last();
      expect(await readText(link), handle).toBe(String(own.tokens.length));
      expect(await link.getAttribute("href")).toMatch(new RegExp(`/t${own.worst}\\?`));
    }
    expect(errors).toEqual([]);
  });

  it("sums groups of tokens over the chosen steps and the filter", async () => {
    const counts = page.locator(".tokens-view .counts");
    const firstRow = page.getByRole("grid", { name: "Tokens by turn" }).locator("tbody tr").first();
    await goTo(page, server.url, "#/tokens?by=turn");
    await eventually(() => readText(counts)).toBe("4 of 4");
    const whole = await readText(firstRow.locator("td").nth(1));
    await goTo(page, server.url, "#/tokens?by=turn&steps=50..150");
    await eventually(() => readText(counts)).toBe("4 of 4, of the 41,445 in 576 sequences that match");
    expect(await readText(firstRow.locator("td").nth(1))).not.toBe(whole);
    await goTo(page, server.url, `#/tokens?by=token&filter=${encodeURIComponent(FILTER)}`);
    const total = meant.reduce((sum, { tokens }) => sum + tokens.length, 0);
    await eventually(() => readText(counts)).toContain(`of the ${total.toLocaleString("en")} in `);
    // A group's count leads to its individual tokens, with the filter unchanged.
    const link = page.getByRole("grid", { name: "Tokens by token" }).locator("tbody a").first();
    const own = await readText(link);
    await link.click();
    await eventually(() => readText(counts)).toContain(`the largest |Δ| of the ${own} in `);
    expect(await page.getByRole("combobox", { name: "Filter" }).inputValue()).toMatch(/ id:\d+$/);
  });

  it("takes alternatives and brackets, in the list, the text and the groups", async () => {
    const either = "correct:no (abs>0.5 | turn:2 is:number abs>0.05)";
    await goTo(page, server.url, "#/sequences");
    const box = page.getByRole("combobox", { name: "Filter" });
    await box.focus();
    await page.keyboard.type("correct:no (", { delay: 5 });
    const problems = page.locator(".filter-problems p");
    await eventually(() => readText(problems.first())).toContain(
      "( this bracket is never closed; read as closed",
    );
    await page.keyboard.type(either.slice("correct:no (".length), { delay: 5 });
    const wanted = all.filter(({ tokens }) => tokens.some((token) => token.abs > 0.5 || token.isAsked));
    const total = wanted
      .flatMap(({ tokens }) => tokens)
      .filter((token) => token.abs > 0.5 || token.isAsked).length;
    const counts = page.locator(".sequences-view .counts");
    await eventually(() => readText(counts)).toMatch(new RegExp(` ${total.toLocaleString("en")} match$`));
    expect(await readText(counts.locator("strong"))).toBe(String(wanted.length));
    expect(await problems.count()).toBe(0);
    // Its text opens with the tokens found that the filter selects.
    const row = page.getByRole("grid", { name: "Sequences" }).locator("tbody tr").first();
    const handle = await readText(row.locator("td").first());
    await row.locator("td").first().getByRole("link").click();
    const own = wanted
      .find((each) => each.handle === handle)!
      .tokens.filter(({ abs, isAsked }) => abs > 0.5 || isAsked);
    const found = page.locator(".find-said");
    await eventually(() => readText(found)).toMatch(new RegExp(`(^| of )${own.length} matching tokens`));
    expect(await page.getByRole("searchbox", { name: "Find" }).inputValue()).toBe(
      "abs>0.5 | turn:2 is:number abs>0.05",
    );
    // A group's link puts the alternatives in brackets.
    await goTo(
      page,
      server.url,
      `#/tokens?by=turn&filter=${encodeURIComponent("abs>0.5 | turn:2 abs>0.05")}`,
    );
    const link = page.getByRole("grid", { name: "Tokens by turn" }).locator("tbody a").first();
    const count = await readText(link);
    await link.click();
    await eventually(() => readText(page.locator(".tokens-view .counts"))).toContain(
      `|Δ| of the ${count} in `,
    );
    expect(await page.getByRole("combobox", { name: "Filter" }).inputValue()).toMatch(
      /^\(abs>0\.5 \| turn:2 abs>0\.05\) turn:\d$/,
    );
    expect(errors).toEqual([]);
  });

  it("goes along in links, to the list of tokens", async () => {
    await goTo(page, server.url, `#/sequences?filter=${encodeURIComponent(FILTER)}`);
    await page
      .getByRole("navigation", { name: "Views" })
      .getByRole("link", { name: "Tokens", exact: true })
      .click();
    const counts = page.locator(".tokens-view .counts");
    const total = meant.reduce((sum, { tokens }) => sum + tokens.length, 0);
    await eventually(() => readText(counts)).toContain(
      `of the ${total.toLocaleString("en")} in ${meant.length.toLocaleString("en")} sequences that match`,
    );
    const handles = new Set(
      meant.flatMap(({ handle, tokens }) => tokens.map((token) => `${handle}.t${token}`)),
    );
    const shown = await page.getByRole("grid").locator("tbody td:first-child a").allInnerTexts();
    expect(shown.length).toBeGreaterThan(1);
    for (const handle of shown) expect(handles).toContain(handle);
    expect(await page.getByRole("combobox", { name: "Filter" }).inputValue()).toBe(FILTER);
  });

  it("says what was meant by a class that there is not", async () => {
    await goTo(page, server.url, "#/sequences?filter=is%3Anmber");
    const problem = page.locator(".filter-problems p");
    expect(await readText(problem)).toContain('there is no class "nmber"; the nearest is number');
    await problem.getByRole("button", { name: "use is:number" }).click();
    await eventually(() => page.locator(".filter-problems p").count()).toBe(0);
    expect(page.url()).toContain("filter=is:number");
  });
});
