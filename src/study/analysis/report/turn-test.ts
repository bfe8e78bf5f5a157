import { seededRandom } from "../../../core/statistics/random.ts";

export interface Turn {
  /** Index of the extremum. */
  readonly place: number;
  readonly type: "max" | "min";
  readonly p_value: number;
}

/** A leg with fewer values, including the extremum, turns by chance. */
const FEWEST_IN_LEG = 5;
/** Fewer values cannot have two legs. */
export const FEWEST_FOR_TURN = 2 * FEWEST_IN_LEG - 1;
const ORDERS = 4000;

/**
 * The single turn of a whole path: it rises to a value and falls after it, or the reverse. An extremum alone says
 * nothing: if values only jitter around a level, two of three inner ones are extrema, and one that wanders has long legs.
 *
 * The statistic is the largest, over all places p and both directions, of the standardized number of pairs in order,
 * rising up to p and falling from p on (Mack and Wolfe, "K-sample rank tests for umbrella alternatives", J. Am.
 * Statist. Assoc. 76 (1981), peak unknown). p comes from seeded random orders of the path's increments, not of its
 * values: it holds for a walk, with a drift or without, and values that depend on each other less, down to
 * independent ones, have smaller statistics than such orders. Davison and Hinkley, "Bootstrap methods and their
 * application" (1997), chapter 4. The best place may be an end (a trend, not a turn).
 *
 * @returns undefined for fewer than nine values, or if the best place has a leg with fewer than five values
 */
export function testTurn(values: readonly number[], seed: number): Turn | undefined {
  const n = values.length;
  if (n < FEWEST_FOR_TURN) return undefined;
  const best = umbrella(values);
  if (Math.min(best.place + 1, n - best.place) < FEWEST_IN_LEG) return undefined;
  const random = seededRandom(seed);
  const increments = values.slice(1).map((value, i) => value - values[i]!);
  const path = new Array<number>(n).fill(0);
  let as = 1;
  for (let round = 0; round < ORDERS; round++) {
    for (let i = n - 2; i > 0; i--) {
      const j = Math.floor(random() * (i + 1));
      [increments[i], increments[j]] = [increments[j]!, increments[i]!];
    }
    for (let i = 1; i < n; i++) path[i] = path[i - 1]! + increments[i - 1]!;
    if (umbrella(path).statistic >= best.statistic - 1e-9) as++;
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
