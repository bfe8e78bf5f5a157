import {
  formatCount,
  formatNumber,
  formatPlain,
  formatPlainShare,
  formatShare,
  formatSigned,
  plural,
} from "../../core/text/index.ts";
import type { HealthOutcome, HealthReport } from "../../results/health.ts";
import type { VerdictLevel } from "../../results/report.ts";
import { printable } from "../text/printable.ts";

export type HealthCheck = HealthReport[keyof HealthReport];

export const HEALTH_TITLES: Readonly<Record<HealthCheck["id"], string>> = {
  flat_groups: "Groups without spread in reward",
  truncation: "Truncated responses",
  staleness: "Staleness",
  reward_length: "Reward against length",
};

export const OUTCOMES: Readonly<
  Record<HealthOutcome, { readonly level: VerdictLevel; readonly word: string }>
> = {
  within: { level: "normal", word: "WITHIN ITS LIMIT" },
  beyond: { level: "elevated", word: "BEYOND ITS LIMIT" },
  too_few: { level: "too_few", word: "TOO FEW TO JUDGE" },
  unknown: { level: "none", word: "NOT RECORDED" },
};

/** One or two sentences: the figure, what it measures, and what it means. */
export function describeCheck(check: HealthCheck): string {
  switch (check.id) {
    case "flat_groups":
      return describeFlatGroups(check);
    case "truncation":
      return describeTruncation(check);
    case "staleness":
      return describeStaleness(check);
    case "reward_length":
      return describeRewardLength(check);
  }
}

/** The limit, and its source. */
export function describeLimit(check: HealthCheck): string {
  switch (check.id) {
    case "flat_groups":
      return `Limit ${formatPlainShare(check.limit)}, chosen: beyond it most of a step has no gradient. DAPO (arXiv 2503.14476) samples such groups again.`;
    case "truncation":
      return `Limit ${formatPlainShare(check.limit)}, chosen: beyond it the length limit decides much of the reward. DAPO (arXiv 2503.14476) masks truncated responses.`;
    case "staleness":
      return `Limit ${plural(check.limit, "version")}: what AReaL's guide to asynchronous training allows (max_head_offpolicyness).`;
    case "reward_length":
      return `Limit ±${formatPlain(check.limit)}, chosen: a medium correlation by Cohen (1988), exceeded by the whole 95 % interval.`;
  }
}

type Of<Id extends HealthCheck["id"]> = Extract<HealthCheck, { id: Id }>;

function describeFlatGroups({ outcome, groups, flat, flat_best, flat_worst }: Of<"flat_groups">): string {
  if (outcome === "unknown") return "No prompt group has two or more known rewards.";
  const share = `${formatCount(flat)} of ${plural(groups, "prompt group")} (${formatShare(flat / groups)})`;
  const ends =
    flat_best + flat_worst === 0
      ? ""
      : `: ${formatCount(flat_best)} at the best reward, ${formatCount(flat_worst)} at the worst`;
  return `${share} have the same reward in every sample${ends}. Their advantages are 0, so they do not reach the policy gradient.`;
}

function describeTruncation(check: Of<"truncation">): string {
  const { outcome, basis, sequences, truncated, longest, reasons } = check;
  if (outcome === "unknown") {
    return "The data has no finish reasons, and no three responses share the largest length.";
  }
  const share = `${formatCount(truncated)} of ${plural(sequences, "response")} (${formatShare(truncated / sequences)})`;
  const means =
    check.reward_truncated === null || check.reward_rest === null
      ? ""
      : ` Their mean reward is ${formatNumber(check.reward_truncated)}, that of the others ${formatNumber(check.reward_rest)}.`;
  if (basis === "longest") {
    return `${share} have exactly the largest length, ${plural(longest, "token")}, and were probably truncated (the data has no finish reasons).${means}`;
  }
  const why = reasons.length === 0 ? "" : ` (finish reason ${reasons.map(printable).join(", ")})`;
  return `${share} were truncated${why}.${means}`;
}

function describeStaleness({ outcome, value, mean }: Of<"staleness">): string {
  if (outcome === "unknown" || value === null) return "The data has no weight versions.";
  return `The oldest tokens were sampled ${plural(value, "version")} before the step that trained on them, ${formatNumber(mean)} on average.`;
}

function describeRewardLength({ outcome, value, interval, sequences, within }: Of<"reward_length">): string {
  if (outcome === "unknown" || value === null || interval === null)
    return "Rewards or lengths are unknown, or all the same.";
  const among = within === "group" ? "to the same prompt" : "in the same step";
  const direction = value < 0 ? "less" : "more";
  const range = `95 % interval ${formatSigned(interval[0])} to ${formatSigned(interval[1])}`;
  return `Of responses ${among}, longer ones are rewarded ${direction}: correlation ${formatSigned(value)} (${range}) over ${plural(sequences, "sequence")}.`;
}
