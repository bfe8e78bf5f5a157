/**
 * Token level, from the prepared bins: sums below any Δ, linear within the bin that holds it.
 *
 * @module
 */
import type { ValueGroup, WhatIfSums } from "../../../../src/results/index.ts";
import { hasBand, hasCap, type Setting } from "../../state/setting.ts";
import {
  emptySides,
  type Figures,
  figuresOf,
  type GroupShare,
  SIDES,
  type Side,
  type SideSums,
  type VetoedShares,
} from "./figures.ts";

type Quantity = "tokens" | "rho" | "rhoSquares" | "absAdvantage";

export interface TokenSums {
  /** Sides that there are. */
  readonly sides: readonly Side[];
  /** Σ of a quantity over a side's tokens with Δ below this, nats. */
  below(side: Side, quantity: Quantity, delta: number): number;
  /** Δ below which a share of all tokens lies. */
  quantile(share: number): number;
  readonly byLength: readonly TokenGroup[];
  readonly byReward: readonly TokenGroup[];
}

export interface TokenGroup extends ValueGroup {
  /** How many of its tokens have Δ below this, nats. */
  readonly below: (delta: number) => number;
}

interface Running {
  readonly tokens: Float64Array;
  readonly rho: Float64Array;
  readonly rhoSquares: Float64Array;
  readonly absAdvantage: Float64Array;
}

export function tokenSums({ edges: given, groups, by_length, by_reward }: WhatIfSums): TokenSums {
  const bins = given.length - 1;
  const edges = Float64Array.from(given, (edge, at) => edge ?? (at === 0 ? -Infinity : Infinity));
  const running = new Map(
    groups.map(({ name, tokens, rho, rho_squares, abs_advantage }): [Side, Running] => [
      name,
      {
        tokens: runningSum(tokens),
        rho: runningSum(rho),
        rhoSquares: runningSum(rho_squares),
        absAdvantage: runningSum(abs_advantage),
      },
    ]),
  );

  const binOf = (delta: number): number => {
    let [low, high] = [0, bins - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (edges[middle]! <= delta) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  /** Of an open bin only its mean is known: all of it lies on one side. */
  const shareBelow = (sums: Running, bin: number, delta: number): number => {
    const [low, high] = [edges[bin]!, edges[bin + 1]!];
    if (Number.isFinite(low) && Number.isFinite(high)) return Math.min(1, (delta - low) / (high - low));
    const count = sums.tokens[bin + 1]! - sums.tokens[bin]!;
    const mean = Math.log((sums.rho[bin + 1]! - sums.rho[bin]!) / count);
    return count > 0 && delta > mean ? 1 : 0;
  };
  const belowOf = (total: Float64Array, delta: number, share: (bin: number) => number): number => {
    if (delta === Infinity) return total[bins]!;
    if (delta === -Infinity) return 0;
    const bin = binOf(delta);
    const within = total[bin + 1]! - total[bin]!;
    return total[bin]! + (within === 0 ? 0 : within * share(bin));
  };
  const below: TokenSums["below"] = (side, quantity, delta) => {
    const sums = running.get(side);
    return sums === undefined ? 0 : belowOf(sums[quantity], delta, (bin) => shareBelow(sums, bin, delta));
  };
  // Of groups not even the mean of an open bin is known; bounds that lie in one are e^20 from 1.
  const groupsOf = (given: WhatIfSums["by_length"]): TokenGroup[] =>
    given.map(({ from, to, tokens }) => {
      const total = runningSum(tokens);
      const share = (bin: number, delta: number): number =>
        bin === 0 || bin === bins - 1
          ? Number(bin > 0)
          : Math.min(1, (delta - edges[bin]!) / (edges[bin + 1]! - edges[bin]!));
      return { from, to, below: (delta) => belowOf(total, delta, (bin) => share(bin, delta)) };
    });
  const sides = SIDES.filter((side) => running.has(side));
  return {
    sides,
    below,
    byLength: groupsOf(by_length),
    byReward: groupsOf(by_reward),
    quantile(share) {
      const count = (bin: number): number =>
        sides.reduce((sum, side) => sum + running.get(side)!.tokens[bin]!, 0);
      const wanted = share * count(bins);
      let bin = 0;
      while (bin < bins - 1 && count(bin + 1) < wanted) bin++;
      const edge = share < 0.5 ? edges[bin]! : edges[bin + 1]!;
      return Number.isFinite(edge) ? edge : share < 0.5 ? edges[1]! : edges[bins - 1]!;
    },
  };
}

export function tokenFigures(sums: TokenSums, setting: Setting, vetoed: VetoedShares | undefined): Figures {
  const sides = emptySides();
  for (const side of sums.sides) {
    addSide(sums, side, setting, sides[side]);
    if (vetoed !== undefined) sides[side].thin(vetoed.sides[side]);
  }
  const all = sums.sides.reduce((sum, side) => sum + sides[side].tokens, 0);
  const lost = sums.sides.reduce((sum, side) => sum + sides[side].tokens * (vetoed?.sides[side] ?? 0), 0);
  const [from, to] = bandOf(setting);
  const shares = (groups: readonly TokenGroup[], taken: readonly number[] | undefined): GroupShare[] =>
    groups.map(({ below, ...group }, at) => {
      const tokens = below(Infinity);
      const kept = to > from ? (below(to) - below(from)) * (1 - (taken?.[at] ?? 0)) : 0;
      return { ...group, tokens, dropped: tokens === 0 ? 0 : 1 - kept / tokens };
    });
  return figuresOf(sides, {
    byLength: shares(sums.byLength, vetoed?.byLength),
    byReward: shares(sums.byReward, vetoed?.byReward),
    ...(vetoed !== undefined && { vetoedAtMost: lost / all }),
  });
}

/** Where Δ may lie, nats. */
function bandOf({ method, low, high }: Setting): readonly [number, number] {
  return hasBand(method) ? [Math.log(low), Math.log(high)] : [-Infinity, Infinity];
}

function addSide(sums: TokenSums, side: Side, setting: Setting, into: SideSums): void {
  const { method, cap } = setting;
  const between = (quantity: Quantity, from: number, to: number): number =>
    to > from ? sums.below(side, quantity, to) - sums.below(side, quantity, from) : 0;
  const total = (quantity: Quantity): number => sums.below(side, quantity, Infinity);
  const [from, to] = bandOf(setting);
  into.tokens += total("tokens");
  into.advantage += total("absAdvantage");
  into.kept += between("tokens", from, to);
  into.advantageKept += between("absAdvantage", from, to);
  // Up to here a weight is the ratio, above it the cap.
  const top = hasCap(method) ? Math.log(cap) : Infinity;
  const capped = between("tokens", Math.max(from, top), to);
  if (hasCap(method)) into.clipped += total("tokens") - sums.below(side, "tokens", top);
  into.weights += between("rho", from, Math.min(to, top)) + (capped > 0 ? cap * capped : 0);
  into.squares += between("rhoSquares", from, Math.min(to, top)) + (capped > 0 ? cap * cap * capped : 0);
  const weighted = hasCap(method) || method === "icepop";
  into.loss = weighted ? into.weights : into.kept;
}

/** `[bins + 1]`: the sum of everything before each edge. */
function runningSum(values: readonly number[]): Float64Array {
  const sums = new Float64Array(values.length + 1);
  for (const [at, value] of values.entries()) sums[at + 1] = sums[at]! + value;
  return sums;
}
