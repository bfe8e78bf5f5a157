/**
 * The intervals of `logratio report`: how often they contain the figure of the process that a run was drawn from.
 *
 * @module
 */
import { computeIntervals } from "../../../src/analyses/report/intervals.ts";
import { RunSummary } from "../../../src/analyses/report/run-summary.ts";
import { type Claim, seededRandom } from "./claim.ts";
import {
  BOTH_EFFECTS,
  batchOfSequences,
  HEAVY_T,
  INDEPENDENT,
  LONGER_IS_WORSE,
  MOSTLY_EXACT,
  PROMPT_EFFECTS,
  type Process,
  SEQUENCE_EFFECTS,
} from "./processes.ts";

/** The figures that have intervals of their own; k1 is mean Δ with the opposite sign. */
export const METRICS = ["delta_mean", "delta_abs_mean", "k2", "k3", "ess", "chi2_token"] as const;
export type Metric = (typeof METRICS)[number];

/**
 * The figures of a process: of its whole population, or of 20,000 prompts, a hundred times as many as the runs judged
 * by them have.
 */
export function findTruth(process: Process): Readonly<Record<Metric, number>> {
  const random = seededRandom(`truth of ${process.name}`);
  const sums = { n: 0, delta: 0, abs: 0, square: 0, k3: 0, excess: 0, excessSquare: 0 };
  const parts = process.population ? 1 : 20;
  for (let part = 0; part < parts; part++) {
    for (const { deltas } of process.population ?? process.draw(random, 1000)) {
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

/** For each metric: whether there is an interval, and whether it contains the truth. */
export type Outcome = Readonly<Record<Metric, { readonly given: boolean; readonly covers: boolean }>>;

export function tryInterval(
  process: Process,
  truth: Readonly<Record<Metric, number>>,
  prompts: number,
  random: () => number,
): Outcome {
  const run = new RunSummary();
  run.add(batchOfSequences(process.draw(random, prompts)));
  const intervals = computeIntervals(run.total);
  return Object.fromEntries(
    METRICS.map((metric) => {
      const { low, high, reason } = intervals[metric]!;
      return [metric, { given: reason === null, covers: low <= truth[metric] && truth[metric] <= high }];
    }),
  ) as Outcome;
}

/**
 * How many of `runs` runs with this many prompts have an interval of each metric, and how many of those contain the
 * truth.
 */
export function measureCoverage(
  process: Process,
  prompts: number,
  runs: number,
): Readonly<Record<Metric, { readonly given: number; readonly covering: number }>> {
  const truth = findTruth(process);
  const random = seededRandom(`${process.name} ${prompts}`);
  const tally = Object.fromEntries(METRICS.map((metric) => [metric, { given: 0, covering: 0 }])) as Record<
    Metric,
    { given: number; covering: number }
  >;
  for (let run = 0; run < runs; run++) {
    const outcome = tryInterval(process, truth, prompts, random);
    for (const metric of METRICS) {
      if (outcome[metric].given) tally[metric].given++;
      if (outcome[metric].covers) tally[metric].covering++;
    }
  }
  return tally;
}

/** If most runs have an interval: how often it contains the truth. */
function covers(process: Process, prompts: number, metric: Metric): Claim {
  let truth: Readonly<Record<Metric, number>> | undefined;
  return {
    method: `interval of ${metric}, ${prompts} prompts`,
    process: process.name,
    rate: "coverage",
    nominal: 0.95,
    limits: [0.84, 1],
    once(random) {
      truth ??= findTruth(process);
      for (let tries = 0; tries < 50; tries++) {
        const { given, covers } = tryInterval(process, truth, prompts, random)[metric];
        if (given) return covers;
      }
      return false;
    },
  };
}

/** If no interval from these data would be right: how often one is given all the same. */
function withdraws(process: Process, prompts: number, metric: Metric): Claim {
  return {
    method: `interval of ${metric}, ${prompts} prompts`,
    process: process.name,
    rate: "given where none can hold",
    nominal: 0,
    limits: [0, 0.12],
    once: (random) => {
      const run = new RunSummary();
      run.add(batchOfSequences(process.draw(random, prompts)));
      return computeIntervals(run.total)[metric]!.reason === null;
    },
  };
}

export const INTERVAL_CLAIMS: readonly Claim[] = [
  covers(INDEPENDENT, 24, "delta_mean"),
  covers(INDEPENDENT, 24, "k3"),
  covers(BOTH_EFFECTS, 32, "delta_abs_mean"),
  covers(PROMPT_EFFECTS, 64, "delta_abs_mean"),
  covers(MOSTLY_EXACT, 200, "k3"),
  covers(SEQUENCE_EFFECTS, 200, "delta_abs_mean"),
  withdraws(INDEPENDENT, 8, "delta_abs_mean"),
  withdraws(LONGER_IS_WORSE, 48, "delta_abs_mean"),
  withdraws(SEQUENCE_EFFECTS, 48, "k3"),
  withdraws(HEAVY_T, 48, "ess"),
];
