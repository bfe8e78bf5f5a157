import type { TokenBudget } from "../../results/sweep.ts";
import type { DeltaMoments } from "./delta-moments.ts";

/** The band that product ratios should stay in: verl's and xtuner's usual bound of 2, both ways. */
const PRODUCT_BOUND = 2;
const LEAST_ESS = 0.5;

/**
 * How long a sequence may be before the product of its ratios becomes useless.
 *
 * Model: Δ of token t in sequence i is μ + s_i + e_t with Var e = σ², Var s = τ² (see {@link DeltaMoments}), so the
 * log of the product over n tokens has mean nμ and variance V(n) = nσ² + n²τ². Taken as normal, weights exp ΣΔ have
 * ESS/N = (E w)² / E w² = exp(−V(n)), whatever μ. Hence
 *
 * * `ess_half`: the n with V(n) = ln 2, that is (√(σ⁴ + 4 τ² ln 2) − σ²) / 2τ², or ln 2 / σ² where τ = 0;
 * * `in_bounds`: the n with |nμ| + √V(n) = ln 2: beyond it a product one standard deviation out leaves [1/2, 2].
 *
 * The model ignores correlation of Δ along a sequence beyond its mean. Infinite if the two sides are equal.
 */
export function tokenBudget(moments: DeltaMoments): TokenBudget | null {
  if (moments.sequences < 2 || moments.tokens <= moments.sequences) return null;
  const mean = moments.mean;
  const within = moments.withinVariance;
  const between = moments.betweenVariance;
  const length = moments.tokens / moments.sequences;
  return {
    delta_mean: mean,
    delta_variance_within: within,
    delta_variance_between: between,
    ess_half: positiveRoot(between, within, -Math.log(1 / LEAST_ESS)),
    in_bounds: inBounds(Math.abs(mean), within, between),
    sequence_length_mean: length,
    ess_at_mean_length: Math.exp(-(length * within + length * length * between)),
  };
}

/** (L − n|μ|)² = nσ² + n²τ² with n|μ| ≤ L. */
function inBounds(mean: number, within: number, between: number): number {
  const limit = Math.log(PRODUCT_BOUND);
  // n²(τ² − μ²) + n(σ² + 2L|μ|) − L² = 0; of its roots the smallest positive one keeps n|μ| ≤ L.
  return positiveRoot(between - mean * mean, within + 2 * limit * mean, -limit * limit);
}

/** The smallest positive n with an² + bn + c = 0 for b ≥ 0 > c, without cancellation; ∞ where a and b are 0. */
function positiveRoot(a: number, b: number, c: number): number {
  const root = Math.sqrt(Math.max(0, b * b - 4 * a * c));
  return b + root === 0 ? Number.POSITIVE_INFINITY : (-2 * c) / (b + root);
}
