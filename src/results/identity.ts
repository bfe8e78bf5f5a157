/**
 * Identities that the recorded rollout log-probs must satisfy whatever the trainer's weights are, and how far
 * importance ratios can be trusted: `identity` and `trust` of `report --json`. docs/statistics.md has the formulas.
 *
 * @module
 */
import type { Ratio } from "../core/base/index.ts";

/** A mean with a known correct value, and how far off it is. NaN (null in JSON) if the data do not say. */
export interface IdentityFigure {
  readonly value: number;
  /** Distance in standard errors, over clusters. */
  readonly z: number;
  readonly tokens: number;
  readonly clusters: number;
}

/** The tests over one part of a run, or all of it. */
export interface IdentityTests {
  /** Mean ρ, which should be 1. */
  readonly unit_mean: IdentityFigure;
  /** −2 · mean Δ / mean Δ², about 1 for small Δ. */
  readonly half_variance: { readonly value: Ratio };
  /** Mean surprisal − mean entropy of the rollout policy, nats, which should be 0; null without entropies. */
  readonly surprisal: IdentityFigure | null;
}

export type IdentityPart<Key extends string, Value> = IdentityTests & { readonly [key in Key]: Value };

/** A test that the run fails, in words. */
export interface IdentityFailure {
  readonly test: "unit_mean" | "half_variance" | "surprisal";
  /** Null if the run as a whole fails. */
  readonly part: { readonly kind: "step" | "turn" | "rank" | "environment"; readonly names: string[] } | null;
  /** One sentence: the figure, what it should be, what it means. */
  readonly text: string;
}

export interface IdentityReport extends IdentityTests {
  readonly half_variance: {
    readonly value: Ratio;
    /** 95 %, over clusters; NaN if there are too few. */
    readonly low: number;
    readonly high: number;
  };
  /** What z treats as independent draws: prompts with all their samples, or sequences if a prompt is not known. */
  readonly unit: "prompt" | "sequence";
  /** Why failures are not reported; null if the tests are judged. */
  readonly not_judged: string | null;
  /** Chance that a healthy run fails one of the tests of the whole, and also that it fails any test of its parts. */
  readonly false_alarm_rate: number;
  readonly failures: readonly IdentityFailure[];
  readonly per_step: readonly IdentityPart<"step", number | null>[];
  readonly per_turn: readonly IdentityPart<"turn", number>[];
  readonly per_rank: readonly IdentityPart<"rank", number>[];
  readonly per_environment: readonly IdentityPart<"name", string>[];
}

/** Whether means of importance ratios can be trusted. */
export interface TrustReport {
  /**
   * Pareto k̂ of ρ, of 1/ρ and of products of ρ over a sequence: the tail index of the largest ones. Above 0.7 their
   * means and effective sample sizes cannot be trusted. NaN below 25 values, Infinity if at most 4 lie beyond the cut.
   */
  readonly khat_ratio: number;
  readonly khat_inverse: number;
  readonly khat_sequence: number;
  /** Largest k̂ at which this many tokens suffice: min(1 − 1/log10 n, 0.7). */
  readonly khat_most: number;
  /** Variance of mean |Δ| over prompts relative to that over sequences. */
  readonly design_effect: number;
  /** Sequences / design effect, at most as many as there are. */
  readonly effective_sequences: number;
}
