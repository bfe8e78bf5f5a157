import { spearmanTest } from "../../../core/statistics/correlation.ts";
import { formatSigned } from "../../../core/text/index.ts";
import type { BesideFinding } from "../../../results/beside.ts";
import type { RewardLengthCheck } from "../../../results/health.ts";
import { endOf, FEWEST, type RunSeries, type StepSeries, startOf, takeSeries } from "./series.ts";
import { findTrend } from "./trend.ts";
import { figure, share } from "./words.ts";

/** Growth of the mean length, rank correlation with the reward, and gain per growth; as in rldoctor 0.2.0. */
const [GROWTH, CORRELATION, EARNED] = [0.5, 0.6, 0.25];

const DO =
  "compare short and long answers that were rewarded; then normalize the reward by length or add a length penalty, and see that the evaluation still rises";
const SOURCE =
  "Singhal et al., A Long Way to Go, arXiv 2310.03716; limits as rldoctor 0.2.0 (logged) and Cohen 1988 (dumps)";

/**
 * Answers that grow together with the reward while an evaluation does not. Without an evaluation nothing is reported: a
 * policy that learns to reason also writes longer answers.
 */
export function checkRewardLength(run: RunSeries): BesideFinding | undefined {
  const [length, reward] = [takeSeries(run, "length"), takeSeries(run, "reward")];
  const evaluation = takeSeries(run, "evaluation", 6);
  if (length === undefined || reward === undefined || evaluation === undefined) return undefined;
  const [start, end] = [startOf(length.values), endOf(length.values)];
  const growth = end / start - 1;
  if (!(start > 0) || growth < GROWTH) return undefined;
  const together = pairUp(length, reward);
  if (together[0].length < FEWEST) return undefined;
  const correlation = spearmanTest(...together).statistic;
  const [before, after] = [startOf(evaluation.values), endOf(evaluation.values)];
  const earned = after - before;
  const isEarned = findTrend(evaluation) === "up" && earned >= EARNED * growth * Math.abs(before);
  if (!(correlation >= CORRELATION) || isEarned) return undefined;
  const short = `answers grew from ${figure(start)} to ${figure(end)} tokens with the reward, the evaluation only from ${figure(before)} to ${figure(after)}`;
  return {
    id: "reward_length",
    run: "",
    title: "Reward follows length",
    level: "bad",
    short,
    sentence: `Answers grew by ${share(growth)}, from ${figure(start)} to ${figure(end)} tokens, together with the reward (rank correlation ${formatSigned(correlation, 2)}), while the evaluation went from ${figure(before)} to ${figure(after)}: the reward pays for length.`,
    since_step: null,
    outcome: "lasts",
    figures: { start, end, growth, correlation, evaluation_gain: earned },
    read_from: [length.name, reward.name, evaluation.name],
    do_this: DO,
    source: SOURCE,
  };
}

function pairUp(a: StepSeries, b: StepSeries): [number[], number[]] {
  const values = new Map(b.steps.map((step, at) => [step, b.values[at]!]));
  const at = a.steps.flatMap((step, i) =>
    values.has(step) ? [[a.values[i]!, values.get(step)!] as const] : [],
  );
  return [at.map(([first]) => first), at.map(([, second]) => second)];
}

/**
 * Reported only if longer answers to the same prompt get higher rewards and answers grow: either alone is normal. In
 * tasks with several steps the right answers are longer; if answers ramble, the wrong ones are.
 */
export function checkRewardLengthOfDump(check: RewardLengthCheck, run: RunSeries): BesideFinding | undefined {
  const { outcome, value, interval, sequences, limit } = check;
  const length = takeSeries(run, "length");
  if (outcome !== "beyond" || value === null || interval === null || value < 0) return undefined;
  if (length === undefined) return undefined;
  const [start, end] = [startOf(length.values), endOf(length.values)];
  if (!(end / start - 1 >= GROWTH)) return undefined;
  const among = check.within === "group" ? "to the same prompt" : "in the same step";
  return {
    id: "reward_length",
    run: "",
    title: "Reward follows length",
    level: "warn",
    short: `answers grew from ${figure(start)} to ${figure(end)} tokens, and longer ones ${among} are rewarded more`,
    sentence: `Answers grew from ${figure(start)} to ${figure(end)} tokens, and longer ones ${among} are rewarded more: correlation ${formatSigned(value, 2)}, 95 % interval ${formatSigned(interval[0], 2)} to ${formatSigned(interval[1], 2)}, over ${sequences} answers.`,
    since_step: null,
    outcome: "lasts",
    figures: {
      start,
      end,
      growth: end / start - 1,
      correlation: value,
      low: interval[0],
      high: interval[1],
      limit,
    },
    read_from: ["dump"],
    do_this: DO,
    source: SOURCE,
  };
}
