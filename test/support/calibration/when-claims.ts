/**
 * When a run is bad, tested on runs whose steps differ only by chance: the prompts of a step share an effect, which may
 * last for many steps, and prompts have heavy tails.
 *
 * @module
 */
import { StepLevels } from "../../../src/analyses/assessment/when.ts";
import { CLUSTER, CLUSTER_WIDTH, type ClusterSums } from "../../../src/core/summaries/cluster-sums.ts";
import { type Claim, normal, studentTwo } from "./claim.ts";

type Random = () => number;

export interface StepProcess {
  readonly name: string;
  readonly steps: number;
  readonly prompts: number;
  /**
   * Standard deviation of the logarithm of what the prompts of a step share, and its correlation with the step before.
   */
  readonly effect?: number;
  readonly correlation?: number;
  /** How much further off a prompt is than its step. */
  readonly prompt?: (random: Random) => number;
  /** How much further off a step, counted from 0, is than the first. */
  readonly level?: (step: number) => number;
}

const MEAN = 1e-3;
const TOKENS = 240;
const SAMPLES = 8;

const lognormal =
  (deviation: number) =>
  (random: Random): number =>
    Math.exp(deviation * normal(random));

/** Segments of a run of the process, from sums by prompt: tokens would only be added up. */
export function drawSegments(process: StepProcess, random: Random): ReturnType<StepLevels["find"]> {
  const { steps, prompts, effect = 0, correlation = 0, prompt = lognormal(0.3), level = () => 1 } = process;
  const levels = new StepLevels();
  let shared = normal(random);
  for (let step = 0; step < steps; step++) {
    const scale = MEAN * level(step) * Math.exp(effect * shared);
    const table = new Float64Array(prompts * CLUSTER_WIDTH);
    for (let at = 0; at < table.length; at += CLUSTER_WIDTH) {
      table[at + CLUSTER.tokens] = TOKENS;
      table[at + CLUSTER.deltaAbs] = TOKENS * scale * prompt(random);
    }
    levels.add({ step, clusters: { table, count: prompts, sequences: SAMPLES * prompts } as ClusterSums });
    shared = correlation * shared + Math.sqrt(1 - correlation ** 2) * normal(random);
  }
  return levels.find();
}

/** Runs without a jump. */
export const CALM: readonly StepProcess[] = [
  { name: "prompt spread e^N(0, 0.3²)", steps: 100, prompts: 16 },
  { name: "prompt spread e^N(0, 1.5²)", steps: 12, prompts: 16, prompt: lognormal(1.5) },
  { name: "step effect 20 %", steps: 100, prompts: 256, effect: 0.2 },
  { name: "step effect 30 %", steps: 5, prompts: 8, effect: 0.3 },
  { name: "step effect 30 %", steps: 100, prompts: 64, effect: 0.3 },
  ...[12, 100, 1000].map((steps) => ({
    name: "step effect 30 %, autocorrelation 0.9",
    steps,
    prompts: 64,
    effect: 0.3,
    correlation: 0.9,
  })),
  {
    name: "2 % of the prompts 20 times as far off",
    steps: 40,
    prompts: 16,
    prompt: (random) => (random() < 0.02 ? 20 : 1) * lognormal(0.3)(random),
  },
  {
    name: "prompts of Student's t, 2 degrees",
    steps: 12,
    prompts: 8,
    prompt: (random) => Math.abs(studentTwo(random)),
  },
  {
    name: "prompts of Student's t, 2 degrees",
    steps: 100,
    prompts: 8,
    prompt: (random) => Math.abs(studentTwo(random)),
  },
  {
    name: "a slow fall to a half, step effect 10 %, autocorrelation 0.9",
    steps: 100,
    prompts: 16,
    effect: 0.1,
    correlation: 0.9,
    level: (step) => 2 ** (-step / 100),
  },
];

const isCut = (process: StepProcess, random: Random): boolean =>
  drawSegments(process, random).segments.length > 1;

function cutsFalsely(process: StepProcess): Claim {
  return {
    method: "when: a run is cut",
    process: `${process.steps} steps × ${process.prompts} prompts, ${process.name}`,
    rate: "false cuts",
    nominal: 0.05,
    limits: [0, 0.12],
    once: (random) => isCut(process, random),
  };
}

/** If there is a jump: how often it is found at its place. */
function findsJump(
  process: StepProcess,
  places: readonly number[],
  limits: readonly [number, number],
): Claim {
  return {
    method: "when: a run is cut",
    process: `${process.steps} steps × ${process.prompts} prompts, ${process.name}`,
    rate: "jumps found",
    nominal: 1,
    limits,
    once(random) {
      const starts = drawSegments(process, random).segments.slice(1);
      return starts.map(({ from_step }) => from_step).join() === places.join();
    },
  };
}

export const WHEN_CLAIMS: readonly Claim[] = [
  ...CALM.map(cutsFalsely),
  findsJump(
    {
      name: "5 times as far off in one",
      steps: 12,
      prompts: 16,
      effect: 0.1,
      level: (at) => (at === 5 ? 5 : 1),
    },
    [5, 6],
    [0.75, 1],
  ),
  findsJump(
    {
      name: "3 times as far off in the last half",
      steps: 10,
      prompts: 16,
      effect: 0.1,
      level: (at) => (at < 5 ? 1 : 3),
    },
    [5],
    [0.75, 1],
  ),
  findsJump(
    {
      name: "2.5 times as far off in the last half",
      steps: 100,
      prompts: 16,
      level: (at) => (at < 50 ? 1 : 2.5),
    },
    [50],
    [0.75, 1],
  ),
];
