/**
 * From clues to probabilities: log-odds of marks add up, differences of policies share the remainder, and "none of
 * these" keeps its part.
 *
 * @module
 */
import type { Clue } from "./clue.ts";

export interface RankedCause {
  readonly id: string;
  readonly probability: number;
  readonly clues: readonly Clue[];
  /** Share of Σ|Δ|; null if it was not measured. */
  readonly explains: number | null;
  /** Whether it is compatible with the other causes. */
  readonly coexists: boolean;
}

export interface Odds {
  /** Log-odds of a cause against a healthy run, nats. */
  readonly score: number;
  readonly clues: readonly Clue[];
  /** Share of Σ|Δ| explained if this is the cause; absent or null if it was not measured. */
  readonly explains?: number | null;
  /** Compatible with all other causes: it has a probability of its own. */
  readonly coexists?: boolean;
}

/**
 * Probabilities of all causes, most likely first, then those that coexist. Mutually exclusive causes share 1; one that
 * coexists has 1 / (1 + e^−score).
 */
export function rankCauses(odds: ReadonlyMap<string, Odds>): RankedCause[] {
  const competing = [...odds.values()].filter(({ coexists }) => coexists !== true);
  const total = addLogs(competing.map(({ score }) => score));
  return [...odds]
    .map(([id, { score, clues, explains = null, coexists = false }]) => ({
      id,
      probability: coexists ? 1 / (1 + Math.exp(-score)) : Math.exp(score - total),
      clues: [...clues].sort((x, y) => y.weight - x.weight),
      explains,
      coexists,
    }))
    .sort(
      (x, y) =>
        Number(x.coexists) - Number(y.coexists) || y.probability - x.probability || (x.id < y.id ? -1 : 1),
    );
}

export function addLogs(scores: readonly number[]): number {
  const highest = Math.max(...scores);
  if (!Number.isFinite(highest)) return highest;
  return highest + Math.log(scores.reduce((sum, score) => sum + Math.exp(score - highest), 0));
}
