/**
 * Charts with more x than pixels: each point stands for several consecutive x, with their median and extremes.
 *
 * @module
 */
import { isFigure } from "../text/display/index.ts";
import type { ChartSpec, ChartValues } from "./chart-spec.ts";

/** Width in pixels of a point that stands for several x. */
const POINT_WIDTH = 3;

/**
 * The chart as `pixels` of width can show it. With at most one x per pixel it is unchanged. Otherwise each point is the
 * median of equally many consecutive x (the last of fewer), with their smallest and largest value; missing values are
 * ignored.
 */
export function foldChart(spec: ChartSpec, pixels: number): ChartSpec {
  const { xs, lines, band } = spec;
  if (spec.fold !== undefined || xs.length <= pixels) return spec;
  const size = Math.ceil(xs.length / Math.max(1, Math.floor(pixels / POINT_WIDTH)));
  const groups = Array.from({ length: Math.ceil(xs.length / size) }, (_, at) => [
    at * size,
    Math.min(xs.length, (at + 1) * size),
  ]) as [from: number, to: number][];
  const spans = groups.map(([from, to]) => [xs[from]!, xs[to - 1]!] as const);
  const fold = (values: ChartValues, pick: (known: readonly number[]) => number): ChartValues =>
    groups.map(([from, to]) => {
      const known = values
        .slice(from, to)
        .filter(isFigure)
        .sort((a, b) => a - b);
      return known.length === 0 ? null : pick(known);
    });
  const least = (known: readonly number[]): number => known[0]!;
  const greatest = (known: readonly number[]): number => known.at(-1)!;
  return {
    ...spec,
    fold: { size, spans },
    xs: spans.map(([first, last]) => (first + last) / 2),
    lines: lines.map((line) => ({
      ...line,
      values: fold(line.values, median),
      ...(line.smooths === undefined && {
        ends: { low: fold(line.values, least), high: fold(line.values, greatest) },
      }),
    })),
    ...(band && { band: { ...band, low: fold(band.low, least), high: fold(band.high, greatest) } }),
  };
}

/** The median of ascending values: the mean of the middle two if their number is even. */
export function median(known: readonly number[]): number {
  const middle = known.length >> 1;
  return known.length % 2 === 1 ? known[middle]! : (known[middle - 1]! + known[middle]!) / 2;
}
