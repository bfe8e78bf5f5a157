import { type Figure, formatColumn, formatNumber, isFigure } from "../text/display/index.ts";
import {
  type ChartOptions,
  drawChart,
  drawEmptyChart,
  drawXAxis,
  drawYAxis,
  fitLabel,
  plotArea,
} from "./frame.ts";
import { PALETTE, type PaletteColor } from "./palette.ts";
import { exactScale, linearScale } from "./scale.ts";
import { element, pixel, textElement, tooltip } from "./svg.ts";

/** A point of the line, in order of x. */
export interface IntervalPoint {
  readonly x: number;
  /** Shown in the tooltip: the checkpoint's name. */
  readonly name: string;
  readonly value: Figure;
  readonly low: Figure;
  readonly high: Figure;
}

/** A value that has no x: a horizontal line with its name. */
export interface Level {
  readonly label: string;
  readonly value: number;
}

export interface IntervalLineOptions extends ChartOptions {
  readonly label: string;
  readonly color: PaletteColor;
  readonly xLabel: string;
  readonly unit: string;
}

/** Distance by which names of close levels are moved apart. */
const LEVEL_LINE = 13;
const LEVEL_CHARACTERS = 32;

/** One line from 0 with the interval of each point as a band behind it, and levels to compare it with. */
export function intervalLine(
  points: readonly IntervalPoint[],
  levels: readonly Level[],
  options: IntervalLineOptions,
): string {
  const { color, label, unit, xLabel } = options;
  const known = points.filter((point) => isFigure(point.value));
  if (known.length === 0) return drawEmptyChart(options, "no values");
  const plot = plotArea(options, true);
  const values = [
    ...known.flatMap(({ value, low, high }) => [value, low, high]),
    ...levels.map(({ value }) => value),
  ].filter(isFigure);
  const x = exactScale(
    [Math.min(...known.map((point) => point.x)), Math.max(...known.map((point) => point.x))],
    [plot.left + 6, plot.right - 6],
  );
  const y = linearScale([Math.min(0, ...values), Math.max(...values)], [plot.bottom, plot.top], 4);
  const place = (at: number, value: number): string => `${pixel(x.map(at))} ${pixel(y.map(value))}`;
  const path = known.map(
    (point, index) => `${index === 0 ? "M" : "L"}${place(point.x, point.value as number)}`,
  );
  const bounded = known.filter(({ low, high }) => isFigure(low) && isFigure(high));
  const band = [
    ...bounded.map((point) => place(point.x, point.high as number)),
    ...bounded.toReversed().map((point) => place(point.x, point.low as number)),
  ].join("L");
  const drawn = [
    bounded.length < 2 ? "" : element("path", { d: `M${band}Z`, fill: PALETTE[color], "fill-opacity": 0.2 }),
    ...bounded.map((point) =>
      element("path", {
        d: `M${place(point.x, point.low as number)}L${place(point.x, point.high as number)}`,
        stroke: PALETTE[color],
        "stroke-opacity": 0.6,
      }),
    ),
    element("path", { d: path.join(""), fill: "none", stroke: PALETTE[color], "stroke-width": 1.8 }),
    ...known.map((point) =>
      element(
        "circle",
        { cx: x.map(point.x), cy: y.map(point.value as number), r: 3, fill: PALETTE[color] },
        tooltip(tell(point)),
      ),
    ),
    drawLevels(levels, (value) => y.map(value), plot.left, plot.right),
  ];
  const most = Math.max(...known.map((point) => point.value as number));
  const legend = [
    { label: `${label}, most ${formatNumber(most)}`, color },
    ...(bounded.length === 0 ? [] : [{ label: "band: 95 % interval", color }]),
    ...(levels.length === 0 ? [] : [{ label: "baseline", color: "grey" as const, dashed: true }]),
  ];
  const told = [
    ...known.map(tell),
    ...levels.map((level) => `${level.label} ${formatNumber(level.value)}`),
  ].join("; ");
  return drawChart(options, `${unit} by ${xLabel}: ${told}`, legend, [
    drawYAxis(y, plot, unit),
    drawXAxis(x, plot, xLabel),
    ...drawn,
  ]);
}

function tell({ name, value, low, high }: IntervalPoint): string {
  const interval =
    isFigure(low) && isFigure(high) ? ` (${formatColumn([low, high], "number").join(" to ")})` : "";
  return `${name} ${formatNumber(value)}${interval}`;
}

function drawLevels(
  levels: readonly Level[],
  toPixel: (value: number) => number,
  left: number,
  right: number,
): string {
  let free = Number.POSITIVE_INFINITY;
  return levels
    .toSorted((a, b) => a.value - b.value)
    .map(({ label, value }) => {
      const at = toPixel(value);
      const text = Math.min(at - 4, free - LEVEL_LINE);
      free = text;
      return (
        element("path", {
          d: `M${left} ${pixel(at)}H${right}`,
          stroke: PALETTE.grey,
          "stroke-width": 1.4,
          "stroke-dasharray": "5 3",
        }) +
        textElement(`${fitLabel(label, LEVEL_CHARACTERS).shown} ${formatNumber(value)}`, {
          x: right - 2,
          y: text,
          "text-anchor": "end",
          fill: PALETTE.muted,
        })
      );
    })
    .join("");
}
