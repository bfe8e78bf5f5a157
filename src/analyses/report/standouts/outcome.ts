/**
 * Right answers against wrong ones.
 *
 * @module
 */
import type { Factor } from "../../../core/statistics/index.ts";
import { maxStatisticTest } from "../../../core/statistics/index.ts";
import type { SampledCluster } from "../../../core/summaries/index.ts";
import {
  addTurns,
  addUp,
  byCluster,
  ENOUGH_TOKENS,
  factorOfParts,
  groupedUnits,
  type Sums,
  type Unit,
  wholeClusters,
} from "./units.ts";

export interface OutcomeContrast {
  readonly correctMean: number;
  readonly incorrectMean: number;
  /** Incorrect against correct. */
  readonly factor: Factor;
  /** Geometric mean of a prompt's incorrect against its correct responses, over prompts that have both. */
  readonly withinPrompt: { readonly factor: number; readonly prompts: number } | undefined;
  /** The step without which the factor changes most, and the factor then. */
  readonly withoutStep: { readonly step: number; readonly factor: number } | undefined;
  readonly p: number;
}

/** Prompts with right and wrong answers from which the test is made within them. */
const ENOUGH_MIXED = 5;

/** Right answers against wrong ones; undefined where one of them is missing. */
export function outcomeContrast(clusters: readonly SampledCluster[]): OutcomeContrast | undefined {
  const units = outcomeUnits(clusters);
  const [wrong, right] = [0, 1].map((label) => addUp(units.filter((unit) => unit.label === label))) as [
    Sums,
    Sums,
  ];
  if (Math.min(wrong.tokens, right.tokens) < ENOUGH_TOKENS) return undefined;
  const mixed = new Set(
    clusters.flatMap(({ sequences }, cluster) =>
      new Set(sequences.flatMap(({ correct }) => (Number.isNaN(correct) ? [] : [correct > 0]))).size > 1
        ? [cluster]
        : [],
    ),
  );
  const within = mixed.size >= ENOUGH_MIXED;
  const permuted = within ? units.filter(({ cluster }) => mixed.has(cluster)) : wholeClusters(units);
  const { p } = maxStatisticTest(groupedUnits(permuted, 2, within));
  return {
    correctMean: right.deltaAbs / right.tokens,
    incorrectMean: wrong.deltaAbs / wrong.tokens,
    factor: factorOfParts(units, ({ label }) => label === 0),
    withinPrompt: withinPrompts(units, mixed),
    withoutStep: withoutStep(clusters),
    // As in trendOf.
    p: Math.min(...p),
  };
}

function outcomeUnits(clusters: readonly SampledCluster[]): Unit[] {
  return clusters.flatMap(({ sequences }, cluster) =>
    sequences.flatMap((sequence) => {
      const sums = addTurns(sequence);
      if (Number.isNaN(sequence.correct) || sums.tokens === 0) return [];
      return [{ ...sums, cluster, block: cluster, label: sequence.correct > 0 ? 1 : 0 }];
    }),
  );
}

function computeFactor(units: readonly Unit[]): number {
  const [wrong, right] = [0, 1].map((label) => addUp(units.filter((unit) => unit.label === label))) as [
    Sums,
    Sums,
  ];
  return divideMeans(wrong, right);
}

function divideMeans(wrong: Sums, right: Sums): number {
  return wrong.deltaAbs / wrong.tokens / (right.deltaAbs / right.tokens);
}

function withinPrompts(units: readonly Unit[], mixed: ReadonlySet<number>): OutcomeContrast["withinPrompt"] {
  const logs = [...byCluster(units).entries()].flatMap(([cluster, members]) => {
    const log = mixed.has(cluster) ? Math.log(computeFactor(members)) : Number.NaN;
    return Number.isFinite(log) ? [log] : [];
  });
  if (logs.length < ENOUGH_MIXED) return undefined;
  return { factor: Math.exp(logs.reduce((a, b) => a + b) / logs.length), prompts: logs.length };
}

function withoutStep(clusters: readonly SampledCluster[]): OutcomeContrast["withoutStep"] {
  const byStep = new Map<number, Unit[]>();
  for (const unit of outcomeUnits(clusters)) {
    const { step } = clusters[unit.cluster]!.sequences[0]!;
    const known = byStep.get(step);
    if (known === undefined) byStep.set(step, [unit]);
    else known.push(unit);
  }
  const steps = new Set(clusters.flatMap(({ sequences }) => sequences.map(({ step }) => step)));
  steps.delete(Number.NaN);
  if (steps.size < 3) return undefined;
  // Summed by step first: to go through all units for each step takes seconds where there are hundreds of steps.
  const sums = [...byStep].map(([step, units]) => ({
    step,
    wrong: addUp(units.filter(({ label }) => label === 0)),
    right: addUp(units.filter(({ label }) => label === 1)),
  }));
  const divide = (some: typeof sums): number =>
    divideMeans(addUp(some.map(({ wrong }) => wrong)), addUp(some.map(({ right }) => right)));
  const all = Math.log(divide(sums));
  let most: { step: number; factor: number } | undefined;
  for (const step of steps) {
    const factor = divide(sums.filter((one) => one.step !== step));
    const moved = Math.abs(Math.log(factor) - all);
    if (Number.isFinite(moved) && (most === undefined || moved > Math.abs(Math.log(most.factor) - all)))
      most = { step, factor };
  }
  return most;
}
