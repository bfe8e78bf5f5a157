import { studentQuantile95 } from "./distributions.ts";
import type { Interval } from "./result.ts";

/**
 * A 95 % interval for a smooth function of means over units drawn as whole clusters (a prompt's samples).
 *
 * Linearized ("sandwich") standard error over clusters: Liang and Zeger (Biometrika 73, 1986), for a ratio of totals
 * Cochran, "Sampling Techniques" (1977, section 6.3 and 9A.2), with the factor G/(G − 1):
 *
 *     se² = G/(G − 1) · Σ e_g²,   estimate ± t · se   or, for positive estimates,   estimate · exp(± t · se / estimate)
 *
 * t has 2G/(κ − 1) degrees of freedom, at most G − 1, where κ = G Σe⁴ / (Σe²)² is the kurtosis of the e: a variance
 * estimated from few large e is as uncertain as one from few normal ones (Satterthwaite, Biometrics Bulletin 2, 1946).
 *
 * @param influences e_g: first-order decrease of the estimate when cluster g is left out
 */
export function clusterInterval(
  estimate: number,
  influences: Float64Array,
  scale: "linear" | "log",
): Interval {
  const clusters = influences.length;
  let squares = 0;
  let fourth = 0;
  for (const e of influences) {
    squares += e * e;
    fourth += e ** 4;
  }
  // For equal influences the kurtosis is 1, but may round to less, which does not mean a single degree of freedom.
  const excess = Math.max(0, (clusters * fourth) / (squares * squares) - 1);
  const freedom = Math.max(1, Math.min(clusters - 1, (2 * clusters) / excess));
  const error = Math.sqrt((clusters / (clusters - 1)) * squares);
  const margin = studentQuantile95(freedom) * error;
  if (scale === "linear") return { low: estimate - margin, high: estimate + margin };
  return {
    low: estimate * Math.exp(-margin / estimate),
    high: estimate * Math.exp(margin / estimate),
  };
}
