/**
 * How close two partly known distributions can be.
 *
 * Let i run over tokens that only P's list has (p_i known, q_i ≤ cap_Q), j over those that only Q's has, and let all
 * others be one token with the masses p_N and q_N that are left; splitting it up in proportion costs nothing, and in any
 * other way more (the log-sum inequality, which every homogeneous convex φ has). To minimize Σφ over these is a convex
 * problem, and its tangent planes give a lower bound for every pair of ratios t_P ≤ t_Q:
 *
 *   Σφ ≥ Σ_both φ + Σ_i min_q [φ(p_i, q) + β q] − β R_Q + Σ_j min_p [φ(p, q_j) − α p] + α R_P,
 *
 * with α = ∂φ/∂p at ratio t_P, β = −∂φ/∂q at ratio t_Q and R the missing masses: the multipliers of the two mass
 * conditions (weak duality; the rest N adds at least 0, because α p_N − β q_N is below the tangent plane at any ratio
 * between t_P and t_Q). The minima are at q_i = min(cap_Q, p_i / t_Q) and p_j = min(cap_P, t_P q_j). It is attained,
 * caps of the rest aside, at the ratio at which the masses fit: p_N = t q_N. That ratio does not depend on φ: one
 * allocation is the closest by every f-divergence (the least favorable pair of Huber & Strassen 1973).
 *
 * @module
 */
import type { FDivergence } from "./f-divergences.ts";
import type { KnownParts } from "./known-parts.ts";

/** Multipliers of the two mass conditions, as ratios P / Q. */
export interface Ratios {
  readonly ofP: number;
  readonly ofQ: number;
}

/** Ratios beyond these are not distinguished: any ratio gives a bound. */
const MOST = 1e12;
const STEPS = 44;

/** The ratio of the closest allocation for these masses, and the one that imposes no condition. */
export function closestRatios(parts: KnownParts): readonly Ratios[] {
  const { missingP, missingQ } = parts;
  const nominal = solve(parts, missingP.mass, missingQ.mass);
  // Masses are known only up to rounding: the minimum is at the end of their intervals that brings the ratio closer to
  // 1.
  const massP = nominal.ofP > 1 ? missingP.least : missingP.most;
  const massQ = nominal.ofQ > 1 ? missingQ.most : missingQ.least;
  return [solve(parts, massP, massQ), { ofP: 1, ofQ: 1 }];
}

/** A lower bound of Σφ: the largest bound that any of the ratios gives. */
export function leastDivergence(
  parts: KnownParts,
  divergence: FDivergence,
  candidates: readonly Ratios[],
): number {
  let known = 0;
  for (let i = 0; i < parts.bothP.length; i++) known += divergence.of(parts.bothP[i]!, parts.bothQ[i]!);
  let least = 0;
  for (const ratios of candidates) least = Math.max(least, unknownPart(parts, divergence, ratios));
  return known + least;
}

function unknownPart(
  { onlyP, onlyQ, missingP, missingQ }: KnownParts,
  divergence: FDivergence,
  ratios: Ratios,
): number {
  const alpha = divergence.alpha(ratios.ofP);
  const beta = divergence.beta(ratios.ofQ);
  let sum = alpha * (alpha > 0 ? missingP.least : missingP.most);
  sum -= beta * (beta > 0 ? missingQ.most : missingQ.least);
  for (const p of onlyP.probabilities) {
    const q = Math.min(missingQ.cap, p / ratios.ofQ);
    sum += divergence.of(p, q) + beta * q;
  }
  for (const q of onlyQ.probabilities) {
    const p = Math.min(missingP.cap, ratios.ofP * q);
    sum += divergence.of(p, q) - alpha * p;
  }
  return sum;
}

/** The ratios at which the masses of the closest allocation are `massP` and `massQ`. */
function solve(parts: KnownParts, massP: number, massQ: number): Ratios {
  // What remains for the rest falls with the ratio for P and rises for Q.
  const restP = (t: number): number => massP - allocated(parts.onlyQ.probabilities, parts.missingP.cap, t);
  const restQ = (t: number): number =>
    massQ - allocated(parts.onlyP.probabilities, parts.missingQ.cap, 1 / t);
  const largestP = (): number => lastWhere((t) => restP(t) >= 0);
  if (parts.neither === 0) return { ofP: largestP(), ofQ: lastWhere((t) => restQ(t) < 0) };
  const ratio = lastWhere((t) => {
    const q = restQ(t);
    return q < 0 || restP(t) >= Math.max(0, t * q);
  });
  // If P's masses do not fit at the ratio at which Q's do, nothing remains for the rest, and each has its own ratio.
  return { ofP: restP(ratio) < 0 ? Math.min(ratio, largestP()) : ratio, ofQ: ratio };
}

function allocated(known: Float64Array, cap: number, ratio: number): number {
  let sum = 0;
  for (const probability of known) sum += Math.min(cap, ratio * probability);
  return sum;
}

/** The largest t for which a condition holds that is true up to some t, by bisection of its logarithm. */
function lastWhere(holds: (t: number) => boolean): number {
  let low = -Math.log(MOST);
  let high = -low;
  for (let step = 0; step < STEPS; step++) {
    const middle = (low + high) / 2;
    if (holds(Math.exp(middle))) low = middle;
    else high = middle;
  }
  return Math.exp(low);
}
