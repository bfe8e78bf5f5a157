/**
 * From clues to probabilities: log-odds of marks add up, differences of policies share what is left, and none of these
 * keeps its part.
 *
 * @module
 */
import type { Clue } from "./clue.ts";

export interface RankedCause {
  readonly id: string;
  readonly probability: number;
  readonly clues: readonly Clue[];
}

export interface Odds {
  /** Log-odds of a cause against a sound run, nats. */
  readonly score: number;
  readonly clues: readonly Clue[];
}

/** Probabilities of all causes, most likely first; they sum to 1. */
export function rankCauses(odds: ReadonlyMap<string, Odds>): RankedCause[] {
  const scores = [...odds].map(([id, { score, clues }]) => ({ id, clues, score }));
  const highest = Math.max(...scores.map(({ score }) => score));
  const total = scores.reduce((sum, { score }) => sum + Math.exp(score - highest), 0);
  return scores
    .map(({ id, clues, score }) => ({
      id,
      probability: Math.exp(score - highest) / total,
      clues: [...clues].sort((x, y) => y.weight - x.weight),
    }))
    .sort((x, y) => y.probability - x.probability || (x.id < y.id ? -1 : 1));
}

export function addLogs(scores: readonly number[]): number {
  const highest = Math.max(...scores);
  if (!Number.isFinite(highest)) return highest;
  return highest + Math.log(scores.reduce((sum, score) => sum + Math.exp(score - highest), 0));
}
