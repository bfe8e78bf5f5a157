/**
 * The four divergences token by token, as functions φ(p, q) of the two probabilities that add up over the vocabulary.
 *
 * Each φ is convex in (p, q) together, homogeneous (φ(cp, cq) = c φ(p, q)) and written so that it is 0 where p = q and
 * positive elsewhere, which changes no sum over whole distributions: Σp = Σq. Its tangent planes go through the origin:
 * φ(p, q) ≥ alpha(t) p − beta(t) q for every ratio t, with equality at p = t q.
 *
 * @module
 */
export interface FDivergence {
  /** φ(p, q), nats (a fraction for the total variation); may be +inf. */
  readonly of: (p: number, q: number) => number;
  /** ∂φ/∂p where p = t q; rises with t, and is 0 at t = 1. */
  readonly alpha: (t: number) => number;
  /** −∂φ/∂q where p = t q; rises with t, and is 0 at t = 1. */
  readonly beta: (t: number) => number;
  /** φ(1, 0) = φ(0, 1) where they are finite. */
  readonly alone: number;
}

/** p log(p / q) − p + q. */
export const FORWARD_KL: FDivergence = {
  of: relativeEntropy,
  alpha: (t) => Math.log(t),
  beta: (t) => t - 1,
  alone: Number.POSITIVE_INFINITY,
};

/** q log(q / p) − q + p. */
export const REVERSE_KL: FDivergence = {
  of: (p, q) => relativeEntropy(q, p),
  alpha: (t) => 1 - 1 / t,
  beta: (t) => Math.log(t),
  alone: Number.POSITIVE_INFINITY,
};

/** ½ p log(2p / (p + q)) + ½ q log(2q / (p + q)). */
export const JENSEN_SHANNON: FDivergence = {
  of: (p, q) => {
    const middle = (p + q) / 2;
    return (relativeEntropy(p, middle) + relativeEntropy(q, middle)) / 2;
  },
  alpha: (t) => Math.log((2 * t) / (1 + t)) / 2,
  beta: (t) => Math.log((1 + t) / 2) / 2,
  alone: Math.LN2 / 2,
};

/** ½ |p − q|. */
export const TOTAL_VARIATION: FDivergence = {
  of: (p, q) => Math.abs(p - q) / 2,
  alpha: (t) => Math.sign(t - 1) / 2,
  beta: (t) => Math.sign(t - 1) / 2,
  alone: 0.5,
};

/** p log(p / q) − p + q ≥ 0, without cancellation where p and q are close. */
function relativeEntropy(p: number, q: number): number {
  if (p === 0) return q;
  if (q === 0) return Number.POSITIVE_INFINITY;
  const x = (q - p) / p;
  if (Math.abs(x) > 0.01) return Math.max(0, p * Math.log(p / q) - p + q);
  // p (x − log(1 + x)), as a series.
  return p * x * x * (1 / 2 - x * (1 / 3 - x * (1 / 4 - x * (1 / 5 - x * (1 / 6 - x / 7)))));
}
