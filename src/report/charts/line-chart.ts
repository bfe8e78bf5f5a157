import { formatNumber, isFigure } from "../format.ts";
import {
  type ChartOptions,
  drawChart,
  drawEmptyChart,
  drawXAxis,
  drawYAxis,
  type Plot,
  plotArea,
} from "./frame.ts";
import { PALETTE, type PaletteColour } from "./palette.ts";
import { exactScale, linearScale, logScale, type Scale } from "./scale.ts";
import { element, pixel, tooltip } from "./svg.ts";

export interface LineSeries {
  readonly label: string;
  readonly colour: PaletteColour;
  readonly dashed?: boolean;
  /** One value per x; NaN leaves a gap. */
  readonly values: readonly number[];
}

export interface LineChartOptions extends ChartOptions {
  /** What x is, for instance `step`. */
  readonly xLabel: string;
  /** Unit of the values, for instance `nats`. */
  readonly unit: string;
  /** Linear axes start at 0, so that noise looks like noise. */
  readonly scale?: "linear" | "log";
}

/** A column of a line: mean of its values and their extremes. */
interface Bin {
  readonly x: number;
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

/** A bin is at least this many pixels wide. */
const LEAST_BIN = 3;
/** Up to so many points each is marked and answers to the pointer. */
const MOST_MARKED = 60;

/**
 * Lines over x. Where there are more values than pixels, a line is the mean of each column of pixels and a band behind
 * it reaches from their minimum to their maximum, so that no spike is averaged away.
 */
export function lineChart(
  xs: readonly number[],
  series: readonly LineSeries[],
  options: LineChartOptions,
): string {
  const plot = plotArea(options, true);
  const isLog = options.scale === "log";
  const values = series
    .flatMap((one) => one.values)
    .filter((value) => isFigure(value) && (!isLog || value > 0));
  const known = xs.filter(isFigure);
  if (values.length === 0 || known.length === 0) return drawEmptyChart(options, "no values");
  const x = exactScale(endsOf(known), [plot.left + 4, plot.right - 4]);
  const [low, high] = endsOf(values);
  const y = isLog
    ? logScale([low, high], [plot.bottom, plot.top], 5)
    : linearScale([Math.min(0, low), high], [plot.bottom, plot.top], 4);
  const legend = series.map(({ label, colour, values: own, dashed }) => {
    const most = own.reduce(
      (top, value) => (isFigure(value) && value > top ? value : top),
      Number.NEGATIVE_INFINITY,
    );
    return {
      label: `${label}, most ${formatNumber(isFigure(most) ? most : Number.NaN)}`,
      colour,
      dashed: dashed ?? false,
    };
  });
  const drawn = series.map((one) => drawSeries(one, xs, x, y, plot, isLog, options.xLabel));
  return drawChart(
    options,
    `${legend.map((entry) => entry.label).join("; ")}; by ${options.xLabel}`,
    legend,
    [drawYAxis(y, plot, options.unit), drawXAxis(x, plot, options.xLabel), ...drawn],
  );
}

function drawSeries(
  series: LineSeries,
  xs: readonly number[],
  x: Scale,
  y: Scale,
  plot: Plot,
  isLog: boolean,
  xLabel: string,
): string {
  const usable = series.values.map((value) =>
    isFigure(value) && (!isLog || value > 0) ? value : Number.NaN,
  );
  const bins = foldPoints(xs, usable, Math.floor((plot.right - plot.left) / LEAST_BIN));
  const colour = PALETTE[series.colour];
  const isFolded = bins.length < xs.length;
  const line = element("path", {
    d: linePath(bins, x, y),
    fill: "none",
    stroke: colour,
    "stroke-width": 1.6,
    "stroke-linejoin": "round",
    "stroke-dasharray": series.dashed ? "4 3" : undefined,
  });
  const band = isFolded ? bandPath(bins, x, y) : "";
  return (
    (band === "" ? "" : element("path", { d: band, fill: colour, "fill-opacity": 0.25 })) +
    line +
    (isFolded || xs.length > MOST_MARKED ? "" : drawMarks(bins, series, x, y, xLabel))
  );
}

function drawMarks(bins: readonly Bin[], series: LineSeries, x: Scale, y: Scale, xLabel: string): string {
  return bins
    .filter((bin) => isFigure(bin.mean))
    .map((bin) =>
      element(
        "circle",
        { cx: x.map(bin.x), cy: y.map(bin.mean), r: 2.5, fill: PALETTE[series.colour] },
        tooltip(`${xLabel} ${bin.x}: ${series.label} ${formatNumber(bin.mean)}`),
      ),
    )
    .join("");
}

/** Folds points in x order into at most `most` columns of equal count. */
export function foldPoints(xs: readonly number[], values: readonly number[], most: number): Bin[] {
  const columns = Math.min(most, xs.length);
  return Array.from({ length: columns }, (_, column) => {
    const from = Math.floor((column * xs.length) / columns);
    const to = Math.floor(((column + 1) * xs.length) / columns);
    let [sum, count, low, high] = [0, 0, Number.NaN, Number.NaN];
    for (let index = from; index < to; index++) {
      const value = values[index] ?? Number.NaN;
      if (Number.isNaN(value)) continue;
      sum += value;
      count += 1;
      if (!(value >= low)) low = value;
      if (!(value <= high)) high = value;
    }
    const middle = xs[Math.floor((from + to - 1) / 2)] ?? Number.NaN;
    return { x: middle, mean: count === 0 ? Number.NaN : sum / count, low, high };
  });
}

function linePath(bins: readonly Bin[], x: Scale, y: Scale): string {
  let path = "";
  let pen = "M";
  for (const bin of bins) {
    if (Number.isNaN(bin.mean) || !isFigure(bin.x)) {
      pen = "M";
      continue;
    }
    path += `${pen}${pixel(x.map(bin.x))} ${pixel(y.map(bin.mean))}`;
    pen = "L";
  }
  return path;
}

function bandPath(bins: readonly Bin[], x: Scale, y: Scale): string {
  const known = bins.filter((bin) => !Number.isNaN(bin.mean) && isFigure(bin.x));
  const point = (bin: Bin, value: number): string => `${pixel(x.map(bin.x))} ${pixel(y.map(value))}`;
  const there = known.map((bin) => point(bin, bin.high));
  const back = [...known].reverse().map((bin) => point(bin, bin.low));
  return there.length === 0 ? "" : `M${[...there, ...back].join("L")}Z`;
}

function endsOf(values: readonly number[]): readonly [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}
