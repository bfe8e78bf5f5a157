import { readFileSync } from "node:fs";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RunningView } from "../../bench/support/view-server.mjs";
import {
  eventually,
  goTo,
  hasBrowser,
  isInSight,
  listViews,
  openPage,
  readStyle,
  readText,
  settled,
  warnWithoutBrowser,
} from "../support/browser.ts";
import {
  DEMO,
  DEMO_FLAGS,
  hasLab,
  INT8,
  INT8_FLAGS,
  printed,
  type Workplace,
  warnWithoutLab,
} from "../support/built-view.ts";
import { shows } from "../support/shown-numbers.ts";
import { useViewer } from "../support/use-viewer.ts";

interface Report {
  readonly metrics: Readonly<
    Record<"sequences" | "tokens" | "steps" | "delta_abs_mean" | "delta_abs_max" | "k3" | "ess", number>
  >;
  readonly worst_tokens: readonly { readonly handle: string }[];
  readonly per_turn: readonly { readonly turn: number; readonly tokens: number }[];
}

warnWithoutBrowser("views of the viewer");
warnWithoutLab("views of the lab's int8 run");

const RUNS = [
  { name: "the bundled demo", path: DEMO, flags: DEMO_FLAGS, isThere: true },
  { name: "the lab's int8 run", path: INT8, flags: INT8_FLAGS, isThere: hasLab },
];

