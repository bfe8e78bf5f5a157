import { formatPlace, shellCommand } from "../../core/base/index.ts";
import type { Finding } from "../../core/schema/index.ts";
import type { MismatchReport } from "../../results/index.ts";
import { codeBlock, codeSpan, escapeMarkdown, pipeTable, tableBlock } from "../markdown/index.ts";
import { stepTable, turnTable } from "./group-tables.ts";
import { inputParts, leftOutLines, otherFiles } from "./input.ts";
import { keyFigures, noInterval } from "./key-figures.ts";
import { verdictWord } from "./verdict-level.ts";

/** Short tables: an issue is read on a screen, and the report itself has the rest. */
const MOST_STEPS = 12;
/** Columns beyond these priorities are left to the report. */
const MOST_NEEDED = 3;

/** What the Markdown says beside the report. */
export interface MarkdownOptions {
  /** The command that made the report; without it one is made up from the files that were read. */
  readonly command?: string;
}

/**
 * The report for pasting into an issue: verdict, key figures, facts, short tables, findings, command to repeat it.
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { reportRun } from "logratio/node";
 * import { renderMarkdown } from "logratio/render";
 *
 * const report = await reportRun("examples/demo/stale", { steps: "10" });
 * assert(renderMarkdown(report).startsWith("### Rollout/trainer mismatch"));
 * ```
 *
 * @param report of `reportRun`, `buildReport`, or `logratio report --json`
 * @returns GitHub-flavoured Markdown
 */
export function renderMarkdown(report: MismatchReport, options: MarkdownOptions = {}): string {
  const { headline } = report.verdict;
  const blocks = [
    `### Rollout/trainer mismatch of ${codeSpan(report.run)}: ${verdictWord(report.verdict)}`,
    escapeMarkdown(headline),
    escapeMarkdown(inputParts(report).join(" · ")),
    keyFigureTable(report),
    factList(report),
    leftOut(report),
    ...(report.per_step.length > 1 ? [tableBlock(stepTable(report, MOST_STEPS), MOST_NEEDED)] : []),
    ...(report.per_turn.length > 1 ? [tableBlock(turnTable(report), MOST_NEEDED)] : []),
    findingList(report.findings),
    `To repeat this:\n\n${codeBlock(options.command ?? repeatCommand(report))}`,
    ...(report.next.command === ""
      ? []
      : [`Next (${escapeMarkdown(report.next.why)}):\n\n${codeBlock(report.next.command)}`]),
    "Δ = log p trainer − log p rollout of the sampled token, in nats; before any truncation.",
  ];
  return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

function keyFigureTable(report: MismatchReport): string {
  const rows = keyFigures(report).map((figure) => {
    const { label, value, interval, reading } = figure;
    return [
      escapeMarkdown(label),
      value,
      interval === undefined ? escapeMarkdown(noInterval(figure)) : `${interval.low} – ${interval.high}`,
      reading === undefined ? "" : escapeMarkdown(reading.level),
      reading === undefined ? "" : escapeMarkdown(`${reading.band} (${reading.source})`),
    ];
  });
  return pipeTable(
    ["figure", "value", "95 % interval", "reading", "published baseline"],
    ["l", "r", "r", "l", "l"],
    rows,
  );
}

function factList(report: MismatchReport): string {
  const facts = [...report.facts].sort((a, b) => b.weight - a.weight).slice(0, 3);
  return facts.map((fact) => `- ${escapeMarkdown(fact.text)}`).join("\n");
}

function leftOut(report: MismatchReport): string {
  const parts = leftOutLines(report);
  const told = parts.length === 0 ? ["nothing", ...otherFiles(report)] : parts;
  return `Left out: ${escapeMarkdown(told.join("; "))}.`;
}

function findingList(findings: readonly Finding[]): string {
  const told = findings.filter((finding) => finding.severity !== "info");
  if (told.length === 0) return "";
  const items = told.map(({ severity, message, at, likely, hint }) => {
    const place = formatPlace(at);
    const tail = [likely === undefined ? "" : `likely: ${likely}`, hint === undefined ? "" : `try: ${hint}`];
    const more = tail
      .filter((part) => part !== "")
      .map(escapeMarkdown)
      .join("; ");
    return `- **${severity}** ${escapeMarkdown(message)}${place === "" ? "" : ` (${codeSpan(place)})`}${more === "" ? "" : `; ${more}`}`;
  });
  return `**Findings**\n\n${items.join("\n")}`;
}

/** `logratio report` on the folder that holds all files that were read. */
function repeatCommand({ sources }: MismatchReport): string {
  const [first, ...rest] = sources.map((source) => source.file.split("/"));
  if (first === undefined) return "logratio report .";
  const shared =
    rest.length === 0
      ? first
      : first.slice(0, -1).filter((part, at) => rest.every((path) => isShared(path, first, at, part)));
  return shellCommand("report", [shared.join("/") || (shared.length > 0 ? "/" : ".")]);
}

function isShared(path: readonly string[], first: readonly string[], at: number, part: string): boolean {
  return path[at] === part && first.slice(0, at).every((before, index) => path[index] === before);
}
