/**
 * The content of a line chart, without its looks: pages and reports draw it, and exports write its rows.
 *
 * @module
 */
import type { ReadingLevel } from "../../results/report.ts";
import { type FigureKind, formatFigure, isFigure } from "../text/display/index.ts";
import type { ChartColor } from "./chart-colors.ts";

export type ChartValues = readonly (number | null)[];

export interface ChartLine {
  readonly label: string;
  readonly color: ChartColor;
  readonly dash?: readonly number[];
  /** Whether the line continues through gaps, for charts where some x belong only to other lines. */
  readonly joins?: boolean;
  /** One per x; null is a gap, never 0. */
  readonly values: ChartValues;
  /** In a folded chart, the smallest and largest value among the x that a point stands for. */
  readonly ends?: { readonly low: ChartValues; readonly high: ChartValues };
  /** Drawn faintly, since another line smooths it. */
  readonly isBehind?: boolean;
  /** The label of the line that this one smooths. */
  readonly smooths?: string;
}

/** An x whose figure is beyond a limit. */
export interface ChartTick {
  readonly x: number;
  readonly label: string;
}

/** An event at an x, in words. */
export interface ChartMark {
  readonly x: number;
  readonly label: string;
}

/** The level that begins at this value of y and ends where the next one begins. */
export interface ChartZone {
  readonly from: number;
  readonly level: ReadingLevel;
}

/** A value of the first line that is marked with a dot, and with words if `label` is not empty. */
export interface ChartPoint {
  readonly x: number;
  readonly label: string;
}

export interface ChartSpec {
  /** Used in file names and keys. */
  readonly id: string;
  readonly title: string;
  /** `nats`, `tokens`; empty for plain numbers. */
  readonly unit: string;
  /** `step`. */
  readonly xLabel: string;
  /** Ascending. */
  readonly xs: readonly number[];
  readonly lines: readonly ChartLine[];
  /** An area behind the lines, with the color of the first one. */
  readonly band?: { readonly label: string; readonly low: ChartValues; readonly high: ChartValues };
  readonly scale: "linear" | "log";
  readonly kind: FigureKind;
  /** Whether linear axes start at 0, so that noise looks like noise; not for figures near 1, which would look flat. */
  readonly fromZero: boolean;
  /** Which extreme of a line gets a number; `furthest` from 0 for signed figures. */
  readonly extreme: "most" | "least" | "furthest";
  /** What happened at an x, marked on its axis; ascending. */
  readonly marks?: readonly ChartMark[];
  /** Bands behind the lines, lowest first; the axis reaches into the second. */
  readonly zones?: readonly ChartZone[];
  readonly points?: readonly ChartPoint[];
  /** The x beyond a limit, each drawn as a tick at the foot; ascending. */
  readonly ticks?: readonly ChartTick[];
  /**
   * Set if points stand for several x each (`foldChart`): the number of x per point, and the first and last x of each.
   */
  readonly fold?: { readonly size: number; readonly spans: readonly (readonly [number, number])[] };
  /** Approximate maximum number of labels on the x axis; default 12. */
  readonly mostTicks?: number;
  /** Pixels of the drawing on the page; default 168. */
  readonly height?: number;
}

/** The values that an axis can show; a logarithmic one shows only those above 0. */
export function drawable(values: ChartValues, scale: ChartSpec["scale"]): (number | null)[] {
  return values.map((value) => (isDrawable(value, scale) ? value : null));
}

export function isDrawable(value: number | null | undefined, scale: ChartSpec["scale"]): value is number {
  return isFigure(value) && (scale === "linear" || value > 0);
}

/** How many values a logarithmic axis leaves out. */
export function countUndrawn({ lines, scale }: ChartSpec): number {
  if (scale === "linear") return 0;
  return lines.reduce(
    (count, { values }) => count + values.filter((value) => isFigure(value) && value <= 0).length,
    0,
  );
}

/** The place of the extreme value, the first of several; undefined where there is none. */
function findExtreme(values: ChartValues, extreme: ChartSpec["extreme"]): number | undefined {
  let at: number | undefined;
  let most = Number.NEGATIVE_INFINITY;
  for (let index = 0; index < values.length; index++) {
    const value = values[index];
    if (!isFigure(value)) continue;
    const size = extreme === "most" ? value : extreme === "least" ? -value : Math.abs(value);
    if (size <= most) continue;
    most = size;
    at = index;
  }
  return at;
}

/** A number of a line, and what it is: `most`, `0.0172`, `at 30`. */
export interface Readout {
  readonly before: string;
  readonly value: string;
  readonly after: string;
}

