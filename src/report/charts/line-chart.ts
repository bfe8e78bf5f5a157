/**
 * Charts of lines as SVG: the page's exports and the HTML reports.
 *
 * @module
 */
import { isFigure } from "../display.ts";
import type { ChartColour } from "./chart-colours.ts";
import {
  type ChartLine,
  type ChartSpec,
  type ChartValues,
  drawable,
  extent,
  isolated,
  readout,
  sayPoint,
  sayReadout,
} from "./chart-spec.ts";
import { drawChart, drawEmptyChart, drawXAxis, drawYAxis, type Plot, plotArea } from "./frame.ts";
import { PALETTE } from "./palette.ts";
import { exactScale, linearScale, logScale, type Scale } from "./scale.ts";
import { element, pixel, textElement, tooltip } from "./svg.ts";

export interface LineChartSize {
  readonly width?: number;
  /** Without the rows of the legend beyond the first. */
  readonly height?: number;
}

/** A column of a line: mean of its values and their extremes. */
interface Bin {
  readonly x: number;
  readonly mean: number;
  readonly low: number;
  readonly high: number;
}

const ENTRY = 16;
const CHARACTER = 6.1;
/** Of figures, which are wider than text. */
const Y_CHARACTER = 7;
/** Where values are closer than this many pixels, a line is their mean and a band their extremes. */
const LEAST_BIN = 3;
/** Up to so many x each has its points marked and answers to the pointer. */
const MOST_MARKED = 60;

/**
 * Lines over x in the frame of the report's pictures. Where there are more values than pixels, a line is the mean of
 * each column of pixels and a band behind it reaches from their minimum to their maximum, so that no spike is averaged
 * away. Where there are few, each x tells all its values to the pointer.
 */
