/**
 * Exact figures for corrections on sequences, from the columns of the table of sequences.
 *
 * @module
 */

import { findRewardGroup } from "../../../../src/analyses/sweep/index.ts";
import type { CorrectBins, ValueGroup } from "../../../../src/results/view.ts";
import type { SequenceTable } from "../../../../src/results/wire/table.ts";
import { type Correction, insideInterval } from "../../../../src/trainers/neutral/index.ts";
import { type AxisName, axisOfWeight } from "../../state/lines.ts";
import {
  computeFigures,
  emptySides,
  type Figures,
  type GroupShare,
  SIDES,
  type Side,
  type VetoedShares,
} from "./figures.ts";
import { piecesOn } from "./pieces.ts";

/** Which group each sequence is in, by length and by reward; -1: none. */
export interface RowGroups {
  readonly length: { readonly groups: readonly ValueGroup[]; readonly of: Int8Array };
  readonly reward: { readonly groups: readonly ValueGroup[]; readonly of: Int8Array };
}

export function rowGroups({ columns }: SequenceTable, sums: CorrectBins): RowGroups {
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
      of: Int8Array.from(columns.reward, (reward) => findRewardGroup(rewards, reward)),
    },
  };
}

/** Token counts by group: all, and those dropped or clipped. */
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

/** ΣΔ of each sequence, or its mean Δ. */
function logRatios({ columns }: SequenceTable, axis: Exclude<AxisName, "token">): Float64Array {
  return axis === "sum" ? columns.delta_sum : columns.delta_mean;
}

function findSide(correct: number): Side {
  return Number.isNaN(correct) ? "unknown" : correct > 0 ? "right" : "wrong";
}

/**
 * The least |Δ| with which a token may veto its sequence; undefined without a veto. The table has a sequence's largest
 * |Δ| but not its sign, so too many sequences may be counted.
 */
export function vetoReach({ steps }: Correction): number | undefined {
  const reaches = steps.flatMap((step) => {
    if (step.action !== "veto") return [];
    const { low, high } = insideInterval(step.measure.statistic, step);
    return [Math.min(-low, high)];
  });
  return reaches.length === 0 ? undefined : Math.min(...reaches);
}

/** The shares of tokens in sequences that may be vetoed. */
export function vetoedShares(
  { columns, length: rows }: SequenceTable,
  reach: number,
  { length, reward }: RowGroups,
): VetoedShares {
  const tokens = { right: 0, wrong: 0, unknown: 0 };
  const vetoed = { right: 0, wrong: 0, unknown: 0 };
  const [lengths, rewards] = [new GroupCounts(length), new GroupCounts(reward)];
  for (let row = 0; row < rows; row++) {
    const own = columns.tokens[row]!;
    if (!(own > 0)) continue;
    const side = findSide(columns.correct[row]!);
    const out = columns.delta_abs_max[row]! > reach;
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

/**
 * Figures of a correction on sequences. Each axis drops sequences independently; the weight is on one of them.
 *
 * @param groups {@link rowGroups} of the table.
 */
export function sequenceFigures(table: SequenceTable, correction: Correction, groups: RowGroups): Figures {
  const { tokens, correct, delta_abs_max, rho_sum, rho_squares } = table.columns;
  const { weight } = correction;
  const weightAxis = weight && axisOfWeight(weight);
  const fates = (["sum", "mean"] as const).map((axis) => ({
    logs: logRatios(table, axis),
    pieces: piecesOn(correction, axis),
    isWeight: axis === weightAxis,
  }));
  const reach = vetoReach(correction) ?? Infinity;
  const sides = emptySides();
  const [lengths, rewards] = [new GroupCounts(groups.length), new GroupCounts(groups.reward)];
  let [keptSequences, vetoed, all] = [0, 0, 0];
  for (let row = 0; row < table.length; row++) {
    const own = tokens[row]!;
    if (!(own > 0) || Number.isNaN(table.columns.delta_sum[row]!)) continue;
    const into = sides[findSide(correct[row]!)];
    into.tokens += own;
    all += own;
    const out = delta_abs_max[row]! > reach;
    if (out) vetoed += own;
    let dropped = out;
    let w = 1;
    for (const { logs, pieces, isWeight } of fates) {
      const log = logs[row]!;
      let at = 0;
      while (at < pieces.length - 1 && log > pieces[at]!.to) at++;
      const piece = pieces[at]!;
      if (!piece.kept) dropped = true;
      if (!isWeight) continue;
      if (piece.clipped) into.clipped += own;
      w = piece.weight ?? Math.exp(log);
    }
    lengths.add(row, own, dropped);
    rewards.add(row, own, dropped);
    if (dropped) continue;
    keptSequences++;
    into.kept += own;
    into.weights += weight ? own * w : rho_sum[row]!;
    into.squares += weight ? own * w * w : rho_squares[row]!;
    into.loss += own * w;
  }
  return computeFigures(sides, {
    keptSequences,
    byLength: lengths.parts,
    byReward: rewards.parts,
    ...(reach !== Infinity && { vetoedAtMost: vetoed / all }),
  });
}

/** Log-ratios by side, ascending: for the histogram. */
export function sortedBySide(
  table: SequenceTable,
  axis: Exclude<AxisName, "token">,
): Readonly<Record<Side, Float64Array>> {
  const logs = logRatios(table, axis);
  const { correct, tokens } = table.columns;
  const of = (side: Side): Float64Array =>
    logs
      .filter((log, row) => tokens[row]! > 0 && !Number.isNaN(log) && findSide(correct[row]!) === side)
      .sort();
  return Object.fromEntries(SIDES.map((side) => [side, of(side)])) as Record<Side, Float64Array>;
}
