/**
 * Whether Δ grows or falls over a run.
 *
 * @module
 */
import type { Factor } from "../../../core/statistics/factor.ts";
import { maxStatisticTest } from "../../../core/statistics/max-statistic.ts";
import type { SampledCluster } from "../../../core/summaries/index.ts";
import { addTurns, addUp, ENOUGH_TOKENS, factorOfParts, groupedUnits, Units } from "./units.ts";

export interface Trend {
  /** Mean |Δ| in the first and the last third of the steps, nats. */
  readonly early: number;
  readonly late: number;
  /** Late against early. */
  readonly factor: Factor;
  readonly p: number;
}

/** The last third of the steps against the first; undefined with fewer than three steps. */
export function findTrend(clusters: readonly SampledCluster[]): Trend | undefined {
  const known = new Set<number>();
  for (const { sequences } of clusters) for (const { step } of sequences) known.add(step);
  known.delete(Number.NaN);
  const steps = [...known].sort((a, b) => a - b);
  const part = Math.floor(steps.length / 3);
  if (part === 0) return undefined;
  const [before, after] = [steps[part - 1]!, steps.at(-part)!];
  const units = new Units();
  for (const [cluster, { sequences }] of clusters.entries()) {
    const step = sequences[0]?.step ?? Number.NaN;
    if (!(step <= before || step >= after)) continue;
    const { tokens, deltaAbs } = addUp(sequences.map(addTurns));
    if (tokens > 0) units.add(tokens, deltaAbs, cluster, 0, step <= before ? 0 : 1);
  }
  const [early, late] = [units.sumOf(0), units.sumOf(1)];
  if (Math.min(early.tokens, late.tokens) < ENOUGH_TOKENS) return undefined;
  return {
    early: early.deltaAbs / early.tokens,
    late: late.deltaAbs / late.tokens,
    factor: factorOfParts(units, 1),
    // With two groups, one sum mirrors the other, so the larger z is the two-sided test.
    p: Math.min(...maxStatisticTest(groupedUnits(units, 2, false)).p),
  };
}
