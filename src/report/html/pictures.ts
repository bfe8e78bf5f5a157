import type { MismatchMetrics, MismatchReport, NamedMetrics } from "../../protocol/report.ts";
import { groupedBars, heatStrip, histogramChart, lineChart, tailChart } from "../charts/index.ts";
import { bucketLabel } from "../content/token-tables.ts";
import { isMissing } from "../format.ts";
import { printable } from "../printable.ts";

/** More groups than this are left to the table. */
const MOST_BARS = 24;

/** The pictures of the first screen: how it went over the steps, how Δ is spread, how heavy its tails are. */
export function overviewPictures(report: MismatchReport): string[] {
  const charts = report.per_step.length > 1 ? stepCharts(report) : [];
  if (report.metrics.tokens === 0) return charts;
  return [
    ...charts,
    histogramChart({
      title: "Δ = log p trainer − log p rollout",
      xLabel: "Δ, nats",
      ...report.histograms.delta,
    }),
    tailChart(report.tail_curve, { title: "Extreme tokens: share with |Δ| above τ" }),
  ];
}

/** Pictures that belong above the table of the same id. */
export function sectionPictures(report: MismatchReport, id: string): string[] {
  if (id === "turns")
    return partBars(
      "turn",
      report.per_turn,
      report.per_turn.map((group) => `turn ${group.turn}`),
    );
  if (id === "ranks")
    return partBars(
      "rank",
      report.per_rank,
      report.per_rank.map((group) => `rank ${group.rank}`),
    );
  if (id === "environments") return namedBars("environment", report.per_environment);
  if (id === "correctness") return namedBars("correctness", report.per_correctness);
  if (id === "positions") return positionHeat(report);
  if (id === "probabilities") return probabilityBars(report);
  if (id === "distributions") {
    const { prob_diff_abs } = report.histograms;
    return [histogramChart({ title: "|Δp| = |p trainer − p rollout|", xLabel: "|Δp|", ...prob_diff_abs })];
  }
  return [];
}

function stepCharts({ per_step: steps }: MismatchReport): string[] {
  const xs = steps.map((group, index) => group.step ?? index);
  const common = { xLabel: "step", unit: "nats" };
  return [
    lineChart(xs, [{ label: "mean |Δ|", colour: "blue", values: steps.map((step) => step.delta_abs_mean) }], {
      title: "Mean |Δ| by step",
      ...common,
    }),
    lineChart(
      xs,
      [
        { label: "max |Δ|", colour: "orange", values: steps.map((step) => step.delta_abs_max) },
        { label: "p99.9", colour: "grey", dashed: true, values: steps.map((step) => step.delta_abs_p999) },
        { label: "p99", colour: "blue", values: steps.map((step) => step.delta_abs_p99) },
      ],
      { title: "The tail of |Δ| by step, log scale", scale: "log", ...common },
    ),
  ];
}

function namedBars(what: string, groups: readonly NamedMetrics[]): string[] {
  const sorted = [...groups].sort((a, b) => b.k3 * b.tokens - a.k3 * a.tokens);
  return partBars(
    what,
    sorted,
    sorted.map((group) => printable(group.name)),
  );
}

/** What part of the tokens a group holds, and what part of the mismatch: the table's figures do not show it. */
function partBars(what: string, groups: readonly MismatchMetrics[], labels: readonly string[]): string[] {
  if (groups.length < 2 || groups.length > MOST_BARS) return [];
  const tokens = sharesOf(groups.map((group) => group.tokens));
  const mismatch = sharesOf(groups.map((group) => group.k3 * group.tokens));
  return [shareBars(`Share of tokens and of Σ k3 by ${what}`, labels, tokens, mismatch)];
}

function shareBars(
  title: string,
  labels: readonly string[],
  tokens: readonly number[],
  mismatch: readonly number[],
): string {
  const series = [
    { label: "of tokens", colour: "grey", kind: "share", values: tokens },
    { label: "of Σ k3", colour: "orange", kind: "share", values: mismatch },
  ] as const;
  return groupedBars(labels, series, { title });
}

function sharesOf(values: readonly number[]): number[] {
  const sum = values.reduce((total, value) => total + (isMissing(value) ? 0 : value), 0);
  return values.map((value) => (sum > 0 ? value / sum : Number.NaN));
}

function positionHeat({ per_position_decile: groups }: MismatchReport): string[] {
  if (groups.length < 2) return [];
  const rows = [
    { label: "mean |Δ|", kind: "number", values: groups.map((group) => group.delta_abs_mean) },
    { label: "max |Δ|", kind: "number", values: groups.map((group) => group.delta_abs_max) },
    { label: "of Σ k3", kind: "share", values: groups.map((group) => group.k3_share) },
    { label: "mean Δ", kind: "signed", values: groups.map((group) => group.delta_mean) },
  ] as const;
  const columns = groups.map((group) => `${group.decile * 10} %`);
  return [
    heatStrip(columns, rows, {
      title: "Where in the response",
      xLabel: "tenths of the response",
      width: 600,
    }),
  ];
}

function probabilityBars({ per_rollout_probability: groups }: MismatchReport): string[] {
  if (groups.length < 2) return [];
  const tokens = groups.map((group) => group.token_share);
  const mismatch = groups.map((group) => group.k3_share);
  return [
    shareBars(
      "Share of tokens and of Σ k3 by rollout probability",
      groups.map(bucketLabel),
      tokens,
      mismatch,
    ),
  ];
}