describe.skipIf(!hasBrowser)("the viewer", () => {
  let browser: Browser;
  let place: Workplace;
  useViewer(async (aBrowser, aPlace) => {
    browser = aBrowser;
    place = aPlace;
  });

  describe.each(RUNS.filter(({ isThere }) => isThere))("on $name", ({ path, flags }) => {
    let server: RunningView;
    let report: Report;
    let page: Page;
    let errors: string[];
    beforeAll(async () => {
      [server, report] = await Promise.all([
        place.serve(path, ...flags),
        printed<Report>("report", path, "--json"),
      ]);
      ({ page, errors } = await openPage(browser, { acceptDownloads: true }));
    });
    afterAll(async () => {
      await page.close();
    });

    it("opens every view without an error or a refusal of the security policy", async () => {
      const views = await listViews(page, server.url);
      expect(views.length).toBeGreaterThanOrEqual(5);
      for (const { name, hash } of views) {
        await goTo(page, server.url, hash);
        expect(await page.title(), hash).toContain(`${name} · logratio`);
        expect(await page.locator("main [role=alert]").allTextContents(), name).toEqual([]);
      }
      expect(errors).toEqual([]);
    });

    it("shows the figures of logratio report", async () => {
      await goTo(page, server.url, "#/steps");
      const figures = {
        "mean |Δ|": "delta_abs_mean",
        "max |Δ|": "delta_abs_max",
        k3: "k3",
        ESS: "ess",
      } as const;
      for (const [label, key] of Object.entries(figures)) {
        const row = page.locator("[data-id=key-figures] tr", {
          has: page.getByRole("cell", { name: label, exact: true }),
        });
        const text = await readText(row.locator("td").nth(1));
        expect(shows(text, report.metrics[key]), `${label}: ${text}, ${report.metrics[key]}`).toBe(true);
      }
      const facts = await readText(page.locator(".top-bar .facts"));
      expect(facts).toContain(`${report.metrics.sequences.toLocaleString("en")} answers`);
      expect(facts).toContain(report.metrics.tokens.toLocaleString("en"));
    });

    it("leads from a step to its worst token, and the link to it lasts", async () => {
      await goTo(page, server.url, "#/steps");
      const plot = page.locator(".line-chart").getByRole("slider").first();
      await plot.scrollIntoViewIfNeeded();
      const box = (await plot.boundingBox())!;
      await page.mouse.click(box.x + box.width - 2, box.y + box.height / 2);
      await settled(page);
      expect(page.url()).toMatch(/#\/sequences\?.*steps=150\.\.150/);
      const table = page.getByRole("grid", { name: "Sequences" });
      const handles = await table.locator("tbody td:first-child a").allInnerTexts();
      expect(handles.length).toBeGreaterThan(10);
      for (const handle of handles) expect(handle).toMatch(/^s150\./);
      // The largest |Δ| comes first; its link leads to the token.
      const link = table.locator("tbody tr").first().locator("a").nth(1);
      const size = await readText(link);
      await link.click();
      await settled(page);
      const token = /#\/sequence\/s150\.[^/]+\/t(\d+)\?/.exec(page.url())![1];
      const current = page.locator(".strip .t.current");
      await expectSeen(current);
      const text = await readText(current);
      expect(await readStyle(current, "outline-style")).not.toBe("none");
      expect(await readText(page.locator(".readout"))).toContain(`t${token} `);
      expect(await readText(page.locator(".readout"))).toMatch(
        new RegExp(`Δ [+−]${size.replace(".", "\\.")}`),
      );

      const deep = page.url();
      await page.reload();
      await settled(page);
      await expectSeen(current);
      expect(await readText(current)).toBe(text);
      await page.goBack();
      await settled(page);
      expect(page.url()).toContain("#/sequences");
      await page.goBack();
      await settled(page);
      expect(page.url()).toContain("#/steps");
      await page.goForward();
      await page.goForward();
      await settled(page);
      expect(page.url()).toBe(deep);
      await expectSeen(current);
      expect(errors).toEqual([]);
    });

    it("links the tokens of the whole run to their places", async () => {
      await goTo(page, server.url, "#/tokens");
      const link = page.getByRole("grid").locator("tbody a").first();
      const handle = await readText(link);
      expect(handle).toBe(report.worst_tokens[0]!.handle);
      await link.click();
      await settled(page);
      await expectSeen(page.locator(".strip .t.current"));
      const [sequence, token] = /^(.*)\.t(\d+)$/.exec(handle)!.slice(1);
      expect(await readText(page.locator(".sequence-title"))).toContain(sequence);
      expect(await readText(page.locator(".readout"))).toContain(`t${token} `);
      expect(await readText(page.locator(".readout"))).toMatch(/Δ [+−]/);
    });

    // Whatever is the same for every run is tested on one.
    if (path !== DEMO) return;

    it("goes anywhere by name, and lists the keys", async () => {
      await goTo(page, server.url, "#/steps");
      await page.keyboard.press("Control+k");
      const box = page.getByRole("combobox", { name: /view, command/ });
      await box.fill("s150.q3");
      const handle = await readText(page.getByRole("option").first().locator(".label"));
      expect(handle).toMatch(/^s150\.(r\d+\.)?q3/);
      await page.keyboard.press("Enter");
      await settled(page);
      expect(await readText(page.locator(".sequence-title"))).toContain(handle);
      await page.keyboard.press("?");
      const keys = await readText(page.getByRole("dialog", { name: "Keys" }));
      for (const text of ["next divergent token", "next turn", "next sequence", "go to anything"])
        expect(keys).toContain(text);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    });

    it("remembers the colors that were chosen", async () => {
      await goTo(page, server.url, "#/steps");
      const theme = async (): Promise<string | null> => page.locator("html").getAttribute("data-theme");
      const background = async (): Promise<string> => readStyle(page.locator("body"), "background-color");
      const more = page.getByText("More ▾");
      await more.click();
      const button = page.getByRole("button", { name: /^Colors:/ });
      while ((await theme()) !== "dark") await button.click();
      const dark = await background();
      await page.reload();
      await settled(page);
      expect(await theme()).toBe("dark");
      expect(await background()).toBe(dark);
      await more.click();
      while ((await theme()) !== "light") await button.click();
      expect(await background()).not.toBe(dark);
    });

    it("filters, and says which words it does not understand", async () => {
      await goTo(page, server.url, "#/sequences");
      const filter = page.getByRole("combobox", { name: "Filter" });
      const counts = page.locator(".counts strong");
      const all = await readText(counts);
      await filter.fill("correct:no");
      await eventually(() => readText(counts)).not.toBe(all);
      const wrong = await readText(counts);
      await filter.fill("correct:no nonsense>3");
      const problem = page.locator(".filter-problems p");
      await problem.waitFor();
      expect(await readText(problem)).toContain("nonsense");
      expect(await filter.getAttribute("aria-invalid")).toBe("true");
      expect(await readText(counts)).toBe(wrong);
      await filter.fill("");
      await eventually(() => readText(counts)).toBe(all);
    });

    it("gives tables and pictures away as files", async () => {
      const save = async (menu: string, format: string): Promise<string> => {
        await page.getByRole("button", { name: menu, exact: true }).click();
        const [download] = await Promise.all([
          page.waitForEvent("download"),
          page.getByRole("menuitem", { name: format, exact: true }).click(),
        ]);
        return readFileSync(await download.path(), "utf8");
      };
      await goTo(page, server.url, "#/sequences?sort=-worst");
      const csv = await save("Export sequences", "CSV");
      const lines = csv.trimEnd().split("\r\n");
      expect(lines).toHaveLength(report.metrics.sequences + 1);
      const header = lines[0]!.split(",");
      const first = lines[1]!.split(",");
      expect(header).toContain("worst");
      expect(Number(first[header.indexOf("worst")])).toBeCloseTo(report.metrics.delta_abs_max, 5);
      const rows = JSON.parse(await save("Export sequences", "JSON")) as unknown[];
      expect(rows).toHaveLength(report.metrics.sequences);

      await goTo(page, server.url, "#/steps?steps=30..80");
      const part = await printed<Report>("report", path, "--steps", "30..80", "--json");
      await eventually(() => readText(page.locator(".tables"))).toContain(
        "From here on: steps 30 to 80 only.",
      );
      const turns = (await save("Export turns", "CSV")).trimEnd().split("\r\n");
      const tokens = turns[0]!.split(",").indexOf("tokens");
      expect(turns.slice(1).map((line) => Number(line.split(",")[tokens]))).toEqual(
        part.per_turn.map((turn) => turn.tokens),
      );

      await goTo(page, server.url, "#/steps");
      const chart = page.locator(".line-chart").first();
      const name = (await chart.getByRole("button", { name: /^Export/ }).getAttribute("aria-label"))!;
      const svg = await save(name, "SVG");
      const parsed = await page.evaluate<{ root: string; shapes: number }>(
        `(() => {
          const read = new DOMParser().parseFromString(${JSON.stringify(svg)}, "image/svg+xml");
          return { root: read.documentElement.localName, shapes: read.querySelectorAll("path, polyline, circle").length };
        })()`,
      );
      expect(parsed.root).toBe("svg");
      expect(parsed.shapes).toBeGreaterThan(0);
      expect(svg).not.toContain("var(");
      const steps = (await save(name, "CSV")).trimEnd().split("\r\n");
      expect(steps).toHaveLength(report.metrics.steps + 1);
      expect(errors).toEqual([]);
    });
  });
});

async function expectSeen(token: Locator): Promise<void> {
  await eventually(() => isInSight(token, ".strip")).toBe(true);
}
