/**
 * Which correction to use, and why. All limits are defined here.
 *
 * 1. Whether a correction is needed is `correctionNeed`'s to say, as for the verdict of a report. Where none is, a token
 *    TIS is the safety net; where a few tokens need one, it is recommended for those.
 * 2. Else, of the corrections on the front that keep within {@link LIMITS} (little dropped, little weight mass moved, few
 *    weights clamped, the gradient's scale kept, few groups left empty, a dropped part that does not move the mean reward):
 *    the best ESS. Of those within {@link TOLERANCE} of it, the one that moves the least mass.
 * 3. If no point of the front keeps within them, the same over all corrections; if none does at all, the least harmful
 *    point of the front is named and said to break the limits.
 *
 * @module
 */
import { formatNearOne, formatNumber, formatPlainShare, formatShare } from "../../core/text/index.ts";
import type { SweepCorrection, SweepMetrics, SweepRecommendation } from "../../results/sweep.ts";
import { correctionNeed } from "../assessment/correction-need.ts";

/** Differences in ESS that do not matter. */
const TOLERANCE = 0.002;

const LIMITS = {
  /** Share of tokens dropped. */
  dropped: 0.05,
  /** Share of weight mass moved by truncation and dropping. */
  mass_moved: 0.05,
  /** Share of tokens clamped: beyond it, the correction affects more than outliers. */
  truncated: 0.05,
  /** |log mean weight|: the gradient is scaled by the mean weight. */
  scale: 0.2,
  /** Share of GRPO groups without a survivor. */
  groups_lost: 0.02,
  /** Shift of the mean reward (or, without rewards, the accuracy) due to dropping, in standard deviations. */
  reward_shift: 0.05,
} as const;

/**
 * From this fraction of a limit on, a correction is called near it: by simulation, halves of a run differ by about as
 * much, and the other half then breaks the limit in one run of six.
 */
const NEAR_LIMIT = 0.8;

const SAFETY_NET = "token-tis 2";

export function recommend(
  corrections: readonly SweepCorrection[],
  metrics: SweepMetrics,
): SweepRecommendation {
  const baseline = corrections[0]!;
  const net = corrections.find(({ name }) => name === SAFETY_NET) ?? baseline;
  const need = correctionNeed(metrics);
  if (need === "none")
    return { kind: "none needed", need, name: net.name, reasons: smallReasons(metrics, net) };
  if (need === "few")
    return { kind: "recommended", need, name: net.name, reasons: fewReasons(metrics, net, corrections) };
  const others = corrections.slice(1).filter(({ ess_tokens }) => Number.isFinite(ess_tokens));
  const front = others.filter(({ on_front }) => on_front);
  for (const [candidates, where] of [
    [front, "among the points of the Pareto front"],
    [others, "among all corrections (no point of the front keeps within the limits)"],
  ] as const) {
    const fit = candidates.filter((correction) => brokenLimits(correction, metrics).length === 0);
    const most = fit.reduce((best, { ess_tokens }) => Math.max(best, ess_tokens), 0);
    const best = fit
      .filter(({ ess_tokens }) => ess_tokens >= most - TOLERANCE)
      .sort((a, b) => a.mass_moved - b.mass_moved)[0];
    if (best && best.ess_tokens > baseline.ess_tokens)
      return { kind: "recommended", need, name: best.name, reasons: fitReasons(best, metrics, where) };
  }
  const mildest = [...front].sort((a, b) => a.mass_moved - b.mass_moved)[0];
  const cause = "look for the cause of the mismatch first: logratio report";
  if (!mildest) {
    const reason = `no correction of this grid raises the ESS of ${formatNearOne(metrics.ess)}`;
    return { kind: "none fits", need, name: baseline.name, reasons: [reason, cause] };
  }
  const broken = brokenLimits(mildest, metrics).map((words) => `it breaks a limit: it ${words}`);
  const reason = `no correction raises the ESS of ${formatNearOne(metrics.ess)} within the limits; of those that raise it, ${mildest.name} moves the least`;
  return { kind: "none fits", need, name: mildest.name, reasons: [reason, ...broken, cause] };
}

