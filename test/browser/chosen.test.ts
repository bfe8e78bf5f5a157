import { join } from "node:path";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { RunningView } from "../../bench/support/view-server.mjs";
import { eventually, goTo, hasBrowser, openPage, readText, warnWithoutBrowser } from "../support/browser.ts";
import { DEMO, DEMO_FLAGS } from "../support/built-view.ts";
import {
  figuresOf,
  groupBy,
  impact,
  mean,
  type OwnToken,
  readOwnTokens,
  size,
  sum,
} from "../support/naive-run.ts";
import { shows } from "../support/shown-numbers.ts";
import { useViewer } from "../support/use-viewer.ts";

warnWithoutBrowser("chosen steps and a filter");

const STEPS = "steps=30..80";
const FILTER = "abs>0.01 correct:no";
const CHOSEN = `${STEPS}&filter=${encodeURIComponent(FILTER)}`;

type Rows = readonly Readonly<Record<string, string>>[];

describe.skipIf(!hasBrowser)("chosen steps and a filter", () => {
  let server: RunningView;
  let page: Page;
  let errors: string[];
  /** Tokens of the chosen steps, and those among them that the filter selects. */
  let inSteps: OwnToken[];
  let matching: OwnToken[];
  useViewer(async (browser, place) => {
    server = await place.serve(
      ...[DEMO, ...DEMO_FLAGS, "--compare", `first=${join(DEMO, "stale/step_0010.npz")}`],
      ...["--compare", `some=${join(DEMO, "stale/step_0050.npz")}`],
    );
    ({ page, errors } = await openPage(browser, { viewport: { width: 1440, height: 900 } }));
    inSteps = (await readOwnTokens(server.url)).filter(({ step }) => step >= 30 && step <= 80);
    matching = inSteps.filter((token) => !token.correct && size(token) > 0.01);
    expect(matching.length).toBeGreaterThan(20);
  });

  const open = (hash: string): Promise<void> => goTo(page, server.url, hash);
  const tableNamed = (name: string) =>
    page.locator(".tables .report-table").filter({ has: page.getByRole("heading", { name, exact: true }) });
  /** Cells by column, from the table that is or contains the element. */
  const read = (of: ReturnType<Page["locator"]>): Promise<Rows> =>
    of.evaluate((element) => {
      const table = element.closest("table") ?? element.querySelector("table")!;
      const cells = (row: { readonly children: Iterable<unknown> }): string[] =>
        [...row.children].map((cell) => (cell as { textContent: string }).textContent.trim());
      const names = cells(table.querySelector("thead tr")!).map((name) => name.replace(/[▼▲]/, ""));
      return [...table.querySelectorAll("tbody tr:not(.spacer)")].map((row) =>
        Object.fromEntries(cells(row).map((text, at) => [names[at], text])),
      );
    });

  /** Checks every figure of a row to the digits shown; its key is not a figure, and neither are ranges. */
  function expectFigures(row: Rows[number], some: readonly OwnToken[], all: readonly OwnToken[]): number {
    const figures = figuresOf(some, all);
    const shown = Object.entries(row).filter(([name, text]) => name in figures && !text.includes("–"));
    for (const [name, text] of shown) {
      const isSmall = text.startsWith("<");
      if (isSmall) expect(figures[name], name).toBeLessThan(Number.parseFloat(text.slice(1)) / 100);
      else expect(shows(text, figures[name]!), `${name}: ${text}, not ${figures[name]}`).toBe(true);
    }
    return shown.length;
  }

  /** A table of groups must have all of them, with their sums. */
  async function expectGroups(
    rows: Rows,
    tokens: readonly OwnToken[],
    column: string,
    key: (token: OwnToken) => string,
  ): Promise<void> {
    const groups = groupBy(tokens, key);
    const own = rows.filter((row) => groups.has(row[column]!));
    expect(own.map((row) => row[column]).sort()).toEqual([...groups.keys()].sort());
    for (const row of own) expect(expectFigures(row, groups.get(row[column]!)!, tokens)).toBeGreaterThan(3);
  }

  /** Rows are about their handle's tokens, and no token that is left out is worse than the last one shown. */
  async function expectWorst(
    rows: Rows,
    groups: ReadonlyMap<string, OwnToken[]>,
    rank: (tokens: readonly OwnToken[]) => number,
    column: string,
  ): Promise<void> {
    expect(rows.length).toBeGreaterThan(3);
    for (const row of rows) expectFigures(row, groups.get(row[column]!)!, inSteps);
    const ranks = [...groups.values()].map(rank).sort((a, b) => b - a);
    for (const [at, row] of rows.entries())
      expect(rank(groups.get(row[column]!)!)).toBeCloseTo(ranks[at]!, 5);
  }

  it("narrow each table of Steps to the steps", async () => {
    await open(`#/steps?${CHOSEN}`);
    await eventually(() => page.locator(".tables[aria-busy=false]").count()).toBe(1);
    const tenth = ({ tenth: at }: OwnToken): string => `${10 * at}–${10 * at + 10} %`;
    const table = async (name: string): Promise<Rows> => read(tableNamed(name));
    await expectGroups(
      await table("By turn"),
      inSteps.filter(({ turn }) => turn !== null),
      "turn",
      ({ turn }) => String(turn),
    );
    await expectGroups(await table("By correctness"), inSteps, "answer", ({ correct }) =>
      correct ? "correct" : "incorrect",
    );
    await expectGroups(await table("By finish reason"), inSteps, "finish reason", () => "eos");
    await expectGroups(await table("By position in the response"), inSteps, "of the response", tenth);
    const classes = await table("By class of token");
    expectFigures(
      classes.find((row) => row.class === "number")!,
      inSteps.filter(({ isNumber }) => isNumber),
      inSteps,
    );
    const probabilities = await table("By rollout probability");
    const sure = inSteps.filter(({ rollout }) => Math.exp(rollout) >= 0.999);
    expectFigures(probabilities.find((row) => row["p rollout"] === "0.999–1")!, sure, inSteps);

    const sequences = groupBy(inSteps, ({ sequence }) => sequence);
    const single = groupBy(inSteps, ({ handle }) => handle);
    const sumDelta = (tokens: readonly OwnToken[]): number => Math.abs(sum(tokens.map(({ delta }) => delta)));
    const size0 = ([token]: readonly OwnToken[]): number => size(token!);
    const sumImpact = (tokens: readonly OwnToken[]): number =>
      sum(tokens.map((token) => Math.abs(impact(token))));
    await expectWorst(await table("Worst sequences by |Σ Δ|, nats"), sequences, sumDelta, "handle");
    await expectWorst(await table("Worst tokens"), single, size0, "handle");
    await expectWorst(await table("Worst tokens for the gradient"), single, sumImpact, "handle");
    await expectWorst(await table("Worst sequences for the gradient"), sequences, sumImpact, "handle");
    const turns = groupBy(inSteps, ({ sequence, turn }) => `${sequence} turn ${turn}`);
    for (const row of await table("Worst turns"))
      expect(expectFigures({ ...row, turn: "–" }, turns.get(row.turn!)!, inSteps)).toBeGreaterThan(2);
    // A further table needs a line in this test.
    expect(await page.locator(".tables .report-table").count()).toBe(11);

    const told = await readText(page.locator(".chosen"));
    const [, tokens, meanText, k3Text, most] =
      / ([\d,]+) tokens · mean \|Δ\| (\S+) · k3 (\S+) · max \|Δ\| (\S+)/.exec(
        told.replaceAll("\u00a0", " "),
      ) ?? [];
    const figures = figuresOf(inSteps, inSteps);
    expect(Number(tokens!.replace(",", ""))).toBe(inSteps.length);
    for (const [text, name] of [
      [meanText, "mean |Δ|"],
      [k3Text, "k3"],
      [most, "max |Δ|"],
    ] as const)
      expect(shows(text!, figures[name]!), `${name} ${text}`).toBe(true);
  });

  it("narrow what Steps folds away, and its distributions", async () => {
    const folds = page.locator(".tables details");
    for (const summary of await folds.locator("summary").all()) await summary.click();
    const table = (fold: string, column: string): Promise<Rows> =>
      read(folds.filter({ hasText: fold }).getByRole("table").filter({ hasText: column }).first());
    await expectGroups(await table("5 steps", "seqs"), inSteps, "step", ({ step }) => String(step));
    const deltas = inSteps.map(({ delta }) => delta);
    const ratios = deltas.map(Math.exp);
    const all = figuresOf(inSteps, inSteps);
    const figures = await table("Every figure", "95 % low");
    for (const [name, value] of [
      ...(["mean Δ", "mean |Δ|", "max |Δ|", "k3"] as const).map((name) => [name, all[name]!] as const),
      ["min Δ", Math.min(...deltas)],
      ["k2", mean(deltas.map((delta) => delta ** 2)) / 2],
      ["mean ρ", mean(ratios)],
      ["ESS", sum(ratios) ** 2 / (ratios.length * sum(ratios.map((ratio) => ratio ** 2)))],
      ["ppl rollout", Math.exp(-mean(inSteps.map(({ rollout }) => rollout)))],
    ] as const) {
      const { value: text } = figures.find(({ figure }) => figure === name)!;
      expect(shows(text!, value), `${name}: ${text}, not ${value}`).toBe(true);
    }
    const still = inSteps.filter(({ advantage }) => advantage === 0);
    const gradient = await table("In the policy gradient", "figure");
    for (const [at, value] of [
      still.length / inSteps.length,
      figuresOf(still, inSteps)["of Σ k3"]!,
    ].entries())
      expect(shows(gradient[at]!.value!, value), gradient[at]!.figure).toBe(true);
    const tails = await table("Quantiles and tails", "trainer higher");
    for (const row of tails.filter(({ tokens }) => tokens !== undefined))
      expect(Number(row.tokens!.replace(",", ""))).toBe(
        inSteps.filter((token) => size(token) > Number(row["|Δ| above"])).length,
      );
    const read5 = await table("What was read", "file");
    expect(read5.map(({ step }) => step)).toEqual(["30", "50", "60", "70", "80"]);
    const right = inSteps.filter(({ correct }) => correct).length;
    const words = await page.locator(".spread svg").allTextContents();
    expect(words.length).toBe(5);
    expect(words.join()).toContain(`tokens: ${inSteps.length.toLocaleString("en")}`);
    expect(words.join()).toContain(`right ↑: ${right.toLocaleString("en")}`);
  });

  it("narrow every list of tokens to both", async () => {
    const grid = page.getByRole("grid");
    const list = async (by: string): Promise<Rows> => {
      await open(`#/tokens?by=${by}&${CHOSEN}`);
      await eventually(() => readText(page.locator(".counts"))).toContain(
        `the ${matching.length} in ${new Set(matching.map(({ sequence }) => sequence)).size} sequences that match`,
      );
      return read(grid);
    };
    const single = groupBy(matching, ({ handle }) => handle);
    const places = await list("occurrence");
    for (const row of places)
      expect(expectFigures(row, single.get(row.Place!)!, matching)).toBeGreaterThan(4);
    await expectGroups(await list("turn"), matching, "Turn", ({ turn }) => `turn ${turn}`);
    const tenth = ({ tenth: at }: OwnToken): string => `${10 * at}–${10 * at + 10} %`;
    await expectGroups(await list("position"), matching, "Part of the response", tenth);
    const classes = await list("class");
    const numbers = matching.filter(({ isNumber }) => isNumber);
    expectFigures(classes.find((row) => row.Class === "number")!, numbers, matching);
    const ids = [...groupBy(matching, ({ id }) => id).values()];
    const byToken = await list("token");
    expect(byToken.length).toBeLessThanOrEqual(ids.length);
    for (const row of byToken)
      expect(
        ids.some((own) => {
          const { tokens, "share of k3": share, "max |Δ|": most } = figuresOf(own, matching);
          return (
            shows(row.tokens!, tokens!) && shows(row["share of k3"]!, share!) && shows(row["max |Δ|"]!, most!)
          );
        }),
        row.Token,
      ).toBe(true);
  });

  it("narrow the list of sequences, its groups and right against wrong", async () => {
    const wanted = new Set(matching.map(({ sequence }) => sequence));
    const own = inSteps.filter(({ sequence }) => wanted.has(sequence));
    await open(`#/sequences?${CHOSEN}`);
    const counts = page.locator(".sequences-view .counts");
    await eventually(() => readText(counts)).toContain(
      `${wanted.size} of 768 sequences · ${own.length.toLocaleString("en")} tokens · ${matching.length} match`,
    );
    await open(`#/sequences?layout=groups&${CHOSEN}`);
    await eventually(() => readText(counts)).toContain(`${matching.length} match`);
    const groups = [...groupBy(own, ({ step, group }) => `${step} ${group}`).values()];
    const rows = await read(page.getByRole("grid"));
    expect(rows.length).toBe(groups.length);
    for (const row of rows)
      expect(
        groups.some((some) => expectable(row, figuresOf(some, own))),
        JSON.stringify(row),
      ).toBe(true);

    await open(`#/sequences?${STEPS}`);
    const sequences = [...groupBy(inSteps, ({ sequence }) => sequence).values()];
    const meanOf = (isRight: boolean): number =>
      mean(sequences.filter(([token]) => token!.correct === isRight).map((tokens) => mean(tokens.map(size))));
    const panel = page.locator(".right-wrong");
    await eventually(
      async () => /mean of right, of wrong\s*(\S+), (\S+?)(?=wrong|$)/.exec(await readText(panel)) !== null,
    ).toBe(true);
    const [, right, wrong] = /mean of right, of wrong\s*(\S+), ([\d.e−]+)/.exec(await readText(panel))!;
    expect(shows(right!, meanOf(true)), right).toBe(true);
    expect(shows(wrong!, meanOf(false)), wrong).toBe(true);
  });

  function expectable(
    row: Rows[number],
    { tokens, "mean |Δ|": own, "max |Δ|": most }: Record<string, number>,
  ): boolean {
    return shows(row.tokens!, tokens!) && shows(row["mean |Δ|"]!, own!) && shows(row["max |Δ|"]!, most!);
  }

  it("narrow a correction, the health of the run and pairs to the steps", async () => {
    await open(`#/correct?${CHOSEN}&correction=weight:token%20mask:token.ratio:0.5..2`);
    const kept = inSteps.filter(({ delta }) => Math.exp(delta) >= 0.5 && Math.exp(delta) <= 2);
    const wrong = inSteps.filter(({ correct }) => !correct);
    const tables = page.locator(".correct-side table");
    const exact = async (title: string): Promise<string> =>
      (await tables
        .getByRole("row")
        .filter({ has: page.getByRole("rowheader", { name: title, exact: true }) })
        .locator("td")
        .last()
        .textContent()) ?? "";
    // Until the exact figures arrive, the cells show those of the histogram.
    await eventually(() => exact("effective sample size")).toMatch(/^[^≈]*\d/);
    const ratios = kept.map(({ delta }) => Math.exp(delta));
    const dropped = wrong.filter((token) => !kept.includes(token)).length / wrong.length;
    for (const [title, value] of [
      ["kept tokens", kept.length / inSteps.length],
      ["kept sequences", new Set(inSteps.map(({ sequence }) => sequence)).size],
      ["effective sample size", sum(ratios) ** 2 / (inSteps.length * sum(ratios.map((ratio) => ratio ** 2)))],
      ["wrong", dropped],
    ] as const)
      expect(shows(await exact(title), value), `${title}: ${await exact(title)}, not ${value}`).toBe(true);

    await open(`#/health?${CHOSEN}`);
    const groups = groupBy(inSteps, ({ step, group }) => `${step} ${group}`);
    const flat = [...groups.values()].filter(
      (some) => new Set(some.map(({ correct }) => correct)).size === 1,
    );
    await eventually(() => readText(page.locator(".health"))).toContain(
      `${flat.length} of ${groups.size} prompt groups`,
    );
    const bySteps = await read(page.locator(".health .report-table").first());
    expect(bySteps.map((row) => row.step)).toEqual(["30", "50", "60", "70", "80"]);

    for (const [other, pairs] of [
      ["some", 64],
      ["first", 0],
    ] as const) {
      await open(`#/compare?with=${other}&${CHOSEN}`);
      await eventually(() => readText(page.locator(".compare-view"))).toContain(`${pairs} pairs`);
    }
  });

  it("are named, or else the figures carry a tag", async () => {
    const told = async (hash: string): Promise<(string | null)[]> => {
      await open(hash);
      return page.locator("nav .steps-chip, .whole-run").allTextContents();
    };
    const chip = "steps 30–80: show all steps ✕";
    const [all, part] = ["whole run", "without the filter"];
    for (const [view, withSteps, withFilter, withBoth] of [
      ["answer", [chip], [all], [chip, part]],
      ["steps", [chip, all, all, all, all], [all], [chip, part, all, all, all, all]],
      ["doctor", [all], [all], [all]],
      ["health", [chip], [all], [chip, part]],
      ["sequences", [chip], [], [chip]],
      ["sequences?layout=groups", [chip], [], [chip]],
      ["tokens", [chip], [], [chip]],
      ["tokens?by=class", [chip], [], [chip]],
      ["correct", [chip], [all], [chip, part]],
      ["compare", [chip, all, all], [all], [chip, part, all, all]],
      ["digits", [all], [all], [all]],
      ["sql", [all], [all], [all]],
      ["story", [], [], []],
      ["sequence/0", [], [], []],
    ] as const) {
      const at = `#/${view}${view.includes("?") ? "&" : "?"}`;
      expect(await told(at), view).toEqual([]);
      expect(await told(at + STEPS), view).toEqual(withSteps);
      expect(await told(`${at}filter=correct:no`), view).toEqual(withFilter);
      expect(await told(`${at}${STEPS}&filter=correct:no`), view).toEqual(withBoth);
    }
    expect(errors).toEqual([]);
  });
});
