/**
 * Digit distributions of which only the top k are known: what is known, and the bounds that the rest leaves for the
 * losses.
 *
 * A token outside the top k has at most the probability of the k-th, and all of them together at most what the known
 * ones leave. Within that polytope the expected digit and the Wasserstein distance, renormalized or not, are extreme
 * when mass goes to the digits in order of value, each up to its limit, as long as it helps: the bounds are attained.
 *
 * @module
 */
import type { DigitIds } from "./vocabulary.ts";

export interface Interval {
  readonly low: number;
  readonly high: number;
}

export interface PartialDistribution {
  /** `[10]`: known probability of each digit. */
  readonly known: Float64Array;
  /** `[10]`: how much more each digit may have. */
  readonly slack: Float64Array;
  /** Probability of everything unknown, over the whole vocabulary. */
  readonly unaccounted: number;
  /** How much more all digits together may have: `unaccounted` plus what rounding can hide. */
  readonly open: number;
  /** No digit has slack: the figures are exact. */
  readonly complete: boolean;
}

/** A position's alternatives: `k` entries from `start`; ids of -1 are absent. */
export interface Alternatives {
  readonly ids: ArrayLike<number>;
  readonly logprobs: ArrayLike<number>;
  readonly start: number;
  readonly k: number;
}

/**
 * The sum of a few float32 probabilities is off by less than this, so this much may be missing even if the sum looks
 * complete. It matters if the digits themselves have almost no mass.
 */
const ROUNDING = 1e-6;

/**
 * What top-k log-probs and the sampled token's own say about the ten digits.
 *
 * @param classes the ids that stand for each digit
 */
export function partialDistribution(
  classes: DigitIds,
  top: Alternatives,
  sampled: { readonly id: number; readonly logprob: number },
): PartialDistribution {
  const probabilities = new Map<number, number>();
  let smallest = 1;
  for (let j = top.start; j < top.start + top.k; j++) {
    const [id, p] = [top.ids[j]!, Math.exp(top.logprobs[j]!)];
    if (id < 0 || Number.isNaN(p)) continue;
    probabilities.set(id, p);
    // Servers append the sampled token to the top k whatever its rank: it does not bound the others.
    if (id !== sampled.id) smallest = Math.min(smallest, p);
  }
  if (!probabilities.has(sampled.id) && Number.isFinite(sampled.logprob))
    probabilities.set(sampled.id, Math.exp(sampled.logprob));
  let sum = 0;
  for (const p of probabilities.values()) sum += p;
  const unaccounted = Math.max(0, 1 - sum);
  const open = unaccounted + ROUNDING;
  const known = new Float64Array(10);
  const slack = new Float64Array(10);
  classes.forEach((ids, digit) => {
    let missing = 0;
    for (const id of ids) {
      const p = probabilities.get(id);
      if (p === undefined) missing++;
      else known[digit]! += p;
    }
    slack[digit] = Math.min(open, missing * smallest);
  });
  return { known, slack, open, unaccounted, complete: slack.every((more) => more === 0) };
}

/** A total mass above this is not a distribution: zeros were filled in for log-probs. */
const MOST_MASS = 1.01;

/**
 * A recorded distribution over the ten digits: nothing is missing, so its figures are exact.
 *
 * @param logprobs the digits of a position begin at `start`; nats
 * @returns undefined if none was recorded, or if it is not a distribution
 */
export function wholeDistribution(
  logprobs: ArrayLike<number>,
  start: number,
): PartialDistribution | undefined {
  const known = new Float64Array(10);
  let sum = 0;
  for (let digit = 0; digit < 10; digit++) {
    known[digit] = Math.exp(logprobs[start + digit]!);
    sum += known[digit]!;
  }
  if (!(sum <= MOST_MASS)) return undefined;
  const unaccounted = Math.max(0, 1 - sum);
  return { known, slack: new Float64Array(10), unaccounted, open: unaccounted, complete: true };
}

/**
 * Bounds of Σ v(d)·P(d) / Σ P(d), where `values[d]` is v(d) (in an array that never changes): extra mass on a digit
 * helps while its value is beyond the ratio so far. Undefined if no digit can have any mass.
 */
export function ratioBounds(values: readonly number[], partial: PartialDistribution): Interval | undefined {
  const high = extremeRatio(values, partial, 1);
  const low = extremeRatio(values, partial, -1);
  return high === undefined || low === undefined ? undefined : { low, high };
}

function extremeRatio(
  values: readonly number[],
  { known, slack, open }: PartialDistribution,
  sign: 1 | -1,
): number | undefined {
  let [weighted, mass, left] = [0, 0, open];
  for (let digit = 0; digit < 10; digit++) {
    weighted += values[digit]! * known[digit]!;
    mass += known[digit]!;
  }
  for (const digit of byValue(values, sign)) {
    const more = Math.min(slack[digit]!, left);
    if (more <= 0 || (mass > 0 && sign * (values[digit]! * mass - weighted) <= 0)) continue;
    weighted += values[digit]! * more;
    mass += more;
    left -= more;
  }
  return mass > 0 ? weighted / mass : undefined;
}

/** Bounds of Σ v(d)·P(d), v ≥ 0: without renormalization. */
export function sumBounds(values: readonly number[], { known, slack, open }: PartialDistribution): Interval {
  let [low, extra, left] = [0, 0, open];
  for (let digit = 0; digit < 10; digit++) low += values[digit]! * known[digit]!;
  for (const digit of byValue(values, 1)) {
    const more = Math.min(slack[digit]!, left);
    extra += values[digit]! * more;
    left -= more;
  }
  return { low, high: low + extra };
}

interface Orders {
  readonly down: readonly number[];
  readonly up: readonly number[];
}

/** The same few value lists recur at every position: each is sorted once. */
const ORDERS = new WeakMap<object, Orders>();

/** Digits from the largest value down (`sign` 1) or from the smallest up. */
function byValue(values: readonly number[], sign: 1 | -1): readonly number[] {
  let orders = ORDERS.get(values);
  if (!orders) {
    const sorted = (way: 1 | -1): number[] => [...DIGITS].sort((a, b) => way * (values[b]! - values[a]!));
    orders = { down: sorted(1), up: sorted(-1) };
    ORDERS.set(values, orders);
  }
  return sign === 1 ? orders.down : orders.up;
}

export const DIGITS: readonly number[] = Object.freeze(Array.from({ length: 10 }, (_, digit) => digit));
const DISTANCES = DIGITS.map((truth) => Object.freeze(DIGITS.map((digit) => Math.abs(digit - truth))));

/** |d − truth| of each digit. */
export function distancesTo(truth: number): readonly number[] {
  return DISTANCES[truth]!;
}

/** Bounds of |E − truth| for E within bounds. */
export function distanceBounds({ low, high }: Interval, truth: number): Interval {
  const [a, b] = [Math.abs(low - truth), Math.abs(high - truth)];
  return { low: low <= truth && truth <= high ? 0 : Math.min(a, b), high: Math.max(a, b) };
}
