import type { AnalyzeReport } from "../../results/index.ts";
import { codeBlock, codeSpan, escapeMarkdown, pipeTable, tableBlock } from "../markdown/index.ts";
import { inputParts, keyLines, orderedScenarios } from "./summary.ts";
import { analyzeTables } from "./tables.ts";

export interface AnalyzeMarkdownOptions {
  /** The command that made it. */
  readonly command?: string;
}

/** Columns beyond this priority are left to `--json`. */
const MOST_NEEDED = 3;
const LIMITS = { iterations: 20, sources: 20 };

/** The analysis for pasting into an issue. */
export function renderAnalyzeMarkdown(report: AnalyzeReport, options: AnalyzeMarkdownOptions = {}): string {
  const scenarios = orderedScenarios(report).map((scenario) =>
    [
      scenario.observation,
      scenario.status,
      scenario.measured,
      (scenario.status === "yes" ? "" : "would mean: ") + scenario.interpretation,
      scenario.next_step,
    ].map(escapeMarkdown),
  );
  const blocks = [
    `### High-divergence tokens in ${codeSpan(report.log)}`,
    escapeMarkdown(inputParts(report).join(" · ")),
    keyLines(report)
      .map(([label, text]) => `- **${escapeMarkdown(label)}**: ${escapeMarkdown(text)}`)
      .join("\n"),
    `**Diagnostic scenarios**\n\n${pipeTable(["observation", "holds", "measured", "means", "next"], ["l", "l", "l", "l", "l"], scenarios)}`,
    ...analyzeTables(report, LIMITS).map((table) => tableBlock(table, MOST_NEEDED)),
    ...(report.absent.length === 0
      ? []
      : [report.absent.map((line) => `- ${escapeMarkdown(line)}`).join("\n")]),
    ...(options.command === undefined ? [] : [`To repeat this:\n\n${codeBlock(options.command)}`]),
  ];
  return `${blocks.join("\n\n")}\n`;
}
