import type { SeriesFigures } from "../../results/series.ts";
import type { ChartLine, ChartSpec } from "../charts/chart-spec.ts";
import { chooseScale } from "../terminal/bars.ts";

const LEVELS = ["elevated", "high", "broken"] as const;
const LOOKS = {
  elevated: { color: "gold", dash: [2, 3] },
  high: { color: "orange", dash: [6, 3] },
  broken: { color: "pink", dash: [8, 3, 2, 3] },
} as const;

/** The values over the steps, with a line for each baseline that they exceed, and for the next one. */
export function toChart(series: SeriesFigures, id: string, title: string): ChartSpec {
  const { unit, steps, values, worse, figure } = series;
  const finite = values.filter((value) => value !== null);
  const isSmaller = worse === "smaller";
  const isWide = finite.every((value) => value > 0) && chooseScale(finite) === "log";
  return {
    id,
    title,
    unit,
    xLabel: "step",
    xs: steps,
    lines: [{ label: "logged", color: "blue", values }, ...baselineLines(series, finite)],
    scale: isWide && !isSmaller ? "log" : "linear",
    kind: figure === "pearson" || figure === "ess" ? "near-one" : worse === "away" ? "signed" : "number",
    fromZero: !isSmaller && figure !== "ratio_mean",
    extreme: isSmaller ? "least" : worse === "away" ? "furthest" : "most",
    height: 240,
  };
}

function baselineLines(
  { thresholds, worse, steps, figure }: SeriesFigures,
  finite: readonly number[],
): ChartLine[] {
  if (thresholds === null || finite.length === 0) return [];
  // A ratio's limits are those on the side of its worst value.
  const isSmaller = worse === "smaller" || (figure === "ratio_mean" && (thresholds.high ?? 1) < 1);
  const worst = isSmaller ? Math.min(...finite) : Math.max(...finite);
  const lines: ChartLine[] = [];
  for (const level of LEVELS) {
    const value = thresholds[level];
    if (value === null) continue;
    lines.push({ label: level, ...LOOKS[level], values: steps.map(() => value) });
    // The first baseline not exceeded shows the distance to it; further ones would flatten the line.
    if (isSmaller ? worst > value : worst < value) break;
  }
  return lines;
}
