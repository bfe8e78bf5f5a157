import type { Evidence, EvidencePicture } from "../../results/diagnosis.ts";

/** A fact that speaks for or against one cause. */
export interface Clue {
  readonly cause: string;
  /** Log-likelihood ratio of the cause against a healthy run, nats, clamped to ±{@link MOST_WEIGHT}. */
  readonly weight: number;
  readonly sentence: string;
  readonly figures: Readonly<Record<string, number | string | null>>;
  readonly picture?: EvidencePicture;
  readonly profile?: NonNullable<Evidence["profile"]>;
  readonly handles?: readonly string[];
  /** Share of Σ|Δ| that disappears once this mark's tokens are excluded or corrected; null if all Δ are 0. */
  readonly explains?: number | null;
}

/** No single fact is more certain than e^12 to 1: unforeseen explanations are more frequent than that. */
export const MOST_WEIGHT = 12;

export function hold(weight: number): number {
  return Math.max(-MOST_WEIGHT, Math.min(MOST_WEIGHT, weight));
}
