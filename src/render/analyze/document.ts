import type { AnalyzeReport, Scenario } from "../../results/analyze.ts";
import { type Document, type Entry, tableSections } from "../document/document.ts";
import { findingEntries } from "../document/findings.ts";
import { writePage } from "../html/document.ts";
import { type MarkdownOptions, writeMarkdown } from "../markdown/document.ts";
import { drawDocument } from "../terminal/document.ts";
import type { TerminalOptions } from "../terminal/surface.ts";
import { analyzePictures } from "./pictures.ts";
import { inputParts, keyLines, orderedScenarios, scenarioLevel } from "./summary.ts";
import { analyzeTables, type TableLimits } from "./tables.ts";

/** Maximum rows in the tables of iterations and of files, per medium. */
const TERMINAL = { iterations: 12, sources: 10 };
const MARKDOWN = { iterations: 20, sources: 20 };
const PAGE = { iterations: 1000, sources: 100 };

/** Key figures, pictures, scenarios, then the tables. */
function buildAnalyzeDocument(report: AnalyzeReport, limits: TableLimits): Document {
  return {
    kind: "analyze",
    heading: "High-divergence tokens in",
    name: report.log,
    input: inputParts(report),
    lead: [{ kind: "facts", rows: keyLines(report) }, ...analyzePictures(report)],
    sections: [
      {
        id: "scenarios",
        title: "Diagnostic scenarios",
        blocks: [{ kind: "entries", entries: orderedScenarios(report).map(scenarioEntry) }],
      },
      ...tableSections(analyzeTables(report, limits), "t-"),
      {
        id: "findings",
        title: "Findings",
        blocks: [{ kind: "entries", entries: findingEntries(report.findings) }],
      },
      { id: "absent", title: "", blocks: [{ kind: "list", items: report.absent, muted: true }] },
    ],
    footer:
      "Divergence = |p rollout − p trainer| of the sampled token. A high-divergence log contains only the tokens that passed its threshold and top k, and every figure is about those.",
  };
}

/** The meaning of a scenario that does not hold must not look like a finding. */
function scenarioEntry(scenario: Scenario): Entry {
  const { status, observation, measured, interpretation, next_step } = scenario;
  const holds = status === "yes";
  return {
    level: scenarioLevel(scenario),
    word: status,
    text: observation,
    details: [
      ["measured", measured],
      [holds ? "means" : "would mean", interpretation],
      ...(holds ? [["next", next_step] as const] : []),
    ],
  };
}

export function renderAnalyzeTerminal(report: AnalyzeReport, options: TerminalOptions): string {
  return drawDocument(buildAnalyzeDocument(report, TERMINAL), options);
}

export function renderAnalyzeMarkdown(report: AnalyzeReport, options: MarkdownOptions = {}): string {
  return writeMarkdown(buildAnalyzeDocument(report, MARKDOWN), options);
}

export function renderAnalyzeHtml(report: AnalyzeReport): string {
  return writePage(buildAnalyzeDocument(report, PAGE));
}
