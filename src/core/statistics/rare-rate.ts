/**
 * How often something rare happens, when it comes in clusters.
 *
 * @module
 */
import { gammaQuantile } from "./gamma-distribution.ts";

export interface RareRate {
  readonly events: number;
  /** Events divided by exposure. */
  readonly rate: number;
  /** 95 %. */
  readonly low: number;
  readonly high: number;
}

/**
 * A rate of events that come in clusters (the tokens of one prompt), each cluster one draw of a compound Poisson
 * process with its count as weight: the gamma interval for weighted sums of Poisson counts, which keeps its level however
 * few there are (Fay and Feuer, "Confidence intervals for directly standardized rates", Statistics in Medicine 16, 1997).
 *
 * @param counts events of each cluster that has any
 * @param exposure what events are counted in (tokens), > 0
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
