import { describe, expect, it } from "vitest";
import { change, compareBatches, drawRows, pack } from "../../analyses/compare/compare.test-data.ts";
import type { CompareReport } from "../../results/compare.ts";
import { displayWidth } from "../terminal/columns.ts";
import { renderCompareHtml, renderCompareMarkdown, renderCompareTerminal } from "./document.ts";

const rows = drawRows(24, 20);
const other = change(rows, (value, _, token) => (token > 4 ? value - 0.125 : value));
const different = compareBatches([pack(rows)], [pack(other.slice(0, 22))]);
const equal = compareBatches([pack(rows)], [pack(rows)]);
const unpaired = compareBatches(
  [pack(rows.map((row) => ({ ...row, trainerLogprobs: row.rolloutLogprobs })))],
  [pack(rows.map((row) => ({ ...row, trainerLogprobs: row.rolloutLogprobs })))],
  { unpaired: true },
);

const draw = (report: CompareReport, width = 100): string =>
  renderCompareTerminal(report, { width, color: false, unicode: true });

describe("a certificate for terminals", () => {
  it.each([60, 80, 120, 160])("keeps to %i columns, in color or ASCII", (width) => {
    const named = { ...different, a: { ...different.a, name: "数".repeat(60) } };
    for (const report of [named, equal, unpaired])
      for (const [color, unicode] of [
        [true, true],
        [false, false],
      ] as const) {
        const text = renderCompareTerminal(report, { width, color, unicode });
        for (const line of text.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(width);
        if (!unicode) expect(text.replaceAll("\n", "")).toMatch(/^[\x20-\x7e]*$/);
      }
  });

  it.each([different, equal, unpaired])("has a first screen of 80 columns and 24 rows", (report) => {
    const text = renderCompareTerminal(report, {
      width: 80,
      color: false,
      unicode: true,
      sections: "summary",
      more: "logratio compare a b --full",
    });
    expect(text.split("\n").length - 1).toBeLessThanOrEqual(24);
    expect(text).toMatch(/the rest +logratio compare a b --full\n$/);
    expect(text).not.toContain("Tokens that differ most");
  });

  it("says where differences are, how large, and what was not compared", () => {
    const text = draw(different);
    expect(text).toMatch(/▲ DIFFERENT {2}Mean \|Δ\| is 0\.0938 nats/);
    expect(text).toMatch(/unequal +330 +75\.0? % of tokens, in 22 sequences/);
    expect(text).toMatch(/first +s1\.q0\.t5, turn 0, in a\.npz/);
    expect(text).toMatch(/starts +at position 5: 110 tokens before it are equal/);
    expect(text).toMatch(/stored in +A float32, B float64/);
    expect(text).toMatch(/no partner +2 sequences of A, 0 of B/);
    expect(text).toContain("two one-sided tests at α = 0.05, clustered by prompt (at least 10)");
    expect(text).toContain("logratio doctor B");
  });

  it("of equality is short: how many tokens, and what that leaves open", () => {
    const text = draw(equal);
    expect(text).toMatch(/EQUAL {2}All 480 tokens of 24 sequences are equal bit for bit/);
    expect(text).toMatch(/unequal +0 +none: at most 0\.62\d? % of tokens, and of prompts at most 22\.1 %/);
    for (const part of ["max |Δ|", "Units in the last place", "By step", "next"])
      expect(text).not.toContain(part);
  });

  it("of runs of different texts has both runs' figures", () => {
    const text = draw(unpaired);
    expect(text).toContain("two runs of different texts");
    expect(text).toMatch(/delta_abs_mean +0 +0 +0 \(0 to 0\)/);
  });
});

describe("pages and Markdown", () => {
  it("escape what comes from files", () => {
    const script = "<script>alert(1)</script>";
    const named = { ...different, a: { ...different.a, name: script, facts: [script] }, by: script };
    expect(renderCompareHtml(named)).not.toContain("<script>alert");
    // A name stands in a code span, where it is plain text.
    expect(renderCompareMarkdown(named).replaceAll(`\`${script} and B\``, "")).not.toContain("<script>alert");
  });

  it("list the files of both sides with their digests", () => {
    const inputs = [
      { file: "x.npz", format: "npz", trainer: "verl", bytes: 12, sha256: "ab".repeat(32), modified: null },
    ];
    const report = { ...equal, a: { ...equal.a, inputs } };
    for (const text of [renderCompareHtml(report), renderCompareMarkdown(report)]) {
      expect(text).toContain("x.npz");
      expect(text).toContain("ab".repeat(32));
    }
  });
});
