/**
 * The layout of a line chart, for drawing it and for following a pointer over it.
 *
 * @module
 */
import { type ChartSpec, extent, readout, sayReadout } from "./chart-spec.ts";
import { type Plot, plotArea } from "./frame.ts";
import { type ExactScale, exactScale, linearScale, logScale, type Scale } from "./scale.ts";

export interface LineChartSize {
  readonly width?: number;
  /** Height without the legend's rows after the first. */
  readonly height?: number;
  /** Axes and lines alone, for a page that has its own heading, legend and crosshair. */
  readonly bare?: boolean;
}

/** An entry of the legend with its place. */
export interface PlacedLabel {
  readonly label: string;
  readonly left: number;
  readonly row: number;
}

export interface LineLayout {
  readonly width: number;
  /** Total height, including every row of the legend. */
  readonly height: number;
  readonly plot: Plot;
  readonly x: ExactScale;
  readonly y: Scale;
  /** Texts about each line and, last, the band; drawn unless the chart is bare. */
  readonly legend: readonly PlacedLabel[];
  /** Whether there is nothing to draw. */
  readonly isEmpty: boolean;
}

export const LEGEND_ROW = 16;
const CHARACTER = 6.1;
/** Width of a digit in figures, which are wider than text. */
const Y_CHARACTER = 7;
/** Approximate pixels between labels of the axes. */
const X_SPACE = 45;
const Y_SPACE = 25;
const MOST_X = 12;
/** Space between the ends of the plot and the first and last x. */
const INSET = 4;

/** The layout of a chart of any size; without values, that of an empty one from 0 to 1. */
export function lineLayout(
  spec: ChartSpec,
  { width = 640, height = 300, bare = false }: LineChartSize = {},
): LineLayout {
  const legend = placeLabels(saidOfLines(spec), width);
  const added = bare ? 0 : (legend.at(-1)?.row ?? 0) * LEGEND_ROW;
  const area = plotArea({ width, height: height + added, bare }, true);
  const [top, bottom] = [area.top + added, area.bottom];
  const values = spec.xs.length === 0 ? undefined : extent(spec);
  const y = yScale(spec, values, [bottom, top]);
  const widest = Math.max(...y.ticks.map(({ label }) => label.length));
  // Aligns the axes of stacked charts, unless figures are too wide for that.
  const left = Math.max(area.left, 8 + widest * Y_CHARACTER);
  const right = Math.max(area.right, left + 4 * INSET);
  const [first, last] = [spec.xs[0] ?? 0, spec.xs.at(-1) ?? 1];
  const x = exactScale(
    first === last ? [first - 1, last + 1] : [first, last],
    [left + INSET, right - INSET],
    Math.min(
      spec.mostTicks ?? MOST_X,
      (right - left) / Math.max(X_SPACE, 12 + String(last).length * Y_CHARACTER),
    ),
  );
  return {
    width,
    height: height + added,
    plot: { left, right, top, bottom },
    x,
    y,
    legend,
    isEmpty: values === undefined,
  };
}

/** The index in ascending `xs` of the value nearest to a pixel of the drawing; null if there is none. */
export function placeAt({ x }: LineLayout, xs: readonly number[], pixel: number): number | null {
  if (xs.length === 0) return null;
  const value = x.valueAt(pixel);
  let [low, high] = [0, xs.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (xs[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low > 0 && value - xs[low - 1]! <= xs[low]! - value ? low - 1 : low;
}

function yScale(
  spec: ChartSpec,
  values: readonly [number, number] | undefined,
  range: readonly [bottom: number, top: number],
): Scale {
  const ticks = Math.max(2, (range[0] - range[1]) / Y_SPACE);
  const [low, high] = values ?? (spec.scale === "log" ? [0.1, 1] : [0, 1]);
  if (spec.scale === "log") return logScale([low, high], range, ticks);
  const ends = spec.fromZero ? ([Math.min(0, low), Math.max(0, high)] as const) : ([low, high] as const);
  // Differences that are all 0 are drawn in the middle of the axis.
  const isFlat = spec.kind === "signed" && ends[0] === 0 && ends[1] === 0;
  // Shares that are all equal have no range of their own.
  const isShare = spec.kind === "share" || spec.kind === "near-one";
  const isFlatShare = isShare && low === high && low >= 0 && high <= 1;
  return linearScale(isFlat ? [-1, 1] : isFlatShare ? [0, 1] : ends, range, ticks);
}

function saidOfLines(spec: ChartSpec): string[] {
  const { lines, band } = spec;
  const said = lines.map(({ label, values }) => `${label}: ${sayReadout(readout(spec, values, null))}`);
  if (band === undefined) return said;
  const least = readout({ ...spec, extreme: "least" }, band.low, null).value;
  const most = readout({ ...spec, extreme: "most" }, band.high, null).value;
  return [...said, `${band.label}: ${least} to ${most}`];
}

/** Places labels in rows as wide as the picture. */
function placeLabels(labels: readonly string[], width: number): PlacedLabel[] {
  let [left, row] = [0, 0];
  return labels.map((label) => {
    const needed = 19 + label.length * CHARACTER + 16;
    if (left > 0 && left + needed - 16 > width) [left, row] = [0, row + 1];
    const placed = { label, left, row };
    left += needed;
    return placed;
  });
}
