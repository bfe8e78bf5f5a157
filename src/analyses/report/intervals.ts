/**
 * Uncertainty of the pooled figures of a run, due to the *other prompts* that its steps might have drawn.
 * docs/statistics.md explains what the intervals mean and how often they hold.
 *
 * @module
 */

import { clusterInterval } from "../../core/statistics/cluster-interval.ts";
import { paretoTailIndex } from "../../core/statistics/generalized-pareto.ts";
import { rareShare } from "../../core/statistics/rare-rate.ts";
import type { MismatchSummary, SequenceSample, ValueSketch } from "../../core/summaries/index.ts";
import { CLUSTER, CLUSTER_WIDTH } from "../../core/summaries/index.ts";
import { formatCount, formatShare } from "../../core/text/index.ts";
import type { Interval } from "../../results/report.ts";
import type { Ranges } from "../assessment/baselines.ts";
import { addRows, CLUSTER_METRICS, type ClusterMetric, TOKEN_MASSES } from "./cluster-metrics.ts";
import { addTurns as totalOfSequence } from "./standouts/index.ts";

/** With fewer clusters a variance is guesswork. */
export const FEWEST_CLUSTERS = 10;
/**
 * If one cluster holds more, or more than twice its even share, the interval describes that cluster rather than prompts.
 */
const MOST_OF_ONE = 0.1;
/**
 * Largest relative standard error to expect from the clusters' spread. Skewed sums need many clusters before their mean
 * is nearly normal: by simulation, 50 times the square of their coefficient of variation.
 */
const MOST_EXPECTED_ERROR = Math.sqrt(1 / 50);
/** From this value on a mean has no finite variance. */
const INFINITE_VARIANCE = 0.5;

/**
 * 95 % intervals of the pooled figures, by metric name; if the data allow none, `low` and `high` are NaN and `reason`
 * says why. Empty with fewer than two clusters.
 */
export function computeIntervals(summary: MismatchSummary): Record<string, Interval> {
  const { clusters, deltas } = summary;
  if (!clusters || clusters.count < 2) return {};
  const { table, unit, count } = clusters;
  const total = addRows(table);
  const about = { method: "cluster-t", unit, clusters: count } as const;
  const heavyTail = describeHeavyTails(deltas);
  return Object.fromEntries(
    Object.entries(CLUSTER_METRICS).map(([name, metric]) => {
      const reason = reasonAgainst(metric, table, unit, heavyTail);
      const influences = new Float64Array(table.length / CLUSTER_WIDTH);
      for (let g = 0; g < influences.length; g++)
        influences[g] = metric.influence(total, table, g * CLUSTER_WIDTH);
      const given = shown(metric, clusterInterval(metric.value(total), influences, metric.scale));
      const interval =
        reason === undefined
          ? { ...given, reason: null, leave_one_out: null }
          : {
              low: Number.NaN,
              high: Number.NaN,
              reason,
              leave_one_out: leaveOneOut(metric, total, table),
              withheld: [given.low, given.high] as const,
            };
      return [name, { ...interval, ...about }];
    }),
  );
}

/**
 * The share of tokens with |Δp| > ½ counts rare events that cluster in prompts: it has an interval however few there
 * are, from the sampled prompts.
 */
export function jumpInterval(sample: SequenceSample): Record<string, Interval> {
  const clusters = sample.list().map(({ sequences }) => {
    let [tokens, events] = [0, 0];
    for (const sequence of sequences) {
      tokens += totalOfSequence(sequence).tokens;
      events += sequence.jumps;
    }
    return { tokens, events };
  });
  if (clusters.every(({ tokens }) => tokens === 0)) return {};
  const { low, high } = rareShare(clusters);
  return {
    prob_diff_above_half: {
      low,
      high,
      method: "cluster-gamma",
      unit: sample.unit,
      clusters: clusters.length,
      reason: null,
      leave_one_out: null,
    },
  };
}

/**
 * The range that the data leave open for each figure, by metric name: its interval. If that would not be valid, the
 * widest of the interval and the values without any one cluster: too narrow for a claim, but closer to one than the
 * figure alone.
 */
export function computeRanges(intervals: Readonly<Record<string, Interval>>): Ranges {
  return Object.fromEntries(
    Object.entries(intervals).flatMap(([name, { low, high, leave_one_out, withheld = [] }]) => {
      if (leave_one_out === null) return [[name, { low, high }]];
      const known = [...leave_one_out, ...withheld].filter(Number.isFinite);
      return known.length === 0 ? [] : [[name, { low: Math.min(...known), high: Math.max(...known) }]];
    }),
  );
}

function shown(
  { shown: show, most = Number.POSITIVE_INFINITY }: ClusterMetric,
  { low, high }: { low: number; high: number },
): { low: number; high: number } {
  return show ? { low: show(high), high: show(low) } : { low, high: high > most ? most : high };
}

