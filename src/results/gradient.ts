/**
 * The mismatch weighed by what reaches the policy gradient: part of `report --json`.
 *
 * @module
 */
import type { Fraction } from "../core/base/index.ts";
import type { WorstSequence, WorstToken } from "./worst.ts";

/** Sums over the tokens with a finite advantage; A is the advantage, ρ = exp Δ. */
export interface ImpactFigures {
  /** With mask 1, both log-probs and the advantage finite, and ρ that does not overflow. */
  readonly tokens: number;
  /** Of these, the share with A = 0: they add nothing to the policy gradient. */
  readonly zero_advantage_share: Fraction;
  /** Shares of Σ k3 and of Σ|Δ| that lie on them. */
  readonly k3_share_at_zero: Fraction;
  readonly delta_abs_share_at_zero: Fraction;
  /** Mean |A|. */
  readonly advantage_abs_mean: number;
  /** Means of the impact |A|·|ρ − 1| and of A·(ρ − 1), in units of the advantage. */
  readonly impact_mean: number;
  readonly impact_signed_mean: number;
  /** Σ|A||ρ − 1| / Σ|A|: by how much the weights of the gradient's terms are off. */
  readonly impact_relative: number;
  /** Σ A(ρ − 1) / Σ|A|: by how much the sum of A·ρ differs from that of A. */
  readonly surrogate_change: number;
}

export interface StepGradient extends ImpactFigures {
  readonly step: number | null;
}

/** A token that the mismatch weighs most wrongly in the gradient. */
export interface GradientToken extends WorstToken {
  readonly advantage: number;
  /** A·(ρ − 1). */
  readonly impact: number;
}

/** A sequence by its Σ|A||ρ − 1|. */
export interface GradientSequence extends Omit<WorstSequence, "delta_abs_max"> {
  /** Over its tokens with an advantage. */
  readonly advantage_mean: number;
  /** Σ|A||ρ − 1| and Σ A(ρ − 1). */
  readonly impact: number;
  readonly impact_signed: number;
  /** Of the run's Σ|A||ρ − 1|. */
  readonly impact_share: Fraction;
}

export interface GradientReport extends ImpactFigures {
  /** Tokens of the figures without a finite advantage; those whose ρ overflows (Δ > 709.78). */
  readonly tokens_without_advantage: number;
  readonly tokens_overflowed: number;
  /** Largest |A|·|ρ − 1|. */
  readonly impact_max: number;
  /** Smallest and largest `k3_share_at_zero` without any one prompt (or sequence, where prompts are unknown). */
  readonly k3_share_at_zero_leave_one_out: readonly [low: Fraction, high: Fraction] | null;
  /** Prompts, or sequences where prompts are unknown. */
  readonly clusters: number;
  /** Of the run's worst tokens by |Δ|, at most ten: how many have advantage 0. */
  readonly worst_tokens_at_zero: { readonly of: number; readonly zero: number };
  /** What that comes to; null where it does not stand. */
  readonly sentence: string | null;
  /** Largest impact first. */
  readonly worst_tokens: readonly GradientToken[];
  readonly worst_sequences: readonly GradientSequence[];
  readonly per_step: readonly StepGradient[];
}
