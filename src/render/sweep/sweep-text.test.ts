import { describe, expect, it } from "vitest";
import { buildSweep } from "../../analyses/sweep/build-sweep.ts";
import { defaultGrid } from "../../analyses/sweep/grid.ts";
import { randomBatch } from "../../analyses/sweep/random.test-data.ts";
import { Sweep } from "../../analyses/sweep/sweep.ts";
import type { SweepReport } from "../../results/sweep.ts";
import { displayWidth } from "../terminal/columns.ts";
import { renderSweepMarkdown, renderSweepTerminal } from "./document.ts";

function makeReport(name = "random", advantages = true): SweepReport {
  const sweep = new Sweep(defaultGrid());
  for (const step of [1, 2]) sweep.add(randomBatch(step, 30, step, advantages));
  const report = buildSweep({ run: name, sweep, presets: [], findings: [], sources: [] });
  const config = { trainer: "T", preset: "t", language: "yaml", place: "in t.yaml", text: "a:\n  b: 2\n" };
  return {
    ...report,
    configs: [{ ...config, traps: ["the lower bound is the upper one | here"] }],
    inexpressible: [
      { trainer: "U", preset: "u", why: "has nothing" },
      { trainer: "V", preset: "v", why: "has nothing" },
    ],
  };
}

describe("renderSweepTerminal", () => {
  it.each([60, 80, 120, 160])("keeps to %i columns, in color or ASCII, with every row", (width) => {
    for (const [color, unicode] of [
      [true, true],
      [false, false],
    ] as const) {
      const text = renderSweepTerminal(makeReport("数".repeat(60)), { width, color, unicode, rows: "all" });
      for (const line of text.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(width);
      if (!unicode) expect(text.replaceAll("\n", "")).toMatch(/^[\x20-\x7e]*$/);
    }
  });

  it.each([60, 80])("shows the mean weight in %i columns, whatever is hidden", (width) => {
    const text = renderSweepTerminal(makeReport(), { width, color: false, unicode: true, rows: "all" });
    expect(text).toMatch(/^ +correction +ESS +mean w +moved/m);
    expect(text).toMatch(/mean w:\s+mean\s+weight\s+of\s+the\s+loss/);
    expect(text).toContain("hidden columns:");
  });

  it("says what to take, why, what each correction costs, and the config as it is pasted", () => {
    const report = makeReport();
    const text = renderSweepTerminal(report, { width: 120, color: false, unicode: true });
    expect(text).toContain(`△ RECOMMENDED  ${report.recommendation.name}`);
    for (const name of report.front) expect(text).toContain(name);
    expect(text).toMatch(new RegExp(`>\\*? +${report.recommendation.name}`));
    expect(text).toContain("    a:\n      b: 2\n");
    expect(text).toContain("△ the lower bound is the upper one");
    expect(text).toMatch(/u, v +has nothing/);
    expect(text).toMatch(/Product ratios: usable up to about \d+ tokens/);
  });

  it("cuts the traps of many configs, and counts those that it leaves out", () => {
    const report = makeReport();
    const [config] = report.configs;
    const traps = ["first trap", "second trap", "third trap", "fourth trap"];
    const draw = (presets: readonly string[], most: number): string =>
      renderSweepTerminal(
        {
          ...report,
          configs: presets.map((preset) => ({ ...config!, preset, traps: traps.slice(0, most) })),
        },
        { width: 120, color: false, unicode: true },
      );
    expect(draw(["a", "b", "c"], 4)).toContain("△ fourth trap");
    const cut = draw(["a", "b", "c", "d"], 4);
    expect(cut).toContain("△ 2 more traps: --for d");
    expect(cut).not.toContain("third trap");
    expect(draw(["a", "b", "c", "d"], 3)).toContain("△ 1 more trap: --for a");
  });

  it("shows as many rows as asked for, the front first", () => {
    const report = makeReport();
    const listRows = (rows: number | "all"): string[] =>
      renderSweepTerminal(report, { width: 120, color: false, unicode: true, rows })
        .split("\n")
        .filter((line) => /^ {2}[>* ]{2} .*%|^ {2}[>* ]{2} {2}none/.test(line));
    expect(listRows(3)).toHaveLength(3);
    for (const row of listRows(3)) expect(report.front.some((name) => row.includes(name))).toBe(true);
  });

  it("names the corrections that could not be tried and the figures that are missing", () => {
    const text = renderSweepTerminal(makeReport("random", false), {
      width: 100,
      color: false,
      unicode: true,
    });
    expect(text).toMatch(/no advantages: shares by sign/);
    expect(text).toMatch(/not tried: opsm 0.0001, .*dppo/s);
    expect(text).not.toContain("A>0");
  });

  it("writes what could move the cursor out", () => {
    const text = renderSweepTerminal(makeReport("a\u001b[2Jb"), { width: 100, color: false, unicode: true });
    expect(text).not.toContain("\u001b");
    expect(text).toContain("a\\x1b[2Jb");
  });
});

describe("renderSweepMarkdown", () => {
  it("is tables in shape, configs as code, and the command to repeat it", () => {
    const text = renderSweepMarkdown(makeReport("a|b\n# c"), { rows: "all", command: "logratio sweep x" });
    const table = text.split("\n").filter((line) => line.startsWith("|"));
    const cells = (line: string): number => line.replaceAll("\\|", "").split("|").length;
    expect(table.length).toBeGreaterThan(defaultGrid().length);
    const widths = new Set(table.map(cells));
    expect(widths.size).toBeLessThanOrEqual(2);
    expect(text).toContain("```yaml\na:\n  b: 2\n```");
    expect(text).toContain("- the lower bound is the upper one \\| here");
    expect(text).toContain("```sh\nlogratio sweep x\n```");
    expect(text).not.toMatch(/^# c/m);
  });
});
