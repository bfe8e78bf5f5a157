/**
 * Whether Δ grows or falls over a run.
 *
 * @module
 */
import type { Factor } from "../../../core/statistics/index.ts";
import { maxStatisticTest } from "../../../core/statistics/index.ts";
import type { SampledCluster } from "../../../core/summaries/index.ts";
import { addTurns, addUp, ENOUGH_TOKENS, factorOfParts, groupedUnits, type Sums } from "./units.ts";

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
  const steps = [...new Set(clusters.flatMap(({ sequences }) => sequences.map(({ step }) => step)))]
    .filter((step) => !Number.isNaN(step))
    .sort((a, b) => a - b);
  const part = Math.floor(steps.length / 3);
  if (part === 0) return undefined;
  const [before, after] = [steps[part - 1] as number, steps.at(-part) as number];
  const units = clusters.flatMap(({ sequences }, cluster) => {
    const step = sequences[0]?.step ?? Number.NaN;
    if (!(step <= before || step >= after)) return [];
    const sums = addUp(sequences.map(addTurns));
    return sums.tokens === 0 ? [] : [{ ...sums, cluster, block: 0, label: step <= before ? 0 : 1 }];
  });
  const [early, late] = [0, 1].map((label) => addUp(units.filter((unit) => unit.label === label))) as [
    Sums,
    Sums,
  ];
  if (Math.min(early.tokens, late.tokens) < ENOUGH_TOKENS) return undefined;
  return {
    early: early.deltaAbs / early.tokens,
    late: late.deltaAbs / late.tokens,
    factor: factorOfParts(units, ({ label }) => label === 1),
    // Of two groups one sum mirrors the other, so the larger z is the two-sided test.
    p: Math.min(...maxStatisticTest(groupedUnits(units, 2, false)).p),
  };
}
