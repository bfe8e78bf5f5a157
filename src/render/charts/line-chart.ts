/**
 * Line charts as SVG: for the page, its exports and HTML reports.
 *
 * @module
 */
import { isFigure } from "../text/display/index.ts";
import type { ChartColor } from "./chart-colors.ts";
import { type ChartLine, type ChartSpec, type ChartValues, drawable, sayPoint } from "./chart-spec.ts";
import { foldChart } from "./fold-chart.ts";
import { drawChart, drawEmptyChart, drawXAxis, drawYAxis, type Plot } from "./frame.ts";
import { LEGEND_ROW, type LineChartSize, type LineLayout, lineLayout } from "./line-layout.ts";
import { PALETTE } from "./palette.ts";
import type { Scale } from "./scale.ts";
import { element, pixel, textElement, tooltip } from "./svg.ts";
import { drawPoints, drawZones } from "./zones.ts";

/** Values that share a column of pixels, where x are unevenly spaced: one, or the smallest and the largest. */
export interface Column {
  readonly at: number;
  low: number;
  high: number;
  /** Whether the smallest value comes before the largest. */
  rises: boolean;
}

/** x closer than this, in pixels, share a column. */
const LEAST_APART = 0.5;
/** From this distance in pixels on, points are marked and have tooltips. */
const MARKED_APART = 9;

/**
 * Lines over x in the frame of the report's pictures. With more x than pixels, a line is the median of several
 * consecutive x, in a band from the smallest to the largest of their values, so that no spike is lost. With few x, each
 * has a tooltip with all its values; bare charts leave that to their page. `layout` is the layout of this size, if
 * already computed.
 */
export function lineChart(
  whole: ChartSpec,
  size: LineChartSize = {},
  layout: LineLayout = lineLayout(whole, size),
): string {
  const spec = foldChart(whole, layout.plot.right - layout.plot.left);
  const { width, height, plot, x, y, legend, isEmpty } = layout;
  const { bare = false } = size;
  const options = { title: spec.title, width, height, bare };
  if (isEmpty) return drawEmptyChart(options, "no values");
  const places = spec.xs.map(x.map);
  const folded =
    spec.fold && `; each point is the median of ${spec.fold.size} ${spec.xLabel}s, within their extremes`;
  return drawChart(
    options,
    `${legend.map(({ label }) => label).join("; ")}; by ${spec.xLabel}${folded ?? ""}`,
    [],
    [
      drawZones(spec, layout),
      ...(bare ? [] : drawLegend(spec, layout)),
      drawYAxis(y, plot, bare ? "" : spec.scale === "log" ? `${spec.unit} log`.trim() : spec.unit),
      drawXAxis(
        x,
        plot,
        bare ? "" : spec.fold ? `${spec.xLabel}, median of ${spec.fold.size} in a band` : spec.xLabel,
      ),
      spec.band === undefined ? "" : drawBand(spec, spec.band, places, y),
      drawMarks(spec, layout),
      drawTicks(spec, layout),
      ...spec.lines.flatMap((line) => (line.ends ? [drawBand(spec, line.ends, places, y, line.color)] : [])),
      ...spec.lines.map((line) => drawLine(spec, line, places, layout)),
      drawPoints(whole, layout),
      bare ? "" : drawTold(spec, places, plot),
    ],
  );
}

/**
 * Folds the values at `places`, which are ascending pixels, into columns. A gap ends a piece, unless the line joins
 * gaps or the gap is too narrow to be seen.
 */
export function foldColumns(
  places: readonly number[],
  lows: ChartValues,
  highs: ChartValues,
  joins = false,
): Column[][] {
  const pieces: Column[][] = [];
  let column: Column | undefined;
  let isBroken = true;
  for (let index = 0; index < places.length; index++) {
    const at = places[index]!;
    const low = lows[index];
    const high = highs[index];
    if (!isFigure(low) || !isFigure(high)) {
      isBroken ||= !joins;
      continue;
    }
    if (column !== undefined && at - column.at < LEAST_APART) {
      if (low < column.low) {
        column.low = low;
        column.rises = false;
      }
      if (high > column.high) {
        column.high = high;
        column.rises = true;
      }
    } else {
      column = { at, low, high, rises: true };
      if (isBroken) pieces.push([column]);
      else pieces.at(-1)?.push(column);
    }
    isBroken = false;
  }
  return pieces;
}

function drawLine(
  spec: ChartSpec,
  line: ChartLine,
  places: readonly number[],
  { y, plot }: LineLayout,
): string {
  const values = drawable(line.values, spec.scale);
  const pieces = foldColumns(places, values, values, line.joins);
  const path = pieces.flatMap((piece) =>
    piece.map(({ at, low, high, rises }, index) => {
      const [first, second] = rises ? [low, high] : [high, low];
      const corner = `${index === 0 ? "M" : "L"}${tenth(at)} ${tenth(y.map(first))}`;
      return first === second ? corner : `${corner}V${tenth(y.map(second))}`;
    }),
  );
  const areMarked = isSparse(spec, plot) && !line.smooths;
  // A line through a single value has no length and needs a mark.
  const marks = pieces.flatMap((piece) => (areMarked || piece.length === 1 ? piece : []));
  return (
    element("path", {
      d: path.join(""),
      fill: "none",
      ...strokeAttributes(line),
      "stroke-width": line.color === "faint" || line.isBehind ? 1 : line.smooths ? 2 : 1.6,
      "stroke-linejoin": "round",
    }) +
    marks
      .filter(({ low, high }) => low === high)
      .map(({ at, low }) => element("circle", { cx: at, cy: y.map(low), r: 2.2, fill: PALETTE[line.color] }))
      .join("")
  );
}

