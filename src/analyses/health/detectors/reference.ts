import { capitalize } from "../../../core/text/index.ts";
import type { BesideFinding } from "../../../results/beside.ts";
import { findOnset } from "./onset.ts";
import { endOf, type RunSeries, startOf, takeSeries } from "./series.ts";
import { findTrend, tailFrom } from "./trend.ts";
import { figure } from "./words.ts";

/** Nats per token: high if it also accelerates, and high in any case; as in rldoctor 0.2.0. */
const [HIGH, EXTREME] = [0.5, 2];
/** How many times as fast the second half rises as the first. */
const FASTER = 1.5;

/**
 * A policy that drifts away from its reference. A series that is always exactly 0 means a run without a KL term.
 * Sources: Stiennon et al. (arXiv 2009.01325); Gao et al., "Scaling Laws for Reward Model Overoptimization" (arXiv
 * 2210.10760).
 */
export function checkReference(run: RunSeries): BesideFinding | undefined {
  const series = takeSeries(run, "reference_kl");
  if (series === undefined) return undefined;
  const value = endOf(series.values);
  if (!(value >= HIGH)) return undefined;
  const half = series.values.length >> 1;
  const rise = (values: readonly number[]): number => endOf(values) - startOf(values);
  const [early, late] = [rise(series.values.slice(0, half)), rise(series.values.slice(half))];
  const isFaster = findTrend(tailFrom(series, half)) === "up" && late > FASTER * Math.max(0, early);
  if (value < EXTREME && !isFaster) return undefined;
  const progress = takeSeries(run, "evaluation", 6) ?? takeSeries(run, "reward");
  const stalled =
    progress !== undefined && findTrend(tailFrom(progress, progress.values.length >> 1)) !== "up";
  const limit = value >= EXTREME ? EXTREME : HIGH;
  const since = findOnset(series, (one) => one >= limit);
  const when = since === null || since === series.steps[0] ? "" : `, above ${limit} since step ${since}`;
  const short = `the KL to the reference is ${figure(value)} nats per token${when}`;
  return {
    id: "reference",
    run: "",
    title: "Drift from the reference",
    level: value >= EXTREME && stalled ? "bad" : "warn",
    short,
    sentence: `${capitalize(short)}${isFaster ? ", and rises faster and faster" : ""}${stalled ? `; ${progress.name} no longer rises` : ""}.`,
    since_step: since,
    outcome: "lasts",
    figures: { kl: value, limit },
    read_from: [series.name, ...(progress === undefined ? [] : [progress.name])],
    do_this: `raise the KL coefficient (0.001 to 0.01 is usual), or go on from a checkpoint before ${when === "" ? "it rose" : `step ${since}`}; test other abilities too`,
    source: "arXiv 2009.01325 and 2210.10760; limits as rldoctor 0.2.0",
  };
}
