/**
 * How much data a verdict on the run needs: one minimum for every verb. Figures are always given; these minima only
 * withhold the verdict.
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
 * The 99th percentile of |Δ| then has ten tokens above it, so that it and the mean, which the largest values dominate,
 * do not depend on a single one.
 */
export const FEWEST_TOKENS = 1000;

/** Prompts and their sequences are what varies: with fewer, one odd response is a large part of the whole. */
export const FEWEST_SEQUENCES = 8;

/**
 * "Broken" needs fewer: if half of this many tokens are further off than a broken run is on average, chance cannot
 * explain it. The median decides, because a single extreme token can raise the mean of a healthy pair.
 */
export const FEWEST_FOR_BROKEN = 30;

export function isEnough({ tokens, sequences }: Amount): boolean {
  return tokens >= FEWEST_TOKENS && sequences >= FEWEST_SEQUENCES;
}

/** What is still needed: `354 more tokens`, `1 more sequence`, or both; empty if there is enough. */
export function tellMissing({ tokens, sequences }: Amount): string {
  const missing = [
    plural(Math.max(0, FEWEST_TOKENS - tokens), "more token"),
    plural(Math.max(0, FEWEST_SEQUENCES - sequences), "more sequence"),
  ];
  return missing.filter((words) => !words.startsWith("0 ")).join(" and ");
}
