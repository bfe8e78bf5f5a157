import { formatCount, plural } from "../../core/text/index.ts";
import type { PolicyReport } from "../../results/policy.ts";
import { type Block, type Document, type Section, tableSections } from "../document/document.ts";
import { findingEntries } from "../document/findings.ts";
import { type ServedPage, writePage } from "../html/document.ts";
import { type MarkdownOptions, writeMarkdown } from "../markdown/document.ts";
import { columnLines, inputParts, sourceTable } from "../report/input.ts";
import { drawScreen, type ScreenOptions } from "../terminal/screen.ts";
import { policyFigureTable, policyTables, zeroShare } from "./tables.ts";

interface Limits {
  readonly steps: number;
  readonly sources: number;
  readonly isShort?: boolean;
}

const TERMINAL: Limits = { steps: 20, sources: 20 };
const PAGE: Limits = { steps: 1000, sources: 100 };
const MARKDOWN: Limits = { steps: 12, sources: 0, isShort: true };

/** `One policy: rollout log-probs only (verl npz)`. */
export function describeInput({ policies, what }: PolicyReport): string {
  return `One policy: ${policies} log-probs only (${what})`;
}

/** The figures of one policy, what a comparison would need, what to run next; then the tables. There is no verdict. */
function buildPolicyDocument(report: PolicyReport, limits: Limits): Document {
  return {
    kind: "report",
    heading: "One policy of",
    name: report.run,
    result: `${report.policies} log-probs only`,
    input: inputParts(report),
    lead: [
      { kind: "list", items: headlines(report) },
      { kind: "table", table: { ...policyFigureTable(report), title: "" } },
    ],
    aside: nextBlocks(report),
    sections: [
      ...(limits.isShort ? [] : tableSections(policyTables(report, limits.steps))),
      ...lastSections(report, limits),
    ],
    footer:
      "Figures are over tokens with mask 1 and a finite log-prob, in nats; comparisons need both policies.",
  };
}

function headlines(report: PolicyReport): string[] {
  const { metrics, excluded, policies } = report;
  const { zeros } = metrics;
  return [
    `${describeInput(report)}: there is no second policy to compare with, so there is no verdict.`,
    ...(zeros === 0
      ? []
      : [
          `${plural(zeros, "log-prob is", "log-probs are")} exactly 0 (${zeroShare(report)}): the policy was certain, decoding was greedy, or 0 was filled in.`,
        ]),
    ...(excluded.missing + excluded.infinite === 0
      ? []
      : [
          `${plural(excluded.missing + excluded.infinite, "token")} with mask 1 left out: ${formatCount(excluded.missing)} without a ${policies} log-prob, ${formatCount(excluded.infinite)} with an infinite one.`,
        ]),
  ];
}

/** First, in full, how to get a comparison: the lines are for pasting. */
function nextBlocks({ missing, next }: PolicyReport): Block[] {
  const [head = "", ...lines] = (missing.hint ?? "").split("\n");
  return [
    { kind: "facts", rows: [["next", `to compare the policies, add the ${missing.side} side: ${head}`]] },
    ...(lines.length === 0
      ? []
      : [{ kind: "code", language: "python", text: lines.join("\n") } satisfies Block]),
    ...next.map(({ command, why }): Block => ({ kind: "command", label: "or", command, why })),
  ];
}

function lastSections(report: PolicyReport, { sources, isShort }: Limits): Section[] {
  const findings = report.findings.filter(({ severity }) => !isShort || severity !== "info");
  return [
    {
      id: "findings",
      title: "Findings",
      blocks: [{ kind: "entries", entries: findingEntries(findings), ...(isShort ? {} : { none: "none" }) }],
    },
    ...(isShort
      ? []
      : tableSections([sourceTable(report, sources)]).map(
          (section): Section => ({
            ...section,
            blocks: [
              ...section.blocks,
              { kind: "facts", rows: columnLines(report).map(({ label, text }) => [label, text]) },
            ],
          }),
        )),
  ];
}

export function renderPolicyTerminal(report: PolicyReport, options: ScreenOptions): string {
  return drawScreen(buildPolicyDocument(report, TERMINAL), options);
}

export function renderPolicyMarkdown(report: PolicyReport, options: MarkdownOptions = {}): string {
  return writeMarkdown(buildPolicyDocument(report, MARKDOWN), options);
}

export function renderPolicyHtml(report: PolicyReport, served?: ServedPage): string {
  return writePage(buildPolicyDocument(report, PAGE), served);
}
