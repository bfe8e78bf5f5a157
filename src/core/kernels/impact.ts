/**
 * The effect of the mismatch on a token's term of the policy gradient.
 *
 * On-policy, a token adds A · ∇log π(token) to the gradient. Its tokens were sampled by the rollout policy, so the
 * unbiased weight is A · ρ with ρ = exp Δ (importance sampling: E_rollout[ρ f] = E_trainer[f]; per token as in PPO's
 * surrogate, Schulman et al., arXiv:1707.06347, equation 6). A trainer that uses A unweighted omits A · (ρ − 1): the
 * impact.
 *
 * @module
 */
import { computeK3 } from "./scalar.ts";

/**
 * A · (ρ − 1), in units of the advantage.
 *
 * @param delta Δ = log p_trainer − log p_rollout of the token, nats
 * @returns 0 if A is 0, whatever ρ; ±Infinity if ρ overflows (Δ > 709.78); NaN if either is missing
 */
export function computeImpact(advantage: number, delta: number): number {
  if (advantage === 0 && !Number.isNaN(delta)) return 0;
  return advantage * Math.expm1(delta);
}

/** Below this |Δ|, nine terms of the series give all digits. */
const SERIES = 0.0625;

/** {@link computeK3}, without divisions for small Δ, which most tokens have. */
export function quickK3(delta: number): number {
  if (delta > SERIES || delta < -SERIES) return computeK3(delta);
  return (
    delta *
    delta *
    (1 / 2 +
      delta *
        (1 / 6 +
          delta *
            (1 / 24 +
              delta *
                (1 / 120 +
                  delta * (1 / 720 + delta * (1 / 5040 + delta * (1 / 40320 + delta * (1 / 362880))))))))
  );
}

/** e^Δ to the last digit but one, in half the time of `Math.exp` for small Δ, which most tokens have. */
export function quickExp(delta: number): number {
  return delta > SERIES || delta < -SERIES ? Math.exp(delta) : 1 + (delta + quickK3(delta));
}