export function lineChart(spec: ChartSpec, { width = 640, height = 300 }: LineChartSize = {}): string {
  const rows = legendRows(
    [
      ...spec.lines.map((line) => `${line.label}: ${sayReadout(readout(spec, line.values, null))}`),
      ...(spec.band === undefined ? [] : [sayBand(spec, spec.band)]),
    ],
    width,
  );
  const legendHeight = (rows.at(-1)?.row ?? 0) * ENTRY;
  const options = { title: spec.title, width, height: height + legendHeight };
  const ends = extent(spec);
  const [first, last] = [spec.xs[0], spec.xs.at(-1)];
  if (ends === undefined || first === undefined || last === undefined)
    return drawEmptyChart(options, "no values");
  const area = plotArea(options, true);
  const y = yScale(spec, ends, [area.bottom, area.top + legendHeight]);
  const widest = Math.max(...y.ticks.map(({ label }) => label.length));
  const plot = { ...area, top: area.top + legendHeight, left: Math.max(30, 10 + widest * Y_CHARACTER) };
  const x = exactScale([first, last], [plot.left + 4, plot.right - 4], width < 480 ? 4 : 6);
  const entries = rows.map(({ label, left, row }, index) => {
    const line = spec.lines[index];
    const baseline = 33 + row * ENTRY;
    const swatch =
      line === undefined
        ? element("rect", { x: left, y: baseline - 9, width: 14, height: 9, ...bandLook(firstColour(spec)) })
        : element("path", {
            d: `M${pixel(left)} ${baseline - 4}h14`,
            ...strokeOf(line),
            "stroke-width": 2.4,
          });
    return swatch + textElement(label, { x: left + 19, y: baseline, fill: PALETTE.muted });
  });
  return drawChart(
    options,
    `${rows.map(({ label }) => label).join("; ")}; by ${spec.xLabel}`,
    [],
    [
      ...entries,
      drawYAxis(y, plot, spec.scale === "log" ? `${spec.unit} log`.trim() : spec.unit),
      drawXAxis(x, plot, spec.xLabel),
      spec.band === undefined ? "" : drawBand(spec.xs, spec.band, firstColour(spec), x, y),
      ...spec.lines.map((line) => drawLine(spec, line, x, y, plot.right - plot.left)),
      drawColumns(spec, x, plot),
    ],
  );
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

function yScale(
  { scale, fromZero }: ChartSpec,
  [low, high]: readonly [number, number],
  range: readonly [number, number],
): Scale {
  if (scale === "log") return logScale([low, high], range, 5);
  return linearScale(fromZero ? [Math.min(0, low), Math.max(0, high)] : [low, high], range, 4);
}

function drawLine(spec: ChartSpec, line: ChartLine, x: Scale, y: Scale, room: number): string {
  const values = drawable(line.values, spec.scale).map((value) => value ?? Number.NaN);
  const bins = foldPoints(spec.xs, values, Math.floor(room / LEAST_BIN));
  const isFolded = bins.length < spec.xs.length;
  const at = bins.map((bin) => ({ x: x.map(bin.x), y: Number.isNaN(bin.mean) ? null : y.map(bin.mean) }));
  const spread = isFolded
    ? drawBand(
        bins.map(({ x: place }) => place),
        { low: bins.map(({ low }) => low), high: bins.map(({ high }) => high) },
        line.colour,
        x,
        y,
      )
    : "";
  const path = element("path", {
    d: pathOf(line.joins ? at.filter((point) => point.y !== null) : at),
    fill: "none",
    ...strokeOf(line),
    "stroke-width": 1.6,
    "stroke-linejoin": "round",
  });
  const alone = new Set(isolated(at.map((point) => point.y)));
  const marks = at
    .filter((point, index) => point.y !== null && (spec.xs.length <= MOST_MARKED || alone.has(index)))
    .map((point) => element("circle", { cx: point.x, cy: point.y ?? 0, r: 2.2, fill: PALETTE[line.colour] }))
    .join("");
  return spread + path + marks;
}

function pathOf(points: readonly { readonly x: number; readonly y: number | null }[]): string {
  let pen = "M";
  let path = "";
  for (const point of points) {
    if (point.y === null) {
      pen = "M";
      continue;
    }
    path += `${pen}${pixel(point.x)} ${pixel(point.y)}`;
    pen = "L";
  }
  return path;
}

/** The area between two lines, in as many pieces as gaps leave. */
function drawBand(
  xs: readonly number[],
  { low, high }: { readonly low: ChartValues; readonly high: ChartValues },
  colour: ChartColour,
  x: Scale,
  y: Scale,
): string {
  const pieces: string[] = [];
  let [there, back]: [string[], string[]] = [[], []];
  const close = (): void => {
    if (there.length > 0) pieces.push(`M${[...there, ...back.toReversed()].join("L")}Z`);
    [there, back] = [[], []];
  };
  for (const [index, place] of xs.entries()) {
    const [bottom, top] = [low[index], high[index]];
    if (!isFigure(bottom) || !isFigure(top)) {
      close();
      continue;
    }
    there.push(`${pixel(x.map(place))} ${pixel(y.map(top))}`);
    back.push(`${pixel(x.map(place))} ${pixel(y.map(bottom))}`);
  }
  close();
  return element("path", { d: pieces.join(""), ...bandLook(colour) });
}

/** A column for each x that tells its values, where columns are wide enough to be pointed at. */
function drawColumns(spec: ChartSpec, x: Scale, { left, right, top, bottom }: Plot): string {
  if (spec.xs.length > MOST_MARKED) return "";
  const places = spec.xs.map((place) => x.map(place));
  const columns = places.map((place, index) => {
    const from = index === 0 ? left : ((places[index - 1] as number) + place) / 2;
    const to = index === places.length - 1 ? right : (place + (places[index + 1] as number)) / 2;
    return element(
      "path",
      { d: `M${pixel(from)} ${top}H${pixel(to)}V${bottom}H${pixel(from)}Z` },
      tooltip(sayPoint(spec, index)),
    );
  });
  return element("g", { fill: "none", "pointer-events": "all" }, ...columns);
}

function firstColour({ lines }: ChartSpec): ChartColour {
  return lines[0]?.colour ?? "grey";
}

function sayBand(spec: ChartSpec, { label, low, high }: NonNullable<ChartSpec["band"]>): string {
  const least = readout({ ...spec, extreme: "least" }, low, null).value;
  const most = readout({ ...spec, extreme: "most" }, high, null).value;
  return `${label}: ${least} to ${most}`;
}

function bandLook(colour: ChartColour): Readonly<Record<string, string | number>> {
  return {
    fill: PALETTE[colour],
    "fill-opacity": 0.18,
    stroke: PALETTE[colour],
    "stroke-opacity": 0.35,
    "stroke-width": 1,
  };
}

function strokeOf({ colour, dash = [] }: ChartLine): Readonly<Record<string, string | undefined>> {
  return {
    stroke: PALETTE[colour],
    "stroke-dasharray": dash.length === 0 ? undefined : dash.join(" "),
  };
}

/** Legend entries in rows as wide as the picture. */
function legendRows(
  labels: readonly string[],
  width: number,
): { label: string; left: number; row: number }[] {
  let [left, row] = [0, 0];
  return labels.map((label) => {
    const needed = 19 + label.length * CHARACTER + 16;
    if (left > 0 && left + needed - 16 > width) [left, row] = [0, row + 1];
    const placed = { label, left, row };
    left += needed;
    return placed;
  });
}
