/**
 * Mean, squared deviations and extremes of weighted values, merged without cancellation (Chan, Golub, LeVeque,
 * "Updating formulae and a pairwise algorithm for computing sample variances", 1979). A NaN among the values makes
 * every figure but the count NaN, as in PyTorch.
 */
export class Moments {
  /** Σ weight. */
  count = 0;
  /** 0 while the count is 0. */
  mean = 0;
  /** Σ weight · (value − mean)². */
  m2 = 0;
  /** +Infinity while nothing is counted. */
  min = Number.POSITIVE_INFINITY;
  /** -Infinity while nothing is counted. */
  max = Number.NEGATIVE_INFINITY;

  /** Counts `value` as `weight` equal values; a `weight` of 0 counts nothing. */
  add(value: number, weight = 1): void {
    if (weight === 0) return;
    this.#join(weight, value, 0);
    this.min = Math.min(this.min, value);
    this.max = Math.max(this.max, value);
  }

  merge(other: Moments): void {
    if (other.count === 0) return;
    this.#join(other.count, other.mean, other.m2);
    this.min = Math.min(this.min, other.min);
    this.max = Math.max(this.max, other.max);
  }

  /** m2 / (count − ddof); NaN if the divisor is not positive, as in `torch.var`. */
  variance(ddof = 0): number {
    return this.count > ddof ? this.m2 / (this.count - ddof) : Number.NaN;
  }

  #join(count: number, mean: number, m2: number): void {
    const total = this.count + count;
    const distance = mean - this.mean;
    this.m2 += m2 + distance * distance * this.count * (count / total);
    this.mean += distance * (count / total);
    this.count = total;
  }
}
