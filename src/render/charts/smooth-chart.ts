/**
 * Smoothed lines beside the values that they smooth.
 *
 * @module
 */
import { isFigure } from "../text/display/index.ts";
import type { ChartLine, ChartSpec, ChartValues } from "./chart-spec.ts";
import { median } from "./fold-chart.ts";

/**
 * The moving median of a line: at each x that has a value, the median of the known values among the `window` x around
 * it, fewer at the ends. A single spike moves it little, and it does not lag, as an exponential average does.
 *
 * @param window odd
 * @returns as many values; null where there was none
 */
export function movingMedian(values: ChartValues, window: number): ChartValues {
  const half = window >> 1;
  return values.map((value, at) => {
    if (!isFigure(value)) return null;
    const around = values.slice(Math.max(0, at - half), at + half + 1).filter(isFigure);
    return median(around.sort((a, b) => a - b));
  });
}

/** The chart with a smoothed line for each of its lines, which become faint; exports have both. */
export function smoothChart(spec: ChartSpec, window: number): ChartSpec {
  const own = spec.lines.map((line): ChartLine => ({ ...line, isBehind: true }));
  const smoothed = spec.lines.map(
    (line): ChartLine => ({
      ...line,
      label: `${line.label}, moving median of ${window} ${spec.xLabel}s`,
      values: movingMedian(line.values, window),
      smooths: line.label,
    }),
  );
  return { ...spec, lines: [...own, ...smoothed] };
}
