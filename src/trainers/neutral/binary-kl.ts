/**
 * Binary KL: the divergence of two coins, "this token" against "any other", one under each policy. It is a lower bound
 * of the KL between the two distributions over the vocabulary, and needs only the sampled token's log-probs
 * (DPPO, https://arxiv.org/abs/2602.04879, equation 14).
 *
 * @module
 */
import { computeK3, computeProbDiff } from "../../core/kernels/index.ts";

/** What keeps the logarithms finite where a probability rounds to 0 or 1. Exact without either. */
export interface ProbGuards {
  /** Both probabilities are clamped to [probBound, 1 − probBound] first. */
  readonly probBound?: number;
  /** Added to both probabilities of any other token, inside the logarithm only. */
  readonly restShift?: number;
}

/**
 * kl(Bernoulli(p) ‖ Bernoulli(q)) in nats, from log p and log q:
 *
 * ```
 *  p · log(p / q) + (1 − p) · log((1 − p + s) / (1 − q + s))          s = restShift
 * ```
 *
 * The two terms nearly cancel where p is near q, so their linear parts are taken out of both:
 *
 * ```
 *  p · k3(log q/p) + (1 − p) · k3(log (1 − q + s)/(1 − p + s)) − (q − p) · s / (1 − p + s)
 * ```
 *
 * Without a shift, both terms are at least 0 and keep about 14 digits at any p and q. Infinite where the second coin
 * rules out what the first allows; NaN where a log-prob is NaN or positive, or both are −∞.
 */
export function binaryKl(logP: number, logQ: number, { probBound, restShift = 0 }: ProbGuards = {}): number {
  // Unlike comparisons, these keep NaN.
  const guarded = (log: number): number =>
    probBound === undefined ? log : Math.max(Math.log(probBound), Math.min(log, Math.log1p(-probBound)));
  const [a, b] = [guarded(logP), guarded(logQ)];
  const delta = b - a;
  if (!(a <= 0 && b <= 0) || Number.isNaN(delta)) return Number.NaN;
  const p = Math.exp(a);
  const diff = computeProbDiff(a, b);
  // exp Δ may overflow where p is 0, and its product is then no number.
  const same = delta < 1 ? p * computeK3(delta) : diff - (p === 0 ? 0 : p * delta);
  const rest = -Math.expm1(a);
  const shifted = rest + restShift;
  if (shifted === 0) return -delta;
  const change = -diff / shifted;
  const logChange = change > -0.5 ? Math.log1p(change) : Math.log((restShift - Math.expm1(b)) / shifted);
  // An infinite logarithm counts only if any other token has a probability at all.
  const other = rest === 0 ? 0 : rest * computeK3(logChange, change);
  return same + other - (diff * restShift) / shifted;
}

/**
 * An upper bound of {@link binaryKl} in both directions, by arithmetic alone: with |Δ| ≤ 1 the token itself adds at most
 * 4 sinh²(Δ/2) < 1.1 Δ², and any other token (q − p)² / (1 − q), where |q − p| ≤ |Δ| and 1 − q ≥ 0.63 · min(1, −log q).
 * A probability bound only brings the two closer; a shift, if there is one, adds at most |q − p|.
 */
export function binaryKlBound(logP: number, logQ: number, isShifted = false): number {
  const delta = Math.abs(logQ - logP);
  const larger = Math.max(logP, logQ);
  if (!(delta <= 1 && larger <= 0)) return Number.POSITIVE_INFINITY;
  if (delta === 0) return 0;
  return delta * delta * (1.1 + 1.6 / Math.min(1, Math.abs(larger))) + (isShifted ? delta : 0);
}
