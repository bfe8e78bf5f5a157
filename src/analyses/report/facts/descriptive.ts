/**
 * Descriptive facts: how Δ is distributed, and what holds much of a figure. They make no statistical comparison.
 *
 * @module
 */

import type { SampledCluster } from "../../../core/summaries/index.ts";
import {
  formatCount,
  formatNumber,
  formatProbability,
  formatShare,
  formatSigned,
} from "../../../core/text/index.ts";
import type { Fact, GroupMetrics } from "../../../results/report.ts";
import { addTurns } from "../standouts/index.ts";
import type { FactSource } from "./fact-source.ts";
import { weightOfFactor } from "./words.ts";

/** With fewer tokens, one of them always holds much of a figure. */
const ENOUGH_TOKENS = 50;
/** A token or prompt with more than this share of Σ|Δ| or Σ k3 is named. */
const TOLD_SHARE = 0.1;

type Describe = (source: FactSource, clusters: readonly SampledCluster[] | undefined) => Fact | undefined;

/** @param clusters all prompts of the run; undefined if only some are known */
export function descriptiveFacts(
  source: FactSource,
  clusters: readonly SampledCluster[] | undefined,
): Fact[] {
  const all: readonly Describe[] = [
    singleToken,
    singlePrompt,
    tailConcentration,
    lowProbability,
    oneSided,
    productRatio,
  ];
  return all.flatMap((describe) => describe(source, clusters) ?? []);
}

function singleToken({ worst_tokens, metrics }: FactSource): Fact | undefined {
  const [worst] = worst_tokens;
  if (!worst || metrics.tokens < ENOUGH_TOKENS) return undefined;
  const share = (Math.expm1(worst.delta) - worst.delta) / (metrics.k3 * metrics.tokens);
  return {
    kind: "single-token",
    text: `One token, ${worst.handle} (Δ ${formatSigned(worst.delta)}, p ${formatProbability(Math.exp(worst.rollout_logprob))} → ${formatProbability(Math.exp(worst.trainer_logprob))}), accounts for ${formatShare(share)} of all k3`,
    weight: share > TOLD_SHARE ? 2 + 3 * share : 0,
  };
}

function singlePrompt(_: FactSource, clusters: readonly SampledCluster[] | undefined): Fact | undefined {
  if (clusters === undefined || clusters.length < 2) return undefined;
  const sums = clusters.map(({ sequences }) => {
    const totals = sequences.map(addTurns);
    return {
      handle: sequences[0]?.handle ?? "",
      responses: sequences.length,
      deltaAbs: totals.reduce((sum, { deltaAbs }) => sum + deltaAbs, 0),
      tokens: totals.reduce((sum, { tokens }) => sum + tokens, 0),
    };
  });
  const deltaAbs = sums.reduce((sum, of) => sum + of.deltaAbs, 0);
  const tokens = sums.reduce((sum, of) => sum + of.tokens, 0);
  const most = sums.reduce((a, b) => (b.deltaAbs > a.deltaAbs ? b : a));
  const share = most.deltaAbs / deltaAbs;
  if (!(share > TOLD_SHARE) || most.responses < 2) return undefined;
  const without = (deltaAbs - most.deltaAbs) / (tokens - most.tokens);
  return {
    kind: "single-prompt",
    text: `One prompt, that of ${most.handle}, accounts with its ${most.responses} responses for ${formatShare(share)} of all |Δ|; without it, mean |Δ| is ${formatNumber(without)}`,
    weight: 2 + 3 * share,
  };
}

function tailConcentration({
  distributions,
  metrics,
  per_rollout_probability,
  tail_curve,
}: FactSource): Fact | undefined {
  const point = tail_curve.filter(({ share, tokens }) => tokens > 1 && share <= 0.01).at(0);
  if (!point || per_rollout_probability.length === 0 || distributions.delta_abs.count < 1000)
    return undefined;
  return {
    kind: "tail",
    text: `${formatCount(Math.round(point.tokens))} of ${formatCount(metrics.tokens)} tokens (${formatShare(point.share)}) differ by more than ${point.threshold} nats; the median is ${formatNumber(metrics.delta_abs_p50)}`,
    weight: Math.log10(point.threshold / Math.max(metrics.delta_abs_p50, 1e-12)) / 2,
  };
}

function addShares(
  groups: readonly GroupMetrics[],
  column: "token_share" | "k3_share" | "delta_abs_share",
): number {
  return groups.reduce((sum, group) => sum + group[column], 0);
}

function lowProbability({ per_rollout_probability }: FactSource): Fact | undefined {
  const low = per_rollout_probability.filter((bucket) => bucket.to <= 0.5);
  const share = addShares(low, "token_share");
  const mass = addShares(low, "delta_abs_share");
  if (share === 0) return undefined;
  return {
    kind: "low-probability",
    text: `Tokens that the rollout policy gave p < 0.5 are ${formatShare(share)} of the tokens and ${formatShare(mass)} of all |Δ|`,
    weight: weightOfFactor(mass / share) / 2.5,
  };
}

function oneSided({ intervals, metrics }: FactSource): Fact | undefined {
  const interval = intervals.delta_mean;
  if (!interval || !(interval.low > 0 || interval.high < 0)) return undefined;
  const share = Math.abs(metrics.delta_mean) / metrics.delta_abs_mean;
  const who =
    metrics.delta_mean < 0 ? "trainer finds the tokens less likely" : "trainer finds the tokens more likely";
  return {
    kind: "one-sided",
    text: `Δ leans to one side: the ${who} by ${formatNumber(Math.abs(metrics.delta_mean))} nats on average (95 % ${formatNumber(interval.low)} to ${formatNumber(interval.high)}), ${formatShare(share)} of mean |Δ|`,
    weight: 4 * share,
  };
}

function productRatio({ sequence_metrics }: FactSource): Fact | undefined {
  if (sequence_metrics.sequences < 8) return undefined;
  return {
    kind: "product-ratio",
    text: `Sequence-level product ratios leave ${formatShare(sequence_metrics.ess_seq)} of the sequences effective (mean length ${Math.round(sequence_metrics.length_mean)} tokens)`,
    weight: weightOfFactor(1 / sequence_metrics.ess_seq),
  };
}
