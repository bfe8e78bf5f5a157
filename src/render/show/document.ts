/**
 * One sequence, or one token of it, as a document.
 *
 * @module
 */

import { formatCount, formatId, formatPlain, formatProbability, plural } from "../../core/text/index.ts";
import type { ShowReport } from "../../results/show.ts";
import type { Block, Document, Section } from "../document/document.ts";
import type { Surface } from "../document/surface.ts";
import { makeTable, type Table, textColumn } from "../document/table.ts";
import { type MarkdownOptions, writeMarkdown } from "../markdown/document.ts";
import { codeLines } from "../markdown/text.ts";
import { drawDocument } from "../terminal/document.ts";
import { makeSurface, type TerminalOptions } from "../terminal/surface.ts";
import { cardBlocks, quoted } from "./card.ts";
import { eventsSection } from "./events.ts";
import { figureParts } from "./figures.ts";
import type { FoldOptions } from "./folds.ts";
import { showValue } from "./levels.ts";
import { drawSparkline } from "./sparkline.ts";
import { drawScale, drawStrip } from "./strip.ts";

/** Markdown is read in a code block of about this many columns, without colors. */
const MARKDOWN_SURFACE = makeSurface({ width: 100, color: false, unicode: true });

/** The sequence and its figures, a sparkline, and its text; then one token, or the worst ones. */
function buildShowDocument(report: ShowReport, options: FoldOptions = {}): Document {
  const { sequence, metric, token, next } = report;
  return {
    kind: "show",
    heading: "Sequence",
    name: sequence.handle,
    input: sourceParts(report),
    lead: [{ kind: "facts", rows: figureRows(report) }],
    sections: [
      ...(report.events === undefined ? [] : [eventsSection(report.events)]),
      { id: "line", title: "", blocks: [drawn((surface) => ["", ...drawSparkline(report, surface)])] },
      {
        id: "text",
        title: "",
        blocks: [
          { kind: "text", text: `${metric.title}: ${metric.meaning}` },
          drawn((surface) => [...drawScale(report, surface), "", ...drawStrip(report, surface, options)]),
        ],
      },
      token === null
        ? worstSection(report)
        : { id: "token", title: `${token.handle}  ${quoted(token)}`, blocks: cardBlocks(token, report) },
      {
        id: "next",
        title: "",
        blocks: next === null ? [] : [{ kind: "command", label: "next", ...next }],
      },
    ],
  };
}

/** Drawn with colors on terminals that have them, else with marks. */
function drawn(draw: (surface: Surface) => readonly string[]): Block {
  return {
    kind: "picture",
    terminal: draw,
    markdown: () => codeLines(draw(MARKDOWN_SURFACE).join("\n").trim(), "text"),
  };
}

function sourceParts({ sequence }: ShowReport): string[] {
  return [
    sequence.step === null ? "" : `step ${formatId(sequence.step)}`,
    sequence.rank === null ? "" : `rank ${formatId(sequence.rank)}`,
    sequence.group === null ? "" : `group ${sequence.group}`,
    sequence.sample === null ? "" : `sample ${sequence.sample}`,
    sequence.environment === null ? "" : `environment ${sequence.environment}`,
    sequence.reward === null ? "" : `reward ${formatPlain(sequence.reward)}`,
    sequence.correct === null ? "" : sequence.correct === 1 ? "right" : "wrong",
    sequence.file,
  ].filter((text) => text !== "");
}

function figureRows({ sequence, policies }: ShowReport): (readonly [label: string, text: string])[] {
  const response = [
    `${formatCount(sequence.tokens)} of ${plural(sequence.response_tokens, "token")} sampled by the policy`,
    plural(sequence.turns, "turn"),
    ...(sequence.prompt_tokens === 0 ? [] : [`prompt ${formatCount(sequence.prompt_tokens)}`]),
  ];
  return [
    ["response", response.join(" · ")],
    ...(policies === undefined ? [] : [["note", `one policy: ${policies} log-probs only`] as const]),
    ["figures", figureParts(sequence).join(" · ")],
  ];
}

function worstSection(report: ShowReport): Section {
  const { metric, worst } = report;
  const table = worstTable(report);
  return {
    id: "worst",
    title: "",
    blocks: [
      worst.length === 0
        ? { kind: "text", text: `no token differs from ${formatPlain(metric.neutral)}` }
        : { kind: "table", table },
    ],
  };
}

/** The tokens furthest from neutral; bars end with the color scale. */
function worstTable({ worst, tokens, metric, sequence, policies }: ShowReport): Table {
  const rows = worst.map((at) => tokens[at]!);
  const probabilities = (of: "rollout_logprob" | "trainer_logprob"): string[] =>
    rows.map(({ [of]: logprob }) => formatProbability(logprob === null ? null : Math.exp(logprob)));
  const sides = (["rollout", "trainer"] as const).filter((side) => (policies ?? side) === side);
  return makeTable("worst", `Furthest by ${metric.title}`, [
    textColumn(
      "token",
      worst.map((at) => `${sequence.handle}.t${at}`),
    ),
    {
      ...textColumn(
        metric.title,
        rows.map(({ value }) => showValue(value, metric)),
        { align: "right" },
      ),
      bars: rows.map(({ value }) =>
        value === null ? Number.NaN : Math.min(1, Math.abs(value - metric.neutral) / metric.scale),
      ),
    },
    ...sides.map((side) =>
      textColumn(policies === undefined ? `p ${side}` : "p", probabilities(`${side}_logprob`), {
        align: "right",
        priority: 2,
      }),
    ),
    textColumn("text", rows.map(quoted), { priority: 2 }),
  ]);
}

export type ShowTerminalOptions = TerminalOptions & FoldOptions;

/** As lines of at most `width` columns, except for commands. Foreign text cannot move the cursor. */
export function renderShowTerminal(report: ShowReport, options: ShowTerminalOptions): string {
  return drawDocument(buildShowDocument(report, options), options);
}

export function renderShowMarkdown(report: ShowReport, options: MarkdownOptions & FoldOptions = {}): string {
  return writeMarkdown(buildShowDocument(report, options), options);
}
