import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { analyzeLog } from "../src/analyses/analyze/analyze-log.ts";
import {
  renderAnalyzeHtml,
  renderAnalyzeMarkdown,
  renderAnalyzeTerminal,
} from "../src/render/analyze/document.ts";
import { displayWidth } from "../src/render/terminal/columns.ts";
import type { AnalyzeReport } from "../src/results/analyze.ts";
import { ROOT, requireBuild, runCli } from "./support/run-cli.ts";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "logratio-analyze-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const FIXTURE = join(ROOT, "test/fixtures/analyze/divergence.jsonl");
const EXPECTED = process.env.ANALYZE_EXPECTED ?? join(ROOT, "test/fixtures/analyze/expected.json");

/** Results from pandas, scipy and jq (scripts/fixtures/analyze_logs.py). */
const { pandas } = JSON.parse(readFileSync(EXPECTED, "utf8"));

describe("what is printed", () => {
  const hostile = "'<script>alert(1)</script>|\u001b[2J\u202e'";
  let report: AnalyzeReport;
  beforeAll(async () => {
    const path = join(directory, "hostile.jsonl");
    const lines = readFileSync(FIXTURE, "utf8").trim().split("\n");
    const changed = lines.map((text, i) =>
      JSON.stringify({
        ...JSON.parse(text),
        ...(i % 3 === 0 ? { token_text: hostile, context_text: hostile } : {}),
      }),
    );
    writeFileSync(path, changed.join("\n"));
    report = await analyzeLog([path]);
  });

  it.each([60, 80, 120])("keeps to %i columns, in color or ASCII", (width) => {
    for (const unicode of [true, false]) {
      const text = renderAnalyzeTerminal(report, { width, color: false, unicode });
      for (const each of text.split("\n")) expect(displayWidth(each)).toBeLessThanOrEqual(width);
      if (!unicode) expect(text.replaceAll("\n", "")).toMatch(/^[\x20-\x7e]*$/);
      expect(text).not.toContain("\u001b");
      for (const title of ["Diagnostic scenarios", "Digit tokens", "Flip patterns", "By iteration"])
        expect(text).toContain(title);
    }
  });

  it("makes nothing of a log's text into markup", () => {
    const html = renderAnalyzeHtml(report);
    expect(html).not.toContain("<script>alert");
    expect(html.match(/<svg [^>]*role="img"/g)).toHaveLength(4);
    expect(html.replace(/<script>.*<\/script>/s, "")).not.toMatch(/NaN|undefined/);
    const markdown = renderAnalyzeMarkdown(report, { command: "logratio analyze x" });
    expect(markdown).not.toContain("<script");
    const tables = markdown.split("\n\n").filter((block) => block.startsWith("|"));
    for (const table of tables) {
      const cells = table.split("\n").map((row) => row.replaceAll("\\|", "").split("|").length);
      expect(new Set(cells).size).toBe(1);
    }
    expect(tables.length).toBeGreaterThan(8);
  });
});

describe("the command line", () => {
  beforeAll(requireBuild);

  it("analyze prints one page, JSON with nothing else on standard output, and writes a page", () => {
    const shown = runCli(directory, ["analyze", FIXTURE, "--html", "page.html"]);
    expect([shown.status, shown.err]).toEqual([0, "written: page.html\n"]);
    expect(shown.out).toContain("Diagnostic scenarios");
    expect(readFileSync(join(directory, "page.html"), "utf8")).toMatch(/^<!doctype html>/);
    const { status, out, err } = runCli(directory, ["analyze", FIXTURE, "--json"]);
    expect([status, err]).toEqual([0, ""]);
    const json = JSON.parse(out);
    expect([json.schemaVersion, json.kind, json.metrics.records]).toEqual([1, "analyze", pandas.records]);
  });

  it("analyze exits 4 where lines were left out, 2 for a filter that cannot be used, 3 without a record", () => {
    const [first = ""] = readFileSync(FIXTURE, "utf8").split("\n");
    writeFileSync(join(directory, "four.jsonl"), `${first}\n{"a`);
    const four = runCli(directory, ["analyze", "four.jsonl"]);
    expect(four.status).toBe(4);
    expect(four.err).toContain("four.jsonl, line 2");
    expect(runCli(directory, ["analyze", FIXTURE, "--where", "nope"]).status).toBe(2);
    writeFileSync(join(directory, "three.jsonl"), "");
    expect(runCli(directory, ["analyze", "three.jsonl"]).status).toBe(3);
  });

  it("sql prints a table, CSV and JSON, also from standard input", () => {
    const query = "select is_correct, count(*) as n from t group by 1 order by 1";
    const input = readFileSync(FIXTURE, "utf8");
    expect(runCli(directory, ["sql", query, "-"], { input }).out).toBe(
      `is_correct    n\nfalse       ${pandas.incorrect.count}\ntrue         ${pandas.correct.count}\n`,
    );
    expect(runCli(directory, ["sql", query, FIXTURE, "--csv"]).out).toBe(
      `is_correct,n\r\nfalse,${pandas.incorrect.count}\r\ntrue,${pandas.correct.count}\r\n`,
    );
    expect(JSON.parse(runCli(directory, ["sql", query, FIXTURE, "--json"]).out)).toMatchObject({
      schemaVersion: 1,
      kind: "sql",
      rows: [
        [false, pandas.incorrect.count],
        [true, pandas.correct.count],
      ],
    });
  });
});