/** The area between two lines, in as many pieces as gaps leave. */
function drawBand(
  spec: ChartSpec,
  { low, high }: Pick<NonNullable<ChartSpec["band"]>, "low" | "high">,
  places: readonly number[],
  y: Scale,
  color: ChartColor = firstColor(spec),
): string {
  const pieces = foldColumns(places, drawable(low, spec.scale), drawable(high, spec.scale));
  const corner = (at: number, value: number): string => `${tenth(at)} ${tenth(y.map(value))}`;
  const areas = pieces.map((piece) => {
    const there = piece.map((column) => corner(column.at, column.high));
    const back = piece.toReversed().map((column) => corner(column.at, column.low));
    return `M${[...there, ...back].join("L")}Z`;
  });
  return element("path", { d: areas.join(""), ...bandLook(color) });
}

/** A line up from the axis and a diamond at its foot, one for each x that has a mark. */
function drawMarks({ marks = [] }: ChartSpec, { x, plot: { top, bottom } }: LineLayout): string {
  const labels = new Map<number, string[]>();
  for (const { x: at, label } of marks) labels.set(at, [...(labels.get(at) ?? []), label]);
  return [...labels]
    .map(([at, told]) => {
      const place = tenth(x.map(at));
      return element(
        "g",
        { stroke: PALETTE.pink, fill: PALETTE.pink },
        tooltip(told.join("; ")),
        element("path", { d: `M${place} ${top}V${bottom}`, "stroke-dasharray": "3 3", "stroke-width": 1 }),
        element("path", { d: `M${place} ${bottom - 5}l5 5l-5 5l-5 -5Z`, "stroke-width": 1 }),
      );
    })
    .join("");
}

/** Short lines at the foot, thick enough to be seen where many x share a pixel. */
function drawTicks({ ticks = [] }: ChartSpec, { x, plot: { bottom } }: LineLayout): string {
  if (ticks.length === 0) return "";
  const places = [...new Set(ticks.map((tick) => tenth(x.map(tick.x))))];
  return element("path", {
    d: places.map((place) => `M${place} ${bottom}v-7`).join(""),
    stroke: PALETTE.orange,
    "stroke-width": 2,
  });
}

/** An area with a tooltip for each x, if the areas are wide enough to point at. */
function drawTold(spec: ChartSpec, places: readonly number[], plot: Plot): string {
  if (!isSparse(spec, plot)) return "";
  const { left, right, top, bottom } = plot;
  const areas = places.map((place, index) => {
    const from = index === 0 ? left : (places[index - 1]! + place) / 2;
    const to = index === places.length - 1 ? right : (place + places[index + 1]!) / 2;
    return element(
      "path",
      { d: `M${pixel(from)} ${top}H${pixel(to)}V${bottom}H${pixel(from)}Z` },
      tooltip(sayPoint(spec, index)),
    );
  });
  return element("g", { fill: "none", "pointer-events": "all" }, ...areas);
}

function drawLegend(spec: ChartSpec, { legend }: LineLayout): string[] {
  return legend.map(({ label, left, row }, index) => {
    const line = spec.lines[index];
    const baseline = 33 + row * LEGEND_ROW;
    const swatch =
      line === undefined
        ? element("rect", { x: left, y: baseline - 9, width: 14, height: 9, ...bandLook(firstColor(spec)) })
        : element("path", {
            d: `M${pixel(left)} ${baseline - 4}h14`,
            ...strokeAttributes(line),
            "stroke-width": 2.4,
          });
    return swatch + textElement(label, { x: left + 19, y: baseline, fill: PALETTE.muted });
  });
}

function isSparse({ xs }: ChartSpec, { left, right }: Plot): boolean {
  return xs.length * MARKED_APART <= right - left;
}

/** Rounds to tenths: lines have many coordinates. */
function tenth(value: number): string {
  return pixel(Math.round(value * 10) / 10);
}

function firstColor({ lines }: ChartSpec): ChartColor {
  return lines[0]?.color ?? "grey";
}

function bandLook(color: ChartColor): Readonly<Record<string, string | number>> {
  return {
    fill: PALETTE[color],
    "fill-opacity": 0.18,
    stroke: PALETTE[color],
    "stroke-opacity": 0.35,
    "stroke-width": 1,
  };
}

function strokeAttributes({
  color,
  dash = [],
  isBehind,
}: ChartLine): Readonly<Record<string, string | undefined>> {
  return {
    stroke: PALETTE[color],
    "stroke-dasharray": dash.length === 0 ? undefined : dash.join(" "),
    "stroke-opacity": isBehind ? "0.45" : undefined,
  };
}
