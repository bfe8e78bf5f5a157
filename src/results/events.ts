/**
 * Mistakes: tokens at which the policies are far apart, with tokens of the same mistake counted once. Part of
 * `assessment`. Names are snake_case; log quantities are in nats, shares are fractions of 1, null is "not known".
 *
 * @module
 */
import type { Fraction, Nats } from "../core/base/index.ts";

/** How mistakes are ranked: by Σ|A||ρ − 1| of their tokens (`gradient`), or by Σ|Δ| (`raw`). */
export const EVENT_RANKS = ["gradient", "raw"] as const;
export type EventRank = (typeof EVENT_RANKS)[number];

export interface MistakeEvents {
  /** How `list` is ranked: `gradient` if some mistake has a non-zero advantage. */
  readonly rank: EventRank;
  /** At most five, the most important first. Empty if no ratio is outside [½, 2]. */
  readonly list: readonly MistakeEvent[];
  /** The same by Σ|Δ|, regardless of what reaches the gradient. */
  readonly by_raw: readonly MistakeEvent[];
  /** Total number of mistakes. */
  readonly count: number;
  /** |Δ| from which a token counts, about ln 2: its ratio is outside [½, 2]. */
  readonly delta_abs_from: Nats;
  /** Number of tokens of that size. */
  readonly tokens: number;
  /**
   * Number of tokens that mistakes are built from: the largest by |Δ| and by |A||ρ − 1|. If fewer than `tokens`, counts
   * are lower bounds.
   */
  readonly tokens_kept: number;
}

/**
 * The same mistake in one prompt's answers: the same token after the same ones, or neighboring tokens in one answer, or
 * (if token ids are not known) the same position.
 */
export interface MistakeEvent {
  /** Identifies the mistake, 14 hexadecimal digits. */
  readonly key: string;
  /** Handle of the token with the largest |Δ|: `s12.r3.q41.t880`. */
  readonly handle: string;
  readonly file: string;
  /** Ascending; empty if the source names none. */
  readonly steps: readonly number[];
  /** Tokens of the mistake. */
  readonly tokens: number;
  /** Answers that have it. */
  readonly answers: number;
  /** Answers to the prompt at those steps; null if prompts are not known. */
  readonly of_answers: number | null;
  /** How many of `answers` are right, and wrong. */
  readonly answers_right: number;
  readonly answers_wrong: number;
  /** Turn of the token, from 0. */
  readonly turn: number;
  /** Place of the token in the response. */
  readonly token: number;
  /** Σ|Δ| over its tokens, and its share of the run's. */
  readonly delta_abs_sum: Nats;
  readonly delta_abs_share: Fraction;
  /** Σ k3 over its tokens, and its share of the run's; null if it overflows. */
  readonly k3_sum: Nats | null;
  readonly k3_share: Fraction | null;
  /** Σ|A||ρ − 1| over its tokens, in units of the advantage: 0 if A is 0, null if no A is known. */
  readonly reaches_gradient: number | null;
  /** Its share of the run's. */
  readonly gradient_share: Fraction | null;
  /** Of the token. */
  readonly token_id: number | null;
  /** Δ = trainer − rollout. */
  readonly delta: Nats;
  readonly rollout_logprob: Nats;
  readonly trainer_logprob: Nats;
  readonly advantage: number | null;
  /** Token ids around it; null if the source has none, or if they were not kept. */
  readonly context: EventContext | null;
  /** The same as text; null without a tokenizer if the source has ids. */
  readonly text: EventText | null;
  /** What the policies would have written, including the sampled token, likeliest first. */
  readonly alternatives: readonly EventAlternative[];
}

/** An unknown id is -1. */
export interface EventContext {
  /** At most 32 ids of the response before the token, and 16 after it. */
  readonly before_ids: readonly number[];
  readonly after_ids: readonly number[];
  /** The last 200 of the prompt. */
  readonly prompt_ids: readonly number[];
  /** Tokens of the whole prompt. */
  readonly prompt_tokens: number;
}

/** At most about 40 characters before and after the token. */
export interface EventText {
  readonly before: string;
  readonly token: string;
  readonly after: string;
  /** The end of the prompt, at most 400 characters. */
  readonly prompt: string | null;
}

export interface EventAlternative {
  readonly token_id: number | null;
  readonly text: string | null;
  /** Whether it is what the rollout policy wrote. */
  readonly sampled: boolean;
  /** Null if the policy's list of most probable tokens lacks it. */
  readonly rollout_probability: number | null;
  readonly trainer_probability: number | null;
}
