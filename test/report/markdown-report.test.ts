import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { listLeftOut } from "../../src/analyses/assessment/left-out.ts";
import type { Finding } from "../../src/core/schema/findings.ts";
import { renderMarkdown } from "../../src/render/report/document.ts";
import { emptyReport, sampleReport } from "./sample-report.ts";

/** Number of cells in a table row, by its unescaped bars. */
function countCells(line: string): number {
  return [...line.matchAll(/(?<!\\)(?:\\\\)*\|/g)].length - 1;
}

describe("renderMarkdown", () => {
  it("has verdict, key table, facts, tables, and the command that repeats it", () => {
    const text = renderMarkdown(sampleReport(), { command: "logratio report runs/sample --parity verl" });
    expect(text.split("\n")[0]).toBe("### Rollout/trainer mismatch of `sample`: ELEVATED");
    expect(text.split("\n")[4]).toBe("Single tokens are far off: look at step 10.");
    expect(text).toContain(
      "| mean \\|Δ\\| | 0.00300 | none | normal |  |\n| mean \\|Δp\\| | 0.00150 | none | elevated |  |",
    );
    expect(text).toContain("- Turn 2 is twice as far off as turn 1\n- 12 of 3,000 tokens make 80 % of Σ k3");
    expect(text).toContain("**Left out**\n\n- nothing");
    expect(text).toContain("**By step**");
    expect(text).toContain("**By turn**");
    expect(text).toContain("To repeat this:\n\n```sh\nlogratio report runs/sample --parity verl\n```");
  });

  it("makes up the command from the folder that holds every file", () => {
    const findCommand = (files: string[]): string | undefined =>
      renderMarkdown(sampleReport({ files })).match(/logratio report .*/)?.[0];
    expect(findCommand(["runs/a b/s1.npz", "runs/a b/s2.npz"])).toBe("logratio report 'runs/a b'");
    expect(findCommand(["runs/a/s1.npz", "runs/b/s1.npz"])).toBe("logratio report runs");
    expect(findCommand(["/data/a.npz", "/dumps/a.npz"])).toBe("logratio report /");
    expect(findCommand(["one.npz"])).toBe("logratio report one.npz");
    expect(findCommand(["a.npz", "b.npz"])).toBe("logratio report .");
    expect(findCommand([])).toBe("logratio report .");
  });

  it("keeps every table in shape, whatever names hold", () => {
    const foreign = fc.oneof(
      fc.string({ unit: "binary", maxLength: 30 }),
      fc.constantFrom("a|b`c", "\\|", "```", "<b>", "x\n| y |"),
    );
    fc.assert(
      fc.property(foreign, foreign, (run, command) => {
        const report = sampleReport({ run, command, environments: [run] });
        const text = renderMarkdown({ ...report, facts: [{ kind: "any", text: run, weight: 1 }] });
        const rows = text.split("\n").filter((line) => line.startsWith("| "));
        let width = 0;
        for (const line of rows) {
          if (line.startsWith("| figure") || line.startsWith("| step")) width = countCells(line);
          if (line.startsWith("| turn")) width = countCells(line);
          expect(countCells(line)).toBe(width);
        }
        expect(text.split("\n")[0]).toMatch(/: ELEVATED$/);
      }),
      { numRuns: 100 },
    );
  });

  it("fences code with more backticks than it holds", () => {
    const text = renderMarkdown(sampleReport({ run: "a``b", command: "logratio report '```'" }));
    expect(text).toContain("``` a``b ```: ELEVATED");
    expect(text).toContain("````sh\nlogratio report '```'\n````");
  });

  it("lists warnings and skipped inputs with cause and hint, and draws a report without tokens", () => {
    const report = sampleReport();
    const findings: Finding[] = [
      {
        code: "file-skipped",
        severity: "skipped",
        message: "npz data is cut off",
        count: 1,
        at: { file: "b|c.npz", offset: 512 },
        likely: "killed",
        hint: "write it again",
      },
      { code: "note", severity: "info", message: "nothing to worry about", count: 1, at: {} },
    ];
    const left_out = listLeftOut(findings, report.excluded);
    const text = renderMarkdown({ ...report, findings, left_out });
    expect(text).toContain(
      "- **skipped** npz data is cut off\n  - at: b\\|c.npz, byte 512\n  - cause: killed\n  - try: write it again",
    );
    expect(text).toContain("**Left out**\n\n- b\\|c.npz: npz data is cut off");
    expect(text).not.toContain("nothing to worry about");
    const beside = {
      severity: "info",
      why: "by_name",
      what: "3 other files are not data",
      count: 3,
      unit: "file",
    } as const;
    const leftOut = (one: typeof left_out): string =>
      /\*\*Left out\*\*\n\n((?:- .*\n)+)/.exec(renderMarkdown({ ...report, findings, left_out: one }))?.[1] ??
      "";
    expect(leftOut([beside])).not.toContain("nothing");
    expect(leftOut([...left_out, beside])).toContain("cut off\n- 3 other files are not data\n");
    const empty = renderMarkdown(emptyReport());
    expect(empty).not.toMatch(/NaN|undefined|null/);
    expect(empty).toContain("0 sequences");
  });
});
