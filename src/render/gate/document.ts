import { formatChance, MISSING, plural } from "../../core/text/index.ts";
import type { GateCheck, GateOutcome, GateReport } from "../../results/gate.ts";
import type { VerdictLevel } from "../../results/report.ts";
import type { Document } from "../document/document.ts";
import { findingEntries } from "../document/findings.ts";
import { makeTable, type Table, textColumn } from "../document/table.ts";
import { verdictWord } from "../document/verdict-word.ts";
import { writePage } from "../html/document.ts";
import { type MarkdownOptions, writeMarkdown } from "../markdown/document.ts";
import { drawDocument } from "../terminal/document.ts";
import type { TerminalOptions } from "../terminal/surface.ts";
import { failsGate, formatValue, OUTCOME_WORDS, summarizeGate } from "./words.ts";

const LEVELS: Readonly<Record<GateOutcome, VerdictLevel>> = {
  pass: "normal",
  undecidable: "elevated",
  fail: "high",
  non_finite: "broken",
  too_few: "high",
  missing: "high",
};

/** The checks that passed and those that did not, failures first. */
function buildGateDocument(report: GateReport): Document {
  const { run, passed, assessment, checks, baseline, alpha, findings } = report;
  const failed = checks.filter((check) => failsGate(check, report));
  const others = checks.filter((check) => !failsGate(check, report));
  return {
    kind: "gate",
    heading: "Gate of",
    name: run,
    result: passed ? "passed" : "failed",
    input: [
      plural(checks.length, "check"),
      ...(baseline === null
        ? []
        : [`against ${plural(baseline.runs, "run")}${baseline.file === null ? "" : ` of ${baseline.file}`}`]),
    ],
    verdict: {
      level: passed ? "normal" : "high",
      word: passed ? "PASSED" : "FAILED",
      text: summarizeGate(report),
    },
    lead: [
      {
        kind: "facts",
        rows: [["verdict", `${verdictWord(assessment)}: ${assessment.sentence}`]],
      },
      { kind: "table", table: checkTable("failed", "Failed", failed) },
      { kind: "table", table: checkTable("passed", failed.length === 0 ? "Checks" : "Others", others) },
    ],
    sections: [
      {
        id: "findings",
        title: "Findings",
        blocks: [{ kind: "entries", entries: findingEntries(findings) }],
      },
    ],
    footer: `A run like those in the baseline fails with a chance of at most ${formatChance(alpha)}, over all checks together. docs/gate.md explains how.`,
  };
}

function checkTable(id: string, title: string, checks: readonly GateCheck[]): Table {
  return makeTable(id, title, [
    textColumn(
      "outcome",
      checks.map(({ outcome }) => OUTCOME_WORDS[outcome]),
      { levels: checks.map(({ outcome }) => LEVELS[outcome]) },
    ),
    textColumn(
      "figure",
      checks.map(({ metric }) => metric),
    ),
    textColumn(
      "value",
      checks.map(({ metric, value }) => formatValue(metric, value)),
      { align: "right" },
    ),
    textColumn(
      "interval",
      checks.map(({ metric, interval }) => formatRange(metric, interval)),
      { priority: 4 },
    ),
    textColumn(
      "allowed",
      checks.map(({ metric, corridor, condition }) => condition ?? formatRange(metric, corridor)),
      { priority: 2 },
    ),
    textColumn(
      "why",
      checks.map(({ reason }) => reason),
      { wrap: true, priority: 3 },
    ),
  ]);
}

function formatRange(
  metric: string,
  range: { readonly low: number | null; readonly high: number | null } | null,
): string {
  if (range === null) return MISSING;
  return `${formatValue(metric, range.low)} to ${formatValue(metric, range.high)}`;
}

export function renderGateTerminal(report: GateReport, options: TerminalOptions): string {
  return drawDocument(buildGateDocument(report), options);
}

export function renderGateMarkdown(report: GateReport, options: MarkdownOptions = {}): string {
  return writeMarkdown(buildGateDocument(report), options);
}

export function renderGateHtml(report: GateReport): string {
  return writePage(buildGateDocument(report));
}
