import type { DigitsReport } from "../../results/index.ts";
import { codeBlock, codeSpan, escapeMarkdown, tableBlock } from "../markdown/index.ts";
import { headlines, inputParts } from "./content.ts";
import { digitTables } from "./tables.ts";

export interface DigitsMarkdownOptions {
  /** The command that made it. */
  readonly command?: string;
}

/** Columns beyond this priority are left to `--json`. */
const MOST_NEEDED = 3;

/** The result of `logratio digits` for pasting into an issue. */
export function renderDigitsMarkdown(report: DigitsReport, { command }: DigitsMarkdownOptions = {}): string {
  const list = (lines: readonly string[]): string =>
    lines.map((line) => `- ${escapeMarkdown(line)}`).join("\n");
  const blocks = [
    `### Digits of ${codeSpan(report.run)}`,
    escapeMarkdown(inputParts(report).join(" · ")),
    list(headlines(report)),
    ...digitTables(report).map((table) => tableBlock(table, MOST_NEEDED)),
    ...(report.absent.length === 0 ? [] : [list(report.absent)]),
    ...(command === undefined ? [] : [`To repeat this:\n\n${codeBlock(command)}`]),
  ];
  return `${blocks.join("\n\n")}\n`;
}
