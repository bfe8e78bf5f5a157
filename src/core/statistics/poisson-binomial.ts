/**
 * P(X ≥ count) for X the number of successes in independent trials, each with its own probability: the Poisson-binomial
 * distribution, built up one trial at a time. Exact except for rounding; O(n²).
 *
 * Source: Hong, "On computing the distribution function for the Poisson binomial distribution", Comput. Statist. Data
 * Anal. 59 (2013), 2.2.
 *
 * @param chances each from 0 to 1
 */
export function poissonBinomialTail(chances: ArrayLike<number>, count: number): number {
  const distribution = new Float64Array(chances.length + 1);
  distribution[0] = 1;
  for (let trial = 0; trial < chances.length; trial++) {
    const chance = chances[trial]!;
    for (let hits = trial + 1; hits > 0; hits--)
      distribution[hits] = distribution[hits]! * (1 - chance) + distribution[hits - 1]! * chance;
    distribution[0] = distribution[0]! * (1 - chance);
  }
  let tail = 0;
  // The small ones first.
  for (let hits = chances.length; hits >= Math.max(0, count); hits--) tail += distribution[hits]!;
  return Math.min(1, tail);
}
