/**
 * KL of one text, by kind and by text of its tokens.
 *
 * @module
 */
import type { CategorySums, TokenSums } from "./summary.ts";

/** One counted token. */
export interface CountedToken {
  readonly text: string;
  readonly category: string;
  readonly kl: number;
  /** log p_checkpoint − log p_reference; NaN if unknown. */
  readonly delta: number;
  readonly spike: boolean;
}

/** Contains only categories that have a token. */
export function sumsByCategory(tokens: readonly CountedToken[]): Record<string, CategorySums> {
  const sums = new Map<string, CategorySums>();
  for (const { category, kl, spike } of tokens) {
    const before = sums.get(category);
    sums.set(category, {
      count: (before?.count ?? 0) + 1,
      sum: (before?.sum ?? 0) + kl,
      sumOfSquares: (before?.sumOfSquares ?? 0) + kl * kl,
      max: Math.max(before?.max ?? kl, kl),
      min: Math.min(before?.min ?? kl, kl),
      spikes: (before?.spikes ?? 0) + (spike ? 1 : 0),
    });
  }
  return Object.fromEntries(sums);
}

/** The sum of deltas is NaN if any of them is unknown. */
export function sumsByToken(tokens: readonly CountedToken[]): Map<string, TokenSums> {
  const sums = new Map<string, TokenSums>();
  for (const { text, category, kl, delta, spike } of tokens) {
    const before = sums.get(text);
    sums.set(text, {
      category,
      count: (before?.count ?? 0) + 1,
      spikes: (before?.spikes ?? 0) + (spike ? 1 : 0),
      klSum: (before?.klSum ?? 0) + kl,
      deltaSum: (before?.deltaSum ?? 0) + (Number.isFinite(delta) ? delta : Number.NaN),
    });
  }
  return sums;
}
