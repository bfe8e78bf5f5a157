import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { AxeResults } from "axe-core";
import type { Browser, Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { RunningView } from "../../bench/support/view-server.mjs";
import type { MismatchReport } from "../../src/results/report.ts";
import type { SweepReport } from "../../src/results/sweep.ts";
import { eventually, goTo, hasBrowser, openPage, readText, warnWithoutBrowser } from "../support/browser.ts";
import { DEMO, DEMO_FLAGS, printed } from "../support/built-view.ts";
import { DOCTOR, LAB, SHARED_DATA } from "../support/shared-data.ts";
import { shows } from "../support/shown-numbers.ts";
import { useViewer } from "../support/use-viewer.ts";

const STALE = join(DEMO, "stale");
const SHIFTED = `${DOCTOR}case-011/data`;
const SOUND = `${LAB}main/npz`;
const hasRuns = existsSync(SHIFTED) && existsSync(SOUND);
warnWithoutBrowser("the answer in the viewer");
if (!hasRuns)
  console.warn(`SKIPPED: the answer about sound and shifted runs: they are not in ${SHARED_DATA}`);

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SIZES = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
] as const;
/** Limits on a reader's words and numbers; texts from the run or a config do not count. */
const MOST = { words: 150, numbers: 40 };

/**
 * Counts what is in sight: numbers begin with a digit, words contain a letter. Code and quoted texts of the run do not
 * count.
 */
const COUNT = `(() => {
  const counted = { words: 0, numbers: 0 };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { parentElement: parent, textContent: text } = texts.currentNode;
    if (parent.closest("script, style, title, option, pre, code, mark, q, .quote, .visually-hidden, .arrival, .skip")) continue;
    if (!parent.checkVisibility({ visibilityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(texts.currentNode);
    const { width, top, bottom } = range.getBoundingClientRect();
    if (width === 0 || top >= innerHeight || bottom <= 0) continue;
    for (const token of text.split(/\\s+/)) {
      if (/^[^\\p{L}\\d]*\\d/u.test(token)) counted.numbers++;
      else if (/\\p{L}/u.test(token)) counted.words++;
    }
  }
  return counted;
})()`;

/** A text as a regular expression, allowing for the names of Greek letters that the page adds. */
function escaped(text: string): string {
  return text
    .replace(/[.*+?^${}()|[\]\\]/g, "\\$&")
    .replace(/(?=\\\|Δp?\\\|)/, "(?:\\S+ difference )?")
    .replace(/: /, ":? ");
}

const CUT = `[...document.querySelectorAll("main *")].flatMap((element) =>
  element.getBoundingClientRect().right > innerWidth + 1 && element.closest(".visually-hidden, svg") === null ? [element.outerHTML.slice(0, 80)] : [])`;

