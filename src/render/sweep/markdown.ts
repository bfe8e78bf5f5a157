import type { SweepReport } from "../../results/index.ts";
import { codeBlock, codeLines, codeSpan, escapeMarkdown, tableBlock } from "../markdown/index.ts";
import { budgetSentence } from "./budget.ts";
import { inexpressibleLines } from "./inexpressible.ts";
import { chosenRows, type RowChoice } from "./rows.ts";
import { droppedTable, inputParts, settingLegend, settingTable } from "./tables.ts";

export interface SweepMarkdownOptions {
  readonly rows?: RowChoice;
  /** The command that made it. */
  readonly command?: string;
}

/** Columns beyond this priority are left to `--json`. */
const MOST_NEEDED = 3;

/** The sweep for pasting into an issue: recommendation, table, who is dropped, configs, command to repeat it. */
export function renderSweepMarkdown(report: SweepReport, options: SweepMarkdownOptions = {}): string {
  const { recommendation, configs, inexpressible, chosen, absent } = report;
  const rows = chosenRows(report, options.rows ?? "default");
  const dropped = droppedTable(report, rows);
  const budget = budgetSentence(report);
  const blocks = [
    `### Corrections tried on ${codeSpan(report.run)}: ${escapeMarkdown(recommendation.kind)}`,
    escapeMarkdown(inputParts(report).join(" · ")),
    `Take ${codeSpan(recommendation.setting)}:\n\n${recommendation.reasons.map((reason) => `- ${escapeMarkdown(reason)}`).join("\n")}`,
    tableBlock(settingTable(report, rows), MOST_NEEDED),
    escapeMarkdown(settingLegend(report, ["budget", "truncated"])),
    ...(budget === undefined ? [] : [escapeMarkdown(budget)]),
    ...(dropped === undefined ? [] : [tableBlock(dropped, MOST_NEEDED)]),
    ...(configs.length === 0 ? [] : [`**Config for ${escapeMarkdown(chosen)}**`]),
    ...configs.map(({ preset, place, language, text, traps }) =>
      [
        `${escapeMarkdown(preset)}: ${escapeMarkdown(place)}`,
        codeLines(text.trimEnd(), language === "flags" ? "sh" : language),
        ...traps.map((trap) => `- ${escapeMarkdown(trap)}`),
      ].join("\n\n"),
    ),
    ...(inexpressible.length === 0
      ? []
      : [
          `Not exactly this in:\n\n${inexpressibleLines(report)
            .map(({ presets, why }) => `- ${escapeMarkdown(presets)}: ${escapeMarkdown(why)}`)
            .join("\n")}`,
        ]),
    ...(absent.length === 0 ? [] : [absent.map((line) => `- ${escapeMarkdown(line)}`).join("\n")]),
    ...(options.command === undefined ? [] : [`To repeat this:\n\n${codeBlock(options.command)}`]),
  ];
  return `${blocks.join("\n\n")}\n`;
}
