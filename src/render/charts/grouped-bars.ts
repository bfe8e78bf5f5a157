import { isFigure } from "../text/display/index.ts";
import { type BarSeries, drawBarRows, drawZeroLine, sizeForRows } from "./bar-rows.ts";
import { type ChartOptions, DEFAULT_WIDTH, drawChart, drawEmptyChart } from "./frame.ts";

const LABEL = { width: 104, characters: 16 };
const VALUE_WIDTH = 62;

/**
 * Bars to the right of one axis at 0, for values that are not negative; an unknown value has no bar, and its number
 * says that it is unknown.
 */
export function groupedBars(
  groups: readonly string[],
  series: readonly BarSeries[],
  options: ChartOptions,
): string {
  if (groups.length === 0) return drawEmptyChart(options, "no groups");
  const { width = DEFAULT_WIDTH } = options;
  const sized = sizeForRows(options, groups.length, series.length);
  const largest = series
    .flatMap((one) => one.values)
    .reduce((most, value) => (isFigure(value) && value > most ? value : most), 0);
  const room = width - LABEL.width - VALUE_WIDTH;
  const rows = drawBarRows({
    groups,
    series,
    label: LABEL,
    place: (value) => {
      const length = largest > 0 && isFigure(value) ? Math.max(0, (value / largest) * room) : 0;
      const to = LABEL.width + length;
      return { from: LABEL.width, to, end: to };
    },
  });
  const legend = series.map(({ label, color }) => ({ label, color }));
  return drawChart(
    sized,
    `${legend.map((entry) => entry.label).join(" and ")} of ${groups.length} groups`,
    legend,
    [...rows, drawZeroLine(LABEL.width, sized.height)],
  );
}
