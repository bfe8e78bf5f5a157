import { formatFigure, isFigure } from "../text/display/index.ts";
import {
  type ChartOptions,
  DEFAULT_WIDTH,
  drawChart,
  drawEmptyChart,
  fitLabel,
  withTooltip,
} from "./frame.ts";
import type { BarSeries } from "./grouped-bars.ts";
import { PALETTE } from "./palette.ts";
import { element, textElement } from "./svg.ts";

const BAR = 11;
const GROUP_GAP = 8;
const TOP = 46;
const LABEL_CHARACTERS = 18;
const LABEL_WIDTH = 116;
const VALUE_WIDTH = 66;

/** Horizontal bars to both sides of 0, one row per group and one bar per series in it, each with its number. */
export function signedBars(
  groups: readonly string[],
  series: readonly BarSeries[],
  options: ChartOptions,
): string {
  if (groups.length === 0) return drawEmptyChart(options, "no groups");
  const { width = DEFAULT_WIDTH } = options;
  const values = series.flatMap((one) => one.values).filter(isFigure);
  const low = Math.min(0, ...values);
  const high = Math.max(0, ...values);
  const left = LABEL_WIDTH + (low < 0 ? VALUE_WIDTH : 0);
  const room = width - left - VALUE_WIDTH;
  const at = (value: number): number => left + (high > low ? ((value - low) / (high - low)) * room : 0);
  const rowHeight = series.length * BAR + GROUP_GAP;
  const sized = { ...options, height: TOP + groups.length * rowHeight };
  const rows = groups.map((group, index) => {
    const top = TOP + index * rowHeight;
    const label = fitLabel(group, LABEL_CHARACTERS);
    const bars = series.map((one, place) => {
      const value = one.values[index] ?? Number.NaN;
      if (!isFigure(value)) return "";
      const y = top + place * BAR;
      const end = at(value);
      return (
        element("rect", {
          x: Math.min(end, at(0)),
          y: y + 1,
          width: Math.abs(end - at(0)),
          height: BAR - 2,
          fill: PALETTE[one.colour],
        }) +
        textElement(formatFigure(value, one.kind), {
          x: value < 0 ? end - 5 : end + 5,
          y: y + BAR - 1.5,
          "text-anchor": value < 0 ? "end" : "start",
          "font-size": 10.5,
          fill: PALETTE.muted,
        })
      );
    });
    const told = series.map((one) => `${one.label} ${formatFigure(one.values[index], one.kind)}`).join(", ");
    return withTooltip(
      `${label.whole}: ${told}`,
      textElement(label.shown, {
        x: LABEL_WIDTH - 8,
        y: top + (series.length * BAR) / 2 + 4,
        "text-anchor": "end",
      }),
      ...bars,
    );
  });
  const axis = element("path", { d: `M${at(0)} ${TOP - 3}V${sized.height}`, stroke: PALETTE.muted });
  const legend = series.length > 1 ? series.map(({ label, colour }) => ({ label, colour })) : [];
  return drawChart(
    sized,
    `${series.map((one) => one.label).join(" and ")} of ${groups.length} groups`,
    legend,
    [...rows, axis],
  );
}
