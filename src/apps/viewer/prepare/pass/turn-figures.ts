/**
 * Figures of the turns of a cache's sequences.
 *
 * @module
 */
import { turnOfMark } from "../../../../core/kernels/index.ts";
import type { WireSequence } from "../../../../results/wire/sequence.ts";
import type { TurnFigures, TurnTable } from "../../../../results/wire/turns.ts";

/** Figures of each turn of a sequence that has a token with mask 1 and a finite Δ, in order. */
export function turnFigures({ mask, turnMarks, rollout, trainer }: WireSequence): TurnFigures[] {
  const found = new Map<number, { tokens: number; sum: number; max: number; worst: number }>();
  for (let at = 0; at < mask.length; at++) {
    const size = Math.abs(trainer[at]! - rollout[at]!);
    if (mask[at] !== 1 || !Number.isFinite(size)) continue;
    const turn = turnOfMark(turnMarks[at]!)!;
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

/** Figures of the turns of all sequences, in order. */
export async function turnTable(sequences: AsyncIterable<WireSequence>): Promise<TurnTable> {
  const offsets = [0];
  const all: TurnFigures[] = [];
  for await (const sequence of sequences) {
    for (const figures of turnFigures(sequence)) all.push(figures);
    offsets.push(all.length);
  }
  return {
    offsets: Uint32Array.from(offsets),
    turns: Uint16Array.from(all, ({ turn }) => turn),
    tokens: Uint32Array.from(all, ({ tokens }) => tokens),
    deltaAbsMean: Float64Array.from(all, ({ deltaAbsMean }) => deltaAbsMean),
    deltaAbsMax: Float64Array.from(all, ({ deltaAbsMax }) => deltaAbsMax),
    worst: Uint32Array.from(all, ({ worst }) => worst),
  };
}
