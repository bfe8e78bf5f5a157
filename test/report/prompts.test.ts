import { expect, it } from "vitest";
import { renderMarkdown } from "../../src/render/report/document.ts";
import { renderTerminal } from "../../src/render/report/terminal.ts";
import { sampleMetrics, sampleReport } from "./sample-report.ts";

const PLAIN = { width: 80, color: false, unicode: true, sections: "summary" } as const;
const prompts = {
  ...sampleMetrics(1, 40),
  tokens: 1361,
  sequences: 5,
  delta_abs_mean: 0.0331,
  delta_abs_max: 0.202,
  k3: 0.00185,
};
const LINE = "mean |Δ| 0.0331, max |Δ| 0.202, k3 0.00185 over 1,361 tokens of 5 prompts, in no other figure";

it("prompts that both sides scored have one line of their own", () => {
  const lines = renderTerminal({ ...sampleReport(), prompts }, PLAIN).split("\n");
  const at = lines.findIndex((line) => line.startsWith("  prompts"));
  expect(`${lines[at]} ${lines[at + 1]!.trim()}`).toBe(`  prompts     ${LINE}`);
  expect(renderMarkdown({ ...sampleReport(), prompts })).toContain(LINE.replaceAll("|", "\\|"));
});

it("and none where no prompt was scored by both", () => {
  expect(renderTerminal(sampleReport(), PLAIN)).not.toContain("prompts ");
});
