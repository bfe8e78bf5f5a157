import { formatCount, formatNumber, formatShare } from "../../core/text/index.ts";
import {
  type ChartOptions,
  drawChart,
  drawEmptyChart,
  drawXAxis,
  drawYAxis,
  plotArea,
} from "../charts/frame.ts";
import { PALETTE, type PaletteColor } from "../charts/palette.ts";
import { exactScale, linearScale } from "../charts/scale.ts";
import { element, pixel, tooltip } from "../charts/svg.ts";

export interface BinSeries {
  readonly label: string;
  readonly color: PaletteColor;
  readonly counts: readonly number[];
}

export interface BinChartOptions extends ChartOptions {
  readonly xLabel: string;
  /** One more edge than counts, ascending. */
  readonly edges: readonly number[];
  /** Heights as shares of each series, so that series of different size compare; default counts. */
  readonly shares?: boolean;
  /** Whether values are whole numbers, so that an axis of one value has no ticks between. */
  readonly whole?: boolean;
}

/** Histograms over one linear axis, drawn over each other as filled steps. */
export function binChart(series: readonly BinSeries[], options: BinChartOptions): string {
  const { edges, shares = false, whole = false } = options;
  const filled = series.filter(({ counts }) => counts.some((count) => count > 0));
  if (filled.length === 0) return drawEmptyChart(options, "no values");
  const plot = plotArea(options, true);
  const totals = filled.map(({ counts }) => counts.reduce((sum, count) => sum + count, 0));
  const heights = filled.map(({ counts }, i) =>
    shares ? counts.map((count) => (100 * count) / totals[i]!) : [...counts],
  );
  const most = heights.flat().reduce((top, height) => Math.max(top, height), 0);
  const makeScale = whole ? exactScale : linearScale;
  const x = makeScale([edges[0]!, edges.at(-1)!], [plot.left, plot.right]);
  const y = linearScale([0, most], [plot.bottom, plot.top], 4);
  const drawn = filled.map(({ color }, i) => {
    const steps = heights[i]!.map(
      (height, bin) => `V${pixel(y.map(height))}H${pixel(x.map(edges[bin + 1]!))}`,
    );
    return element("path", {
      d: `M${pixel(x.map(edges[0]!))} ${pixel(plot.bottom)}${steps.join("")}V${pixel(plot.bottom)}Z`,
      fill: PALETTE[color],
      "fill-opacity": 0.22,
      stroke: PALETTE[color],
      "stroke-width": 1.4,
    });
  });
  // On top of the shapes, so that each bin has a tooltip over whatever is drawn there.
  const answers = edges.slice(0, -1).map((from, bin) => {
    const to = edges[bin + 1]!;
    const told = filled.map(
      ({ label, counts }, i) =>
        `${label} ${formatCount(counts[bin])} (${formatShare(counts[bin]! / totals[i]!)})`,
    );
    return element(
      "rect",
      {
        x: x.map(from),
        y: plot.top,
        width: x.map(to) - x.map(from),
        height: plot.bottom - plot.top,
        fill: "transparent",
      },
      tooltip(`${formatNumber(from)} to ${formatNumber(to)}: ${told.join(", ")}`),
    );
  });
  const legend = filled.map(({ label, color }, i) => ({
    label: `${label}: ${formatCount(totals[i])}`,
    color,
  }));
  return drawChart(options, `${legend.map(({ label }) => label).join("; ")}; by ${options.xLabel}`, legend, [
    drawYAxis(y, plot, shares ? "% of tokens" : "tokens"),
    ...drawn,
    drawXAxis(x, plot, options.xLabel),
    ...answers,
  ]);
}
