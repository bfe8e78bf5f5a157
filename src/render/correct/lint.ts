import { plural } from "../../core/text/index.ts";
import type { LintedConfig, LintFinding, LintReport, LintValue } from "../../results/lint.ts";
import type { Document, Entry, Section } from "../document/document.ts";
import { makeTable, type Table, textColumn } from "../document/table.ts";
import { drawDocument } from "../terminal/document.ts";
import type { TerminalOptions } from "../terminal/surface.ts";

/** What is certain about the trainer, in words. */
const CONFIDENCE: Readonly<Record<LintedConfig["confidence"], string>> = {
  told: "as told",
  certain: "certain",
  likely: "most likely",
  guess: "a guess",
};

const LEVELS = { error: "high", warning: "elevated", note: "none" } as const;

/** What was found about the file; then, for each config, what it does, its settings and its findings. */
function buildLintDocument(report: LintReport): Document {
  const { errors, warnings, notes } = report;
  const counts = [plural(errors, "error"), plural(warnings, "warning"), plural(notes, "note")];
  return {
    kind: "correct",
    heading: "",
    name: report.file,
    input: counts,
    lead: [{ kind: "entries", entries: report.findings.map(findingEntry) }],
    sections: report.configs.map(configSection),
  };
}

function configSection(config: LintedConfig, at: number): Section {
  const { title, name, preset, trainer, line, because, does, findings } = config;
  const where = name === "" ? "" : `, ${name}, line ${line}`;
  const by = because.length === 0 ? "" : `, by ${because.join(", ")}`;
  return {
    id: `config-${at + 1}`,
    title: `${title}${preset === trainer ? "" : ` (preset ${preset})`}${where}`,
    blocks: [
      { kind: "text", text: `${saySurety(config)}${by}. ${sayRelease(config)}, it does:`, muted: true },
      {
        kind: "list",
        items: does.length === 0 ? [`not known: ${title} refuses these settings, see the errors`] : does,
      },
      { kind: "table", table: settingsTable(config) },
      { kind: "entries", entries: findings.map(findingEntry), none: "No findings." },
    ],
  };
}

/** Nothing is certain of a trainer whose release is not known. */
function saySurety({ confidence, judged }: LintedConfig): string {
  return confidence === "certain" && judged.from === undefined ? "recognized" : CONFIDENCE[confidence];
}

/** `In 0.11.1 (requirements.txt, line 3)`, or `As of 0.11.2 (2026-09-14)` where it is assumed. */
function sayRelease({ judged: { release, date, from } }: LintedConfig): string {
  if (from !== undefined) return `In ${release} (${from})`;
  const as = date === undefined ? release : `${release} (${date})`;
  return `Its release is not known (--trainer-version says it). As of ${as}`;
}

function findingEntry(finding: LintFinding): Entry {
  const { severity, line, file, message, why = "", source = "", instead = "" } = finding;
  const where = file === undefined ? `line ${line}` : `${file}, line ${line}`;
  const details = [
    ["why", why],
    ["write", instead],
    // There are many notes; the JSON says where they come from.
    ["source", severity === "note" ? "" : source],
  ] as const;
  return {
    level: LEVELS[severity],
    word: severity,
    text: line === undefined ? message : `${where}: ${message}`,
    details: details.filter(([, text]) => text !== ""),
  };
}

function settingsTable({ settings }: LintedConfig): Table {
  return makeTable("lint-settings", "Settings", [
    textColumn(
      "setting",
      settings.map(({ name }) => name),
    ),
    textColumn(
      "value",
      settings.map(({ value, unsure }) =>
        value === undefined
          ? "not known"
          : writeValue(value) + (unsure === undefined ? "" : " (not certain)"),
      ),
    ),
    textColumn(
      "from",
      settings.map(({ origin, line, file }) =>
        origin === "file" ? (file === undefined ? `line ${line}` : `${file}:${line}`) : "default",
      ),
    ),
    textColumn(
      "meaning",
      settings.map(({ meaning }) => meaning),
      { priority: 3, wrap: true },
    ),
  ]);
}

function writeValue(value: LintValue): string {
  if (value === null) return "none";
  return typeof value === "object" ? `(${value.join(", ")})` : String(value === "" ? '""' : value);
}

export function renderLintTerminal(report: LintReport, options: TerminalOptions): string {
  return drawDocument(buildLintDocument(report), options);
}