/** From the smallest to the largest value of the figure with one cluster left out. */
function leaveOneOut(metric: ClusterMetric, total: Float64Array, table: Float64Array): [number, number] {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  const rest = new Float64Array(CLUSTER_WIDTH);
  for (let at = 0; at < table.length; at += CLUSTER_WIDTH) {
    for (let column = 0; column < CLUSTER_WIDTH; column++)
      rest[column] = total[column]! - table[at + column]!;
    const value = metric.value(rest);
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const ends = shown(metric, { low, high });
  return [ends.low, ends.high];
}

/** Why these clusters allow no interval for a figure; undefined if they do. */
function reasonAgainst(
  metric: ClusterMetric,
  table: Float64Array,
  unit: "prompt" | "sequence",
  heavyTail: (mass: TokenMass) => string | undefined,
): string | undefined {
  const masses = new Float64Array(table.length / CLUSTER_WIDTH);
  for (let g = 0; g < masses.length; g++) masses[g] = table[g * CLUSTER_WIDTH + CLUSTER[metric.mass]]!;
  masses.sort();
  const sum = masses.reduce((all, mass) => all + mass, 0);
  if (sum === 0) return `it is 0 in every ${unit}`;
  if (!Number.isFinite(sum)) return "it is infinite";
  const largest = masses.at(-1)! / sum;
  if (largest > Math.max(MOST_OF_ONE, 2 / masses.length) && masses.length >= FEWEST_CLUSTERS)
    return `one ${unit} holds ${formatShare(largest)}`;
  if (masses.length < FEWEST_CLUSTERS) return `only ${masses.length} ${unit}s`;
  if (expectedError(masses) > MOST_EXPECTED_ERROR) {
    const few = Math.max(2, Math.round(masses.length / 20));
    const held = masses.subarray(-few).reduce((all, mass) => all + mass, 0);
    return `${few} of ${formatCount(masses.length)} ${unit}s hold ${formatShare(held / sum)}`;
  }
  const tokenMass = TOKEN_MASSES[metric.mass];
  return tokenMass && heavyTail(tokenMass);
}

/**
 * The relative standard error of a mean of as many lognormal numbers with the spread of the larger half of the non-zero
 * masses. Not from their variance: if rare clusters carry a mean, a sample without one looks most certain.
 */
function expectedError(masses: Float64Array): number {
  const first = masses.findIndex((mass) => mass > 0);
  const some = masses.subarray(first);
  const half = some.subarray(Math.floor(some.length / 2));
  const middle = Math.log(half[0]!);
  const squares = half.reduce((all, mass) => all + (Math.log(mass) - middle) ** 2, 0) / half.length;
  return Math.sqrt(Math.expm1(squares) / some.length);
}

type TokenMass = (delta: number) => number;

/** {@link describeHeavyTail}, once for all figures that share a mass: it fits a tail. */
function describeHeavyTails(deltas: ValueSketch): (mass: TokenMass) => string | undefined {
  const known = new Map<TokenMass, string | undefined>();
  return (mass) => {
    if (!known.has(mass)) known.set(mass, describeHeavyTail(mass, deltas));
    return known.get(mass);
  };
}

/** Describes a sum of `mass` over tokens whose tail implies an infinite variance. */
function describeHeavyTail(mass: TokenMass, deltas: ValueSketch): string | undefined {
  const { middles, counts } = deltas.columns();
  const masses = middles.map((middle) => mass(middle));
  const n = deltas.count;
  // The number of largest values that Vehtari et al. (2024) use.
  const most = Math.min(0.2 * n, 3 * Math.sqrt(n));
  const cells = listLargest(masses, counts, Math.max(most, countFew(n)));
  let taken = 0;
  let end = 0;
  while (end < cells.length && taken < most) taken += cells[end++]![1];
  const threshold = cells[end]?.[0] ?? 0;
  const tail = cells
    .slice(0, end)
    .reverse()
    .filter(([value]) => value > threshold);
  const index = paretoTailIndex(
    tail.map(([value]) => value - threshold),
    tail.map(([, count]) => count),
  );
  if (!(index >= INFINITE_VARIANCE)) return undefined;
  const sum = masses.reduce((all, value, i) => all + value * counts[i]!, 0);
  return `the tokens' tail is too heavy: ${largestTokens(cells, n, sum)}`;
}

type MassCell = readonly [mass: number, count: number];

/**
 * Cells in descending order of mass: as many as hold `most` tokens, plus one. Masses grow with the distance of Δ from
 * 0, so the next one is always at either end of the remaining cells.
 */
function listLargest(masses: Float64Array, counts: Float64Array, most: number): MassCell[] {
  const cells: MassCell[] = [];
  let [first, last, taken] = [0, masses.length - 1, 0];
  while (first <= last) {
    const at = masses[first]! > masses[last]! ? first++ : last--;
    cells.push([masses[at]!, counts[at]!]);
    if (taken >= most) break;
    taken += counts[at]!;
  }
  return cells;
}

/** How many of the largest tokens the sentence covers: a thousandth of all, and at least one. */
const countFew = (tokens: number): number => Math.max(1, Math.round(tokens / 1000));

/** `5 of 31,000 hold 63 %`: how few tokens hold how much of the mass. */
function largestTokens(cells: readonly MassCell[], n: number, sum: number): string {
  const few = countFew(n);
  let left = few;
  let held = 0;
  for (const [value, count] of cells) {
    const taken = Math.min(left, count);
    held += taken * value;
    left -= taken;
    if (left === 0) break;
  }
  return `${formatCount(few)} of ${formatCount(n)} hold ${formatShare(held / sum)}`;
}
