/**
 * Token-level sums below any Δ, from the prepared bins; linear within the bin that contains the Δ.
 *
 * @module
 */
import type { CorrectBins, ValueGroup } from "../../../../src/results/view.ts";
import type { Correction } from "../../../../src/trainers/neutral/index.ts";
import {
  computeFigures,
  emptySides,
  type Figures,
  type GroupShare,
  SIDES,
  type Side,
  type SideSums,
  type VetoedShares,
} from "./figures.ts";
import { type Piece, piecesOn } from "./pieces.ts";

type Quantity = "tokens" | "rho" | "rhoSquares" | "absAdvantage";

export interface TokenSums {
  /** The sides that have tokens. */
  readonly sides: readonly Side[];
  /** Σ of a quantity over a side's tokens with Δ below this, nats. */
  below(side: Side, quantity: Quantity, delta: number): number;
  /** Δ below which a share of all tokens lies. */
  quantile(share: number): number;
  readonly byLength: readonly TokenGroup[];
  readonly byReward: readonly TokenGroup[];
}

export interface TokenGroup extends ValueGroup {
  /** The number of the group's tokens with Δ below this, nats. */
  readonly below: (delta: number) => number;
}

interface Running {
  readonly tokens: Float64Array;
  readonly rho: Float64Array;
  readonly rhoSquares: Float64Array;
  readonly absAdvantage: Float64Array;
}

export function tokenSums({ edges: given, groups, by_length, by_reward }: CorrectBins): TokenSums {
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

  const findBin = (delta: number): number => {
    let [low, high] = [0, bins - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (edges[middle]! <= delta) low = middle;
      else high = middle - 1;
    }
    return low;
  };
  /** Only the mean of an open bin is known, so the whole bin counts on one side. */
  const shareBelow = (sums: Running, bin: number, delta: number): number => {
    const [low, high] = [edges[bin]!, edges[bin + 1]!];
    if (Number.isFinite(low) && Number.isFinite(high)) return Math.min(1, (delta - low) / (high - low));
    const count = sums.tokens[bin + 1]! - sums.tokens[bin]!;
    const mean = Math.log((sums.rho[bin + 1]! - sums.rho[bin]!) / count);
    return count > 0 && delta > mean ? 1 : 0;
  };
  const sumBelow = (total: Float64Array, delta: number, share: (bin: number) => number): number => {
    if (delta === Infinity) return total[bins]!;
    if (delta === -Infinity) return 0;
    const bin = findBin(delta);
    const within = total[bin + 1]! - total[bin]!;
    return total[bin]! + (within === 0 ? 0 : within * share(bin));
  };
  const below: TokenSums["below"] = (side, quantity, delta) => {
    const sums = running.get(side);
    return sums === undefined ? 0 : sumBelow(sums[quantity], delta, (bin) => shareBelow(sums, bin, delta));
  };
  // For groups, not even the mean of an open bin is known; a bound in one would be e^20 away from 1.
  const makeGroups = (given: CorrectBins["by_length"]): TokenGroup[] =>
    given.map(({ from, to, tokens }) => {
      const total = runningSum(tokens);
      const share = (bin: number, delta: number): number =>
        bin === 0 || bin === bins - 1
          ? Number(bin > 0)
          : Math.min(1, (delta - edges[bin]!) / (edges[bin + 1]! - edges[bin]!));
      return { from, to, below: (delta) => sumBelow(total, delta, (bin) => share(bin, delta)) };
    });
  const sides = SIDES.filter((side) => running.has(side));
  return {
    sides,
    below,
    byLength: makeGroups(by_length),
    byReward: makeGroups(by_reward),
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

export function tokenFigures(
  sums: TokenSums,
  correction: Correction,
  vetoed: VetoedShares | undefined,
): Figures {
  const pieces = piecesOn(correction, "token");
  const weighted = correction.weight !== undefined;
  const sides = emptySides();
  for (const side of sums.sides) {
    for (const piece of pieces) addPiece(sums, side, piece, weighted, sides[side]);
    if (vetoed !== undefined) sides[side].thin(vetoed.sides[side]);
  }
  const all = sums.sides.reduce((sum, side) => sum + sides[side].tokens, 0);
  const lost = sums.sides.reduce((sum, side) => sum + sides[side].tokens * (vetoed?.sides[side] ?? 0), 0);
  const shares = (groups: readonly TokenGroup[], taken: readonly number[] | undefined): GroupShare[] =>
    groups.map(({ below, ...group }, at) => {
      const tokens = below(Infinity);
      const left = pieces.reduce((sum, { kept, from, to }) => sum + (kept ? below(to) - below(from) : 0), 0);
      const kept = left * (1 - (taken?.[at] ?? 0));
      return { ...group, tokens, dropped: tokens === 0 ? 0 : 1 - kept / tokens };
    });
  return computeFigures(sides, {
    byLength: shares(sums.byLength, vetoed?.byLength),
    byReward: shares(sums.byReward, vetoed?.byReward),
    ...(vetoed !== undefined && { vetoedAtMost: lost / all }),
  });
}

function addPiece(
  sums: TokenSums,
  side: Side,
  { from, to, kept, clipped, weight }: Piece,
  weighted: boolean,
  into: SideSums,
): void {
  const between = (quantity: Quantity): number =>
    sums.below(side, quantity, to) - sums.below(side, quantity, from);
  const tokens = between("tokens");
  const advantage = between("absAdvantage");
  into.tokens += tokens;
  into.advantage += advantage;
  if (clipped) into.clipped += tokens;
  if (!kept || tokens === 0) return;
  const weights = weight === undefined ? between("rho") : weight * tokens;
  into.kept += tokens;
  into.advantageKept += advantage;
  into.weights += weights;
  into.squares += weight === undefined ? between("rhoSquares") : weight * weight * tokens;
  into.loss += weighted ? weights : tokens;
}

/** `[bins + 1]`: the sum of everything before each edge. */
function runningSum(values: readonly number[]): Float64Array {
  const sums = new Float64Array(values.length + 1);
  for (const [at, value] of values.entries()) sums[at + 1] = sums[at]! + value;
  return sums;
}
