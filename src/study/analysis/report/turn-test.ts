import { seededRandom } from "../../../core/statistics/random.ts";

export interface Turn {
  /** Index of the extremum. */
  readonly place: number;
  readonly type: "max" | "min";
  readonly p_value: number;
}

/** A leg with fewer values, including the extremum, cannot be told from jitter. */
const FEWEST_IN_LEG = 5;
/** Fewer values cannot have two legs. */
export const FEWEST_FOR_TURN = 2 * FEWEST_IN_LEG - 1;
const ORDERS = 4000;

/**
 * The single turn of a whole path: it rises to a value and falls after it, or the reverse. If values only jitter around
 * a level, two of three inner ones are local extrema, so an extremum alone says nothing.
 *
 * The statistic is the largest, over all places p and both directions, of the standardized number of pairs in order,
 * rising up to p and falling from p on (Mack and Wolfe, "K-sample rank tests for umbrella alternatives", J. Am.
 * Statist. Assoc. 76 (1981), peak unknown); p comes from seeded random orders of the same values. The best place may be
 * an end (a trend, not a turn). So that neither a trend nor a plateau passes for a turn, each leg must also be in order
 * by itself: Kendall's S at its 1 % point or beyond.
 *
 * @returns undefined for fewer than nine values, or if the best place has a leg with fewer than five values or not in
 * order
 */
export function testTurn(values: readonly number[], seed: number): Turn | undefined {
  const n = values.length;
  if (n < FEWEST_FOR_TURN) return undefined;
  const best = umbrella(values);
  const [before, behind] = [values.slice(0, best.place + 1), values.slice(best.place)];
  const sign = best.type === "max" ? 1 : -1;
  if (Math.min(before.length, behind.length) < FEWEST_IN_LEG) return undefined;
  if (!inOrder(before, sign) || !inOrder(behind, -sign)) return undefined;
  const random = seededRandom(seed);
  const order = [...values];
  let as = 1;
  for (let round = 0; round < ORDERS; round++) {
    for (let i = n - 1; i > 0; i--) {
      const j = Math.floor(random() * (i + 1));
      [order[i], order[j]] = [order[j]!, order[i]!];
    }
    if (umbrella(order).statistic >= best.statistic - 1e-9) as++;
  }
  return { place: best.place, type: best.type, p_value: as / (ORDERS + 1) };
}

interface Umbrella {
  readonly statistic: number;
  readonly place: number;
  readonly type: "max" | "min";
}

function umbrella(values: readonly number[]): Umbrella {
  const n = values.length;
  // Entry i: S of the first (or last) i values, pairs that rise minus pairs that fall.
  const first = new Float64Array(n + 1);
  const last = new Float64Array(n + 1);
  for (let count = 1; count <= n; count++) {
    const [end, start] = [values[count - 1]!, values[n - count]!];
    let [up, down] = [0, 0];
    for (let i = 0; i < count - 1; i++) {
      up += Math.sign(end - values[i]!);
      down += Math.sign(values[n - 1 - i]! - start);
    }
    first[count] = first[count - 1]! + up;
    last[count] = last[count - 1]! + down;
  }
  let best: Umbrella = { statistic: Number.NEGATIVE_INFINITY, place: 0, type: "max" };
  for (let place = 0; place < n; place++) {
    const spread = Math.sqrt(variance(place + 1) + variance(n - place));
    const statistic = (first[place + 1]! - last[n - place]!) / spread;
    if (statistic > best.statistic) best = { statistic, place, type: "max" };
    if (-statistic > best.statistic) best = { statistic: -statistic, place, type: "min" };
  }
  return best;
}

/** Variance of Kendall's S for n values in random order. */
function variance(n: number): number {
  return (n * (n - 1) * (2 * n + 5)) / 18;
}

function inOrder(values: readonly number[], sign: number): boolean {
  let s = 0;
  for (let i = 0; i < values.length; i++)
    for (let j = i + 1; j < values.length; j++) s += Math.sign(values[j]! - values[i]!);
  // From five values on, P(S ≥ 2.33 √variance) is 1 % or less.
  return sign * s >= 2.33 * Math.sqrt(variance(values.length));
}