/** The x at an index, in words: `step 30`; in a folded chart `steps 30–38`. */
export function sayX({ xs, xLabel, fold }: Pick<ChartSpec, "xs" | "xLabel" | "fold">, at: number): string {
  const [first, last] = fold?.spans[at] ?? [xs[at], xs[at]];
  return first === last ? `${xLabel} ${first}` : `${xLabel}s ${first}–${last}`;
}

/** The number shown for a line: its value at the crosshair, or its extreme and where that is. */
export function readout(
  { extreme, kind, xs }: Pick<ChartSpec, "extreme" | "kind" | "xs">,
  values: ChartValues,
  at: number | null,
): Readout {
  const place = at ?? findExtreme(values, extreme);
  const value = formatFigure(place === undefined ? null : values[place], kind);
  if (at !== null || place === undefined) return { before: "", value, after: "" };
  return { before: extreme, value, after: `at ${xs[place]}` };
}

/** Like {@link readout}; if a point stands for several x, their median with the extremes. */
export function readLine(spec: ChartSpec, { values, ends }: ChartLine, at: number | null): Readout {
  const read = readout(spec, values, at);
  if (at === null || ends === undefined || !isFigure(values[at])) return read;
  const [low, high] = [ends.low[at], ends.high[at]].map((end) => formatFigure(end, spec.kind));
  return { before: "median", value: read.value, after: `(${low} to ${high})` };
}

/** A readout as one text. */
export function sayReadout({ before, value, after }: Readout): string {
  return [before, value, after].filter((part) => part !== "").join(" ");
}

/** The whole chart at one point, in words. */
export function sayPoint(spec: ChartSpec, at: number): string {
  const told = spec.lines.map((line) => `${line.label} ${sayReadout(readLine(spec, line, at))}`);
  return [`${sayX(spec, at)}: ${told.join(", ")}`, ...marksAt(spec, at)].join("; ");
}

/** The labels of the marks at an index of x. */
export function marksAt({ marks = [], xs, fold }: ChartSpec, at: number): string[] {
  const [first, last] = fold?.spans[at] ?? [xs[at]!, xs[at]!];
  return marks.filter(({ x }) => x >= first && x <= last).map(({ label }) => label);
}

/** The index of the next x with a mark in a direction; undefined if there is none. */
export function nextMark(
  { marks = [], xs }: ChartSpec,
  at: number | null,
  forward: boolean,
): number | undefined {
  const places = marks.map(({ x }) => xs.indexOf(x)).filter((place) => place >= 0);
  if (at === null) return forward ? places[0] : places.at(-1);
  return forward ? places.find((place) => place > at) : places.findLast((place) => place < at);
}

/** The part of a chart between two x, both included; axes, extremes and exports then cover only that part. */
export function cutChart(spec: ChartSpec, [from, to]: readonly [number, number]): ChartSpec {
  const places = spec.xs.flatMap((x, index) => (x >= from && x <= to ? [index] : []));
  const cut = (values: ChartValues): ChartValues => places.map((place) => values[place] ?? null);
  return {
    ...spec,
    xs: places.map((place) => spec.xs[place]!),
    lines: spec.lines.map((line) => ({ ...line, values: cut(line.values) })),
    ...(spec.marks === undefined ? {} : { marks: spec.marks.filter(({ x }) => x >= from && x <= to) }),
    ...(spec.points === undefined ? {} : { points: spec.points.filter(({ x }) => x >= from && x <= to) }),
    ...(spec.ticks === undefined ? {} : { ticks: spec.ticks.filter(({ x }) => x >= from && x <= to) }),
    ...(spec.band === undefined
      ? {}
      : { band: { ...spec.band, low: cut(spec.band.low), high: cut(spec.band.high) } }),
  };
}

/** One row per x, as it is exported. */
export function chartRows(spec: ChartSpec): Readonly<Record<string, number | null>>[] {
  return spec.xs.map((x, index) => ({
    [spec.xLabel]: x,
    ...Object.fromEntries(spec.lines.map(({ label, values }) => [label, values[index] ?? null])),
    ...(spec.band === undefined
      ? {}
      : {
          [`${spec.band.label} low`]: spec.band.low[index] ?? null,
          [`${spec.band.label} high`]: spec.band.high[index] ?? null,
        }),
  }));
}

/** Smallest and largest drawable value, the band included; undefined where nothing can be drawn. */
export function extent({ lines, band, scale, zones = [] }: ChartSpec): readonly [number, number] | undefined {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const all = [...lines.map(({ values }) => values), ...(band === undefined ? [] : [band.low, band.high])];
  for (const values of all)
    for (const value of values) {
      if (!isDrawable(value, scale)) continue;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  if (low > high) return undefined;
  return [low, Math.max(high, zones[1]?.from ?? high)];
}
