import { orNull } from "../../core/base/index.ts";
import { pearsonTest } from "../../core/statistics/correlation.ts";
import type { RewardLengthCheck } from "../../results/health.ts";
import type { AnswerTable } from "./answers.ts";
import { rewardedGroups } from "./groups.ts";

/** Chosen: a medium correlation by Cohen (1988). */
const LIMIT = 0.3;
const LEAST_SEQUENCES = 30;
const TENTHS = 10;

/**
 * Whether longer responses to the same prompt get higher or lower rewards. Measured within groups, because hard prompts
 * have long and wrong responses in any run; beyond the limit only if the whole interval is.
 */
export function checkRewardLength(table: AnswerTable): RewardLengthCheck {
  const { reward, response_tokens: tokens } = table.columns;
  const groups = [...rewardedGroups(table)];
  const within = groups.length > 0 ? "group" : "step";
  const lengths: number[] = [];
  const rewards: number[] = [];
  for (const rows of within === "group" ? groups : rewardedSteps(table)) {
    const meanLength = mean(rows, tokens);
    const meanReward = mean(rows, reward);
    for (const row of rows) {
      lengths.push(tokens[row]! - meanLength);
      rewards.push(reward[row]! - meanReward);
    }
  }
  const { statistic, interval } = pearsonTest(lengths, rewards);
  const value = orNull(statistic);
  const [low, high] = [interval.low, interval.high];
  const isBeyond = low > LIMIT || high < -LIMIT;
  return {
    id: "reward_length",
    outcome:
      value === null
        ? "unknown"
        : lengths.length < LEAST_SEQUENCES
          ? "too_few"
          : isBeyond
            ? "beyond"
            : "within",
    value,
    limit: LIMIT,
    sequences: lengths.length,
    interval: value === null ? null : [low, high],
    within,
    tenths: cutTenths(table),
  };
}

function mean(rows: readonly number[], values: Float64Array): number {
  return rows.reduce((sum, row) => sum + values[row]!, 0) / rows.length;
}

function rewardedSteps({ length, columns: { step, reward } }: AnswerTable): number[][] {
  const steps = new Map<number, number[]>();
  for (let row = 0; row < length; row++) {
    if (!Number.isFinite(reward[row]!)) continue;
    const rows = steps.get(step[row]!);
    if (rows === undefined) steps.set(step[row]!, [row]);
    else rows.push(row);
  }
  return [...steps.values()].filter((rows) => rows.length > 1);
}

/** Sequences with a known reward in tenths by length; equal lengths may fall into two neighboring tenths. */
function cutTenths({ length, columns }: AnswerTable): RewardLengthCheck["tenths"] {
  const { reward, response_tokens: tokens } = columns;
  const rows = Array.from({ length }, (_, row) => row)
    .filter((row) => Number.isFinite(reward[row]!))
    .sort((a, b) => tokens[a]! - tokens[b]! || a - b);
  if (rows.length < TENTHS) return [];
  return Array.from({ length: TENTHS }, (_, tenth) => {
    const own = rows.slice(
      Math.floor((tenth * rows.length) / TENTHS),
      Math.floor(((tenth + 1) * rows.length) / TENTHS),
    );
    return {
      shortest: tokens[own[0]!]!,
      longest: tokens[own.at(-1)!]!,
      sequences: own.length,
      reward_mean: mean(own, reward),
    };
  });
}
