import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { RunningView } from "../../bench/support/view-server.mjs";
import type { RunComparison } from "../../src/results/view.ts";
import { decodeStudyText } from "../../src/results/wire/study-text.ts";
import { decodeTable } from "../../src/results/wire/table.ts";
import { decodeTurns } from "../../src/results/wire/turns.ts";
import { eventually, goTo, hasBrowser, openPage, warnWithoutBrowser } from "../support/browser.ts";
import { DEMO, DEMO_FLAGS, printed, type Workplace } from "../support/built-view.ts";
import { ROOT } from "../support/run-cli.ts";
import { useViewer } from "../support/use-viewer.ts";

warnWithoutBrowser("exports of the viewer");

const OTHER = join(DEMO, "stale/step_0020.npz");

/** Views, and a picture or table that each must let the user export. */
const VIEWS = [
  ["#/steps", "mean-abs-delta"],
  ["#/sequences", "sequences"],
  ["#/sequences?layout=matrix", "sequences-by-turns"],
  ["#/sequences?layout=groups", "groups"],
  ["#/sequence/0", "sequence-delta"],
  ["#/tokens", "tokens by occurrence"],
  ["#/correct", "ratio-histogram"],
  ["#/digits", "digit-metrics"],
  ["#/compare", "compared-figures"],
] as const;

