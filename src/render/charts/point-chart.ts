import { formatFigure, isFigure } from "../text/display/index.ts";
import type { ChartColor } from "./chart-colors.ts";
import { type ChartOptions, drawChart, drawEmptyChart, drawXAxis, drawYAxis, plotArea } from "./frame.ts";
import { PALETTE } from "./palette.ts";
import { linearScale } from "./scale.ts";
import { element, tooltip } from "./svg.ts";

export interface PointSeries {
  readonly label: string;
  readonly color: ChartColor;
  /** One per x; null has no point. */
  readonly values: readonly (number | null)[];
}

export interface PointChartOptions extends ChartOptions {
  readonly xLabel: string;
  readonly yLabel: string;
}

const RADIUS = 2.4;

/** A cloud of points over two linear axes; overlapping points are darker. */
export function pointChart(
  xs: readonly number[],
  series: readonly PointSeries[],
  options: PointChartOptions,
): string {
  const points = series.flatMap(({ color, values }) =>
    xs.flatMap((x, index) => {
      const y = values[index];
      return isFigure(y) && isFigure(x) ? [{ x, y, color }] : [];
    }),
  );
  if (points.length === 0) return drawEmptyChart(options, "no points");
  const hasLegend = series.length > 1;
  const plot = plotArea(options, hasLegend);
  const x = linearScale(findEnds(points.map((point) => point.x)), [plot.left, plot.right]);
  const y = linearScale(findEnds(points.map((point) => point.y)), [plot.bottom, plot.top]);
  const legend = hasLegend ? series.map(({ label, color }) => ({ label, color })) : [];
  return drawChart(options, `${points.length} points: ${options.yLabel} by ${options.xLabel}`, legend, [
    drawYAxis(y, plot, options.yLabel),
    drawXAxis(x, plot, options.xLabel),
    ...points.map((point) =>
      element(
        "circle",
        {
          cx: x.map(point.x),
          cy: y.map(point.y),
          r: RADIUS,
          fill: PALETTE[point.color],
          "fill-opacity": 0.55,
        },
        tooltip(`${formatFigure(point.x, "number")}, ${formatFigure(point.y, "number")}`),
      ),
    ),
  ]);
}

function findEnds(values: readonly number[]): readonly [number, number] {
  return [
    values.reduce((least, value) => Math.min(least, value), Number.POSITIVE_INFINITY),
    values.reduce((most, value) => Math.max(most, value), Number.NEGATIVE_INFINITY),
  ];
}
