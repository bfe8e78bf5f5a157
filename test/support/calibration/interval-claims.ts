/**
 * The intervals of `logratio report`: how often they hold the figure of the process that a run was drawn from.
 *
 * @module
 */
import { intervalsOf } from "../../../src/analysis/intervals.ts";
import { RunSummary } from "../../../src/analysis/run-summary.ts";
import { seededRandom } from "./claim.ts";
import { batchOfSequences, type Process } from "./processes.ts";

/** The figures that have intervals of their own; k1 is mean Δ with the other sign. */
export const METRICS = ["delta_mean", "delta_abs_mean", "k2", "k3", "ess", "chi2_token"] as const;
export type Metric = (typeof METRICS)[number];

/** The figures of a process: those of 20,000 prompts, more than 60 times as many as any run that is judged by them. */
export function truthOf(process: Process): Readonly<Record<Metric, number>> {
  const random = seededRandom(`truth of ${process.name}`);
  const sums = { n: 0, delta: 0, abs: 0, square: 0, k3: 0, excess: 0, excessSquare: 0 };
  for (let part = 0; part < 20; part++) {
    for (const { deltas } of process.draw(random, 1000)) {
      for (const delta of deltas) {
        const excess = Math.expm1(delta);
        sums.n++;
        sums.delta += delta;
        sums.abs += Math.abs(delta);
        sums.square += delta * delta;
        sums.k3 += excess - delta;
        sums.excess += excess;
        sums.excessSquare += excess * excess;
      }
    }
  }
  const excess = sums.excess / sums.n;
  const square = sums.excessSquare / sums.n;
  return {
    delta_mean: sums.delta / sums.n,
    delta_abs_mean: sums.abs / sums.n,
    k2: sums.square / (2 * sums.n),
    k3: sums.k3 / sums.n,
    ess: 1 / (1 + (square - excess * excess) / (1 + excess) ** 2),
    chi2_token: 2 * excess + square,
  };
}

/** For each metric: whether there is an interval, and whether it holds the truth. */
export type Outcome = Readonly<Record<Metric, { readonly given: boolean; readonly covers: boolean }>>;

export function outcomeOf(
  process: Process,
  truth: Readonly<Record<Metric, number>>,
  prompts: number,
  random: () => number,
): Outcome {
  const run = new RunSummary();
  run.add(batchOfSequences(process.draw(random, prompts)));
  const intervals = intervalsOf(run.total);
  return Object.fromEntries(
    METRICS.map((metric) => {
      const { low, high, reason } = intervals[metric]!;
      return [metric, { given: reason === null, covers: low <= truth[metric] && truth[metric] <= high }];
    }),
  ) as Outcome;
}