/** The {@link LIMITS} that a correction exceeds, in words; `part` scales each limit. */
function brokenLimits(
  { dropped, mass_moved, truncated_share, weight_mean }: SweepCorrection,
  metrics: SweepMetrics,
  part = 1,
): string[] {
  const broken: string[] = [];
  const check = (value: number | null, limit: number, words: string): void => {
    if (value !== null && Math.abs(value) > part * limit) broken.push(words);
  };
  check(dropped.tokens_share, LIMITS.dropped, `drops ${formatShare(dropped.tokens_share)} of the tokens`);
  check(mass_moved, LIMITS.mass_moved, `moves ${formatShare(mass_moved)} of the weight mass`);
  check(truncated_share, LIMITS.truncated, `clamps ${formatShare(truncated_share)} of the weights`);
  check(Math.log(weight_mean), LIMITS.scale, `scales the gradient by ${formatNearOne(weight_mean)}`);
  if (dropped.groups_lost !== null && metrics.groups !== null) {
    const share = dropped.groups_lost / metrics.groups;
    check(share, LIMITS.groups_lost, `leaves ${formatShare(share)} of the groups empty`);
  }
  const [name, shift] =
    dropped.reward_shift === null
      ? (["accuracy", dropped.accuracy_shift] as const)
      : (["reward", dropped.reward_shift] as const);
  if (shift !== null)
    check(
      shift,
      LIMITS.reward_shift,
      `moves the mean ${name} by ${formatNumber(shift, 2)} standard deviations`,
    );
  return broken;
}

function smallReasons({ ess, ratio_outside }: SweepMetrics, net: SweepCorrection): string[] {
  const outside = ratio_outside === 0 ? "no token" : `${formatShare(ratio_outside)} of the tokens`;
  const touched = net.truncated_share === 0 ? "nothing" : `${formatShare(net.truncated_share)} of the tokens`;
  return [
    `no correction is needed: the ratios have an ESS of ${formatNearOne(ess)} and ${outside} outside [1/2, 2]`,
    `${net.name} is a safety net that touches ${touched} here and guards against later steps`,
  ];
}

function fewReasons(
  { ess, ratio_outside }: SweepMetrics,
  net: SweepCorrection,
  corrections: readonly SweepCorrection[],
): string[] {
  const best = corrections.reduce((most, { ess_tokens }) => Math.max(most, ess_tokens), 0);
  return [
    `the ratios are even except at a few tokens: their ESS is ${formatNearOne(ess)}, and ${formatShare(ratio_outside)} of the tokens are outside [1/2, 2]`,
    `${net.name} bounds those above and drops nothing; no correction gets the ESS beyond ${formatNearOne(best)}, so none that drops data is worth it`,
  ];
}

function fitReasons(correction: SweepCorrection, metrics: SweepMetrics, where: string): string[] {
  const { name, ess_tokens, mass_moved, dropped } = correction;
  const reasons = [
    `${name} has the best ESS ${where} within the limits, give or take ${formatPlainShare(TOLERANCE)}: ${formatNearOne(metrics.ess)} without, ${formatNearOne(ess_tokens)} with it`,
    `it drops ${dropped.tokens === 0 ? "no token" : `${formatShare(dropped.tokens_share)} of the tokens`} and moves ${formatShare(mass_moved)} of the weight mass`,
  ];
  if (dropped.groups_lost !== null && metrics.groups !== null && dropped.tokens > 0)
    reasons.push(`it leaves ${dropped.groups_lost} of ${metrics.groups} groups empty`);
  const shift = dropped.reward_shift ?? dropped.accuracy_shift;
  if (shift !== null && dropped.tokens > 0)
    reasons.push(
      `what it drops moves the mean ${dropped.reward_shift === null ? "accuracy" : "reward"} by ${formatNumber(shift, 2)} standard deviations`,
    );
  const near = brokenLimits(correction, metrics, NEAR_LIMIT);
  if (near.length > 0)
    reasons.push(
      `it is close to a limit that other prompts or later steps may break: it ${near.join(", it ")}`,
    );
  reasons.push(
    `limits: at most ${formatPlainShare(LIMITS.dropped)} of tokens dropped, ${formatPlainShare(LIMITS.mass_moved)} of mass moved, ${formatPlainShare(LIMITS.truncated)} of weights clamped, a gradient scaled by ${formatPlainShare(LIMITS.scale)}, ${formatPlainShare(LIMITS.groups_lost)} of groups empty, ${LIMITS.reward_shift} standard deviations of reward`,
  );
  return reasons;
}
