import { formatCount, formatPlain, formatShare } from "../text/display/index.ts";
import { type ChartOptions, drawChart, drawEmptyChart, drawXAxis, drawYAxis, plotArea } from "./frame.ts";
import { PALETTE } from "./palette.ts";
import { countScale, signedLogScale } from "./scale.ts";
import { element, tooltip } from "./svg.ts";

export interface HistogramOptions extends ChartOptions {
  /** What is counted along x, with its unit. */
  readonly xLabel: string;
  readonly counts: readonly number[];
  /** One more edge than counts, ascending. */
  readonly edges: readonly number[];
}

/**
 * Bars on a signed-logarithmic axis with logarithmic heights: negative values are blue and positive ones orange, as in
 * the token strip; the bar around 0 is gray. Empty bars at the ends are cut off.
 */
export function histogramChart(options: HistogramOptions): string {
  const { counts, edges } = trimEnds(options);
  if (counts.length === 0) return drawEmptyChart(options, "no values");
  const plot = plotArea(options, true);
  const most = counts.reduce((top, count) => Math.max(top, count), 0);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const domain = [edges[0]!, edges[edges.length - 1]!] as const;
  // The smallest edge that is not 0: within it the axis is linear.
  const sizes = edges.map(Math.abs).filter((size) => size > 0 && Number.isFinite(size));
  const x = signedLogScale(
    domain,
    sizes.reduce((least, size) => Math.min(least, size), Number.POSITIVE_INFINITY) || 1,
    [plot.left, plot.right],
  );
  const y = countScale(most, [plot.bottom, plot.top]);
  // Values without a sign have one color.
  const aboveColor = edges[0]! < 0 ? "orange" : "blue";
  const bars = counts.map((count, index) => {
    if (count === 0) return "";
    const [from, to] = [edges[index]!, edges[index + 1]!];
    const [left, right, top] = [x.map(from), x.map(to), y.map(count)];
    const color = PALETTE[to <= 0 ? "blue" : from >= 0 ? aboveColor : "grey"];
    return element(
      "rect",
      {
        x: left + 0.5,
        y: top,
        width: Math.max(0.5, right - left - 1),
        height: plot.bottom - top,
        fill: color,
      },
      tooltip(
        `${formatPlain(from)} to ${formatPlain(to)}: ${formatCount(count)} (${formatShare(count / total)})`,
      ),
    );
  });
  const below = sumWhere(counts, (index) => edges[index + 1]! <= 0);
  const above = sumWhere(counts, (index) => edges[index]! >= 0);
  const around = total - below - above;
  const legend = [
    ...(below > 0 ? [{ label: `below 0: ${formatCount(below)}`, color: "blue" } as const] : []),
    ...(around > 0 ? [{ label: `around 0: ${formatCount(around)}`, color: "grey" } as const] : []),
    ...(above > 0
      ? [
          {
            label: `${below > 0 ? "above 0" : "tokens"}: ${formatCount(above)}`,
            color: aboveColor,
          } as const,
        ]
      : []),
  ];
  const description = legend.map((entry) => entry.label).join("; ");
  return drawChart(options, description, legend, [
    drawYAxis(y, plot, "tokens, log"),
    ...bars,
    drawXAxis(x, plot, options.xLabel),
  ]);
}

function trimEnds({ counts, edges }: HistogramOptions): {
  counts: readonly number[];
  edges: readonly number[];
} {
  const first = counts.findIndex((count) => count > 0);
  if (first < 0 || edges.length !== counts.length + 1) return { counts: [], edges: [] };
  const last = counts.length - [...counts].reverse().findIndex((count) => count > 0);
  return { counts: counts.slice(first, last), edges: edges.slice(first, last + 1) };
}

function sumWhere(counts: readonly number[], isIn: (index: number) => boolean): number {
  return counts.reduce((sum, count, index) => (isIn(index) ? sum + count : sum), 0);
}
