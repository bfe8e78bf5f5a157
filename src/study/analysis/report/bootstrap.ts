import { clusterInterval } from "../../../core/statistics/cluster-interval.ts";
import { seededRandom } from "../../../core/statistics/random.ts";
import type { KlInterval } from "../../results/checkpoints.ts";
import { FEWEST_INTERVAL_PROBLEMS } from "../../results/report.ts";
import { computeQuantile, computeSum } from "./numbers.ts";

/** Residuals of one unit drawn over and over cancel up to this. */
const ROUNDING = 1e-12;

export interface Bootstrap {
  /** 95 % interval of Σ numerators / Σ denominators over units; null with fewer than six. */
  ratio(numerators: readonly number[], denominators: readonly number[]): KlInterval | null;
  /** 95 % interval of the mean; null with fewer than six units. */
  mean(values: readonly number[]): KlInterval | null;
}

/**
 * The wider of two intervals at either end: Student's t with the degrees of freedom that the units' kurtosis leaves, and
 * the studentized bootstrap, which follows the skewness that t ignores but is too narrow for few heavy-tailed units of
 * either sign (Hall, "Theoretical comparison of bootstrap confidence intervals", Ann. Statist. 16, 1988; Davison and
 * Hinkley, "Bootstrap methods and their application", 1997, section 5.2.1).
 *
 * As many units as there are (problems, since tokens of one problem are not independent) are drawn with replacement,
 * and T = (statistic of the draw − statistic) / standard error of the draw; draws that do not vary are left out. Every
 * question starts from the same seed, so figures over the same problems use the same draws, and no figure depends on
 * which others were requested.
 */
export function seededBootstrap(replicates: number, seed: number): Bootstrap {
  const draws = new Map<number, Uint32Array>();
  const ratio = (numerators: readonly number[], denominators: readonly number[]): KlInterval | null => {
    const units = numerators.length;
    if (units < FEWEST_INTERVAL_PROBLEMS) return null;
    const whole = computeSum(denominators);
    const estimate = computeSum(numerators) / whole;
    if (!Number.isFinite(estimate)) return null;
    const residuals = numerators.map((value, unit) => value - estimate * denominators[unit]!);
    const squares = computeSum(residuals.map((residual) => residual ** 2));
    if (squares === 0) return { low: estimate, high: estimate };
    const byT = clusterInterval(
      estimate,
      Float64Array.from(residuals, (e) => e / whole),
      "linear",
    );
    if (!Number.isFinite(byT.low)) return null; // Squares of next to nothing are 0.
    const drawn = getDraws(units);
    const statistics: number[] = [];
    for (let replicate = 0; replicate < replicates; replicate++) {
      let [e, ee, d, ed, dd] = [0, 0, 0, 0, 0];
      for (let i = replicate * units; i < (replicate + 1) * units; i++) {
        const unit = drawn[i]!;
        const [residual, denominator] = [residuals[unit]!, denominators[unit]!];
        e += residual;
        ee += residual * residual;
        d += denominator;
        ed += residual * denominator;
        dd += denominator * denominator;
      }
      const shift = e / d;
      const varied = ee - 2 * shift * ed + shift * shift * dd;
      if (d > 0 && varied > ROUNDING * squares) statistics.push(e / Math.sqrt(varied));
    }
    if (statistics.length === 0) return byT;
    statistics.sort((a, b) => a - b);
    const error = Math.sqrt(squares) / whole;
    return {
      low: Math.min(byT.low, estimate - computeQuantile(statistics, 0.975) * error),
      high: Math.max(byT.high, estimate - computeQuantile(statistics, 0.025) * error),
    };
  };
  const getDraws = (units: number): Uint32Array => {
    const known = draws.get(units);
    if (known !== undefined) return known;
    const random = seededRandom(seed);
    const drawn = Uint32Array.from({ length: units * replicates }, () => Math.floor(random() * units));
    draws.set(units, drawn);
    return drawn;
  };
  return { ratio, mean: (values) => ratio(values, new Array<number>(values.length).fill(1)) };
}
