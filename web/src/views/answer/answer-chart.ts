import {
  type ChartMark,
  type ChartSpec,
  isDrawable,
  stepCharts,
} from "../../../../src/render/charts/index.ts";
import type { AnswerPage } from "../../../../src/results/answer-page.ts";
import type { StepSeries } from "../../../../src/results/view.ts";

const HEIGHT = 200;
const MOST_TICKS = 5;

/** Mean |Δ| over the steps, on the bands of levels; undefined if fewer than two steps have one. */
export function answerChart(
  data: StepSeries,
  { zones, points }: Pick<AnswerPage, "zones" | "points">,
  marks: readonly ChartMark[],
): ChartSpec | undefined {
  const spec = stepCharts(data, null, "log").charts.find(({ id }) => id === "mean-abs-delta");
  const known = spec?.lines[0]?.values.filter((value) => value !== null) ?? [];
  if (spec === undefined || known.length < 2) return undefined;
  return {
    ...spec,
    // Two equal columns have nothing to draw on a logarithmic axis.
    scale: known.some((value) => isDrawable(value, "log")) ? "log" : "linear",
    title: "Mean |Δ|, log-prob difference",
    height: HEIGHT,
    mostTicks: MOST_TICKS,
    zones,
    points,
    ...(marks.length > 0 && { marks }),
  };
}
