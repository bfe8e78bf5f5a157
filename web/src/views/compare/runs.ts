/**
 * This run and all runs that it is compared with: figures in one table, steps in one chart, and the differences from
 * this run in words.
 *
 * @module
 */
import { type ChartSpec, sliceLook } from "../../../../src/render/charts/index.ts";
import { formatCounted, formatNumber, formatSigned } from "../../../../src/render/text/display/index.ts";
import type { ReportMetrics } from "../../../../src/results/report.ts";
import type { ComparedRun, ComparedRuns, RunDifference, StepSeries } from "../../../../src/results/view.ts";

export interface RunRow {
  readonly name: string;
  readonly metrics: ReportMetrics;
  /** Undefined for this run, which the others are compared with. */
  readonly differences: ComparedRun["differences"] | undefined;
}

export function listRuns({ first, others }: ComparedRuns): RunRow[] {
  return [{ ...first, differences: undefined }, ...others];
}

/** `+0.0012 to +0.0031`; undefined if the runs have too few prompts for an interval. */
export function formatInterval({ low, high }: RunDifference): string | undefined {
  return low === null || high === null ? undefined : `${formatSigned(low)} to ${formatSigned(high)}`;
}

/** Whether chance alone would rarely give such a difference, that is, the interval excludes 0. */
export function isShown({ low, high }: RunDifference): boolean {
  return low !== null && high !== null && (low > 0 || high < 0);
}

/** What the differences are computed over, for a table's cell. */
export function formatOver({ over, tokens }: ComparedRun["differences"]): string {
  return over === "tokens"
    ? `${formatCounted(tokens.this, "token")} of the same texts`
    : "texts of their own";
}

/** How much B's mismatch exceeds A's, and how certain that is. */
export function describeDifference({ over, tokens, unit, figures }: ComparedRun["differences"]): string {
  const { delta_abs_mean: figure } = figures;
  const { difference, clusters } = figure;
  if (difference === null) return "The runs have no figures to compare.";
  const among =
    over === "tokens"
      ? `Over the ${formatCounted(tokens.this, "token")} that both runs scored after the same text`
      : "Over all tokens of both runs, which sampled texts of their own";
  const size =
    difference === 0
      ? "mean |Δ| of B equals that of A"
      : `mean |Δ| of B is ${formatNumber(Math.abs(difference))} nats ${difference > 0 ? "higher" : "lower"} than that of A`;
  const interval = formatInterval(figure);
  if (interval === undefined) return `${among}, ${size}; an interval needs ten ${unit}s in each run.`;
  const count = `over ${formatCounted(clusters, unit)}`;
  return isShown(figure) || (figure.low === 0 && figure.high === 0)
    ? `${among}, ${size}: 95 % ${interval}, ${count}.`
    : `${among}, ${size}, but which run has more is open: the interval is ${interval} nats (95 %), ${count}.`;
}

/** Mean |Δ| of every run over the steps; undefined if no run has two. */
export function chartRuns(
  runs: readonly { readonly name: string; readonly steps: StepSeries }[],
): ChartSpec | undefined {
  const xs = [...new Set(runs.flatMap(({ steps }) => steps.steps))]
    .filter((step): step is number => step !== null)
    .sort((one, other) => one - other);
  if (xs.length < 2) return undefined;
  return {
    id: "compared-runs-mean-abs-delta",
    title: "Mean |Δ| of every run",
    unit: "nats",
    xLabel: "step",
    xs,
    lines: runs.map(({ name, steps: { steps, series } }, at) => {
      const places = new Map(steps.map((step, place) => [step, place]));
      const values = xs.map((x) => series.delta_abs_mean[places.get(x) ?? -1] ?? null);
      return { label: name, ...sliceLook(at), joins: true, values };
    }),
    scale: "linear",
    kind: "number",
    fromZero: true,
    extreme: "most",
  };
}
