/**
 * When a run is bad, tested on runs whose steps differ only by chance.
 *
 * @module
 */
import { StepLevels } from "../../../src/analyses/assessment/when.ts";
import type { Claim } from "./claim.ts";
import { drawSteps, heavy, lognormal, outlying, type Random, type StepProcess } from "./step-processes.ts";

/** Segments of a run of the process. */
export function drawSegments(process: StepProcess, random: Random): ReturnType<StepLevels["find"]> {
  const levels = new StepLevels();
  for (const step of drawSteps(process, random)) levels.add(step);
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
    prompt: outlying(50, 20),
  },
  {
    name: "prompts of Student's t, 2 degrees",
    steps: 12,
    prompts: 8,
    prompt: heavy,
  },
  {
    name: "prompts of Student's t, 2 degrees",
    steps: 100,
    prompts: 8,
    prompt: heavy,
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
