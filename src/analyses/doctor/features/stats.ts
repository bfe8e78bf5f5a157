/** Small sums that several features share. */
import { selectRanks } from "./select-ranks.ts";

/** NaN for an empty list. */
export function quantiles(values: ArrayLike<number>, fractions: readonly number[]): number[] {
  const last = values.length - 1;
  if (last < 0) return fractions.map(() => Number.NaN);
  const places = fractions.map((fraction) => Math.floor(fraction * last));
  const ordered = new Float64Array(values);
  selectRanks(
    ordered,
    places.flatMap((low) => [low, Math.min(low + 1, last)]),
  );
  return fractions.map((fraction, i) => {
    const low = places[i]!;
    const here = ordered[low]!;
    const next = ordered[Math.min(low + 1, last)]!;
    return here + (fraction * last - low) * (next - here);
  });
}

/** A list for many numbers; a growing array would be copied, and its old versions collected, again and again. */
export class NumberList {
  #values: Float64Array;
  #length = 0;

  /** @param most the largest number of values that will be pushed */
  constructor(most: number) {
    this.#values = new Float64Array(most);
  }

  push(value: number): void {
    this.#values[this.#length++] = value;
  }

  get values(): Float64Array {
    return this.#values.subarray(0, this.#length);
  }
}

/** NaN for an empty list. */
export function median(values: ArrayLike<number>): number {
  return quantiles(values, [0.5])[0]!;
}

export function mean(values: readonly number[]): number {
  return values.length === 0 ? Number.NaN : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Sums over pairs, for slopes and correlations. */
export class PairSums {
  n = 0;
  #x = 0;
  #y = 0;
  #xx = 0;
  #xy = 0;
  #yy = 0;

  add(x: number, y: number): void {
    this.n++;
    this.#x += x;
    this.#y += y;
    this.#xx += x * x;
    this.#xy += x * y;
    this.#yy += y * y;
  }

  get varX(): number {
    return this.#xx - (this.#x * this.#x) / this.n;
  }

  get varY(): number {
    return this.#yy - (this.#y * this.#y) / this.n;
  }

  get #covariance(): number {
    return this.#xy - (this.#x * this.#y) / this.n;
  }

  /** Slope of y on x; NaN if x does not vary. */
  get slope(): number {
    return this.n < 3 || this.varX <= 0 ? Number.NaN : this.#covariance / this.varX;
  }

  get intercept(): number {
    return (this.#y - this.slope * this.#x) / this.n;
  }

  /** Pearson's r; NaN if x or y does not vary. */
  get correlation(): number {
    return this.n < 3 || this.varX <= 0 || this.varY <= 0
      ? Number.NaN
      : this.#covariance / Math.sqrt(this.varX * this.varY);
  }
}

/**
 * A normal deviate about as rare as a t over this many clusters, to first order in 1 / degrees of freedom (Wallace,
 * "Bounds on normal approximations to Student's and the chi-square distributions", 1959): few clusters make large t by
 * chance.
 */
export function normalize(t: number, clusters: number): number {
  const freedom = Math.max(1, clusters - 1);
  return Math.sign(t) * Math.sqrt(freedom * Math.log1p((t * t) / freedom)) * (1 - 3 / (8 * freedom));
}

/** Student's t of two samples with equal variances, as a normal deviate. */
export function compareMeans(ours: readonly number[], theirs: readonly number[]): number {
  const [center, other] = [mean(ours), mean(theirs)];
  const squares = (values: readonly number[], about: number): number =>
    values.reduce((sum, value) => sum + (value - about) ** 2, 0);
  const freedom = ours.length + theirs.length - 2;
  const variance = (squares(ours, center) + squares(theirs, other)) / freedom;
  const error = Math.sqrt(variance * (1 / ours.length + 1 / theirs.length));
  return normalize((center - other) / (error + 1e-9), freedom + 1);
}

/** log(p / (1 − p)) of a log-probability; 1 − p keeps its digits near p = 1. */
export function logit(logprob: number): number {
  return logprob - Math.log(-Math.expm1(logprob));
}

/** Ranks from 0; ties share their mean rank. */
function rank(values: readonly number[]): number[] {
  const order = values.map((_, i) => i).sort((i, j) => values[i]! - values[j]!);
  const ranks = new Array<number>(values.length).fill(0);
  for (let from = 0; from < order.length; ) {
    let to = from + 1;
    const value = values[order[from]!];
    while (to < order.length && values[order[to]!] === value) to++;
    for (let k = from; k < to; k++) ranks[order[k]!] = (from + to - 1) / 2;
    from = to;
  }
  return ranks;
}

/** Spearman's correlation and its z under independence, r·√(n − 1). */
export function spearman(x: readonly number[], y: readonly number[]): { r: number; z: number } {
  const sums = new PairSums();
  const [ranksX, ranksY] = [rank(x), rank(y)];
  for (let i = 0; i < x.length; i++) sums.add(ranksX[i]!, ranksY[i]!);
  const r = sums.correlation;
  return Number.isNaN(r) ? { r: 0, z: 0 } : { r, z: r * Math.sqrt(x.length - 1) };
}
