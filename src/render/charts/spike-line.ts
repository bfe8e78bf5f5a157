import { formatNumber, isFigure } from "../text/display/index.ts";
import { type ChartOptions, drawChart, drawEmptyChart, drawXAxis, drawYAxis, plotArea } from "./frame.ts";
import { PALETTE } from "./palette.ts";
import { exactScale, linearScale } from "./scale.ts";
import { element, pixel } from "./svg.ts";

export interface SpikeLineOptions extends ChartOptions {
  readonly unit: string;
  readonly xLabel: string;
  /** Indices of the marked values. */
  readonly spikes: readonly number[];
  /** An index marked with a line through the whole plot, and its label. */
  readonly mark?: { readonly at: number; readonly label: string } | undefined;
}

/** One value per index, from 0, with dots on the spikes; null is a gap. */
export function spikeLine(values: readonly (number | null)[], options: SpikeLineOptions): string {
  const { spikes, mark, unit, xLabel } = options;
  const known = values.filter(isFigure);
  if (known.length === 0) return drawEmptyChart(options, "no values");
  const plot = plotArea(options, true);
  const x = exactScale([0, Math.max(1, values.length - 1)], [plot.left + 6, plot.right - 6]);
  const y = linearScale([0, Math.max(...known)], [plot.bottom, plot.top], 4);
  const place = (at: number, value: number): string => `${pixel(x.map(at))} ${pixel(y.map(value))}`;
  let path = "";
  values.forEach((value, at) => {
    const follows = isFigure(values[at - 1]);
    if (isFigure(value)) path += `${follows ? "L" : "M"}${place(at, value)}`;
  });
  const dots = spikes.flatMap((at) => {
    const value = values[at];
    return isFigure(value)
      ? [element("circle", { cx: x.map(at), cy: y.map(value), r: 3, fill: PALETTE.orange })]
      : [];
  });
  const through =
    mark === undefined
      ? ""
      : element("path", {
          d: `M${pixel(x.map(mark.at))} ${plot.top}V${plot.bottom}`,
          stroke: PALETTE.purple,
          "stroke-width": 1.4,
          "stroke-dasharray": "5 3",
        });
  const legend = [
    { label: `KL, most ${formatNumber(Math.max(...known))}`, color: "blue" as const },
    { label: `spikes (${spikes.length})`, color: "orange" as const },
    ...(mark === undefined ? [] : [{ label: mark.label, color: "purple" as const, dashed: true }]),
  ];
  return drawChart(options, `${unit} by ${xLabel}, ${spikes.length} spikes`, legend, [
    drawYAxis(y, plot, unit),
    drawXAxis(x, plot, xLabel),
    through,
    element("path", { d: path, fill: "none", stroke: PALETTE.blue, "stroke-width": 1.4 }),
    ...dots,
  ]);
}
