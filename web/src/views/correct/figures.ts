/**
 * What a correction does, in figures. The words mean what they mean in `logratio sweep`: a token is kept when it stays in
 * the mask with a weight above 0; ESS = (Σw)² / (n Σw²) over all tokens, w = 0 where dropped and w = ρ where the correction
 * has no weights; the mean weight is over kept tokens.
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
  /** Undefined where weights are normalized: the mean of a training step is not in the sums. */
  readonly meanWeight: number | undefined;
  /** Sequences with a kept token; undefined where the sums cannot say. */
  readonly keptSequences?: number;
  /** Share of the tokens of right, wrong and unknown sequences that is dropped; absent where there are none. */
  readonly dropped: Readonly<Partial<Record<Side, number>>>;
  /** Share dropped of Σ |advantage|; undefined without advantages. */
  readonly advantageDropped?: number;
  /** By tokens of the sequence, and by its reward where that says more than right and wrong. */
  readonly byLength: readonly GroupShare[];
  readonly byReward: readonly GroupShare[];
  /** Share of the tokens in sequences that the veto takes, at most; undefined without a veto. */
  readonly vetoedAtMost?: number;
}

export interface GroupShare extends ValueGroup {
  readonly tokens: number;
  /** Share of them. */
  readonly dropped: number;
}

/** What the veto may take: shares of the tokens of each side, and of each group. */
export interface VetoedShares {
  readonly sides: Readonly<Record<Side, number>>;
  readonly byLength: readonly number[];
  readonly byReward: readonly number[];
}

/** Running sums of one side, from which figures are made. */
export class SideSums {
  tokens = 0;
  kept = 0;
  clipped = 0;
  /** Σ w and Σ w² over kept tokens, with the weights of ESS; then Σ of the weights in the loss. */
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
    // Less than a millionth of a token is a rounding error of zero.
    meanWeight: kept < 1e-6 ? Number.NaN : sum((side) => side.loss) / kept,
    dropped: Object.fromEntries(dropped),
    ...(advantage > 0 && { advantageDropped: 1 - sum((side) => side.advantageKept) / advantage }),
    ...more,
  };
}
