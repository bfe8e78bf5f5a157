/**
 * Runs as sums by step and prompt, in which steps vary by chance: the prompts of a step share an effect, which may last for
 * many steps, and prompts have heavy tails. Tokens would only be added up, so none are drawn.
 *
 * @module
 */
import { CLUSTER, CLUSTER_WIDTH, type ClusterSums } from "../../../src/core/summaries/cluster-sums.ts";
import { normal, studentTwo } from "./claim.ts";

export type Random = () => number;

export interface StepProcess {
  readonly name: string;
  readonly steps: number;
  readonly prompts: number;
  /**
   * Standard deviation of the logarithm of what the prompts of a step share, and its correlation with the step before.
   */
  readonly effect?: number;
  readonly correlation?: number;
  /** What steps share is a sum of these; default: normal. */
  readonly shock?: (random: Random) => number;
  /** How much further off a prompt is than its step. */
  readonly prompt?: (random: Random) => number;
  /** How much further off a step, counted from 0, is than the first. */
  readonly level?: (step: number) => number;
}

const MEAN = 1e-3;
const TOKENS = 240;
const SAMPLES = 8;

export const lognormal =
  (deviation: number) =>
  (random: Random): number =>
    Math.exp(deviation * normal(random));

/** One in `rarity` prompts is `factor` times as far off, all with a spread of e^N(0, 0.3²). */
export const outlying =
  (rarity: number, factor: number) =>
  (random: Random): number =>
    (random() < 1 / rarity ? factor : 1) * lognormal(0.3)(random);

/** Prompts of Student's t with two degrees of freedom. */
export const heavy = (random: Random): number => Math.abs(studentTwo(random));

/** Student's t with three degrees of freedom, which has a variance of 3. */
export const studentThree = (random: Random): number =>
  normal(random) / Math.sqrt((normal(random) ** 2 + normal(random) ** 2 + normal(random) ** 2) / 3);

export interface DrawnStep {
  readonly step: number;
  readonly clusters: ClusterSums;
}

/** The steps of a run, from 0. */
export function* drawSteps(process: StepProcess, random: Random): Generator<DrawnStep> {
  const { steps, prompts, effect = 0, correlation = 0, shock = normal } = process;
  const { prompt = lognormal(0.3), level = () => 1 } = process;
  let shared = shock(random);
  for (let step = 0; step < steps; step++) {
    const scale = MEAN * level(step) * Math.exp(effect * shared);
    const table = new Float64Array(prompts * CLUSTER_WIDTH);
    for (let at = 0; at < table.length; at += CLUSTER_WIDTH) {
      table[at + CLUSTER.tokens] = TOKENS;
      table[at + CLUSTER.deltaAbs] = TOKENS * scale * prompt(random);
    }
    yield { step, clusters: { table, count: prompts, sequences: SAMPLES * prompts } as ClusterSums };
    shared = correlation * shared + Math.sqrt(1 - correlation ** 2) * shock(random);
  }
}
