/**
 * The pictures of a report: the HTML report and the page's overview show the same ones.
 *
 * @module
 */

import { isMissing } from "../../core/text/index.ts";
import { RUN_METRICS } from "../../results/metrics/run-metrics.ts";
import type { Histogram, MismatchMetrics, MismatchReport, NamedMetrics } from "../../results/report.ts";
import { groupedBars } from "../charts/grouped-bars.ts";
import { heatStrip } from "../charts/heat-strip.ts";
import { histogramChart } from "../charts/histogram-chart.ts";
import { mirroredChart } from "../charts/mirrored-chart.ts";
import { tailChart } from "../charts/tail-chart.ts";
import { printable } from "../text/printable.ts";
import { bucketLabel } from "./token-tables.ts";

export interface Picture {
  /** Its id and file name. */
  readonly id: string;
  /** SVG. */
  readonly draw: () => string;
  /** Its data in full precision; undefined if they are the figures of the table below it. */
  readonly rows?: () => readonly Readonly<Record<string, number | null>>[];
}

/** A picture with more groups than this is left to the table. */
const MOST_BARS = 24;

/** How far apart the policies are, per token and per sequence; for every run, with or without steps. */
export function spreadPictures(report: MismatchReport): Picture[] {
  if (report.metrics.tokens === 0) return [];
  const { delta, prob_diff_abs } = report.histograms;
  return [
    {
      id: "delta-histogram",
      draw: () => histogramChart({ title: "Δ = log p trainer − log p rollout", xLabel: "Δ, nats", ...delta }),
      rows: () => barRows({ tokens: delta }),
    },
    {
      id: "extreme-tokens",
      draw: () => tailChart(report.tail_curve, { title: "Extreme tokens: share with |Δ| above τ" }),
      rows: () =>
        report.tail_curve.map(({ approximate, ...point }) => ({
          ...point,
          approximate: approximate ? 1 : 0,
        })),
    },
    {
      id: "prob-diff-histogram",
      draw: () =>
        histogramChart({ title: "|Δp| = |p trainer − p rollout|", xLabel: "|Δp|", ...prob_diff_abs }),
      rows: () => barRows({ tokens: prob_diff_abs }),
    },
    ...correctnessPictures(report),
  ];
}

function correctnessPictures({ histograms: { by_correctness: spreads } }: MismatchReport): Picture[] {
  const [right, wrong] = [
    spreads.find(({ name }) => name === "correct"),
    spreads.find(({ name }) => name === "incorrect"),
  ];
  if (right === undefined || wrong === undefined) return [];
  return [
    {
      id: "delta-right-wrong",
      draw: () =>
        mirroredChart(
          { label: "right", color: "blue", counts: right.delta.counts },
          { label: "wrong", color: "orange", counts: wrong.delta.counts },
          {
            title: "Δ of tokens in correct and incorrect answers",
            xLabel: "Δ, nats",
            edges: right.delta.edges,
            axis: "signed",
            heights: "log",
          },
        ),
      rows: () => barRows({ right: right.delta, wrong: wrong.delta }),
    },
    {
      id: "sequences-right-wrong",
      draw: () =>
        mirroredChart(
          {
            label: "right",
            color: "blue",
            counts: right.sequence_delta_abs.counts,
            median: right.sequence_delta_abs_p50,
          },
          {
            label: "wrong",
            color: "orange",
            counts: wrong.sequence_delta_abs.counts,
            median: wrong.sequence_delta_abs_p50,
          },
          {
            title: "Mean |Δ| of correct and incorrect answers",
            xLabel: "mean |Δ| of a sequence, nats",
            edges: right.sequence_delta_abs.edges,
            axis: "log",
            heights: "share",
          },
        ),
      rows: () => barRows({ right: right.sequence_delta_abs, wrong: wrong.sequence_delta_abs }),
    },
  ];
}

