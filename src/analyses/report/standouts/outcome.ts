/**
 * Right answers against wrong ones.
 *
 * @module
 */
import type { Factor } from "../../../core/statistics/factor.ts";
import { maxStatisticTest } from "../../../core/statistics/max-statistic.ts";
import type { SampledCluster } from "../../../core/summaries/index.ts";
import {
  addTurns,
  addUp,
  ENOUGH_TOKENS,
  factorOfParts,
  groupedUnits,
  type Sums,
  Units,
  wholeClusters,
} from "./units.ts";

export interface OutcomeContrast {
  readonly correctMean: number;
  readonly incorrectMean: number;
  /** Incorrect against correct. */
  readonly factor: Factor;
  /** Geometric mean over prompts of incorrect against correct responses, for prompts that have both. */
  readonly withinPrompt: { readonly factor: number; readonly prompts: number } | undefined;
  /** The step whose removal changes the factor most, and the factor without it. */
  readonly withoutStep: { readonly step: number; readonly factor: number } | undefined;
  readonly p: number;
}

/** Labels of units. */
const [WRONG, RIGHT] = [0, 1];

/** Number of prompts with both right and wrong answers from which the test is made within prompts. */
const ENOUGH_MIXED = 5;

/** Right answers against wrong ones; undefined if there are none of one kind. */
export function outcomeContrast(clusters: readonly SampledCluster[]): OutcomeContrast | undefined {
  const units = outcomeUnits(clusters);
  const [wrong, right] = [units.sumOf(WRONG), units.sumOf(RIGHT)];
  if (Math.min(wrong.tokens, right.tokens) < ENOUGH_TOKENS) return undefined;
  const mixed = new Set(
    clusters.flatMap(({ sequences }, cluster) =>
      new Set(sequences.flatMap(({ correct }) => (Number.isNaN(correct) ? [] : [correct > 0]))).size > 1
        ? [cluster]
        : [],
    ),
  );
  const within = mixed.size >= ENOUGH_MIXED;
  const permuted = within ? units.filter((i) => mixed.has(units.cluster[i]!)) : wholeClusters(units);
  const { p } = maxStatisticTest(groupedUnits(permuted, 2, within));
  return {
    correctMean: right.deltaAbs / right.tokens,
    incorrectMean: wrong.deltaAbs / wrong.tokens,
    factor: factorOfParts(units, WRONG),
    withinPrompt: withinPrompts(units, mixed),
    withoutStep: withoutStep(units, clusters),
    // As in trendOf.
    p: Math.min(...p),
  };
}

function outcomeUnits(clusters: readonly SampledCluster[]): Units {
  const units = new Units();
  for (const [cluster, { sequences }] of clusters.entries()) {
    for (const sequence of sequences) {
      const { tokens, deltaAbs } = addTurns(sequence);
      if (Number.isNaN(sequence.correct) || tokens === 0) continue;
      units.add(tokens, deltaAbs, cluster, cluster, sequence.correct > 0 ? RIGHT : WRONG);
    }
  }
  return units;
}

function divideMeans(wrong: Sums, right: Sums): number {
  return wrong.deltaAbs / wrong.tokens / (right.deltaAbs / right.tokens);
}

function withinPrompts(units: Units, mixed: ReadonlySet<number>): OutcomeContrast["withinPrompt"] {
  const logs: number[] = [];
  for (const [from, to] of units.clusters()) {
    if (!mixed.has(units.cluster[from]!)) continue;
    const log = Math.log(divideMeans(units.sumOf(WRONG, from, to), units.sumOf(RIGHT, from, to)));
    if (Number.isFinite(log)) logs.push(log);
  }
  if (logs.length < ENOUGH_MIXED) return undefined;
  return { factor: Math.exp(logs.reduce((a, b) => a + b) / logs.length), prompts: logs.length };
}

function withoutStep(units: Units, clusters: readonly SampledCluster[]): OutcomeContrast["withoutStep"] {
  const steps = new Set(clusters.flatMap(({ sequences }) => sequences.map(({ step }) => step)));
  steps.delete(Number.NaN);
  if (steps.size < 3) return undefined;
  // Summed by step first: going through all units for each step takes seconds if there are hundreds of steps.
  const byStep = new Map<number, { step: number; wrong: Sums; right: Sums }>();
  const none = { tokens: 0, deltaAbs: 0 };
  for (let i = 0; i < units.length; i++) {
    const { step } = clusters[units.cluster[i]!]!.sequences[0]!;
    const of = byStep.get(step) ?? { step, wrong: none, right: none };
    byStep.set(step, of);
    const side = units.label[i] === WRONG ? "wrong" : "right";
    of[side] = addUp([of[side], { tokens: units.tokens[i]!, deltaAbs: units.deltaAbs[i]! }]);
  }
  const sums = [...byStep.values()];
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
