import type { WhatIfSums } from "../../../../src/protocol/view.ts";
import type { SequenceTable } from "../../../../src/wire/index.ts";
import { madeTable } from "../../filter/made-table.test-data.ts";
import { hasBand, hasCap, type Setting } from "../../state/setting.ts";
import { LOG_BOUND } from "./sequence-sums.ts";

export interface MadeSequence {
  readonly correct: number;
  /** Δ of its tokens. */
  readonly deltas: readonly number[];
}

/** Bins of equal width in [-1, 1]. */
export function binned(sequences: readonly MadeSequence[], bins: number): WhatIfSums {
  const inner = Array.from({ length: bins - 1 }, (_, i) => -1 + (2 * i) / (bins - 2));
  const groups = ([1, 0] as const).map((correct) => {
    const zeros = (): number[] => new Array<number>(bins).fill(0);
    const sums = { tokens: zeros(), rho: zeros(), rho_squares: zeros(), abs_advantage: zeros() };
    for (const sequence of sequences) {
      if (sequence.correct !== correct) continue;
      for (const delta of sequence.deltas) {
        const bin = inner.filter((edge) => edge <= delta).length;
        sums.tokens[bin]! += 1;
        sums.rho[bin]! += Math.exp(delta);
        sums.rho_squares[bin]! += Math.exp(2 * delta);
        sums.abs_advantage[bin]! += 1;
      }
    }
    return { name: correct === 1 ? ("right" as const) : ("wrong" as const), ...sums };
  });
  return { edges: [null, ...inner, null], groups };
}

export function tableOf(sequences: readonly MadeSequence[]): SequenceTable {
  return madeTable(
    sequences.map(({ correct, deltas }) => {
      const sum = (of: (delta: number) => number): number =>
        deltas.reduce((total, delta) => total + of(delta), 0);
      return {
        correct,
        tokens: deltas.length,
        delta_sum: sum((delta) => delta),
        delta_mean: sum((delta) => delta) / deltas.length,
        delta_abs_max: Math.max(...deltas.map(Math.abs)),
        rho_sum: sum(Math.exp),
        rho_squares: sum((delta) => Math.exp(2 * delta)),
      };
    }),
  );
}

export interface NaiveFigures {
  readonly kept: number;
  readonly clipped: number;
  readonly ess: number;
  readonly meanWeight: number;
  readonly droppedRight: number;
  readonly droppedWrong: number;
}

/** Token by token, as the definitions read. */
export function naively(sequences: readonly MadeSequence[], setting: Setting): NaiveFigures {
  const { level, method, cap, low, high } = setting;
  const counts = { all: 0, kept: 0, clipped: 0, weights: 0, squares: 0, loss: 0 };
  const sides = [
    { all: 0, dropped: 0 },
    { all: 0, dropped: 0 },
  ];
  for (const { correct, deltas } of sequences) {
    const sum = deltas.reduce((total, delta) => total + delta, 0);
    for (const delta of deltas) {
      const log = level === "token" ? delta : level === "sequence" ? sum : sum / deltas.length;
      const ratio = Math.exp(Math.max(-LOG_BOUND, Math.min(LOG_BOUND, log)));
      counts.all++;
      sides[correct]!.all++;
      if (hasCap(method) && ratio > cap) counts.clipped++;
      if (hasBand(method) && (log < Math.log(low) || log > Math.log(high))) {
        sides[correct]!.dropped++;
        continue;
      }
      const weighted = hasCap(method) || method === "icepop";
      const weight = hasCap(method) ? Math.min(ratio, cap) : weighted ? ratio : Math.exp(delta);
      counts.kept++;
      counts.weights += weight;
      counts.squares += weight * weight;
      counts.loss += weighted ? weight : 1;
    }
  }
  return {
    kept: counts.kept / counts.all,
    clipped: counts.clipped / counts.all,
    ess: counts.squares === 0 ? 0 : counts.weights ** 2 / (counts.all * counts.squares),
    meanWeight: counts.loss / counts.kept,
    droppedRight: sides[1]!.dropped / sides[1]!.all,
    droppedWrong: sides[0]!.dropped / sides[0]!.all,
  };
}