describe.skipIf(!hasBrowser)("exports", () => {
  let place: Workplace;
  let server: RunningView;
  let page: Page;
  useViewer(async (browser, aPlace) => {
    place = aPlace;
    server = await place.serve(DEMO, ...DEMO_FLAGS, "--compare", OTHER);
    ({ page } = await openPage(browser));
  });

  const findMenu = (name: string): Locator => page.getByRole("menu", { name: `Export ${name}`, exact: true });

  async function saved(name: string, format: string): Promise<Buffer> {
    const button = page.getByRole("button", { name: `Export ${name}`, exact: true }).first();
    await button.click();
    const item = findMenu(name).getByRole("menuitem", { name: format, exact: true });
    // Tells a missing menu item apart from a download that does not come.
    await item.waitFor();
    const [download] = await Promise.all([page.waitForEvent("download"), item.click()]);
    await findMenu(name).waitFor({ state: "detached" });
    return readFileSync(await download.path());
  }

  const csv = async (name: string): Promise<string[]> =>
    (await saved(name, "CSV")).toString().trimEnd().split("\r\n");

  /** The picture, after checking that it is one and that it needs nothing from the page. */
  async function picture(name: string): Promise<string> {
    const svg = (await saved(name, "SVG")).toString();
    const root = await page.evaluate<string>(
      `new DOMParser().parseFromString(${JSON.stringify(svg)}, "image/svg+xml").documentElement.localName`,
    );
    expect(root, name).toBe("svg");
    expect(/NaN|undefined|var\(|oklab|light-dark/.exec(svg)?.[0], name).toBeUndefined();
    return svg;
  }

  it.each(VIEWS)(
    "of %s: every picture as SVG that parses, every menu as rows",
    async (hash, needed) => {
      await goTo(page, server.url, hash);
      if (hash === "#/correct") await page.locator(".recommendation summary").click();
      const names = async (): Promise<string[]> =>
        page
          .locator(".export-menu > button")
          .evaluateAll((buttons) =>
            buttons.map((button) => button.getAttribute("aria-label")?.slice(7) ?? ""),
          );
      await eventually(names).toEqual(expect.arrayContaining([expect.stringMatching(needed)]));
      for (const name of new Set(await names())) {
        const button = page.getByRole("button", { name: `Export ${name}`, exact: true }).first();
        await button.click();
        const items = findMenu(name).getByRole("menuitem");
        await items.first().waitFor();
        const formats = await items.allTextContents();
        expect(formats, name).toEqual(expect.arrayContaining(["CSV", "JSON", "Parquet"]));
        await items.first().press("Escape");
        await findMenu(name).waitFor({ state: "detached" });
        if (formats.includes("SVG")) await picture(name);
        expect((await csv(name)).length, name).toBeGreaterThan(0);
      }
    },
    120_000,
  );

  it("of sequences by turns: all rows of the filter as a table, those in sight as a picture that says so", async () => {
    await goTo(page, server.url, "#/sequences?layout=matrix");
    const { turns, offsets } = await wire(`${server.url}api/turns`, decodeTurns);
    const lines = await csv("sequences-by-turns");
    expect(lines.length - 1).toBe(turns.length);
    const svg = await picture("sequences-by-turns");
    const [, first, last, all] = /Rows (\d+) to (\d+) of ([\d,]+) sequences/.exec(svg) ?? [];
    expect([first, Number(all?.replace(",", ""))]).toEqual(["1", offsets.length - 1]);
    const handles = svg.match(/>s\d+\.q\d+</g) ?? [];
    expect(handles.length).toBe(Number(last));
    expect(handles.length).toBeLessThan(offsets.length - 1);

    await goTo(page, server.url, "#/sequences?layout=matrix&filter=turns%3E%3D2%20correct%3Ano");
    const { columns, length } = await wire(`${server.url}api/sequences`, decodeTable);
    const rows = Array.from({ length }, (_, row) => row).filter(
      (row) => columns.turns[row]! >= 2 && columns.correct[row] === 0,
    );
    const meant = rows.reduce((sum, row) => sum + offsets[row + 1]! - offsets[row]!, 0);
    expect(meant).toBeGreaterThan(0);
    expect((await csv("sequences-by-turns")).length - 1).toBe(meant);
  });

  it("of what is beyond the scale: its corner", async () => {
    const far = join(place.folder, "far.jsonl");
    const logprobs = [-0.1, -0.2, -0.3];
    writeFileSync(
      far,
      Array.from({ length: 4 }, () =>
        JSON.stringify({
          step: 1,
          response_ids: [1, 2, 3],
          rollout_logprobs: logprobs,
          trainer_logprobs: [-0.1, -20.2, -0.3],
        }),
      ).join("\n"),
    );
    const { url } = await place.serve(far);
    await goTo(page, url, "#/sequences?layout=matrix");
    const corners = page.locator(".turn-matrix tbody td.over");
    await corners.first().waitFor();
    const inSight = (await picture("sequences-by-turns")).match(/h-5\.7l5\.7 5\.7z/g) ?? [];
    expect(inSight.length).toBeGreaterThan(0);
    expect(inSight.length).toBeLessThanOrEqual(await corners.count());
  });

  it("of a comparison: its figures, pairs and pictures", async () => {
    await goTo(page, server.url, "#/compare");
    const { pairs, steps } = JSON.parse(
      (await wire(`${server.url}api/compare`, (bytes) => Buffer.from(bytes))).toString(),
    ) as RunComparison;
    expect((await csv("pairs")).length - 1).toBe(pairs.a.length);
    const figures = await page.locator("table.figures tbody tr").count();
    expect((await csv("compared-figures")).length - 1).toBe(figures);
    expect(steps.steps.length).toBeGreaterThan(0);
    const charts = await page
      .locator(".compare-view figure .export-menu > button, .compare-view .line-chart .export-menu > button")
      .evaluateAll((buttons) => buttons.map((button) => button.getAttribute("aria-label")?.slice(7) ?? ""));
    expect(charts.length).toBeGreaterThan(0);
    for (const name of charts) expect(/<path|<circle/.test(await picture(name)), name).toBe(true);
  });

  it("of a text under checkpoints: every token as a row, every mark of the heat-map as a shape", async () => {
    const study = join(place.folder, "example.study");
    await printed(
      ...["kl", join(ROOT, "examples/kl/logits.npz"), "--reference", "dpo", ...DEMO_FLAGS],
      ...["--out", study, "--json"],
    );
    const { url } = await place.serve(study);
    await goTo(page, url, "#/checkpoints?text=1&token=4");
    await page.locator(".heat-map table").first().waitFor();
    const { meta } = await wire(`${url}api/study-text/1`, decodeStudyText);
    const name = `${meta.handle} tokens`;
    const lines = await csv(name);
    expect(lines.length - 1).toBe(meta.tokens.length);
    for (const checkpoint of meta.checkpoints) expect(lines[0]).toContain(`kl ${checkpoint}`);

    const cells = page.locator(".heat-map tbody td[data-token]");
    expect(await cells.count()).toBe(meta.tokens.length * meta.checkpoints.length);
    const levels = (await cells.allTextContents()).filter((text) => /^\d$/.test(text));
    const before = await picture(name);
    const written = before.slice(before.indexOf(">Tokens<")).match(/font-size="9\.5"[^>]*>\d</g) ?? [];
    expect(written.length).toBe(levels.length);
    const hatched = (svg: string): number => (svg.match(/stroke-width="2"/g) ?? []).length;
    const underlined = (svg: string): number => (svg.match(/m0 2h-/g) ?? []).length;
    // The legend's "no score" is hatched.
    expect([before.includes("✗"), underlined(before)]).toEqual([false, 0]);

    // Marks that only the style sheet draws.
    await page
      .locator(".heat-map thead th")
      .nth(2)
      .evaluate((head) => head.classList.add("error", "wrong"));
    await cells.nth(7).evaluate((cell) => cell.setAttribute("class", "unknown"));
    const after = await picture(name);
    expect((after.match(/✗/g) ?? []).length).toBe(1);
    expect(underlined(after)).toBe(1);
    expect(hatched(after)).toBe(hatched(before) + 1);
    expect((await saved(name, "PNG")).subarray(1, 4).toString()).toBe("PNG");
  });
});

/** A response of the server, decoded. */
async function wire<T>(url: string, decode: (bytes: Uint8Array) => T): Promise<T> {
  return decode(new Uint8Array(await (await fetch(url)).arrayBuffer()));
}
