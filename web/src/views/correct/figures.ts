/**
 * What a correction does, in figures. Terms mean the same as in `logratio sweep`: a token is kept if it stays in the
 * mask with a weight above 0; ESS = (Σw)² / (n Σw²) over all tokens, with w = 0 for dropped tokens and w = ρ if the
 * correction has no weights; the mean weight is over kept tokens.
 *
 * @module
 */

import type { ValueGroup } from "../../../../src/results/view.ts";

export const SIDES = ["right", "wrong", "unknown"] as const;
export type Side = (typeof SIDES)[number];

export interface Figures {
  readonly tokens: number;
  /** Shares of all tokens. */
  readonly kept: number;
  readonly clipped: number;
  readonly ess: number;
  /** Undefined if weights are normalized: the mean of a training step is not in the sums. */
  readonly meanWeight: number | undefined;
  /** Sequences with a kept token; undefined if the sums do not have it. */
  readonly keptSequences?: number;
  /** Dropped share of the tokens of right, wrong and unknown sequences; absent if there are none. */
  readonly dropped: Readonly<Partial<Record<Side, number>>>;
  /** Dropped share of Σ |advantage|; undefined without advantages. */
  readonly advantageDropped?: number;
  /** By the sequence's number of tokens, and by its reward if that says more than right and wrong. */
  readonly byLength: readonly GroupShare[];
  readonly byReward: readonly GroupShare[];
  /** Upper bound on the share of tokens in vetoed sequences; undefined without a veto. */
  readonly vetoedAtMost?: number;
}

export interface GroupShare extends ValueGroup {
  readonly tokens: number;
  /** Dropped share of the group's tokens. */
  readonly dropped: number;
}

/** What the veto may drop: shares of the tokens of each side and of each group. */
export interface VetoedShares {
  readonly sides: Readonly<Record<Side, number>>;
  readonly byLength: readonly number[];
  readonly byReward: readonly number[];
}

/** Running sums of one side, from which the figures are computed. */
export class SideSums {
  tokens = 0;
  kept = 0;
  clipped = 0;
  /** Σ w and Σ w² over kept tokens with the weights of ESS, then Σ of the weights in the loss. */
  weights = 0;
  squares = 0;
  loss = 0;
  advantage = 0;
  advantageKept = 0;

  /** Removes a share of everything that was kept. */
  thin(share: number): void {
    const rest = 1 - share;
    this.kept *= rest;
    this.weights *= rest;
    this.squares *= rest;
    this.loss *= rest;
    this.advantageKept *= rest;
  }
}

export type BySide = Readonly<Record<Side, SideSums>>;

export function emptySides(): BySide {
  return { right: new SideSums(), wrong: new SideSums(), unknown: new SideSums() };
}

export function computeFigures(
  sides: BySide,
  more: Pick<Figures, "keptSequences" | "byLength" | "byReward" | "vetoedAtMost">,
): Figures {
  const all = SIDES.map((side) => sides[side]);
  const sum = (of: (side: SideSums) => number): number => all.reduce((total, side) => total + of(side), 0);
  const tokens = sum((side) => side.tokens);
  const kept = sum((side) => side.kept);
  const weights = sum((side) => side.weights);
  const squares = sum((side) => side.squares);
  const advantage = sum((side) => side.advantage);
  const dropped = SIDES.filter((side) => sides[side].tokens > 0).map((side) => {
    return [side, 1 - sides[side].kept / sides[side].tokens];
  });
  return {
    tokens,
    kept: kept / tokens,
    clipped: sum((side) => side.clipped) / tokens,
    ess: squares === 0 ? 0 : (weights * weights) / (tokens * squares),
    // Less than a millionth of a token is a rounding error, not a token.
    meanWeight: kept < 1e-6 ? Number.NaN : sum((side) => side.loss) / kept,
    dropped: Object.fromEntries(dropped),
    ...(advantage > 0 && { advantageDropped: 1 - sum((side) => side.advantageKept) / advantage }),
    ...more,
  };
}
