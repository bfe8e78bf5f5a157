import { median } from "../../../core/statistics/median.ts";
import { capitalize, formatCount, plural } from "../../../core/text/index.ts";
import type { BesideFinding } from "../../../results/beside.ts";
import { findOnset } from "./onset.ts";
import { endOf, type RunSeries, runningMedian, type StepSeries, startOf, takeSeries } from "./series.ts";
import { figure, share, sinceWords } from "./words.ts";

/**
 * Distance from the surrounding level, in robust standard deviations and as a factor, that makes a spike, and how many
 * count; as in rldoctor 0.2.0.
 */
const [SPIKE_DEVIATIONS, SPIKE_FACTOR, FEWEST_SPIKES] = [8, 3, 3];
/** Steps over which the surrounding level is taken. */
const SPIKE_WINDOW = 21;
/** Shares of steps without any gradient, and of the initial norm that is left; as in rldoctor 0.2.0. */
const [ZERO_WARN, ZERO_BAD, VANISHED] = [0.4, 0.7, 0.05];
/** The median of |x| of normal numbers, in standard deviations. */
const NORMAL_MEDIAN = 0.6745;

const SOURCE = "Pascanu et al., arXiv 1211.5063; limits as rldoctor 0.2.0";

/** Single steps far above those around them: compared with the local level, so that a falling norm has none. */
export function checkSpikes(run: RunSeries): BesideFinding | undefined {
  const series = takeSeries(run, "grad_norm");
  if (series === undefined) return undefined;
  const spikes = findSpikes(series);
  const [first, last] = [spikes[0], spikes.at(-1)];
  if (first === undefined || last === undefined || spikes.length < FEWEST_SPIKES) return undefined;
  const worst = spikes.reduce((a, b) => (b.factor > a.factor ? b : a));
  const short = `${spikes.length} gradient spikes, the largest ${figure(worst.factor)} times the steps around it, at step ${worst.step}`;
  const { steps } = series;
  return {
    id: "gradient_spikes",
    run: "",
    title: "Spikes of the gradient",
    level: "warn",
    short,
    sentence: `${capitalize(short)} (norm ${figure(worst.value)}); the first is at step ${first.step}, the last at step ${last.step}: clipping bounds the step, not what the optimizer remembers of it.`,
    since_step: first.step,
    outcome: last.step >= steps[Math.floor((steps.length * 3) / 4)]! ? "lasts" : "over",
    figures: { spikes: spikes.length, largest: worst.value, factor: worst.factor, at_step: worst.step },
    read_from: [series.name],
    do_this: `look at the answers and rewards of step ${worst.step}; lower max_grad_norm, or skip steps beyond a bound`,
    source: SOURCE,
  };
}

interface Spike {
  readonly step: number;
  readonly value: number;
  readonly factor: number;
}

function findSpikes({ steps, values }: StepSeries): Spike[] {
  const levels = runningMedian(values, SPIKE_WINDOW);
  const excess = values.map((value, at) =>
    value > 0 && levels[at]! > 0 ? Math.log(value / levels[at]!) : 0,
  );
  const deviation = median(excess.map(Math.abs)) / NORMAL_MEDIAN;
  const least = Math.max(Math.log(SPIKE_FACTOR), SPIKE_DEVIATIONS * deviation);
  return excess.flatMap((one, at) =>
    one > least ? [{ step: steps[at]!, value: values[at]!, factor: Math.exp(one) }] : [],
  );
}

/** Steps whose norm is exactly 0: every group had equal rewards, or every token was masked. */
export function checkZeroGradient(run: RunSeries): BesideFinding | undefined {
  const series = takeSeries(run, "grad_norm");
  if (series === undefined) return undefined;
  const { steps, values } = series;
  const zeros = values.filter((value) => value === 0).length;
  const value = zeros / values.length;
  if (value < ZERO_WARN) return undefined;
  const quarter = values.slice(-Math.max(3, Math.floor(values.length / 4)));
  const late = quarter.filter((one) => one === 0).length / quarter.length;
  const since = findOnset({ steps, values: values.map((one) => (one === 0 ? 1 : 0)) }, (one) => one > 0);
  const short = `the gradient is exactly 0 in ${formatCount(zeros)} of ${plural(values.length, "step")}`;
  return {
    id: "gradient_zero",
    run: "",
    title: "Steps without any gradient",
    level: value >= ZERO_BAD || late >= ZERO_BAD ? "bad" : "warn",
    short,
    sentence: `${capitalize(short)} (${share(late)} of those of the last quarter): these answers were paid for and taught nothing.`,
    since_step: since,
    outcome: late > 0 ? "lasts" : "over",
    figures: { share: value, share_last_quarter: late, limit: ZERO_WARN, limit_bad: ZERO_BAD },
    read_from: [series.name],
    do_this:
      "see whether all groups have one reward (log frac_reward_zero_std) or masks leave no token; change the prompts, not the optimizer",
    source: SOURCE,
  };
}

export function checkVanishing(run: RunSeries): BesideFinding | undefined {
  const series = takeSeries(run, "grad_norm");
  if (series === undefined) return undefined;
  const [start, end] = [startOf(series.values), endOf(series.values)];
  if (!(start > 0) || end === 0 || end > VANISHED * start) return undefined;
  const since = findOnset(series, (one) => one <= VANISHED * start);
  const short = `the gradient norm fell from ${figure(start)} to ${figure(end)}${sinceWords(since, series.steps[0])}`;
  return {
    id: "gradient_vanishing",
    run: "",
    title: "The gradient has vanished",
    level: "warn",
    short,
    sentence: `${capitalize(short)}: ${share(end / start)} of its beginning.`,
    since_step: since,
    outcome: "lasts",
    figures: { start, end, left: end / start, limit: VANISHED },
    read_from: [series.name],
    do_this: "look at the spread of rewards within groups first, then at the loss's normalization by length",
    source: SOURCE,
  };
}
