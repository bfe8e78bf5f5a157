/**
 * How often a rare event happens, when events are clustered.
 *
 * @module
 */
import { gammaQuantile } from "./gamma-distribution.ts";

export interface RareRate {
  readonly events: number;
  /** Events divided by exposure. */
  readonly rate: number;
  /** Lower end of the 95 % interval. */
  readonly low: number;
  readonly high: number;
}

/**
 * A rate of clustered events (the tokens of one prompt), each cluster one draw of a compound Poisson process weighted
 * by its count: the gamma interval for weighted sums of Poisson counts, which keeps its level however few events there
 * are (Fay and Feuer, "Confidence intervals for directly standardized rates", Statistics in Medicine 16, 1997).
 *
 * @param counts events of each cluster with at least one
 * @param exposure what the events are counted in (tokens), > 0
 */
export function rareRate(counts: readonly number[], exposure: number): RareRate {
  let [events, squares, largest] = [0, 0, 1];
  for (const count of counts) {
    events += count;
    squares += count * count;
    largest = Math.max(largest, count);
  }
  const low = events === 0 ? 0 : (squares / events) * gammaQuantile(0.025, events ** 2 / squares);
  const [more, moreSquares] = [events + largest, squares + largest ** 2];
  const high = (moreSquares / more) * gammaQuantile(0.975, more ** 2 / moreSquares);
  return { events, rate: events / exposure, low: low / exposure, high: high / exposure };
}

/**
 * The share of tokens with some property, in clusters: 0 ≤ low ≤ share ≤ high ≤ 1. The interval is that of {@link
 * rareRate} for the rarer case, having the property or not: a rate has no upper bound, so treating a share above a half
 * as a rate could give an end beyond 1.
 *
 * @param clusters for all tokens: their number, and how many have the property
 */
export function rareShare(
  clusters: readonly { readonly tokens: number; readonly events: number }[],
): Pick<RareRate, "low" | "high"> {
  let [tokens, events] = [0, 0];
  for (const cluster of clusters) {
    tokens += cluster.tokens;
    events += cluster.events;
  }
  const isCommon = 2 * events > tokens;
  const counts = clusters.map((cluster) => (isCommon ? cluster.tokens - cluster.events : cluster.events));
  const rate = rareRate(
    counts.filter((count) => count > 0),
    tokens,
  );
  const [low, high] = [rate.low, Math.min(1, rate.high)];
  return isCommon ? { low: 1 - high, high: 1 - low } : { low, high };
}
