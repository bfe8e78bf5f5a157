import type { TailPoint } from "../../results/report.ts";
import { formatCount, formatPlain, formatPlainShare, formatShare } from "../text/display/index.ts";
import { type ChartOptions, drawChart, drawEmptyChart, drawXAxis, drawYAxis, plotArea } from "./frame.ts";
import { PALETTE, type PaletteColor } from "./palette.ts";
import { logScale, type Scale } from "./scale.ts";
import { element, pixel, tooltip } from "./svg.ts";

/** The extreme-token curve: share of tokens with |Δ| above a threshold, log-log, for all tokens and for each tail. */
export function tailChart(points: readonly TailPoint[], options: ChartOptions): string {
  const drawn = points.filter((point) => point.tokens > 0 && point.share > 0 && point.threshold > 0);
  const first = drawn[0];
  const last = drawn[drawn.length - 1];
  if (first === undefined || last === undefined)
    return drawEmptyChart(options, "no token is above a threshold");
  const plot = plotArea(options, true, 58);
  const perToken = first.share / first.tokens;
  const shares = drawn
    .flatMap((point) => [point.tokens, point.positive, point.negative])
    .filter((count) => count > 0);
  const least = shares.reduce((low, count) => Math.min(low, count), Number.POSITIVE_INFINITY) * perToken;
  const x = logScale([first.threshold, last.threshold], [plot.left, plot.right - 6]);
  const scale = logScale([least, first.share], [plot.bottom, plot.top], 5);
  const y = {
    map: scale.map,
    ticks: scale.ticks.map((tick) => ({ at: tick.at, label: formatPlainShare(Number(tick.label)) })),
  };
  const curves = [
    { label: "|Δ| > τ", color: "grey", count: (point: TailPoint) => point.tokens },
    { label: "Δ > τ", color: "orange", count: (point: TailPoint) => point.positive },
    { label: "Δ < −τ", color: "blue", count: (point: TailPoint) => point.negative },
  ] as const;
  const legend = curves.map(({ label, color, count }) => ({
    label: `${label}: ${formatCount(count(last))} above ${formatPlain(last.threshold)}`,
    color,
  }));
  const lines = curves.map(({ label, color, count }) =>
    drawCurve(
      drawn.map((point) => ({ threshold: point.threshold, tokens: count(point) })),
      label,
      color,
      perToken,
      x,
      y,
    ),
  );
  return drawChart(options, legend.map((entry) => entry.label).join("; "), legend, [
    drawYAxis(y, plot, "share of tokens"),
    drawXAxis(x, plot, "threshold τ, nats"),
    ...lines,
  ]);
}

function drawCurve(
  points: readonly { readonly threshold: number; readonly tokens: number }[],
  label: string,
  color: PaletteColor,
  perToken: number,
  x: Scale,
  y: Scale,
): string {
  const shown = points.filter((point) => point.tokens > 0);
  const at = shown.map((point) => [x.map(point.threshold), y.map(point.tokens * perToken)] as const);
  const path = at
    .map(([left, top], index) => `${index === 0 ? "M" : "L"}${pixel(left)} ${pixel(top)}`)
    .join("");
  const marks = shown.map((point, index) =>
    element(
      "circle",
      { cx: at[index]?.[0] ?? 0, cy: at[index]?.[1] ?? 0, r: 2.5, fill: PALETTE[color] },
      tooltip(
        `${label}, τ = ${formatPlain(point.threshold)}: ${formatCount(point.tokens)} (${formatShare(point.tokens * perToken)})`,
      ),
    ),
  );
  return (
    element("path", { d: path, fill: "none", stroke: PALETTE[color], "stroke-width": 1.6 }) + marks.join("")
  );
}
