import { readFigure } from "../../../../src/analyses/report/index.ts";
import type { ChartTick } from "../../../../src/render/charts/index.ts";
import { formatNumber } from "../../../../src/render/text/display/index.ts";
import type { StepMetric, StepSeries } from "../../../../src/results/index.ts";

/** Charts whose figure has a published baseline, and which side of it is bad. */
const HELD: Readonly<Record<string, readonly [metric: StepMetric, worse: "above" | "below"]>> = {
  "mean-abs-delta": ["delta_abs_mean", "above"],
  kl: ["k3", "above"],
  ess: ["ess", "below"],
};

/** The steps whose figure is high by its published baseline. */
export interface Beyond {
  /** Ascending. */
  readonly ticks: readonly (ChartTick & { readonly value: number })[];
  /** `below 0.3`. */
  readonly limit: string;
  readonly band: string;
  readonly source: string;
  /** Every step that has a figure, ascending. */
  readonly steps: readonly number[];
}

/** By chart; charts without such a step are not in it. */
export function findBeyond({
  steps,
  series,
}: Pick<StepSeries, "steps" | "series">): ReadonlyMap<string, Beyond> {
  const all = steps.filter((step) => step !== null);
  return new Map(
    Object.entries(HELD).flatMap(([id, [metric, worse]]) => {
      let limit = "";
      let said = { band: "", source: "" };
      const ticks = steps.flatMap((step, at) => {
        const value = series[metric][at];
        if (step === null || value === null || value === undefined) return [];
        const reading = readFigure(metric, value);
        if (reading === undefined || (reading.level !== "high" && reading.level !== "broken")) return [];
        limit = `${worse} ${formatNumber(reading.thresholds.high)}`;
        said = reading;
        return [{ x: step, value, label: `step ${step}: ${formatNumber(value)}, ${limit}` }];
      });
      const { band, source } = said;
      return ticks.length === 0 ? [] : [[id, { ticks, limit, band, source, steps: all }] as const];
    }),
  );
}

/** `step:10..30,50`: chosen steps as a filter, those that follow each other among all as a range. */
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
