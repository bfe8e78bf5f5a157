/**
 * How much the figures of one run exceed those of another, with intervals over the prompts that were drawn.
 *
 * @module
 */
import { orNull } from "../../../core/base/index.ts";
import type { TwoParts } from "../../../core/statistics/factor.ts";
import { clusteredRatioDifference } from "../../../core/statistics/ratio-difference.ts";
import {
  type ComparedRun,
  DIFFERENCE_FIGURES,
  type DifferenceFigure,
  type RunDifference,
} from "../../../results/view.ts";
import type { FigureSums, PairSums } from "./measure-pairs.ts";
import type { RunFacts, SequenceFacts } from "./run-facts.ts";

type Differences = ComparedRun["differences"];

/** Pairs that cover less than this share of either run do not represent it. */
const LEAST_PAIRED = 0.5;

/** Figures of `b` minus those of `a`: token by token if enough of both is the same text. */
export function measureDifferences(a: RunFacts, b: RunFacts, pairs: readonly PairSums[]): Differences {
  const paired = pairs.reduce((sum, { tokens }) => sum + tokens, 0);
  const isPaired = paired > 0 && paired >= LEAST_PAIRED * Math.max(a.info.tokens, b.info.tokens);
  const cluster = chooseCluster(a, b);
  const units = isPaired
    ? pairs.map((pair, at) => ({ ...pair, cluster: cluster?.(a.sequences[pair.a]!) ?? `pair ${at}` }))
    : [...listRun(a, "a", cluster), ...listRun(b, "b", cluster)];
  return {
    over: isPaired ? "tokens" : "texts",
    tokens: isPaired ? { first: paired, this: paired } : { first: a.info.tokens, this: b.info.tokens },
    unit: cluster === undefined ? "sequence" : "prompt",
    figures: measureFigures(units),
  };
}

type Cluster = (facts: SequenceFacts) => string;

/**
 * What identifies the prompt of a sequence in both runs: its text, or its group; undefined where a run lacks either for
 * some sequence.
 */
function chooseCluster(...runs: readonly RunFacts[]): Cluster | undefined {
  const everywhere = (key: "prompt" | "group"): boolean =>
    runs.every(({ sequences }) => sequences.every((facts) => facts[key] !== undefined));
  for (const key of ["prompt", "group"] as const) if (everywhere(key)) return (facts) => facts[key]!;
  return undefined;
}

/** What one sequence contributes: to the first run's part, the other's, or both. */
interface Unit {
  readonly cluster: string;
  readonly tokens: number;
  readonly first?: FigureSums;
  readonly other?: FigureSums;
}

function listRun({ table, sequences }: RunFacts, run: "a" | "b", cluster: Cluster | undefined): Unit[] {
  return sequences.flatMap((facts, row) => {
    const tokens = table.columns.tokens[row]!;
    if (!(tokens > 0)) return [];
    const sum = (figure: DifferenceFigure): number =>
      table.columns[COLUMNS[figure]][row]! * table.columns.tokens[row]!;
    const sums = { delta_abs_mean: sum("delta_abs_mean"), delta_mean: sum("delta_mean"), k3: sum("k3") };
    return { cluster: cluster?.(facts) ?? `${run} ${row}`, tokens, [run === "a" ? "first" : "other"]: sums };
  });
}

const COLUMNS = { delta_abs_mean: "delta_abs_mean", delta_mean: "delta_mean", k3: "k3_mean" } as const;

function measureFigures(units: readonly Unit[]): Differences["figures"] {
  const places = new Map<string, number>();
  for (const { cluster } of units) if (!places.has(cluster)) places.set(cluster, places.size);
  const measure = (figure: DifferenceFigure): RunDifference => {
    const part = (): Float64Array => new Float64Array(places.size);
    const parts = { sums: part(), sizes: part(), otherSums: part(), otherSizes: part() } satisfies TwoParts;
    for (const { cluster, tokens, first, other } of units) {
      const at = places.get(cluster)!;
      // The statistic is the first part minus the second: here `b` comes first.
      if (other !== undefined) {
        parts.sums[at]! += other[figure];
        parts.sizes[at]! += tokens;
      }
      if (first !== undefined) {
        parts.otherSums[at]! += first[figure];
        parts.otherSizes[at]! += tokens;
      }
    }
    const { difference, interval, clusters } = clusteredRatioDifference(parts);
    return {
      difference: orNull(difference),
      low: orNull(interval?.low ?? Number.NaN),
      high: orNull(interval?.high ?? Number.NaN),
      clusters,
    };
  };
  return Object.fromEntries(DIFFERENCE_FIGURES.map((figure) => [figure, measure(figure)])) as Record<
    DifferenceFigure,
    RunDifference
  >;
}
