import { expect, it } from "vitest";
import type { LintReport } from "../../results/lint.ts";
import { displayWidth } from "../terminal/columns.ts";
import { renderLintTerminal } from "./lint.ts";

const report: LintReport = {
  schemaVersion: 1,
  kind: "lint",
  file: "run|1\u001b[31m.yaml",
  format: "yaml",
  errors: 1,
  warnings: 0,
  notes: 1,
  findings: [{ severity: "note", code: "inherits", line: 1, message: "values also come from elsewhere" }],
  configs: [
    {
      name: "document 2",
      line: 4,
      trainer: "slime",
      title: "slime",
      confidence: "likely",
      because: ["tis_clip (line 5)"],
      judged: { release: "2026-08-21" },
      preset: "slime-mis",
      settings: [
        {
          name: "tis_clip",
          value: 2,
          origin: "file",
          line: 5,
          key: "tis_clip",
          meaning: "upper bound of the ratio",
        },
        { name: "tis_level", value: null, origin: "default", meaning: "level" },
        { name: "low", origin: "file", line: 6, meaning: "lower bound", unsure: "$LOW" },
      ],
      does: ["token importance weights, truncated above at 2"],
      correction: { steps: [] },
      findings: [
        {
          severity: "error",
          code: "order",
          key: "tis_clip",
          line: 5,
          message:
            "the bounds are the other way round, and a long sentence about them has to be broken over lines",
          why: "upper comes first",
          source: "mis.py truncate",
          instead: "tis_clip: `2`",
        },
      ],
    },
  ],
};

it.each([40, 80, 120])("fits a terminal of %i columns", (width) => {
  const lines = renderLintTerminal(report, { width, color: false, unicode: false }).split("\n");
  expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(width);
  expect(lines.join("")).not.toContain("\u001b");
});

it("says what the config does, which values are defaults, and what to write", () => {
  const text = renderLintTerminal(report, { width: 100, color: false, unicode: true });
  expect(text).toContain("1 error · 0 warnings · 1 note");
  expect(text).toContain("slime (preset slime-mis), document 2, line 4");
  expect(text).toContain("most likely, by tis_clip (line 5)");
  expect(text).toContain("• token importance weights, truncated above at 2");
  expect(text).toMatch(/tis_level\s+none\s+default/);
  expect(text).toMatch(/low\s+not known\s+line 6/);
  expect(text).toMatch(/error\s+line 5: the bounds/);
  expect(text).toMatch(/write\s+tis_clip: `2`/);
});

it("a refused config does nothing yet", () => {
  const [config] = report.configs;
  const refused: LintReport = {
    ...report,
    configs: config ? [{ ...config, does: [], correction: null }] : [],
  };
  expect(renderLintTerminal(refused, { width: 80, color: true, unicode: true })).toContain(
    "not known: slime refuses these settings, see the errors",
  );
});
