import { isFigure } from "../text/display/index.ts";
import { type BarSeries, drawBarRows, drawZeroLine, sizeForRows } from "./bar-rows.ts";
import { type ChartOptions, DEFAULT_WIDTH, drawChart, drawEmptyChart } from "./frame.ts";

const LABEL = { width: 116, characters: 18 };
const VALUE_WIDTH = 66;

/** Bars on both sides of 0; an unknown value has neither bar nor number. */
export function signedBars(
  groups: readonly string[],
  series: readonly BarSeries[],
  options: ChartOptions,
): string {
  if (groups.length === 0) return drawEmptyChart(options, "no groups");
  const { width = DEFAULT_WIDTH } = options;
  const sized = sizeForRows(options, groups.length, series.length);
  const values = series.flatMap((one) => one.values).filter(isFigure);
  const low = Math.min(0, ...values);
  const high = Math.max(0, ...values);
  // The numbers of bars to the left of 0 stand between the bars and the names.
  const left = LABEL.width + (low < 0 ? VALUE_WIDTH : 0);
  const room = width - left - VALUE_WIDTH;
  const at = (value: number): number => left + (high > low ? ((value - low) / (high - low)) * room : 0);
  const rows = drawBarRows({
    groups,
    series,
    label: LABEL,
    place: (value) => {
      if (!isFigure(value)) return undefined;
      const [end, zero] = [at(value), at(0)];
      const anchor = value < 0 ? "end" : "start";
      return { from: Math.min(end, zero), to: Math.max(end, zero), end, anchor };
    },
  });
  const legend = series.length > 1 ? series.map(({ label, color }) => ({ label, color })) : [];
  return drawChart(
    sized,
    `${series.map((one) => one.label).join(" and ")} of ${groups.length} groups`,
    legend,
    [...rows, drawZeroLine(at(0), sized.height)],
  );
}
