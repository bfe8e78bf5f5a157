import { madeTable } from "../../../../src/analyses/filter/made-table.test-data.ts";
import { LENGTH_BUCKETS, lengthBucket, lengthQuartiles } from "../../../../src/analyses/sweep/buckets.ts";
import { findRewardGroup, rewardGroups } from "../../../../src/analyses/sweep/reward-groups.ts";
import type { CorrectBins, ValueGroup } from "../../../../src/results/view.ts";
import type { SequenceTable } from "../../../../src/results/wire/table.ts";
import { applyCorrection } from "../../../../src/trainers/neutral/apply.ts";
import type { Correction } from "../../../../src/trainers/neutral/correction.ts";

export interface MadeSequence {
  readonly correct: number;
  readonly reward?: number;
  /** The tokens' Δ. */
  readonly deltas: readonly number[];
}

export interface MadeGroup extends ValueGroup {
  readonly has: (sequence: MadeSequence) => boolean;
}

/** The groups by length and by reward that these sequences fall into. */
export function makeGroups(sequences: readonly MadeSequence[]): Record<"length" | "reward", MadeGroup[]> {
  const [lengths, rewards] = [new Float64Array(LENGTH_BUCKETS), new Map<number, number>()];
  for (const { deltas, reward } of sequences) {
    lengths[lengthBucket(deltas.length)]!++;
    if (reward !== undefined) rewards.set(reward, (rewards.get(reward) ?? 0) + 1);
  }
  const byReward = rewardGroups(rewards);
  return {
    length: lengthQuartiles(lengths).map(({ from, to }) => ({
      from,
      to,
      has: ({ deltas }) => deltas.length >= from && deltas.length <= to,
    })),
    reward: byReward.map((group, at) => ({
      ...group,
      has: ({ reward = Number.NaN }) => findRewardGroup(byReward, reward) === at,
    })),
  };
}

/** Bins of equal width in [-1, 1]. */
export function binned(sequences: readonly MadeSequence[], bins: number): CorrectBins {
  const inner = Array.from({ length: bins - 1 }, (_, i) => -1 + (2 * i) / (bins - 2));
  const groups = ([1, 0] as const).map((correct) => {
    const zeros = (): number[] => new Array<number>(bins).fill(0);
    const sums = { tokens: zeros(), rho: zeros(), rho_squares: zeros(), abs_advantage: zeros() };
    for (const sequence of sequences) {
      if (sequence.correct !== correct) continue;
      for (const delta of sequence.deltas) {
        const bin = inner.filter((edge) => edge <= delta).length;
        sums.tokens[bin]! += 1;
        sums.rho[bin]! += Math.exp(delta);
        sums.rho_squares[bin]! += Math.exp(2 * delta);
        sums.abs_advantage[bin]! += 1;
      }
    }
    return { name: correct === 1 ? ("right" as const) : ("wrong" as const), ...sums };
  });
  const counts = (groups: readonly MadeGroup[]): CorrectBins["by_length"] =>
    groups.map(({ from, to, has }) => {
      const tokens = new Array<number>(bins).fill(0);
      for (const delta of sequences.filter(has).flatMap(({ deltas }) => deltas))
        tokens[inner.filter((edge) => edge <= delta).length]! += 1;
      return { from, to, tokens };
    });
  const { length, reward } = makeGroups(sequences);
  return { edges: [null, ...inner, null], groups, by_length: counts(length), by_reward: counts(reward) };
}

export function makeTable(sequences: readonly MadeSequence[]): SequenceTable {
  return madeTable(
    sequences.map(({ correct, reward = Number.NaN, deltas }) => {
      const sum = (of: (delta: number) => number): number =>
        deltas.reduce((total, delta) => total + of(delta), 0);
      return {
        correct,
        reward,
        tokens: deltas.length,
        delta_sum: sum((delta) => delta),
        delta_mean: sum((delta) => delta) / deltas.length,
        delta_abs_max: Math.max(...deltas.map(Math.abs)),
        rho_sum: sum(Math.exp),
        rho_squares: sum((delta) => Math.exp(2 * delta)),
      };
    }),
  );
}

export interface NaiveFigures {
  readonly kept: number;
  readonly clipped: number;
  readonly ess: number;
  readonly meanWeight: number;
  readonly droppedRight: number;
  readonly droppedWrong: number;
  /** Dropped share by group. */
  readonly byLength: readonly number[];
  readonly byReward: readonly number[];
}

/** Applies the definitions literally, token by token. */
export function naively(sequences: readonly MadeSequence[], correction: Correction): NaiveFigures {
  const counts = { all: 0, kept: 0, clipped: 0, weights: 0, squares: 0, loss: 0 };
  const sides = [
    { all: 0, dropped: 0 },
    { all: 0, dropped: 0 },
  ];
  const groups = makeGroups(sequences);
  const tallies = [...groups.length, ...groups.reward].map(({ has }) => ({ has, all: 0, dropped: 0 }));
  const truncating = {
    ...correction,
    steps: correction.steps.filter(({ action }) => action === "truncate"),
  };
  for (const sequence of sequences) {
    const { correct, deltas } = sequence;
    const own = [sides[correct]!, ...tallies.filter(({ has }) => has(sequence))];
    const block = {
      rollout: new Float64Array(deltas.length),
      trainer: Float64Array.from(deltas),
      mask: new Uint8Array(deltas.length).fill(1),
      offsets: Int32Array.of(0, deltas.length),
    };
    const { mask, weights } = applyCorrection(block, correction);
    const clamped = applyCorrection(block, truncating);
    for (const [t, delta] of deltas.entries()) {
      counts.all++;
      for (const tally of own) tally.all++;
      if (clamped.weights?.[t] !== clamped.rawWeights?.[t]) counts.clipped++;
      if (mask[t] === 0 || weights?.[t] === 0) {
        for (const tally of own) tally.dropped++;
        continue;
      }
      const weight = correction.weight ? weights![t]! : Math.exp(delta);
      counts.kept++;
      counts.weights += weight;
      counts.squares += weight * weight;
      counts.loss += correction.weight ? weight : 1;
    }
  }
  return {
    kept: counts.kept / counts.all,
    clipped: counts.clipped / counts.all,
    ess: counts.squares === 0 ? 0 : counts.weights ** 2 / (counts.all * counts.squares),
    meanWeight: counts.loss / counts.kept,
    droppedRight: sides[1]!.dropped / sides[1]!.all,
    droppedWrong: sides[0]!.dropped / sides[0]!.all,
    byLength: tallies.slice(0, groups.length.length).map(({ all, dropped }) => dropped / all),
    byReward: tallies.slice(groups.length.length).map(({ all, dropped }) => dropped / all),
  };
}
