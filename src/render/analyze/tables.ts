/**
 * The tables of an analysis, as every medium shows them.
 *
 * @module
 */

import { formatId, formatNumber, formatPlain, formatShare, plural } from "../../core/text/index.ts";
import type { AnalyzeReport, LoggedToken } from "../../results/analyze.ts";
import { figureColumn, makeTable, type Table, textColumn } from "../document/table.ts";
import { foldIterations } from "./fold-iterations.ts";
import { comparisonTable } from "./test-table.ts";

export interface TableLimits {
  readonly iterations: number;
  readonly sources: number;
}

/** Every table that has rows, in the order of the page. */
export function analyzeTables(report: AnalyzeReport, limits: TableLimits): Table[] {
  const tables = [
    correctnessTable(report),
    thresholdTable(report),
    digitTable(report),
    comparisonTable(report),
    flipTable(report),
    commonTable(report),
    tokenTable("most-divergent", "Most divergent tokens", report.most_divergent),
    ...report.selections.map(({ id, title, where, count, tokens }) =>
      tokenTable(
        id,
        title,
        tokens,
        `${plural(count, "token")}, the most divergent shown; --where "${where}"`,
      ),
    ),
    iterationTable(report, limits.iterations),
    sourceTable(report, limits.sources),
  ];
  return tables.filter(({ rows }) => rows > 0);
}

function correctnessTable({ by_correctness: groups, metrics }: AnalyzeReport): Table {
  const rows = (["correct", "incorrect", "unknown"] as const).filter((name) => groups[name].count > 0);
  const of = <K extends keyof (typeof groups)["correct"]>(key: K) => rows.map((name) => groups[name][key]);
  return makeTable("correctness", "By correctness of the answer", [
    textColumn("answer", rows),
    figureColumn("tokens", "count", of("count"), { priority: 1 }),
    figureColumn("share", "share", of("share"), {
      priority: 1,
      bars: true,
      meaning: "of the records whose correctness is known",
    }),
    ...(metrics.sequences === null ? [] : [figureColumn("responses", "count", of("sequences"))]),
    figureColumn("mean", "number", of("mean"), { priority: 1 }),
    figureColumn("median", "number", of("p50"), { priority: 3 }),
    figureColumn("std", "number", of("std"), { priority: 3 }),
    figureColumn("least", "number", of("min"), { priority: 4 }),
    figureColumn("most", "number", of("max"), { priority: 1 }),
  ]);
}

function thresholdTable({ thresholds }: AnalyzeReport): Table {
  return makeTable("thresholds", "Tokens above a divergence", [
    textColumn(
      "above",
      thresholds.map(({ threshold }) => formatPlain(threshold)),
      { align: "right" },
    ),
    figureColumn(
      "tokens",
      "count",
      thresholds.map(({ count }) => count),
      { priority: 1 },
    ),
    figureColumn(
      "share",
      "share",
      thresholds.map(({ share }) => share),
      { bars: true },
    ),
    figureColumn(
      "correct",
      "count",
      thresholds.map(({ correct }) => correct),
    ),
    figureColumn(
      "incorrect",
      "count",
      thresholds.map(({ incorrect }) => incorrect),
    ),
  ]);
}

function digitTable({ digits }: AnalyzeReport): Table {
  if (digits.count === 0) return makeTable("digits", "Digit tokens", []);
  const rows = (["correct", "incorrect"] as const).filter((name) => digits[name].count > 0);
  const notes = [
    `${plural(digits.count, "digit token")}, ${formatShare(digits.share)} of those with a text (digits and dots only)`,
    ...(digits.dots_only > 0 ? [`${digits.dots_only} of them are dots without a digit`] : []),
    ...(digits.unknown_count > 0 ? [`${digits.unknown_count} without correctness`] : []),
    ...(digits.ratio === null
      ? []
      : [
          `mean correct / mean incorrect ${formatNumber(digits.ratio)}; the log's own range allows no ratio over ${formatNumber(digits.ratio_limit)}`,
        ]),
  ];
  return makeTable(
    "digits",
    "Digit tokens",
    [
      textColumn("answer", rows),
      figureColumn(
        "tokens",
        "count",
        rows.map((name) => digits[name].count),
        { priority: 1 },
      ),
      figureColumn(
        "share",
        "share",
        rows.map((name) => digits[name].share),
        { priority: 1, bars: true },
      ),
      figureColumn(
        "mean",
        "number",
        rows.map((name) => digits[name].mean),
        { priority: 1 },
      ),
      figureColumn(
        "std",
        "number",
        rows.map((name) => digits[name].std),
        { priority: 3 },
      ),
      figureColumn(
        "most",
        "number",
        rows.map((name) => digits[name].max),
      ),
    ],
    notes.join("; "),
  );
}

function flipTable({ flip_types: flips }: AnalyzeReport): Table {
  const rows = flips.every(({ flip_type }) => flip_type === null) ? [] : flips;
  const of = (key: "count" | "correct" | "incorrect" | "unknown"): number[] => rows.map((row) => row[key]);
  return makeTable("flips", "Flip patterns", [
    textColumn(
      "pattern",
      rows.map(({ flip_type }) => flip_type ?? "none of them"),
    ),
    figureColumn("of correct", "count", of("correct"), { priority: 1, bars: true }),
    figureColumn("of incorrect", "count", of("incorrect"), { priority: 1 }),
    ...(rows.some(({ unknown }) => unknown > 0) ? [figureColumn("unknown", "count", of("unknown"))] : []),
    figureColumn("all", "count", of("count")),
  ]);
}