/** Histograms with the same edges, one row per bar. */
function barRows(histograms: Readonly<Record<string, Histogram>>): Record<string, number | null>[] {
  const edges = Object.values(histograms)[0]?.edges ?? [];
  return edges.slice(1).map((to, bar) => ({
    from: edges[bar] ?? null,
    to,
    ...Object.fromEntries(
      Object.entries(histograms).map(([name, { counts }]) => [name, counts[bar] ?? null]),
    ),
  }));
}

/** Pictures that belong above the table of the same id. */
export function sectionPictures(report: MismatchReport, id: string): Picture[] {
  const draw = SECTIONS[id]?.(report);
  return draw === undefined ? [] : [{ id: `${id}-shares`, draw }];
}

type Draw = (() => string) | undefined;

const SECTIONS: Readonly<Record<string, (report: MismatchReport) => Draw>> = {
  turns: ({ per_turn: turns }) =>
    partBars(
      "turn",
      turns,
      turns.map((group) => `turn ${group.turn}`),
    ),
  ranks: ({ per_rank: ranks }) =>
    partBars(
      "rank",
      ranks,
      ranks.map((group) => `rank ${group.rank}`),
    ),
  environments: (report) => namedBars("environment", report.per_environment),
  correctness: (report) => namedBars("correctness", report.per_correctness),
  engines: (report) => namedBars("engine", report.per_engine),
  "finish-reasons": (report) => namedBars("finish reason", report.per_finish_reason),
  staleness: ({ per_staleness: ages }) =>
    partBars(
      "staleness",
      ages,
      ages.map((group) => String(group.staleness)),
    ),
  positions: positionHeat,
  probabilities: probabilityBars,
};

function namedBars(what: string, groups: readonly NamedMetrics[]): Draw {
  const sorted = [...groups].sort((a, b) => b.k3 * b.tokens - a.k3 * a.tokens);
  return partBars(
    what,
    sorted,
    sorted.map((group) => printable(group.name)),
  );
}

/** A group's share of the tokens and of the mismatch, which the table's figures do not show. */
function partBars(what: string, groups: readonly MismatchMetrics[], labels: readonly string[]): Draw {
  if (groups.length < 2 || groups.length > MOST_BARS) return undefined;
  const tokens = computeShares(groups.map((group) => group.tokens));
  const mismatch = computeShares(groups.map((group) => group.k3 * group.tokens));
  return () => shareBars(`Share of tokens and of Σ k3 by ${what}`, labels, tokens, mismatch);
}

function shareBars(
  title: string,
  labels: readonly string[],
  tokens: readonly number[],
  mismatch: readonly number[],
): string {
  const series = [
    { label: "of tokens", color: "grey", kind: "share", values: tokens },
    { label: "of Σ k3", color: "orange", kind: "share", values: mismatch },
  ] as const;
  return groupedBars(labels, series, { title });
}

function computeShares(values: readonly number[]): number[] {
  const sum = values.reduce((total, value) => total + (isMissing(value) ? 0 : value), 0);
  return values.map((value) => (sum > 0 ? value / sum : Number.NaN));
}

function positionHeat({ per_position_decile: groups }: MismatchReport): Draw {
  if (groups.length < 2) return undefined;
  const rows = [
    { ...RUN_METRICS.delta_abs_mean, values: groups.map((group) => group.delta_abs_mean) },
    { ...RUN_METRICS.delta_abs_max, values: groups.map((group) => group.delta_abs_max) },
    { label: "of Σ k3", kind: "share", values: groups.map((group) => group.k3_share) },
    { ...RUN_METRICS.delta_mean, values: groups.map((group) => group.delta_mean) },
  ] as const;
  const columns = groups.map((group) => `${group.decile * 10} %`);
  return () =>
    heatStrip(columns, rows, {
      title: "Where in the response",
      xLabel: "tenths of the response",
      width: 600,
    });
}

function probabilityBars({ per_rollout_probability: groups }: MismatchReport): Draw {
  if (groups.length < 2) return undefined;
  const tokens = groups.map((group) => group.token_share);
  const mismatch = groups.map((group) => group.k3_share);
  return () =>
    shareBars(
      "Share of tokens and of Σ k3 by rollout probability",
      groups.map(bucketLabel),
      tokens,
      mismatch,
    );
}
