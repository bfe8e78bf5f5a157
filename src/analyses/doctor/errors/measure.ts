/**
 * What the sums of two columns' errors say, with 95 % intervals over clusters. With the errors a and b of two columns at
 * a token, their gap is b − a, so
 *
 *     Var(b − a) = Var a + Var b − 2 Cov(a, b)
 *
 * holds exactly in any data; that Cov is 0 is what "independent errors" claims of them.
 *
 * @module
 */
import { clusterInterval } from "../../../core/statistics/cluster-interval.ts";
import type { Interval } from "../../../core/statistics/result.ts";
import { PAIR, PAIR_WIDTH, type PairSums } from "./pair-sums.ts";

export class PairMeasure {
  readonly tokens: number;
  readonly clusters: number;
  /** Means of a and of b, nats. */
  readonly means: readonly [number, number];
  /** Variances about these means, nats². */
  readonly variances: readonly [number, number];
  /** Nats². */
  readonly covariance: number;
  readonly #rows: readonly Float64Array[];
  readonly #total: Float64Array;

  /** @param sums of at least one token */
  constructor(sums: PairSums) {
    this.#rows = sums.clusters;
    this.#total = addUp(this.#rows);
    const [n, a, b, aa, bb, ab] = this.#total as unknown as Six;
    this.tokens = n;
    this.clusters = this.#rows.length;
    this.means = [a / n, b / n];
    this.variances = [positive(aa / n - (a / n) ** 2), positive(bb / n - (b / n) ** 2)];
    this.covariance = ab / n - (a / n) * (b / n);
  }

  /** √(mean a²), √(mean b²). */
  get rms(): readonly [number, number] {
    return [this.#rms(PAIR.firstSquare), this.#rms(PAIR.secondSquare)];
  }

  /** √(mean (b − a)²), as measured. */
  get gap(): number {
    const [n, , , aa, bb, ab] = this.#total as unknown as Six;
    return Math.sqrt(positive((aa + bb - 2 * ab) / n));
  }

  /** What the gap would be if the errors were independent: their variances add up, and the means differ as they do. */
  get independentGap(): number {
    const [[a, b], [varA, varB]] = [this.means, this.variances];
    return Math.sqrt(varA + varB + (b - a) ** 2);
  }

  get gapVariance(): number {
    return positive(this.variances[0] + this.variances[1] - 2 * this.covariance);
  }

  /** Of a and b; NaN if one of them is the same at every token. */
  get correlation(): number {
    const size = Math.sqrt(this.variances[0] * this.variances[1]);
    return size === 0 ? Number.NaN : Math.max(-1, Math.min(1, this.covariance / size));
  }

  /**
   * The part of the gap's variance that is a's: (Var a − Cov) / Var(b − a). The rest is b's, so shared error, which
   * cancels in the gap, is nobody's. Beyond 0 and 1 if one error takes from the other. NaN without a gap.
   */
  get firstShare(): number {
    return (this.variances[0] - this.covariance) / this.gapVariance;
  }

  /** Of √(mean a²), √(mean b²). */
  rmsIntervals(): readonly [Interval, Interval] {
    return [this.#rmsInterval(PAIR.firstSquare), this.#rmsInterval(PAIR.secondSquare)];
  }

  correlationInterval(): Interval {
    const [[varA, varB], r] = [this.variances, this.correlation];
    const scale = this.tokens * Math.sqrt(varA * varB);
    const { low, high } = this.#interval(
      r,
      ([a, b, ab]) => ab / scale - (r / (2 * this.tokens)) * (a / varA + b / varB),
    );
    return { low: Math.max(-1, low), high: Math.min(1, high) };
  }

  shareInterval(): Interval {
    const [share, gap] = [this.firstShare, this.gapVariance * this.tokens];
    return this.#interval(share, ([a, b, ab]) => (a - ab - share * (a + b - 2 * ab)) / gap);
  }

  /** Of √(mean b²) over √(mean a²), paired: both are errors at the same tokens, so what they share cancels. */
  ratioInterval(): Interval {
    const [a, b] = [this.#total[PAIR.firstSquare]!, this.#total[PAIR.secondSquare]!];
    const influences = Float64Array.from(
      this.#rows,
      (row) => (row[PAIR.secondSquare]! / b - row[PAIR.firstSquare]! / a) / 2,
    );
    const { low, high } = clusterInterval(Math.log(b / a) / 2, influences, "linear");
    return { low: Math.exp(low), high: Math.exp(high) };
  }

  #rms(column: number): number {
    return Math.sqrt(this.#total[column]! / this.tokens);
  }

  #rmsInterval(column: number): Interval {
    const square = this.#total[column]! / this.tokens;
    if (square === 0) return { low: 0, high: 0 };
    const { low, high } = clusterInterval(
      square,
      Float64Array.from(this.#rows, (row) => (row[column]! - square * row[PAIR.tokens]!) / this.tokens),
      "log",
    );
    return { low: Math.sqrt(low), high: Math.sqrt(high) };
  }

  /** @param influence from a cluster's Σ(a − mean)², Σ(b − mean)² and Σ(a − mean)(b − mean) */
  #interval(estimate: number, influence: (centered: readonly [number, number, number]) => number): Interval {
    const [meanA, meanB] = this.means;
    const influences = Float64Array.from(this.#rows, (row) => {
      const [n, a, b, aa, bb, ab] = row as unknown as Six;
      return influence([
        aa - 2 * meanA * a + n * meanA ** 2,
        bb - 2 * meanB * b + n * meanB ** 2,
        ab - meanA * b - meanB * a + n * meanA * meanB,
      ]);
    });
    return clusterInterval(estimate, influences, "linear");
  }
}

type Six = readonly [number, number, number, number, number, number];

/** A remainder of canceling sums below 0 is rounding. */
function positive(value: number): number {
  return Math.max(0, value);
}

function addUp(rows: readonly Float64Array[]): Float64Array {
  const total = new Float64Array(PAIR_WIDTH);
  for (const row of rows) for (let column = 0; column < PAIR_WIDTH; column++) total[column]! += row[column]!;
  return total;
}
