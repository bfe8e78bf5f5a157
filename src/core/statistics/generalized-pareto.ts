/** Fewer exceedances than this say nothing about a tail. */
const FEWEST = 10;

/**
 * The tail index k of a generalized Pareto distribution fitted to exceedances over a threshold: moments of order 1/k
 * and above do not exist, so from ½ on a mean has no finite variance. NaN for fewer than ten.
 *
 * The estimator of Zhang and Stephens, "A new and efficient estimation method for the generalized Pareto distribution"
 * (Technometrics 51, 2009), with the weak prior towards ½ of Vehtari et al., "Pareto smoothed importance sampling"
 * (JMLR 25, 2024), worth ten observations.
 *
 * @param exceedances positive, in ascending order; each represents as many observations as `counts` says
 */
export function paretoTailIndex(exceedances: ArrayLike<number>, counts: ArrayLike<number>): number {
  let n = 0;
  for (let i = 0; i < counts.length; i++) n += counts[i]!;
  // Arrays of one type, so that engines need not check it.
  return n < FEWEST ? Number.NaN : fitTailIndex(Float64Array.from(exceedances), Float64Array.from(counts), n);
}

/** Smallest number of importance weights with a tail: a fifth of fewer is not a tail. */
const FEWEST_WEIGHTS = 25;
/** Up to this many values beyond the cut say nothing about the tail's shape. */
const MOST_UNFITTED = 4;
/** Logarithm of the smallest normal number: weights further below the largest one are 0 next to it. */
const LOG_TINY = Math.log(2 ** -1022);

/** The number of n importance weights in the fitted tail: min(n/5, 3√n), rounded up. */
export function countTail(n: number): number {
  return Math.ceil(Math.min(n / 5, 3 * Math.sqrt(n)));
}

/**
 * k̂ of importance weights: the tail index of a generalized Pareto distribution fitted to the largest of them. Up to
 * 0.5 their mean has a finite variance; above 0.7, means and effective sample sizes of that many weights are
 * unreliable.
 *
 * Vehtari, Simpson, Gelman, Yao and Gabry, "Pareto smoothed importance sampling" (JMLR 25(72), 2024), section 3, for
 * independent draws; ties with the cut do not count as beyond it.
 *
 * @param largest logarithms of the weights in descending order, at least the `countTail(n)` + 1 largest; if there are
 * fewer, all but the last form the tail
 * @param n how many weights there are
 * @returns NaN below 25 weights, Infinity if at most 4 lie beyond the cut
 */
export function weightTailIndex(largest: ArrayLike<number>, n: number): number {
  if (n < FEWEST_WEIGHTS || largest.length === 0) return Number.NaN;
  const [first, rank] = [largest[0]!, Math.min(countTail(n), largest.length - 1)];
  const cut = Math.max(largest[rank]! - first, LOG_TINY);
  let beyond = 0;
  while (beyond < rank && largest[beyond]! - first > cut) beyond++;
  if (beyond <= MOST_UNFITTED) return Number.POSITIVE_INFINITY;
  const base = Math.exp(cut);
  const exceedances = Float64Array.from(
    { length: beyond },
    (_, i) => Math.exp(largest[beyond - 1 - i]! - first) - base,
  );
  return fitTailIndex(exceedances, new Float64Array(beyond).fill(1), beyond);
}

/** From here on a factor, or a product of factors, gets its own logarithm, so that products stay finite. */
const LARGE = 1e6;

/** @param n the number of exceedances */
function fitTailIndex(exceedances: Float64Array, counts: Float64Array, n: number): number {
  const largest = exceedances[exceedances.length - 1]!;
  const quartile = quantile(exceedances, counts, Math.floor(n / 4 + 0.5));
  const meanLog = (theta: number): number => sumLogs(exceedances, counts, -theta) / n;
  const grid = 30 + Math.floor(Math.sqrt(n));
  const thetas = Float64Array.from(
    { length: grid },
    (_, j) => 1 / largest + (1 - Math.sqrt(grid / (j + 0.5))) / (3 * quartile),
  );
  const profile = thetas.map((theta) => {
    const k = meanLog(theta);
    return n * (Math.log(-theta / k) - k - 1);
  });
  const best = profile.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const weights = profile.map((value) => Math.exp(value - best));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const theta = thetas.reduce((sum, value, j) => sum + (value * weights[j]!) / total, 0);
  return (n * meanLog(theta) + 10 * 0.5) / (n + 10);
}

/**
 * Σ counts log(1 + factor x). Multiplies single values before taking the logarithm, as the excess of the product over
 * 1, which keeps the digits of factors near 1: a fit takes the logarithms of a tail for each of a hundred factors.
 */
function sumLogs(values: Float64Array, counts: Float64Array, factor: number): number {
  let sum = 0;
  let excess = 0;
  for (let i = 0; i < counts.length; i++) {
    const x = factor * values[i]!;
    if (counts[i] !== 1 || x > LARGE) {
      sum += counts[i]! * Math.log1p(x);
      continue;
    }
    excess += x + excess * x;
    if (excess < -0.5 || excess > LARGE) {
      sum += Math.log1p(excess);
      excess = 0;
    }
  }
  return sum + Math.log1p(excess);
}

function quantile(values: Float64Array, counts: Float64Array, rank: number): number {
  let i = 0;
  for (let before = counts[0]!; before < rank; before += counts[i]!) i++;
  return values[i]!;
}
