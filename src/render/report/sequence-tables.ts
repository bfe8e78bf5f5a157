import { type FigureKind, formatFigure } from "../../core/text/index.ts";
import type { MismatchReport, SequenceMetrics } from "../../results/report.ts";
import { figureColumn, makeTable, metricColumn, type Table, textColumn } from "../document/table.ts";

export function worstSequenceTable(report: MismatchReport): Table {
  const rows = report.worst_sequences;
  // The figure that ranks them comes first and is in the title: by another figure, others may be the worst.
  return makeTable("worst-sequences", "Worst sequences by |Σ Δ|, nats", [
    textColumn(
      "handle",
      rows.map((row) => row.handle),
    ),
    figureColumn(
      "Σ Δ",
      "signed",
      rows.map((row) => row.delta_sum),
      { priority: 1, meaning: "log of the sequence's ratio, in nats" },
    ),
    figureColumn(
      "tokens",
      "count",
      rows.map((row) => row.tokens),
      { priority: 2 },
    ),
    metricColumn("delta_abs_mean", () => rows.map((row) => row.delta_abs_mean), { priority: 2 }),
    metricColumn("delta_abs_max", () => rows.map((row) => row.delta_abs_max), { priority: 1, worst: "most" }),
    figureColumn(
      "reward",
      "number",
      rows.map((row) => row.reward),
      { priority: 3 },
    ),
    textColumn(
      "file",
      rows.map((row) => row.file),
      { priority: 4 },
    ),
  ]);
}

const SEQUENCE_FIGURES: readonly (readonly [keyof SequenceMetrics, FigureKind, string])[] = [
  ["sequences", "count", "sequences with at least one masked token"],
  ["length_mean", "number", "masked tokens per sequence, mean"],
  ["length_max", "count", "masked tokens per sequence, largest"],
  ["log_ppl_diff_mean", "signed", "mean of (mean log p rollout − mean log p trainer), nats"],
  ["log_ppl_diff_std", "number", "its standard deviation over sequences"],
  ["log_ppl_diff_abs_mean", "number", "mean of its absolute value"],
  ["log_ppl_diff_min", "signed", "smallest"],
  ["log_ppl_diff_max", "signed", "largest"],
  ["rollout_ppl_mean", "number", "mean over sequences of the rollout perplexity"],
  ["trainer_ppl_mean", "number", "mean over sequences of the trainer perplexity"],
  ["ppl_ratio_mean", "near-one", "mean of trainer perplexity / rollout perplexity"],
  ["chi2_seq", "signed", "mean of exp(2 Σ Δ) − 1 over sequences, Σ Δ clamped to ±20"],
  ["ess_seq", "near-one", "effective share of the sequences under ratios exp(Σ Δ)"],
];

export function sequenceFigureTable(report: MismatchReport): Table {
  const figures = SEQUENCE_FIGURES.map(([key, kind, meaning]) => ({
    key,
    meaning,
    value: formatFigure(report.sequence_metrics[key], kind),
  }));
  return makeTable("sequences", "Sequence-level figures", [
    textColumn(
      "figure",
      figures.map((figure) => figure.key),
    ),
    textColumn(
      "value",
      figures.map((figure) => figure.value),
      { align: "right" },
    ),
    textColumn(
      "what it is",
      figures.map((figure) => figure.meaning),
      { priority: 2, wrap: true },
    ),
  ]);
}
