/**
 * Rewards in a few groups, so that the dropped part can be described by reward.
 *
 * @module
 */
import type { ValueGroup } from "../../results/view.ts";

/** Smaller rewards count as 0. */
const SMALLEST = 1e-3;
/** Up to this many distinct rewards form a group each. */
const MOST_SINGLE = 5;
const GROUPS = 4;

/** Rounded to two significant digits: for making groups, and for finding a reward's group. NaN stays NaN. */
export function roundedReward(reward: number): number {
  return Math.abs(reward) < SMALLEST ? 0 : Number(reward.toPrecision(2));
}

/**
 * One group per reward if there are few, else groups of about a quarter of the sequences each.
 *
 * @param sequences number of sequences by rounded reward
 */
export function rewardGroups(sequences: ReadonlyMap<number, number>): ValueGroup[] {
  const rewards = [...sequences.keys()].sort((a, b) => a - b);
  if (rewards.length <= MOST_SINGLE) return rewards.map((reward) => ({ from: reward, to: reward }));
  const total = rewards.reduce((sum, reward) => sum + sequences.get(reward)!, 0);
  const groups: ValueGroup[] = [];
  let [seen, from] = [0, rewards[0]!];
  for (const [at, reward] of rewards.entries()) {
    const before = seen;
    seen += sequences.get(reward)!;
    const isFull = Math.floor((GROUPS * seen) / total) > Math.floor((GROUPS * before) / total);
    if (!isFull && at < rewards.length - 1) continue;
    groups.push({ from, to: reward });
    from = rewards[at + 1]!;
  }
  return groups;
}

/** The index of a reward's group; -1 if it has none. */
export function findRewardGroup(groups: readonly ValueGroup[], reward: number): number {
  const rounded = roundedReward(reward);
  return groups.findIndex(({ from, to }) => rounded >= from && rounded <= to);
}
