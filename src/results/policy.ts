/**
 * The result of `logratio report` for files with only one policy's log-probs: figures of that policy, and what is
 * missing for a comparison. Names are snake_case; log quantities are in nats, shares are fractions of 1, null is "not
 * known".
 *
 * @module
 */
import type { Fraction, Nats } from "../core/base/index.ts";
import type { Finding } from "../core/schema/index.ts";
import type { SourceSummary } from "./report.ts";

export const POLICY_SCHEMA_VERSION = 1;

/** Figures of a set of sequences, or of some of their tokens. A token counts with mask 1 and a finite log-prob. */
export interface PolicyFigures {
  readonly tokens: number;
  /** Mean log-prob of the sampled tokens. */
  readonly log_prob_mean: Nats | null;
  /** exp(−mean log-prob) over the tokens together. */
  readonly ppl: number | null;
  /** Mean entropy of the policy's next-token distribution, over tokens where it is known. */
  readonly entropy: Nats | null;
  /** Share of tokens whose log-prob is exactly 0: certain, greedy, or a placeholder. */
  readonly zero_share: Fraction | null;
}

/** Figures of sequences, and their outcomes. */
export interface PolicyGroup extends PolicyFigures {
  readonly sequences: number;
  /** Mean length of all responses, tokens of any mask. */
  readonly response_tokens: number | null;
  readonly reward: number | null;
  readonly accuracy: Fraction | null;
}

/** xtuner's `compute_mismatch_metrics`, which gives the first two with `rollout_log_prob=None`. */
export interface XtunerPerplexities {
  /** Mean over sequences of exp(−masked mean log-prob); a sequence without a token counts as 1. */
  readonly mismatch_training_ppl?: number;
  readonly mismatch_training_log_ppl?: Nats;
  readonly mismatch_rollout_ppl?: number;
  readonly mismatch_rollout_log_ppl?: Nats;
}

export interface PolicyMetrics extends PolicyGroup, XtunerPerplexities {
  readonly steps: number;
  readonly ranks: number;
  readonly turns_max: number;
  /** Sequences without one token with mask 1 and a finite log-prob. */
  readonly sequences_empty: number;
  readonly log_prob_std: Nats | null;
  readonly log_prob_min: Nats | null;
  readonly surprisal_p50: Nats | null;
  readonly surprisal_p90: Nats | null;
  readonly surprisal_p99: Nats | null;
  readonly surprisal_p999: Nats | null;
  readonly surprisal_max: Nats | null;
  /** Mean surprisal − mean entropy, over tokens with known entropy: about 0 if tokens were drawn from it. */
  readonly surprisal_entropy_gap: Nats | null;
  readonly zeros: number;
}

/** A token that the policy was least sure of. */
export interface UnlikelyToken {
  readonly handle: string;
  readonly token_id: number | null;
  readonly log_prob: Nats;
  readonly entropy: Nats | null;
}

export interface UnlikelySequence {
  readonly handle: string;
  readonly tokens: number;
  readonly log_prob_mean: Nats;
  readonly ppl: number;
  readonly reward: number | null;
}

/** What prevents a comparison, and what to do about it. */
export interface MissingSide {
  readonly side: "rollout" | "trainer";
  readonly message: string;
  readonly likely: string | null;
  /** Lines to follow: the trainer's switch, or code that writes both sides. */
  readonly hint: string | null;
}

/** Something to run next. */
export interface NextStep {
  readonly command: string;
  readonly why: string;
}

export interface PolicyReport {
  readonly schemaVersion: typeof POLICY_SCHEMA_VERSION;
  readonly kind: "report";
  /** The policy whose log-probs are present. */
  readonly policies: "rollout" | "trainer";
  readonly run: string;
  /** What the files are: `verl generation batch`, else adapter and format. */
  readonly what: string;
  readonly trainers: readonly string[];
  readonly missing: MissingSide;
  readonly metrics: PolicyMetrics;
  readonly per_step: readonly (PolicyGroup & { readonly step: number | null })[];
  readonly per_environment: readonly (PolicyGroup & { readonly name: string })[];
  readonly per_correctness: readonly (PolicyGroup & { readonly name: "correct" | "incorrect" })[];
  readonly per_turn: readonly (PolicyFigures & { readonly turn: number })[];
  /** Response tokens in [from, to), counted from 0; `to` is null for the last. */
  readonly per_position: readonly (PolicyFigures & { readonly from: number; readonly to: number | null })[];
  /** Tokens with a probability in [from, to); the last includes 1. */
  readonly per_probability: readonly {
    readonly from: number;
    readonly to: number;
    readonly tokens: number;
    readonly token_share: Fraction;
  }[];
  readonly unlikely_tokens: readonly UnlikelyToken[];
  readonly unlikely_sequences: readonly UnlikelySequence[];
  /** Tokens with mask 1 in none of the figures. */
  readonly excluded: { readonly infinite: number; readonly missing: number };
  readonly next: readonly NextStep[];
  readonly findings: readonly Finding[];
  readonly sources: readonly SourceSummary[];
}
