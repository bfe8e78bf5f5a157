/**
 * Sums over bins of Δ, from which the page draws what a threshold would do while it is dragged.
 *
 * @module
 */
import type { WhatIfSums } from "../../protocol/view.ts";

/** Inner edges are ±SMALL · (e^(i · STEP) − 1), i = 0 … SIDE: 2e-5 nats wide at 0, 2 % of Δ at ±LARGEST. */
const SIDE = 511;
const SMALL = 1e-3;
const LARGEST = 20;
const STEP = Math.log1p(LARGEST / SMALL) / SIDE;
const INNER = Float64Array.from({ length: 2 * SIDE + 1 }, (_, i) => {
  const at = i - SIDE;
  return Math.sign(at) * SMALL * Math.expm1(Math.abs(at) * STEP);
});
const BINS = INNER.length + 1;
const NAMES = ["right", "wrong", "unknown"] as const;

/** Bin i holds Δ in `[edges[i], edges[i + 1])`; the first and last are open. */
export function binOf(delta: number): number {
  const side = Math.trunc(Math.log1p(Math.abs(delta) / SMALL) / STEP);
  let bin = Math.min(Math.max(SIDE + (delta < 0 ? -side : side) + 1, 0), BINS - 1);
  // The formula is good to rounding; the edges decide.
  while (bin > 0 && delta < INNER[bin - 1]!) bin--;
  while (bin < BINS - 1 && delta >= INNER[bin]!) bin++;
  return bin;
}

interface Sums {
  readonly tokens: Float64Array;
  readonly rho: Float64Array;
  readonly rhoSquares: Float64Array;
  readonly absAdvantage: Float64Array;
}

export class WhatIfBuilder {
  readonly #groups = NAMES.map((): Sums => {
    const sums = (): Float64Array => new Float64Array(BINS);
    return { tokens: sums(), rho: sums(), rhoSquares: sums(), absAdvantage: sums() };
  });

  /** One token with mask 1; `correct` is its sequence's, NaN where it is not known. */
  add(correct: number, delta: number, rho: number, advantage: number): void {
    const { tokens, rho: rhos, rhoSquares, absAdvantage } = this.#groups[groupOf(correct)]!;
    const bin = binOf(delta);
    tokens[bin]!++;
    rhos[bin]! += rho;
    rhoSquares[bin]! += rho * rho;
    if (!Number.isNaN(advantage)) absAdvantage[bin]! += Math.abs(advantage);
  }

  /** Groups with a token in them. Sums that overflow are the largest number: JSON has no infinity. */
  finish(): WhatIfSums {
    const finite = (sums: Float64Array): number[] =>
      Array.from(sums, (sum) => Math.min(sum, Number.MAX_VALUE));
    return {
      edges: [null, ...INNER, null],
      groups: this.#groups.flatMap(({ tokens, rho, rhoSquares, absAdvantage }, i) => {
        if (!tokens.some((count) => count > 0)) return [];
        return {
          name: NAMES[i]!,
          tokens: [...tokens],
          rho: finite(rho),
          rho_squares: finite(rhoSquares),
          abs_advantage: finite(absAdvantage),
        };
      }),
    };
  }
}

function groupOf(correct: number): number {
  if (Number.isNaN(correct)) return 2;
  return correct > 0 ? 0 : 1;
}
