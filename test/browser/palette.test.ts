import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { RunningView } from "../../bench/support/view-server.mjs";
import type { SavedFilterList } from "../../src/results/filters.ts";
import type { RunInfo } from "../../src/results/view.ts";
import { decodeSequence } from "../../src/results/wire/sequence.ts";
import {
  eventually,
  goTo,
  hasBrowser,
  openPage,
  readText,
  settled,
  warnWithoutBrowser,
} from "../support/browser.ts";
import { DEMO, DEMO_FLAGS } from "../support/built-view.ts";
import { useViewer } from "../support/use-viewer.ts";

warnWithoutBrowser("completion, saved filters, the palette and SQL");

describe.skipIf(!hasBrowser)("asking the run", () => {
  let server: RunningView;
  let page: Page;
  let errors: string[];
  useViewer(async (browser, place) => {
    server = await place.serve(DEMO, ...DEMO_FLAGS);
    ({ page, errors } = await openPage(browser));
  });
  const box = (): Locator => page.getByRole("combobox", { name: "Filter" });
  const options = (): Locator => page.getByRole("listbox", { name: "Completions" }).getByRole("option");

  /** Opens the palette and types a query; the first answer must be this one. */
  const find = async (query: string, first: string | RegExp): Promise<void> => {
    // Fields keep their keys for themselves.
    await page.evaluate("document.activeElement.blur()");
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").getByRole("combobox").fill(query);
    const parts = page.getByRole("option").first().locator("span");
    await eventually(async () => (await parts.allTextContents()).join(" ")).toMatch(first);
  };

  const post = (path: string, body: object): Promise<Response> =>
    fetch(new URL(path, server.url), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });

  it("completes fields and values by keys, and says which option is chosen", async () => {
    await goTo(page, server.url, "#/sequences");
    await page.keyboard.press("/");
    await page.keyboard.type("corr");
    await eventually(() => readText(options().first())).toMatch(/^correctwhether its answer is right/);
    expect(await box().getAttribute("aria-expanded")).toBe("true");
    expect(await box().getAttribute("aria-activedescendant")).toBe(null);
    await page.keyboard.press("Tab");
    await eventually(() => box().inputValue()).toBe("correct:");
    await eventually(() => options().allInnerTexts()).toHaveLength(2);
    await page.keyboard.press("ArrowDown");
    const chosen = await box().getAttribute("aria-activedescendant");
    expect(await page.locator(`[id="${chosen}"]`).getAttribute("aria-selected")).toBe("true");
    expect(await readText(page.locator(`[id="${chosen}"]`))).toMatch(/^no79 sequences$/);
    await page.keyboard.press("Enter");
    await eventually(() => box().inputValue()).toBe("correct:no");
    await page.keyboard.type(" fin");
    await options().first().waitFor();
    await page.keyboard.press("Escape");
    expect(await options().count()).toBe(0);
    expect(await box().inputValue()).toBe("correct:no fin");
    // Between words it waits for an arrow key, since it would cover what the user wants to click.
    await box().fill("");
    expect(await options().count()).toBe(0);
    await page.keyboard.press("ArrowDown");
    await eventually(() => options().count()).toBe(12);
    // In the middle of the text, the rest after the cursor stays.
    await box().fill("co turn:2");
    await page.keyboard.press("Home");
    for (const _ of "co") await page.keyboard.press("ArrowRight");
    await page.keyboard.type("r");
    await page.keyboard.press("Tab");
    await eventually(() => box().inputValue()).toBe("correct: turn:2");
    await page.keyboard.type("y");
    await page.keyboard.press("Tab");
    await eventually(() => box().inputValue()).toBe("correct:yes turn:2");
    expect(errors).toEqual([]);
  });

  it("counts what each term matches alone, as a look at every token does", async () => {
    const { sequences } = (await (await fetch(new URL("api/run", server.url))).json()) as RunInfo;
    const found = { abs: [0, 0], wrong: [0, 0] };
    for (let index = 0; index < sequences; index++) {
      const answer = await fetch(new URL(`api/sequence/${index}`, server.url));
      const { meta, mask, rollout, trainer } = decodeSequence(new Uint8Array(await answer.arrayBuffer()));
      const own = Array.from(mask.keys()).filter((token) => mask[token] === 1);
      const far = own.filter((token) => Math.abs(trainer[token]! - rollout[token]!) > 0.05);
      const add = (to: number[], tokens: number): void => {
        to[0]! += tokens;
        to[1]! += tokens > 0 ? 1 : 0;
      };
      add(found.abs, far.length);
      if (meta.correct === 0) add(found.wrong, own.length);
    }
    const said = ([tokens, of]: readonly number[]): string =>
      `${tokens!.toLocaleString("en")} tokens in ${of!.toLocaleString("en")} sequences`;
    await goTo(page, server.url, "#/sequences?filter=correct:no%20abs>0.05");
    const terms = page.getByRole("list", { name: "Each term alone, in the whole run" });
    await eventually(() => terms.getByRole("listitem").allInnerTexts()).toEqual([
      `correct:no ${said(found.wrong)}`,
      `abs>0.05 ${said(found.abs)}`,
    ]);
  });

  it("keeps a filter under a name, finds it in the palette, and removes it", async () => {
    await post("api/filters", { name: "wrong and far", filter: null });
    await goTo(page, server.url, "#/sequences?filter=correct:no%20abs>0.05");
    await page.reload();
    await settled(page);
    const saved = page.locator(".saved-filters");
    await saved.locator("summary").click();
    await saved.getByRole("textbox", { name: "Name" }).fill("wrong and far");
    await page.keyboard.press("Enter");
    await saved.getByRole("button", { name: "wrong and far", exact: true }).waitFor();
    await goTo(page, server.url, "#/steps");
    await page.reload();
    await settled(page);
    await find("wrong and", "filter wrong and far correct:no abs>0.05");
    await page.keyboard.press("Enter");
    await eventually(() => box().inputValue()).toBe("correct:no abs>0.05");
    expect(page.url()).toContain("#/sequences");
    await saved.locator("summary").click();
    await saved.getByRole("button", { name: "Remove wrong and far" }).click();
    await saved.getByText("No filter is saved.").waitFor();
    const list = (await (await fetch(new URL("api/filters", server.url))).json()) as SavedFilterList;
    expect(list.filters).toEqual([]);
    expect(errors).toEqual([]);
  });

  it("finds commands with their keys, colors, exports, stars and prompts in the palette", async () => {
    await post("api/stars", { handle: "s30.q48.t39", note: "the zero" });
    await goTo(page, server.url, "#/sequences");
    await page.reload();
    await settled(page);
    await find("filter sequences", "command filter sequences /");
    await page.keyboard.press("Enter");
    await eventually(() => page.evaluate("document.activeElement.type")).toBe("search");
    await page.keyboard.press("Escape");
    await find("dark", /^command Colors: dark /);
    await page.keyboard.press("Enter");
    await eventually(() => page.locator("html").getAttribute("data-theme")).toBe("dark");
    await find("sequences as csv", "export Export sequences as CSV saves a file");
    const [download] = await Promise.all([page.waitForEvent("download"), page.keyboard.press("Enter")]);
    expect(download.suggestedFilename()).toMatch(/sequences\.csv$/);
    await find("the zero", "star ★ s30.q48.t39 the zero");
    await page.getByRole("dialog").getByRole("combobox").fill("x - 86");
    const prompt = page.getByRole("option").filter({ hasText: "Solve x - 86 = 24" });
    await prompt.first().click();
    await eventually(() => page.url()).toContain("#/group/");
    expect(await readText(page.locator("main"))).toContain("Solve x - 86 = 24");
    // For a long prompt the list has only the beginning; SQL searches all of it.
    await find("<bos>Question", 'command Search whole prompts for "<bos>Question" SQL');
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Run" }).click();
    const found = page.locator(".sql-view section [role=status]").first();
    await eventually(() => readText(found)).toContain("768 rows");
    // Characters that mean something in SQL are treated as ordinary text.
    await find("question%'", 'command Search whole prompts for "question%\'" SQL');
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Run" }).click();
    await eventually(() => readText(found)).toMatch(/^0 rows/);
    await find("<BOS>q", 'command Search whole prompts for "<BOS>q" SQL');
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Run" }).click();
    await eventually(() => readText(found)).toContain("768 rows");
    await post("api/stars", { handle: "s30.q48.t39", note: null });
    expect(errors).toEqual([]);
  });

  it("runs SQL, links its handles to their tokens, and shows what DuckDB says", async () => {
    await goTo(page, server.url, "#/sql");
    await page.reload();
    await settled(page);
    await page.getByRole("button", { name: "the most divergent tokens" }).click();
    const grid = page.getByRole("grid", { name: "Result" });
    await eventually(() => readText(grid.locator("tbody tr").first())).toMatch(/^s30\.q48\.t390-10\.707/);
    const link = grid.getByRole("link", { name: "s30.q48.t39" });
    await eventually(() => link.getAttribute("href")).toMatch(/#\/sequence\/s30\.q48\/t39\?/);
    const text = page.getByRole("textbox", { name: "SQL" });
    await text.fill("SELECT nothing FROM tokens");
    await page.keyboard.press("Control+Enter");
    const failure = page.locator(".sql-view [role=alert]");
    await eventually(() => readText(failure)).toContain('Referenced column "nothing" not found');
    await text.fill("SELECT handle FROM sequences");
    await page.keyboard.press("Control+Enter");
    await eventually(() => readText(page.locator(".sql-view section [role=status]").first())).toContain(
      "768 rows",
    );
    await link.or(grid.getByRole("link").first()).first().click();
    await eventually(() => page.url()).toContain("#/sequence/");
    // The browser itself reports the response that refused the query.
    expect(errors.filter((error) => !error.includes("400"))).toEqual([]);
  });
});
