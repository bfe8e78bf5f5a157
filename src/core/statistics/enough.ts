/**
 * How much data a word on the run needs: one minimum for every verb. Figures are always given; these minima only hold
 * back the word.
 *
 * @module
 */
import { plural } from "../text/format.ts";

/** Tokens that can be compared, and the sequences they come from. */
export interface Amount {
  readonly tokens: number;
  readonly sequences: number;
}

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

export function isEnough({ tokens, sequences }: Amount): boolean {
  return tokens >= FEWEST_TOKENS && sequences >= FEWEST_SEQUENCES;
}

/** What is missing to be enough: `354 more tokens`, `1 more sequence`, or both; empty where nothing is. */
export function tellMissing({ tokens, sequences }: Amount): string {
  const missing = [
    plural(Math.max(0, FEWEST_TOKENS - tokens), "more token"),
    plural(Math.max(0, FEWEST_SEQUENCES - sequences), "more sequence"),
  ];
  return missing.filter((words) => !words.startsWith("0 ")).join(" and ");
}
