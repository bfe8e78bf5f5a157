/** Fewer exceedances than this say nothing of a tail. */
const FEWEST = 10;

/**
 * The tail index k of a generalized Pareto distribution fitted to exceedances over a threshold: moments of order 1/k and
 * above do not exist, so from ½ on a mean has no finite variance. NaN of fewer than ten.
 *
 * The estimator of Zhang and Stephens, "A new and efficient estimation method for the generalized Pareto distribution"
 * (Technometrics 51, 2009), with the weak prior towards ½ of Vehtari et al., "Pareto smoothed importance sampling"
 * (JMLR 25, 2024), worth ten observations.
 *
 * @param exceedances positive, in ascending order; each stands for as many observations as `counts` says
 */
export function paretoTailIndex(exceedances: ArrayLike<number>, counts: ArrayLike<number>): number {
  let n = 0;
  for (let i = 0; i < counts.length; i++) n += counts[i]!;
  if (n < FEWEST) return Number.NaN;
  const largest = exceedances[exceedances.length - 1]!;
  const quartile = quantile(exceedances, counts, Math.floor(n / 4 + 0.5));
  const meanLog = (theta: number): number => {
    let sum = 0;
    for (let i = 0; i < counts.length; i++) sum += counts[i]! * Math.log1p(-theta * exceedances[i]!);
    return sum / n;
  };
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

function quantile(values: ArrayLike<number>, counts: ArrayLike<number>, rank: number): number {
  let i = 0;
  for (let before = counts[0]!; before < rank; before += counts[i]!) i++;
  return values[i]!;
}
