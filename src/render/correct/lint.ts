/**
 * A lint report as text for a terminal, and as Markdown for a review.
 *
 * @module
 */

import type {
  LintedConfig,
  LintFinding,
  LintReport,
  LintSetting,
  LintSeverity,
  LintValue,
} from "../../results/index.ts";
import { makeTable, type Table, textColumn } from "../document/index.ts";
import { codeSpan, escapeMarkdown } from "../markdown/index.ts";
import {
  clip,
  drawTable,
  makeSurface,
  pad,
  type Style,
  type Surface,
  type TerminalOptions,
  wrap,
} from "../terminal/index.ts";
import { plural } from "../text/index.ts";

/** What is certain about the trainer, in words. */
const CONFIDENCE: Readonly<Record<LintedConfig["confidence"], string>> = {
  told: "as told",
  certain: "certain",
  likely: "most likely",
  guess: "a guess",
};

const STYLES: Readonly<Record<LintSeverity, Style>> = {
  error: "level-high",
  warning: "caution",
  note: "dim",
};
const LABEL_COLUMNS = 8;
const INDENT = 2;

/**
 * What each config does, its settings and its findings as lines, with a newline at the end. No line takes more than
 * `width` columns.
 */
export function renderLintTerminal(report: LintReport, options: TerminalOptions): string {
  const surface = makeSurface(options);
  const lines = [
    surface.style(surface.text(`${report.file}: ${countsOf(report)}`), "bold"),
    ...report.findings.flatMap((finding) => drawFinding(finding, surface)),
    ...report.configs.flatMap((config) => ["", ...drawConfig(config, surface)]),
  ];
  return lines.map((line) => `${clip(line, surface.width, surface.ellipsis)}\n`).join("");
}

function drawConfig(config: LintedConfig, surface: Surface): string[] {
  const heading = (text: string): string => surface.style(surface.text(text), "bold");
  const because = config.because.length === 0 ? "" : `, by ${config.because.join(", ")}`;
  return [
    heading(titleOf(config)),
    ...paragraph(`${CONFIDENCE[config.confidence]}${because}`, surface, INDENT, "dim"),
    heading("What it does"),
    ...doesOf(config).flatMap((clause) => bullet(clause, surface)),
    heading("Settings"),
    ...drawTable(settingsTable(config), surface).lines,
    heading("Findings"),
    ...(config.findings.length === 0
      ? paragraph("none", surface, INDENT, "dim")
      : config.findings.flatMap((finding) => drawFinding(finding, surface))),
  ];
}

function drawFinding(finding: LintFinding, surface: Surface): string[] {
  const { severity, line, message, why, source, instead } = finding;
  const margin = INDENT + LABEL_COLUMNS;
  const text = line === undefined ? message : `line ${line}: ${message}`;
  const [first = "", ...rest] = wrap(surface.text(text), surface.width - margin);
  const labelled = (label: string, said: string | undefined): string[] =>
    said === undefined
      ? []
      : wrap(surface.text(said), surface.width - margin - LABEL_COLUMNS).map(
          (part, i) =>
            " ".repeat(margin) + surface.style(pad(i === 0 ? label : "", LABEL_COLUMNS), "dim") + part,
        );
  return [
    " ".repeat(INDENT) + surface.style(pad(severity, LABEL_COLUMNS), STYLES[severity]) + first,
    ...rest.map((part) => " ".repeat(margin) + part),
    ...labelled("why", why),
    ...labelled("write", instead),
    // Notes are many; where they come from is in the JSON.
    ...(severity === "note" ? [] : labelled("source", source)),
  ];
}

function bullet(text: string, surface: Surface): string[] {
  return wrap(surface.text(text), surface.width - INDENT - 2).map(
    (line, i) => `${" ".repeat(INDENT)}${i === 0 ? "- " : "  "}${line}`,
  );
}

function paragraph(text: string, surface: Surface, indent: number, style: Style): string[] {
  return wrap(surface.text(text), surface.width - indent).map(
    (line) => " ".repeat(indent) + surface.style(line, style),
  );
}

/** The same for pasting into a review. */
export function renderLintMarkdown(report: LintReport): string {
  const blocks = [
    `### ${codeSpan(report.file)}: ${countsOf(report)}`,
    ...(report.findings.length === 0 ? [] : [report.findings.map(findingItem).join("\n")]),
    ...report.configs.flatMap((config) => [
      `#### ${escapeMarkdown(titleOf(config))}`,
      `What it does:\n\n${doesOf(config)
        .map((clause) => `- ${escapeMarkdown(clause)}`)
        .join("\n")}`,
      markdownTable(settingsTable(config)),
      config.findings.length === 0 ? "No findings." : config.findings.map(findingItem).join("\n"),
    ]),
  ];
  return `${blocks.join("\n\n")}\n`;
}

function findingItem({ severity, line, message, why, source, instead }: LintFinding): string {
  return [
    `- **${severity}**${line === undefined ? "" : ` line ${line}`}: ${escapeMarkdown(message)}`,
    ...(why === undefined ? [] : [`  ${escapeMarkdown(why)}`]),
    ...(instead === undefined ? [] : [`  write: ${codeSpan(instead)}`]),
    ...(source === undefined ? [] : [`  source: ${escapeMarkdown(source)}`]),
  ].join("  \n");
}

function markdownTable(table: Table): string {
  const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [
    row(table.columns.map(({ header }) => escapeMarkdown(header))),
    row(table.columns.map(() => "---")),
    ...Array.from({ length: table.rows }, (_, i) =>
      row(table.columns.map(({ cells }) => escapeMarkdown(cells[i] ?? ""))),
    ),
  ].join("\n");
}

function settingsTable({ settings }: LintedConfig): Table {
  return makeTable("lint-settings", "Settings", [
    textColumn(
      "setting",
      settings.map(({ name }) => name),
    ),
    textColumn("value", settings.map(valueText)),
    textColumn(
      "from",
      settings.map(({ origin, line }) => (origin === "file" ? `line ${line}` : "default")),
    ),
    textColumn(
      "meaning",
      settings.map(({ meaning }) => meaning),
      { priority: 3, wrap: true },
    ),
  ]);
}

function valueText({ value, unsure }: LintSetting): string {
  return value === undefined
    ? "not known"
    : writeValue(value) + (unsure === undefined ? "" : " (not certain)");
}

function writeValue(value: LintValue): string {
  if (value === null) return "none";
  return typeof value === "object" ? `(${value.join(", ")})` : String(value === "" ? '""' : value);
}

function titleOf({ title, name, preset, trainer, line }: LintedConfig): string {
  const where = name === "" ? "" : `, ${name}, line ${line}`;
  return `${title}${preset === trainer ? "" : ` (preset ${preset})`}${where}`;
}

function doesOf({ does }: LintedConfig): readonly string[] {
  return does.length === 0 ? ["nothing yet: the trainer refuses these settings"] : does;
}

function countsOf({ errors, warnings, notes }: LintReport): string {
  return [plural(errors, "error"), plural(warnings, "warning"), plural(notes, "note")].join(", ");
}