describe.skipIf(!hasBrowser)("the answer", () => {
  let browser: Browser;
  let server: RunningView;
  let report: MismatchReport;
  let serve: (...words: readonly string[]) => Promise<RunningView>;
  useViewer(async (aBrowser, place) => {
    browser = aBrowser;
    serve = place.serve;
    [server, report] = await Promise.all([
      place.serve(STALE, ...DEMO_FLAGS),
      printed<MismatchReport>("report", STALE, "--json"),
    ]);
  });

  async function open(url: string, options: Parameters<Browser["newPage"]>[0] = {}) {
    const opened = await openPage(browser, { viewport: SIZES[0], ...options });
    await opened.page.goto(url);
    await opened.page.locator(".sentence").waitFor();
    return opened;
  }

  const card = (page: Page, name: string): Locator => page.getByRole("region", { name, exact: true });
  const rows = (page: Page, name: string): Locator => card(page, name).getByRole("listitem");

  it("is what opens, and has the figures of report --json", async () => {
    const { page, errors } = await open(server.url);
    const { assessment, metrics } = report;
    const said = await readText(page.locator(".sentence"));
    expect(said.toLowerCase()).toContain(assessment.level);
    expect(said).toMatch(new RegExp(escaped(assessment.sentence), "i"));
    const causes = await rows(page, "Likely cause").allInnerTexts();
    const groups = assessment.causes.slice(0, 3);
    expect(causes).toHaveLength(groups.length + 1);
    expect(causes[1]).toContain(groups[0]!.causes[0]!.title);
    for (const { title, probability } of groups)
      expect(causes.join("\n")).toMatch(new RegExp(`${title}\\s+${(100 * probability).toFixed(0)} %`));
    expect(await readText(card(page, "Likely cause"))).toContain(assessment.next!.title);
    const parts = await rows(page, "Where").allTextContents();
    expect(parts).toHaveLength(assessment.where.length);
    for (const [at, { k3_share, token_share }] of assessment.where.entries()) {
      const shares = [...parts[at]!.matchAll(/([\d.]+) %(?! *$)/g)].map(([, share]) => share!);
      expect(
        shares.some((share) => shows(share, 100 * token_share)),
        parts[at],
      ).toBe(true);
      expect(parts[at]).toContain((100 * k3_share).toFixed(1));
    }
    const figures = await card(page, "Figures").locator("tbody td:nth-child(2)").allTextContents();
    const half = metrics.prob_diff_above_half * metrics.tokens;
    const expected = [metrics.delta_abs_mean, metrics.k3, half, metrics.ess];
    for (const [at, value] of expected.entries())
      expect(shows(figures[at]!.replace(/ tokens$/, ""), value), `${figures[at]} for ${value}`).toBe(true);
    expect(errors).toEqual([]);
    await page.close();
  });

  it("shows the mistake as text with what both sides say, and leads to it", async () => {
    const { page } = await open(server.url);
    const mistake = card(page, "Worst mistake");
    const worst = report.assessment.events.by_raw[0]!;
    const text = await readText(mistake);
    expect(text).toContain(worst.handle);
    for (const logprob of [worst.rollout_logprob, worst.trainer_logprob]) {
      const shares = [...text.matchAll(/([\d.]+) %/g)].map(([, share]) => share!);
      expect(
        shares.some((share) => shows(share, 100 * Math.exp(logprob))),
        text,
      ).toBe(true);
    }
    expect(await mistake.locator(".quote mark").count()).toBe(1);
    expect(await mistake.getByRole("link", { name: "compare" }).getAttribute("href")).toContain("#/group/");
    await mistake.getByRole("link", { name: worst.handle }).click();
    await eventually(() => page.url()).toContain(`/t${worst.handle.split(".t")[1]}`);
    await page.close();
  });

  it("goes through the mistakes by size, or by what reaches the gradient", async () => {
    const { page } = await open(server.url);
    const mistake = card(page, "Worst mistake");
    const { list, by_raw } = report.assessment.events;
    const through = async (order: typeof list): Promise<void> => {
      for (const [at, { handle }] of [...order, order[0]!].entries()) {
        await eventually(() => readText(mistake.locator("h2"))).toContain(`${handle} `);
        const next = mistake.getByRole("button", { name: "next mistake" });
        expect(await next.getAttribute("title")).toBe(`${(at % order.length) + 1} of ${order.length}`);
        await next.click();
      }
    };
    await through(by_raw);
    await mistake.getByRole("radio", { name: "gradient" }).check();
    expect(page.url()).toContain("rank=gradient");
    await through(list);
    await page.reload();
    await eventually(() => readText(card(page, "Worst mistake").locator("h2"))).toContain(list[0]!.handle);
    await page.close();
  });

  it("recommends what sweep recommends, with the config of the run's trainer", async () => {
    const sweep = await printed<SweepReport>("sweep", STALE, "--json");
    const { page } = await open(server.url, { permissions: ["clipboard-read", "clipboard-write"] });
    const meanwhile = card(page, "Meanwhile");
    await meanwhile.locator("pre").waitFor();
    expect(await readText(meanwhile)).toContain(sweep.recommendation.name);
    await meanwhile.getByRole("button", { name: /^Copy/ }).click();
    const config = sweep.configs.find(({ trainer }) => trainer === "verl")!;
    await eventually(() => page.evaluate<string>("navigator.clipboard.readText()")).toBe(config.text);
    await page.close();
  });

  it("follows the steps that are chosen in its chart", async () => {
    const { page, errors } = await open(server.url);
    const whole = await readText(card(page, "Figures"));
    const plot = page.locator(".line-chart").getByRole("slider");
    const box = (await plot.boundingBox())!;
    await page.mouse.move(box.x + 70, box.y + 60);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.5, box.y + 60, { steps: 5 });
    await page.mouse.up();
    const steps = /steps=(\d+\.\.\d+)/.exec(page.url())![1]!;
    const { assessment, metrics } = await page.evaluate<MismatchReport>(
      `fetch("api/report?steps=${steps}").then((answer) => answer.json())`,
    );
    await eventually(() => page.locator(".answer").getAttribute("aria-busy")).toBe("false");
    const [first = ""] = assessment.sentence.split(". ");
    await eventually(() => readText(page.locator(".sentence"))).toMatch(new RegExp(escaped(first), "i"));
    expect(await readText(card(page, "Figures"))).not.toBe(whole);
    const [mean] = await card(page, "Figures").locator("tbody td:nth-child(2)").allTextContents();
    expect(shows(mean!, metrics.delta_abs_mean)).toBe(true);
    await page.locator(".steps-chip").click();
    await eventually(() => readText(page.locator(".sentence"))).toContain("Elevated");
    // The steps that determine the level are one click away.
    await page.locator(".sentence b a").click();
    expect(page.url()).toContain("steps=10..30");
    expect(errors).toEqual([]);
    await page.close();
  });

  it("is read in ten seconds: words, numbers, no scrolling", async () => {
    const { page } = await open(server.url);
    await card(page, "Meanwhile").locator("pre").waitFor();
    const { words, numbers } = await page.evaluate<typeof MOST>(COUNT);
    expect(words).toBeGreaterThan(50);
    expect(words).toBeLessThanOrEqual(MOST.words);
    expect(numbers).toBeLessThanOrEqual(MOST.numbers);
    expect(await page.evaluate("document.documentElement.scrollHeight")).toBeLessThanOrEqual(900);
    await page.close();
  });

  it("resolves the address of the former overview", async () => {
    const { page } = await openPage(browser);
    await goTo(page, server.url, "#/overview?steps=30..80");
    expect(await page.locator("nav [aria-current]").textContent()).toBe("Steps");
    expect(await page.locator("main [role=alert]").count()).toBe(0);
    await page.close();
  });

  it.each(
    SIZES.flatMap((viewport) =>
      (["light", "dark"] as const).map((colorScheme) => ({ viewport, colorScheme })),
    ),
  )("fits and is accessible: $viewport.width, $colorScheme", async (options) => {
    const { page, errors } = await open(server.url, options);
    await card(page, "Meanwhile").locator("pre").waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
    expect(await page.evaluate(CUT)).toEqual([]);
    await page.getByText("More ▾").click();
    await page.evaluate(AXE);
    const { violations } = await page.evaluate<AxeResults>(
      "axe.run(document, { resultTypes: ['violations'] })",
    );
    expect(
      violations
        .filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(({ id, nodes }) => `${id}: ${nodes[0]?.target.join(" ")}`),
    ).toEqual([]);
    const order = ["Over steps", "Likely cause", "Worst mistake", "Meanwhile", "Where", "Figures"];
    const tops = await Promise.all(order.map(async (name) => (await card(page, name).boundingBox())!.y));
    if (options.viewport.width < 400) expect(tops).toEqual(tops.toSorted((a, b) => a - b));
    expect(errors).toEqual([]);
    await page.close();
  });

  it.skipIf(!hasRuns)(
    "of a sound run is a sentence, a chart, what was not tested, and the gate",
    async () => {
      const { url } = await serve(SOUND);
      const { page } = await open(url);
      const names = await page.getByRole("region").evaluateAll((all) => all.map((each) => each.ariaLabel));
      expect(names).toEqual(["Over steps", "Not tested", "To be told when it changes"]);
      expect(await readText(card(page, "To be told when it changes"))).toContain(
        `logratio gate ${SOUND} --update`,
      );
      await page.close();
    },
  );

  it.skipIf(!hasRuns)("of columns that cannot be compared is the shift that fits, and the fix", async () => {
    const [{ url }, { assessment }] = await Promise.all([
      serve(SHIFTED),
      printed<MismatchReport>("report", SHIFTED, "--json"),
    ]);
    const { page } = await open(url);
    const names = await page.getByRole("region").evaluateAll((all) => all.map((each) => each.ariaLabel));
    expect(names).toEqual(["Shifts", "Fix", "Now, with the column moved"]);
    const { by_shift, shift } = assessment.comparable;
    const shown = await rows(page, "Shifts").allTextContents();
    expect(shown).toHaveLength(by_shift.length);
    for (const [at, { delta_abs_mean }] of by_shift.entries()) {
      const [, value = ""] = /^\S+(?: ✓)? (\S+)/.exec(shown[at]!) ?? [];
      expect(shows(value, delta_abs_mean), `${shown[at]}`).toBe(true);
    }
    expect(shown.findIndex((text) => text.includes("✓"))).toBe(
      by_shift.findIndex((each) => each.shift === shift),
    );
    expect(await readText(page.locator("main"))).toContain("--align auto");
    await page.close();
  });
});
