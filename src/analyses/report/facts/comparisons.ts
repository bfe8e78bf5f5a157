/**
 * Facts that one part of a run is further off than the rest. Each is stated only if its test finds it (p < 0.05, see
 * standouts/), with the factor and the evidence behind it.
 *
 * @module
 */

import type { Factor } from "../../../core/statistics/factor.ts";
import type { SampledCluster } from "../../../core/summaries/index.ts";
import { formatNumber, formatShare, quoteName } from "../../../core/text/index.ts";
import type { Fact, FactEvidence } from "../../../results/report.ts";
import {
  type Comparisons,
  type OutcomeContrast,
  SIGNIFICANT,
  type Standout,
  type Trend,
} from "../standouts/index.ts";
import { ordinal, times, weightOfFactor, writeFactor } from "./words.ts";

/** A prompt with at least this share of the part's Σ|Δ| is named. */
const TOLD_PROMPT_SHARE = 0.25;
/** A step is named if the factor without it is at least this much nearer to 1. */
const TOLD_STEP_FACTOR = 1.25;

/** @param clusters the data behind the comparisons */
export function comparisonFacts(comparisons: Comparisons, clusters: readonly SampledCluster[]): Fact[] {
  const { steps, ranks, environments, engines, finishReasons, staleness } = comparisons;
  const { turns, deciles, outcome, trend } = comparisons;
  const say = (kind: string, name: (key: string | number) => string, where: string) => {
    return (standout: Standout<string | number>): Fact =>
      standsOut(kind, name(standout.key), where, standout, clusters);
  };
  return [
    ...(trend === undefined || trend.p > SIGNIFICANT ? [] : [drift(trend)]),
    ...steps.slice(0, 1).map(say("worst-step", (key) => `Step ${key}`, "in the other steps")),
    ...ranks.slice(0, 1).map(say("rank", (key) => `Rank ${key}`, "on the other ranks")),
    ...environments
      .slice(0, 1)
      .map(say("environment", (key) => `Environment ${quoteName(String(key))}`, "in the other environments")),
    ...engines
      .slice(0, 1)
      .map(say("engine", (key) => `Engine ${quoteName(String(key))}`, "on the other engines")),
    ...finishReasons
      .slice(0, 1)
      .map(
        say(
          "finish-reason",
          (key) => `Finish reason ${quoteName(String(key))}`,
          "in responses that ended otherwise",
        ),
      ),
    ...staleness
      .slice(0, 1)
      .map(say("staleness", (key) => `Staleness ${key}`, "in responses from weights of another age")),
    ...turns.slice(0, 1).map(say("turn", (key) => `Turn ${key}`, "in the other turns of the same responses")),
    ...deciles
      .slice(0, 1)
      .map(
        say(
          "position",
          (key) => `The ${ordinal(Number(key) + 1)} tenth of the response`,
          "in the rest of it",
        ),
      ),
    ...(outcome === undefined || outcome.p > SIGNIFICANT ? [] : [correctness(outcome, clusters)]),
  ];
}

function standsOut(
  kind: string,
  subject: string,
  where: string,
  { key, mean, othersMean, factor, p }: Standout<string | number>,
  clusters: readonly SampledCluster[],
): Fact {
  const evidence = [certainty(factor), ...largestPrompt(factor, clusters)].join("; ");
  return {
    kind,
    text: `${subject} stands out: mean |Δ| ${formatNumber(mean)} against ${formatNumber(othersMean)} ${where}, ${times(factor.factor)} as much (${evidence})`,
    weight: weightOfFactor(factor.factor),
    evidence: buildEvidence(factor, p, key),
  };
}

function correctness(contrast: OutcomeContrast, clusters: readonly SampledCluster[]): Fact {
  const { correctMean, incorrectMean, factor, withinPrompt, withoutStep, p } = contrast;
  // Stryker disable next-line EqualityOperator: a factor of exactly 1 does not stand out
  const isWrongWorse = factor.factor >= 1;
  const turned = (value: number): number => (isWrongWorse ? value : 1 / value);
  const [worse, better] = isWrongWorse ? ["Incorrect", "correct"] : ["Correct", "incorrect"];
  const [high, low] = isWrongWorse ? [incorrectMean, correctMean] : [correctMean, incorrectMean];
  const shown = isWrongWorse ? factor : inverse(factor);
  const evidence = [
    certainty(shown),
    ...(withinPrompt === undefined
      ? []
      : [
          `${writeFactor(turned(withinPrompt.factor))} within the same prompt, over ${withinPrompt.prompts} prompts`,
        ]),
    ...(withoutStep !== undefined && shown.factor / turned(withoutStep.factor) >= TOLD_STEP_FACTOR
      ? [`${writeFactor(turned(withoutStep.factor))} without step ${withoutStep.step}`]
      : isWrongWorse
        ? largestPrompt(factor, clusters)
        : []),
  ].join("; ");
  return {
    kind: "correctness",
    text: `${worse} responses differ ${times(shown.factor)} as much as ${better} ones: mean |Δ| ${formatNumber(high)} against ${formatNumber(low)} (${evidence})`,
    weight: weightOfFactor(shown.factor),
    evidence: buildEvidence(shown, p, isWrongWorse ? "incorrect" : "correct"),
  };
}

function drift(trend: Trend): Fact {
  const grows = trend.late > trend.early;
  const factor = grows ? trend.factor : inverse(trend.factor);
  return {
    kind: "drift",
    text: `Mean |Δ| ${grows ? "grows" : "falls"} over the run, from ${formatNumber(trend.early)} in the first third of the steps to ${formatNumber(trend.late)} in the last: a factor of ${writeFactor(factor.factor)} (${certainty(factor)})`,
    weight: weightOfFactor(factor.factor) * (grows ? 1.2 : 0.6),
    evidence: buildEvidence(factor, trend.p, grows ? "late" : "early"),
  };
}

/** The interval of a factor, or its range with any one prompt left out if there are too few prompts for one. */
function certainty({ interval, leaveOneOut }: Factor): string {
  return interval === null
    ? `${writeFactor(leaveOneOut.low)} to ${writeFactor(leaveOneOut.high)} with any one prompt left out`
    : `95 % ${writeFactor(interval.low)} to ${writeFactor(interval.high)}`;
}

function largestPrompt({ largest, withoutLargest }: Factor, clusters: readonly SampledCluster[]): string[] {
  const handle = clusters[largest.cluster]?.sequences[0]?.handle;
  if (handle === undefined || largest.share < TOLD_PROMPT_SHARE) return [];
  const left = Number.isFinite(withoutLargest) ? `, ${writeFactor(withoutLargest)} without it` : "";
  return [`the prompt of ${handle} accounts for ${formatShare(largest.share)} of it${left}`];
}

function inverse(factor: Factor): Factor {
  const turn = ({ low, high }: { low: number; high: number }) => ({ low: 1 / high, high: 1 / low });
  return {
    ...factor,
    factor: 1 / factor.factor,
    interval: factor.interval === null ? null : turn(factor.interval),
    leaveOneOut: turn(factor.leaveOneOut),
    withoutLargest: 1 / factor.withoutLargest,
  };
}

function buildEvidence(
  { factor, interval, leaveOneOut }: Factor,
  p: number,
  subject: string | number,
): FactEvidence {
  return { subject, p, factor, interval, leave_one_out: leaveOneOut };
}
