import { capitalize } from "../../../core/text/index.ts";
import type { BesideFinding } from "../../../results/beside.ts";
import { type RunSeries, startOf, takeSeries } from "./series.ts";
import { boundRise, findTrend, tailFrom } from "./trend.ts";
import { figure, share } from "./words.ts";

/** Part of the run that must be flat, and number of values in it; as in rldoctor 0.2.0. */
const [LEAST_PART, LEAST_VALUES] = [0.35, 12];
/** Chosen: this many steps are long in any run. */
const LEAST_STEPS = 50;
/** How much the reward may still rise: relative to its level, and to its previous gain; chosen. */
const [OF_LEVEL, OF_GAIN] = [0.05, 0.1];
/** A reward from 0 to 1 at this level has nothing left to gain. */
const SOLVED = 0.95;
const STARTS = 20;

/**
 * A reward shown to have almost stopped rising: the upper bound of its rise over the rest of the run is small, which
 * noise alone does not cause ("no trend was found" holds for any short run). Reported from the earliest possible start.
 */
export function checkPlateau(run: RunSeries): BesideFinding | undefined {
  const series = takeSeries(run, "reward", LEAST_VALUES);
  if (series === undefined) return undefined;
  const { steps, values } = series;
  const [first, last] = [steps[0]!, steps.at(-1)!];
  const evaluation = takeSeries(run, "evaluation", 6);
  for (let i = 0; i < STARTS; i++) {
    const at = Math.floor((i * values.length) / STARTS);
    const tail = tailFrom(series, at);
    const length = last - steps[at]!;
    if (tail.values.length < LEAST_VALUES || length < LEAST_PART * (last - first) || length < LEAST_STEPS)
      return undefined;
    const mean = tail.values.reduce((sum, value) => sum + value, 0) / tail.values.length;
    const isShare = values.every((value) => value >= 0 && value <= 1);
    if (isShare && mean >= SOLVED) return undefined;
    const limit = Math.max(OF_LEVEL * Math.abs(mean), i === 0 ? 0 : OF_GAIN * (mean - startOf(values)));
    const rise = boundRise(tail);
    if (!(rise <= limit)) continue;
    const since = steps[at]!;
    const late =
      evaluation &&
      tailFrom(
        evaluation,
        evaluation.steps.findIndex((step) => step >= since),
      );
    if (late !== undefined && late.values.length >= 6 && findTrend(late) === "up") return undefined;
    const short =
      i === 0
        ? `the reward has not risen in ${length} steps (${figure(mean)})`
        : `the reward is flat since about step ${since} (${figure(mean)})`;
    return {
      id: "plateau",
      run: "",
      title: "The reward no longer rises",
      level: "warn",
      short,
      sentence: `${capitalize(short)}: ${i === 0 ? "the whole run" : `the last ${share(length / (last - first))} of the run`} taught little.`,
      since_step: since,
      outcome: "lasts",
      figures: { mean, rise_at_most: Math.max(0, rise), limit },
      read_from: [series.name],
      do_this: "stop, keep the checkpoint of the best evaluation, and go on with harder or other prompts",
      source: "least squares over block means; limits are chosen, the part of the run as rldoctor 0.2.0",
    };
  }
  return undefined;
}
