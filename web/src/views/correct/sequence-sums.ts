/**
 * Sequence and geometric level, exactly, from the columns of the table of sequences.
 *
 * @module
 */

import { PRODUCT_LOG_BOUND, rewardGroupOf } from "../../../../src/analyses/sweep/index.ts";
import type { ValueGroup, WhatIfSums } from "../../../../src/results/index.ts";
import type { SequenceTable } from "../../../../src/results/wire/index.ts";
import { hasBand, hasCap, type Level, type Setting } from "../../state/setting.ts";
import {
  emptySides,
  type Figures,
  figuresOf,
  type GroupShare,
  SIDES,
  type Side,
  type VetoedShares,
} from "./figures.ts";

/** Which group each sequence is in, by length and by reward; -1: none. */
export interface RowGroups {
  readonly length: { readonly groups: readonly ValueGroup[]; readonly of: Int8Array };
  readonly reward: { readonly groups: readonly ValueGroup[]; readonly of: Int8Array };
}

export function rowGroups({ columns }: SequenceTable, sums: WhatIfSums): RowGroups {
  const ranges = (groups: readonly ValueGroup[]): ValueGroup[] =>
    groups.map(({ from, to }) => ({ from, to }));
  const [lengths, rewards] = [ranges(sums.by_length), ranges(sums.by_reward)];
  return {
    length: {
      groups: lengths,
      of: Int8Array.from(columns.tokens, (own) =>
        lengths.findIndex(({ from, to }) => own >= from && own <= to),
      ),
    },
    reward: {
      groups: rewards,
      of: Int8Array.from(columns.reward, (reward) => rewardGroupOf(rewards, reward)),
    },
  };
}

/** Tokens by group: all, and those that something happens to. */
class GroupCounts {
  readonly #of: Int8Array;
  readonly #groups: readonly ValueGroup[];
  readonly #all: Float64Array;
  readonly #some: Float64Array;

  constructor({ groups, of }: RowGroups["length"]) {
    this.#groups = groups;
    this.#of = of;
    this.#all = new Float64Array(groups.length);
    this.#some = new Float64Array(groups.length);
  }

  add(row: number, tokens: number, isSome: boolean): void {
    const group = this.#of[row]!;
    if (group < 0) return;
    this.#all[group]! += tokens;
    if (isSome) this.#some[group]! += tokens;
  }

  get shares(): number[] {
    return Array.from(this.#all, (all, at) => (all > 0 ? this.#some[at]! / all : 0));
  }

  get parts(): GroupShare[] {
    const shares = this.shares;
    const parts = this.#groups.map((group, at) => ({
      ...group,
      tokens: this.#all[at]!,
      dropped: shares[at]!,
    }));
    return parts.filter(({ tokens }) => tokens > 0);
  }
}

/** ΣΔ of each sequence, or its mean Δ: the log of the ratio that the level is about. */
export function logRatios({ columns }: SequenceTable, level: Exclude<Level, "token">): Float64Array {
  return level === "sequence" ? columns.delta_sum : columns.delta_mean;
}

export function sideOf(correct: number): Side {
  return Number.isNaN(correct) ? "unknown" : correct > 0 ? "right" : "wrong";
}

/**
 * A sequence whose largest |Δ| reaches the veto has a token that far out; the table does not say on which side, so this
 * may be too many.
 */
function mayBeVetoed(largest: number, veto: number | null): boolean {
  return veto !== null && largest > -Math.log(veto);
}

/** The shares of tokens in sequences that the veto may take. */
export function vetoedShares(
  { columns, length: rows }: SequenceTable,
  veto: number,
  { length, reward }: RowGroups,
): VetoedShares {
  const tokens = { right: 0, wrong: 0, unknown: 0 };
  const vetoed = { right: 0, wrong: 0, unknown: 0 };
  const [lengths, rewards] = [new GroupCounts(length), new GroupCounts(reward)];
  for (let row = 0; row < rows; row++) {
    const own = columns.tokens[row]!;
    if (!(own > 0)) continue;
    const side = sideOf(columns.correct[row]!);
    const out = mayBeVetoed(columns.delta_abs_max[row]!, veto);
    tokens[side] += own;
    if (out) vetoed[side] += own;
    lengths.add(row, own, out);
    rewards.add(row, own, out);
  }
  const share = (side: Side): number => (tokens[side] > 0 ? vetoed[side] / tokens[side] : 0);
  return {
    sides: { right: share("right"), wrong: share("wrong"), unknown: share("unknown") },
    byLength: lengths.shares,
    byReward: rewards.shares,
  };
}

/** @param groups {@link rowGroups} of the table. */
export function sequenceFigures(table: SequenceTable, setting: Setting, groups: RowGroups): Figures {
  const { method, cap, low, high, veto, level } = setting;
  if (level === "token") throw new RangeError("tokens have no figures of sequences");
  const { tokens, correct, delta_abs_max, rho_sum, rho_squares } = table.columns;
  const logs = logRatios(table, level);
  const sides = emptySides();
  const [weighted, banded, capped] = [hasCap(method) || method === "icepop", hasBand(method), hasCap(method)];
  const [least, most] = banded ? [Math.log(low), Math.log(high)] : [-Infinity, Infinity];
  const [lengths, rewards] = [new GroupCounts(groups.length), new GroupCounts(groups.reward)];
  let [keptSequences, vetoed, all] = [0, 0, 0];
  for (let row = 0; row < table.length; row++) {
    const own = tokens[row]!;
    if (!(own > 0) || Number.isNaN(logs[row])) continue;
    const into = sides[sideOf(correct[row]!)];
    into.tokens += own;
    all += own;
    const ratio = Math.exp(Math.max(-PRODUCT_LOG_BOUND, Math.min(PRODUCT_LOG_BOUND, logs[row]!)));
    const weight = capped ? Math.min(ratio, cap) : ratio;
    if (capped && ratio > cap) into.clipped += own;
    const out = mayBeVetoed(delta_abs_max[row]!, veto);
    if (out) vetoed += own;
    const dropped = out || !(logs[row]! >= least && logs[row]! <= most);
    lengths.add(row, own, dropped);
    rewards.add(row, own, dropped);
    if (dropped) continue;
    keptSequences++;
    into.kept += own;
    into.weights += weighted ? own * weight : rho_sum[row]!;
    into.squares += weighted ? own * weight * weight : rho_squares[row]!;
    into.loss += weighted ? own * weight : own;
  }
  return figuresOf(sides, {
    keptSequences,
    byLength: lengths.parts,
    byReward: rewards.parts,
    ...(veto !== null && { vetoedAtMost: vetoed / all }),
  });
}

/** Log-ratios by side, ascending: for the histogram. */
export function sortedBySide(
  table: SequenceTable,
  level: Exclude<Level, "token">,
): Readonly<Record<Side, Float64Array>> {
  const logs = logRatios(table, level);
  const { correct, tokens } = table.columns;
  const of = (side: Side): Float64Array =>
    logs
      .filter((log, row) => tokens[row]! > 0 && !Number.isNaN(log) && sideOf(correct[row]!) === side)
      .sort();
  return Object.fromEntries(SIDES.map((side) => [side, of(side)])) as Record<Side, Float64Array>;
}
