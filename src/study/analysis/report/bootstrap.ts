import { ratioInterval } from "../../../core/statistics/mean-interval.ts";
import { seededRandom } from "../../../core/statistics/random.ts";
import type { KlInterval } from "../../results/checkpoints.ts";
import { FEWEST_INTERVAL_PROBLEMS, MOST_PROBLEMS_BY_T } from "../../results/report.ts";
import { computeQuantile } from "./numbers.ts";

export interface Bootstrap {
  /** 95 % interval of Σ numerators / Σ denominators over units; null with fewer than six. */
  ratio(numerators: readonly number[], denominators: readonly number[]): KlInterval | null;
  /** 95 % interval of the mean; null with fewer than six units. */
  mean(values: readonly number[]): KlInterval | null;
}

/**
 * Up to 30 units, Student's t with n − 1 degrees of freedom; above that, the percentile bootstrap (Efron 1979): as many
 * units as there are (problems, since tokens of one problem are not independent) are drawn with replacement, and the
 * interval lies between the 2.5th and the 97.5th percentile of the statistic over `replicates` such draws. Every
 * question starts from the same seed, so figures over the same problems use the same draws, and no figure depends on
 * which others were requested.
 */
export function seededBootstrap(replicates: number, seed: number): Bootstrap {
  const draws = new Map<number, Uint32Array>();
  const ratio = (numerators: readonly number[], denominators: readonly number[]): KlInterval | null => {
    const units = numerators.length;
    if (units < FEWEST_INTERVAL_PROBLEMS) return null;
    if (units <= MOST_PROBLEMS_BY_T) {
      const { low, high } = ratioInterval(numerators, denominators);
      return Number.isFinite(low) && Number.isFinite(high) ? { low, high } : null;
    }
    const drawn = getDraws(units);
    const statistics: number[] = [];
    for (let replicate = 0; replicate < replicates; replicate++) {
      let above = 0;
      let below = 0;
      for (let i = replicate * units; i < (replicate + 1) * units; i++) {
        const unit = drawn[i]!;
        above += numerators[unit]!;
        below += denominators[unit]!;
      }
      if (below > 0) statistics.push(above / below);
    }
    if (statistics.length < replicates / 2 || statistics.length === 0) return null;
    statistics.sort((a, b) => a - b);
    return { low: computeQuantile(statistics, 0.025), high: computeQuantile(statistics, 0.975) };
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
