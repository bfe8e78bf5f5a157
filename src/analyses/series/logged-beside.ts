import type { BesideFinding } from "../../results/beside.ts";
import {
  type RunMetric,
  type RunMetricKind,
  recogniseMetric,
  recogniseRunMetric,
} from "../../trainers/index.ts";
import { checkSeries, orderBeside } from "../health/detectors/find-beside.ts";
import type { RunSeries, StepSeries } from "../health/detectors/series.ts";
import type { LoggedValues } from "./finite-metrics.ts";
import type { SeriesInput } from "./series-input.ts";

type Kinds = Map<RunMetricKind, { readonly rank: number; readonly series: StepSeries }[]>;

/** What keeps the run from learning, from everything that its loggers wrote; runs with the same name are one run. */
export function findLoggedBeside(files: readonly SeriesInput[]): BesideFinding[] {
  const runs = new Map<string, Kinds>();
  for (const logged of files.flatMap(({ series }) => series)) {
    const known =
      recogniseMetric(logged.metric) === undefined ? recogniseRunMetric(logged.metric) : undefined;
    if (known !== undefined) addSeries(openRun(runs, logged.run), known, logged);
  }
  return orderBeside([...runs].flatMap(([run, kinds]) => checkSeries(sortKinds(kinds), run)));
}

function openRun(runs: Map<string, Kinds>, run: string): Kinds {
  const kinds: Kinds = runs.get(run) ?? new Map();
  runs.set(run, kinds);
  return kinds;
}

function addSeries(
  kinds: Kinds,
  { kind, rank, part }: RunMetric,
  { metric, steps, values }: LoggedValues,
): void {
  const finite = steps.flatMap((step, at) => {
    const value = values[at];
    return Number.isFinite(step) && value !== undefined && Number.isFinite(value) ? [{ step, value }] : [];
  });
  const series = {
    name: metric,
    part,
    steps: finite.map(({ step }) => step),
    values: finite.map(({ value }) => value),
  };
  kinds.set(kind, [...(kinds.get(kind) ?? []), { rank, series }]);
}

/** Most informative keys first; those of equal rank by name, because files come in any order. */
function sortKinds(kinds: Kinds): RunSeries {
  return new Map(
    [...kinds].map(([kind, all]) => {
      const sorted = all.sort((a, b) => a.rank - b.rank || (a.series.name < b.series.name ? -1 : 1));
      return [kind, sorted.map(({ series }) => series)];
    }),
  );
}
