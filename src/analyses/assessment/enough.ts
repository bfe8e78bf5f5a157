/**
 * How much data a word on the run needs. Figures are always given; these minima only hold back the word.
 *
 * @module
 */
import type { MismatchMetrics } from "../../results/index.ts";

/**
 * The 99th percentile of |Δ| then has ten tokens above it, so that it and the mean, which the largest values make, do
 * not hang on a single one.
 */
export const FEWEST_TOKENS = 1000;

/** What varies are prompts and their sequences: of fewer, one odd response is a large part of the whole. */
export const FEWEST_SEQUENCES = 8;

/**
 * "Broken" is said from fewer: when half of this many tokens are further off than a broken run is on average, no luck
 * explains it. The median asks, since a single extreme token can lift the mean of a sound pair.
 */
export const FEWEST_FOR_BROKEN = 30;

export function isEnough({ tokens, sequences }: Pick<MismatchMetrics, "tokens" | "sequences">): boolean {
  return tokens >= FEWEST_TOKENS && sequences >= FEWEST_SEQUENCES;
}
