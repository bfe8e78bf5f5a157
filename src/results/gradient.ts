/**
 * The mismatch weighted by what reaches the policy gradient: part of `report --json`.
 *
 * @module
 */
import type { Fraction } from "../core/base/index.ts";
import type { WorstSequence, WorstToken } from "./worst.ts";

/** Sums over the tokens with a finite advantage; A is the advantage, ρ = exp Δ. */
export interface ImpactFigures {
  /** Tokens with mask 1, finite log-probs and advantage, and ρ that does not overflow. */
  readonly tokens: number;
  /** The share of these with A = 0: they add nothing to the policy gradient. */
  readonly zero_advantage_share: Fraction;
  /** Shares of Σ k3 and of Σ|Δ| on those. */
  readonly k3_share_at_zero: Fraction;
  readonly delta_abs_share_at_zero: Fraction;
  /** Mean |A|. */
  readonly advantage_abs_mean: number;
  /** Means of the impact |A|·|ρ − 1| and of A·(ρ − 1), in units of the advantage. */
  readonly impact_mean: number;
  readonly impact_signed_mean: number;
  /** Σ|A||ρ − 1| / Σ|A|: how far off the weights of the gradient's terms are. */
  readonly impact_relative: number;
  /** Σ A(ρ − 1) / Σ|A|: how much the sum of A·ρ differs from that of A. */
  readonly surrogate_change: number;
}

export interface StepGradient extends ImpactFigures {
  readonly step: number | null;
}

/** A token whose weight in the gradient the mismatch distorts most. */
export interface GradientToken extends WorstToken {
  readonly advantage: number;
  /** A·(ρ − 1). */
  readonly impact: number;
}

/** A sequence ranked by its Σ|A||ρ − 1|. */
export interface GradientSequence extends Omit<WorstSequence, "delta_abs_max"> {
  /** Over its tokens with an advantage. */
  readonly advantage_mean: number;
  /** Σ|A||ρ − 1| and Σ A(ρ − 1). */
  readonly impact: number;
  readonly impact_signed: number;
  /** Share of the run's Σ|A||ρ − 1|. */
  readonly impact_share: Fraction;
}

export interface GradientReport extends ImpactFigures {
  /** Tokens of the figures without a finite advantage; and those whose ρ overflows (Δ > 709.78). */
  readonly tokens_without_advantage: number;
  readonly tokens_overflowed: number;
  /** Largest |A|·|ρ − 1|. */
  readonly impact_max: number;
  /** Smallest and largest `k3_share_at_zero` without any one prompt (or sequence, if prompts are unknown). */
  readonly k3_share_at_zero_leave_one_out: readonly [low: Fraction, high: Fraction] | null;
  /** Number of prompts, or of sequences if prompts are unknown. */
  readonly clusters: number;
  /** How many of the run's worst tokens by |Δ|, at most ten, have advantage 0. */
  readonly worst_tokens_at_zero: { readonly of: number; readonly zero: number };
  /** What that means, in words; null if it does not hold reliably. */
  readonly sentence: string | null;
  /** Largest impact first. */
  readonly worst_tokens: readonly GradientToken[];
  readonly worst_sequences: readonly GradientSequence[];
  readonly per_step: readonly StepGradient[];
}
