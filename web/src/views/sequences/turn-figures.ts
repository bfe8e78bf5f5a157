import type { WireSequence } from "../../../../src/wire/index.ts";

export interface TurnFigures {
  /** From 1. */
  readonly turn: number;
  readonly tokens: number;
  readonly deltaAbsMean: number;
  readonly deltaAbsMax: number;
  /** The response token with the largest |Δ|. */
  readonly worst: number;
}

/** Of each turn of a sequence with a token of mask 1 and a finite Δ, in order. */
export function turnFigures({ mask, turns, rollout, trainer }: WireSequence): TurnFigures[] {
  const found = new Map<number, { tokens: number; sum: number; max: number; worst: number }>();
  for (let at = 0; at < mask.length; at++) {
    const size = Math.abs(trainer[at]! - rollout[at]!);
    if (mask[at] !== 1 || !Number.isFinite(size)) continue;
    const turn = turns[at]!;
    let own = found.get(turn);
    if (own === undefined) {
      own = { tokens: 0, sum: 0, max: -1, worst: at };
      found.set(turn, own);
    }
    own.tokens++;
    own.sum += size;
    if (size > own.max) {
      own.max = size;
      own.worst = at;
    }
  }
  return [...found]
    .sort(([a], [b]) => a - b)
    .map(([turn, { tokens, sum, max, worst }]) => {
      return { turn, tokens, deltaAbsMean: sum / tokens, deltaAbsMax: max, worst };
    });
}
