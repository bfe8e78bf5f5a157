import { median } from "../../../core/statistics/median.ts";
import { capitalize } from "../../../core/text/index.ts";
import type { BesideFinding } from "../../../results/beside.ts";
import { endOf, type RunSeries, type StepSeries, startOf, takeSeries } from "./series.ts";
import { findGain, findTrend, tailFrom } from "./trend.ts";
import { figure } from "./words.ts";

/** With fewer evaluations a fall is not a trend. */
const LEAST = 6;
/** Where the examined parts of the run start; they last until the end. */
const STARTS = [0, 0.25, 1 / 3, 0.5];
/** Chance of reporting a fall in a run without one, over all parts. */
const RATE = 0.05;
/** The gain of reward from which it counts, and the part of it that an evaluation should gain; as in rldoctor 0.2.0. */
const EARNED = 0.25;

const DO =
  "read twenty answers of high reward from end to end and mend the grader where it is fooled; go on from the checkpoint of the best evaluation";
const SOURCE = "Gao et al., arXiv 2210.10760; the part to be gained as rldoctor 0.2.0";

/** The reward rises while an evaluation falls or stagnates: what is rewarded is not what is wanted. */
export function checkEvaluation(run: RunSeries): BesideFinding | undefined {
  const reward = takeSeries(run, "reward");
  if (reward === undefined) return undefined;
  const series = (run.get("evaluation") ?? []).filter(({ values }) => values.length >= LEAST);
  const found = series.flatMap((one) => findFall(one, reward) ?? []);
  return found[0] ?? series.flatMap((one) => findFlat(one, reward) ?? [])[0];
}

function findFall(evaluation: StepSeries, reward: StepSeries): BesideFinding | undefined {
  for (const start of STARTS) {
    const tail = tailFrom(evaluation, Math.floor(start * evaluation.values.length));
    if (tail.values.length < LEAST || findTrend(tail, RATE / STARTS.length) !== "down") continue;
    const since = tail.steps[0]!;
    const at = reward.steps.findIndex((step) => step >= since);
    if (at < 0 || findTrend(tailFrom(reward, at)) !== "up") continue;
    const best = findBest(evaluation);
    const end = median(evaluation.values.slice(-3));
    const gained = `the reward went from ${figure(startOf(tailFrom(reward, at).values))} to ${figure(endOf(reward.values))}`;
    const short = `the evaluation fell from ${figure(best.value)} at step ${best.step} to ${figure(end)} while the reward rose`;
    return {
      id: "evaluation",
      run: "",
      title: "Reward rises, evaluation falls",
      level: "bad",
      short,
      sentence: `${capitalize(short)} (${evaluation.name}; since step ${since} ${gained}): what is rewarded is not what is wanted.`,
      since_step: best.step,
      outcome: "lasts",
      figures: { best: best.value, end, reward_gain: findGain(tailFrom(reward, at)) },
      read_from: [reward.name, evaluation.name],
      do_this: DO,
      source: SOURCE,
    };
  }
  return undefined;
}

/** The highest mean of three consecutive values. */
function findBest({ steps, values }: StepSeries): { step: number; value: number } {
  let best = { step: steps[0]!, value: Number.NEGATIVE_INFINITY };
  for (let at = 1; at + 1 < values.length; at++) {
    const value = (values[at - 1]! + values[at]! + values[at + 1]!) / 3;
    if (value > best.value) best = { step: steps[at]!, value };
  }
  return best;
}

function findFlat(evaluation: StepSeries, reward: StepSeries): BesideFinding | undefined {
  const [gain, earned] = [findGain(reward), findGain(evaluation)];
  if (findTrend(reward) !== "up" || gain < EARNED) return undefined;
  if (findTrend(evaluation, RATE) === "up" || earned >= EARNED * gain) return undefined;
  const [before, after] = [startOf(evaluation.values), endOf(evaluation.values)];
  const short = `the reward rose from ${figure(startOf(reward.values))} to ${figure(endOf(reward.values))}, the evaluation only from ${figure(before)} to ${figure(after)}`;
  return {
    id: "evaluation",
    run: "",
    title: "Reward rises, evaluation does not",
    level: "warn",
    short,
    sentence: `${capitalize(short)} (${evaluation.name}): what is rewarded may not be what is wanted.`,
    since_step: null,
    outcome: "lasts",
    figures: { reward_gain: gain, evaluation_gain: earned, limit: EARNED },
    read_from: [reward.name, evaluation.name],
    do_this: DO,
    source: SOURCE,
  };
}