function commonTable({ common_tokens: tokens }: AnalyzeReport): Table {
  return makeTable("common", "Most common divergent tokens", [
    textColumn(
      "token",
      tokens.map(({ token_text }) => token_text ?? "(no text)"),
    ),
    figureColumn(
      "times",
      "count",
      tokens.map(({ count }) => count),
      { priority: 1, bars: true },
    ),
    figureColumn(
      "share",
      "share",
      tokens.map(({ share }) => share),
    ),
    figureColumn(
      "mean",
      "number",
      tokens.map(({ mean }) => mean),
    ),
    figureColumn(
      "most",
      "number",
      tokens.map(({ max }) => max),
      { priority: 3 },
    ),
    figureColumn(
      "correct",
      "count",
      tokens.map(({ correct }) => correct),
      { priority: 3 },
    ),
    figureColumn(
      "incorrect",
      "count",
      tokens.map(({ incorrect }) => incorrect),
      { priority: 3 },
    ),
  ]);
}

/** A selection without tokens has no table; its count is among the key figures. */
function tokenTable(id: string, title: string, tokens: readonly LoggedToken[], note?: string): Table {
  return makeTable(
    id,
    title,
    [
      textColumn(
        "token",
        tokens.map(({ token_text }) => token_text ?? "(no text)"),
      ),
      figureColumn(
        "divergence",
        "number",
        tokens.map(({ prob_divergence }) => prob_divergence),
        { priority: 1 },
      ),
      figureColumn(
        "p rollout",
        "number",
        tokens.map(({ rollout_prob }) => rollout_prob),
        { priority: 2 },
      ),
      figureColumn(
        "p trainer",
        "number",
        tokens.map(({ actor_prob }) => actor_prob),
        { priority: 2 },
      ),
      textColumn(
        "answer",
        tokens.map(({ is_correct }) => (is_correct === null ? "" : is_correct ? "correct" : "incorrect")),
        { priority: 2 },
      ),
      textColumn(
        "iteration",
        tokens.map(({ iteration }) => optional(iteration)),
        { priority: 3, align: "right" },
      ),
      textColumn(
        "position",
        tokens.map(({ position }) => optional(position)),
        { priority: 3, align: "right" },
      ),
      textColumn(
        "line",
        tokens.map(({ line }) => formatId(line)),
        { priority: 4, align: "right" },
      ),
      textColumn(
        "context",
        tokens.map(({ context_text }) => context_text ?? ""),
        { priority: 3 },
      ),
    ],
    note,
  );
}

function iterationTable({ per_iteration: iterations }: AnalyzeReport, most: number): Table {
  const rows = iterations.every(({ iteration }) => iteration === null)
    ? []
    : foldIterations(iterations, most);
  const folded = rows.length < iterations.length;
  return makeTable(
    "iterations",
    "By iteration",
    [
      textColumn(
        "iteration",
        rows.map(({ from, to }) =>
          from === null ? "unknown" : from === to ? formatId(from) : `${formatId(from)}–${formatId(to)}`,
        ),
        { align: "right" },
      ),
      figureColumn(
        "tokens",
        "count",
        rows.map(({ count }) => count),
        { priority: 1 },
      ),
      figureColumn(
        "mean",
        "number",
        rows.map(({ mean }) => mean),
        { priority: 1, worst: "most" },
      ),
      figureColumn(
        "most",
        "number",
        rows.map(({ max }) => max),
        { priority: 1, worst: "most" },
      ),
      figureColumn(
        "correct",
        "count",
        rows.map(({ correct_count }) => correct_count),
        { priority: 3 },
      ),
      figureColumn(
        "their mean",
        "number",
        rows.map(({ correct_mean }) => correct_mean),
        { priority: 2 },
      ),
      figureColumn(
        "incorrect",
        "count",
        rows.map(({ incorrect_count }) => incorrect_count),
        { priority: 3 },
      ),
      figureColumn(
        "their mean",
        "number",
        rows.map(({ incorrect_mean }) => incorrect_mean),
        { priority: 2 },
      ),
    ],
    folded ? `${plural(iterations.length, "iteration")} in ${rows.length} rows; --json has each` : undefined,
  );
}

function sourceTable({ sources }: AnalyzeReport, most: number): Table {
  const rows = sources.slice(0, most);
  const more = sources.length - rows.length;
  return makeTable(
    "sources",
    "What was read",
    [
      textColumn(
        "file",
        rows.map(({ file }) => file),
      ),
      figureColumn(
        "records",
        "count",
        rows.map(({ records }) => records),
        { priority: 1 },
      ),
      figureColumn(
        "torn",
        "count",
        rows.map(({ torn }) => torn),
      ),
      figureColumn(
        "foreign",
        "count",
        rows.map(({ foreign }) => foreign),
      ),
    ],
    more > 0 ? `${plural(more, "more file")}: see sources of --json` : undefined,
  );
}

function optional(value: number | null): string {
  return value === null ? "" : formatId(value);
}
