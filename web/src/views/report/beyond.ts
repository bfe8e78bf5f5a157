import { readFigure } from "../../../../src/analyses/assessment/index.ts";
import { type ChartTick, type SliceBy, stepCharts } from "../../../../src/render/charts/index.ts";
import { formatNumber } from "../../../../src/render/text/display/index.ts";
import { printable } from "../../../../src/render/text/index.ts";
import { runMetric } from "../../../../src/results/metrics/run-metrics.ts";
import type { StepSeries } from "../../../../src/results/view.ts";

/** Figures with a published baseline. */
const HELD = ["delta_abs_mean", "k3", "ess"] as const;

/** What is drawn of them; k3 has a chart of its own only if groups are drawn. */
const LINES = HELD.flatMap((metric) => {
  const { label, chart, worse } = runMetric(metric);
  const line = { metric, line: chart?.line ?? label, side: worse === "less" ? "below" : "above" };
  return [...(metric === "k3" ? ["kl"] : []), chart!.id!].map((id) => ({ ...line, chart: id }));
});

/** The steps whose figure, or a group's figure, is high by the published baseline. */
export interface Beyond {
  /** Ascending. */
  readonly ticks: readonly (ChartTick & {
    readonly value: number;
    /** The worst group, if groups are drawn. */
    readonly group?: string;
  })[];
  /** `below 0.3`. */
  readonly limit: string;
  readonly band: string;
  readonly source: string;
  /** Every step that has a figure, ascending. */
  readonly steps: readonly number[];
}

/**
 * By chart; charts without such a step are left out.
 *
 * @param by the groups that are drawn; null: the run
 */
export function findBeyond(data: StepSeries, by: SliceBy | null = null): ReadonlyMap<string, Beyond> {
  const { charts } = stepCharts(data, by, "linear");
  return new Map(
    LINES.flatMap(({ chart, metric, line, side }) => {
      const id = by === null ? chart : `${chart}-by-${by}`;
      const { xs = [], lines = [] } = charts.find((one) => one.id === id) ?? {};
      const drawn = lines.filter(({ label }) => by !== null || label === line);
      let limit = "";
      let said = { band: "", source: "" };
      const ticks = xs.flatMap((x, at) => {
        const [furthest] = drawn
          .flatMap(({ label, values }) => {
            const value = values[at] ?? null;
            return value === null ? [] : [{ value, ...(by !== null && { group: printable(label) }) }];
          })
          .sort((a, b) => (side === "above" ? b.value - a.value : a.value - b.value));
        const reading = furthest && readFigure(metric, furthest.value);
        if (reading?.level !== "high" && reading?.level !== "broken") return [];
        limit = `${side} ${formatNumber(reading.thresholds.high)}`;
        said = reading;
        const { value, group } = furthest!;
        const where = group === undefined ? `step ${x}` : `step ${x}, ${group}`;
        return [{ ...furthest!, x, label: `${where}: ${formatNumber(value)}, ${limit}` }];
      });
      const { band, source } = said;
      return ticks.length === 0 ? [] : [[id, { ticks, limit, band, source, steps: xs }] as const];
    }),
  );
}

/** `step:10..30,50`: the chosen steps as a filter; steps that are consecutive among all become a range. */
export function stepTerm(all: readonly number[], chosen: readonly number[]): string {
  const wanted = new Set(chosen);
  const ranges: [first: number, last: number][] = [];
  let isOpen = false;
  for (const step of all) {
    const range = ranges.at(-1);
    if (!wanted.has(step)) isOpen = false;
    else if (isOpen && range !== undefined) range[1] = step;
    else {
      ranges.push([step, step]);
      isOpen = true;
    }
  }
  return `step:${ranges.map(([first, last]) => (first === last ? first : `${first}..${last}`)).join(",")}`;
}
