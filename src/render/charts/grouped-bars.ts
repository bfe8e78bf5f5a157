import { type FigureKind, formatFigure, isFigure } from "../text/display/index.ts";
import {
  type ChartOptions,
  DEFAULT_WIDTH,
  drawChart,
  drawEmptyChart,
  fitLabel,
  withTooltip,
} from "./frame.ts";
import { PALETTE, type PaletteColour } from "./palette.ts";
import { element, textElement } from "./svg.ts";

export interface BarSeries {
  readonly label: string;
  readonly colour: PaletteColour;
  readonly kind: FigureKind;
  /** One value per group, not negative; NaN leaves the bar out. */
  readonly values: readonly number[];
}

const BAR = 11;
const GROUP_GAP = 8;
const TOP = 46;
const LABEL_CHARACTERS = 16;
const LABEL_WIDTH = 104;
const VALUE_WIDTH = 62;

/**
 * Horizontal bars, one row per group and one bar per series in it, each with its number: names of any length and
 * narrow pages both stay readable. All bars share one axis from 0; the height follows from the number of groups.
 */
export function groupedBars(
  groups: readonly string[],
  series: readonly BarSeries[],
  options: ChartOptions,
): string {
  const { width = DEFAULT_WIDTH } = options;
  const rowHeight = series.length * BAR + GROUP_GAP;
  const sized = { ...options, height: TOP + groups.length * rowHeight };
  const largest = series
    .flatMap((one) => one.values)
    .reduce((most, value) => (isFigure(value) && value > most ? value : most), 0);
  if (groups.length === 0) return drawEmptyChart(options, "no groups");
  const room = width - LABEL_WIDTH - VALUE_WIDTH;
  const rows = groups.map((group, index) => {
    const top = TOP + index * rowHeight;
    const label = fitLabel(group, LABEL_CHARACTERS);
    const middle = top + (series.length * BAR) / 2 + 4;
    const bars = series.map((one, at) => {
      const value = one.values[index] ?? Number.NaN;
      const length = largest > 0 && isFigure(value) ? Math.max(0, (value / largest) * room) : 0;
      const y = top + at * BAR;
      return (
        element("rect", {
          x: LABEL_WIDTH,
          y: y + 1,
          width: length,
          height: BAR - 2,
          fill: PALETTE[one.colour],
        }) +
        textElement(formatFigure(value, one.kind), {
          x: LABEL_WIDTH + length + 5,
          y: y + BAR - 1.5,
          "font-size": 10.5,
          fill: PALETTE.muted,
        })
      );
    });
    const told = series.map((one) => `${one.label} ${formatFigure(one.values[index], one.kind)}`).join(", ");
    return withTooltip(
      `${label.whole}: ${told}`,
      textElement(label.shown, { x: LABEL_WIDTH - 8, y: middle, "text-anchor": "end" }),
      ...bars,
    );
  });
  const foot = element("path", { d: `M${LABEL_WIDTH} ${TOP - 3}V${sized.height}`, stroke: PALETTE.muted });
  const legend = series.map(({ label, colour }) => ({ label, colour }));
  return drawChart(
    sized,
    `${legend.map((entry) => entry.label).join(" and ")} of ${groups.length} groups`,
    legend,
    [...rows, foot],
  );
}
