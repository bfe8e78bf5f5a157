/**
 * Charts of lines as SVG, in the frame of the report's pictures.
 *
 * @module
 */
import {
  drawChart,
  drawEmptyChart,
  drawXAxis,
  drawYAxis,
  plotArea,
} from "../../../src/report/charts/frame.ts";
import { foldPoints } from "../../../src/report/charts/line-chart.ts";
import { exactScale, linearScale, logScale, type Scale } from "../../../src/report/charts/scale.ts";
import { element, pixel, textElement } from "../../../src/report/charts/svg.ts";
import { CHART_COLOURS, type ChartColour } from "./chart-colours.ts";
import {
  type ChartLine,
  type ChartSpec,
  type ChartValues,
  drawable,
  extent,
  isolated,
  readout,
  sayReadout,
} from "./chart-spec.ts";

const WIDTH = 640;
const ENTRY = 16;
const CHARACTER = 6.1;
/** Where values are closer than this many pixels, a line is their mean and a band their extremes. */
const LEAST_BIN = 3;
const MOST_MARKED = 60;

export function chartSvg(spec: ChartSpec): string {
  const rows = legendRows(
    spec.lines.map((line) => `${line.label}: ${sayReadout(readout(spec, line.values, null))}`),
  );
  const legendHeight = (rows.at(-1)?.row ?? 0) * ENTRY;
  const options = { title: spec.title, width: WIDTH, height: 300 + legendHeight };
  const ends = extent(spec);
  const [first, last] = [spec.xs[0], spec.xs.at(-1)];
  if (ends === undefined || first === undefined || last === undefined)
    return drawEmptyChart(options, "no values");
  const area = plotArea(options, true, 62);
  const plot = { ...area, top: area.top + legendHeight };
  const x = exactScale([first, last], [plot.left + 4, plot.right - 4]);
  const y = yScale(spec, ends, [plot.bottom, plot.top]);
  const entries = rows.map(({ label, left, row }, index) => {
    const line = spec.lines[index] as ChartLine;
    const baseline = 33 + row * ENTRY;
    return (
      element("path", { d: `M${pixel(left)} ${baseline - 4}h14`, ...strokeOf(line), "stroke-width": 2.4 }) +
      textElement(label, { x: left + 19, y: baseline, fill: "#5c626b" })
    );
  });
  const band =
    spec.band === undefined ? "" : drawBand(spec.xs, spec.band, spec.lines[0]?.colour ?? "grey", x, y);
  return drawChart(
    options,
    rows.map(({ label }) => label).join("; "),
    [],
    [
      ...entries,
      drawYAxis(y, plot, spec.unit),
      drawXAxis(x, plot, spec.xLabel),
      band,
      ...spec.lines.map((line) => drawLine(spec, line, x, y, plot.right - plot.left)),
    ],
  );
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
    .map((point) =>
      element("circle", { cx: point.x, cy: point.y ?? 0, r: 2.2, fill: CHART_COLOURS[line.colour].paper }),
    )
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
    const [bottom, top] = [low[index] ?? Number.NaN, high[index] ?? Number.NaN];
    if (Number.isNaN(bottom) || Number.isNaN(top)) {
      close();
      continue;
    }
    there.push(`${pixel(x.map(place))} ${pixel(y.map(top))}`);
    back.push(`${pixel(x.map(place))} ${pixel(y.map(bottom))}`);
  }
  close();
  return element("path", {
    d: pieces.join(""),
    fill: CHART_COLOURS[colour].paper,
    "fill-opacity": 0.18,
    stroke: CHART_COLOURS[colour].paper,
    "stroke-opacity": 0.35,
    "stroke-width": 1,
  });
}

function strokeOf({ colour, dash = [] }: ChartLine): {
  stroke: string;
  "stroke-dasharray": string | undefined;
} {
  return {
    stroke: CHART_COLOURS[colour].paper,
    "stroke-dasharray": dash.length === 0 ? undefined : dash.join(" "),
  };
}

/** Legend entries in rows as wide as the picture. */
function legendRows(labels: readonly string[]): { label: string; left: number; row: number }[] {
  let [left, row] = [0, 0];
  return labels.map((label) => {
    const width = 19 + label.length * CHARACTER + 16;
    if (left > 0 && left + width > WIDTH) [left, row] = [0, row + 1];
    const placed = { label, left, row };
    left += width;
    return placed;
  });
}
