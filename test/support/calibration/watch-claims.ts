/**
 * Alarms of `changed`: how often runs raise one whose steps vary but do not change, and how often, and how soon, runs
 * that do.
 *
 * @module
 */
import { RunSummary } from "../../../src/analyses/report/run-summary.ts";
import { FALSE_ALARM_RATE, RunWatch } from "../../../src/analyses/watch/step-watch.ts";
import { ValueSketch } from "../../../src/core/summaries/value-sketch.ts";
import type { WatchAlarm } from "../../../src/results/watch.ts";
import type { Claim } from "./claim.ts";
import { batchOfSequences, SAMPLED_TOKENS } from "./processes.ts";
import {
  drawSteps,
  heavy,
  lognormal,
  outlying,
  type Random,
  type StepProcess,
  studentThree,
} from "./step-processes.ts";

/** Of mean |Δ| only: the process has no ratios. */
function watchRise(process: StepProcess, random: Random): WatchAlarm | undefined {
  const [watch, deltas] = [new RunWatch(), new ValueSketch(7)];
  for (const step of drawSteps(process, random)) watch.add({ ...step, deltas });
  return watch.report().alarms[0];
}

const name = ({ steps, prompts, name }: StepProcess): string =>
  `${steps} steps × ${prompts} prompts, ${name}`;

/** Runs whose steps go on as they began. */
const STEADY: readonly StepProcess[] = [
  { name: "prompt spread e^N(0, 1.5²)", steps: 100, prompts: 16, prompt: lognormal(1.5) },
  { name: "step effect 30 %", steps: 100, prompts: 64, effect: 0.3 },
  { name: "step effect 20 %", steps: 100, prompts: 256, effect: 0.2 },
  ...[0.1, 0.2, 0.3].map((effect) => ({
    name: `step effect ${100 * effect} %, autocorrelation 0.9`,
    steps: 100,
    prompts: 64,
    effect,
    correlation: 0.9,
  })),
  {
    name: "step effect 17 %, autocorrelation 0.75",
    steps: 400,
    prompts: 64,
    effect: 0.17,
    correlation: 0.75,
  },
  {
    name: "step effect 40 %, autocorrelation 0.97",
    steps: 100,
    prompts: 32,
    effect: 0.4,
    correlation: 0.97,
  },
  { name: "one in 1,000 prompts 100 times as far off", steps: 100, prompts: 16, prompt: outlying(1000, 100) },
  {
    name: "2 % of the prompts 20 times as far off, step effect 20 %, autocorrelation 0.9",
    steps: 100,
    prompts: 16,
    effect: 0.2,
    correlation: 0.9,
    prompt: outlying(50, 20),
  },
  { name: "prompts of Student's t, 2 degrees", steps: 100, prompts: 8, prompt: heavy },
  {
    name: "a slow rise to twice as much, step effect 10 %, autocorrelation 0.9",
    steps: 100,
    prompts: 16,
    effect: 0.1,
    correlation: 0.9,
    level: (step) => 2 ** (step / 100),
  },
];

/** Steps that vary as the promise does not allow for. */
const BEYOND: readonly StepProcess[] = [
  {
    name: "step effect 20 % of Student's t, 3 degrees",
    steps: 100,
    prompts: 64,
    effect: 0.2,
    shock: studentThree,
  },
  {
    name: "step effect 12 % of Student's t, 3 degrees, autocorrelation 0.9",
    steps: 100,
    prompts: 64,
    effect: 0.12,
    correlation: 0.9,
    shock: studentThree,
  },
];

function alarmsFalsely(process: StepProcess, most = 0.04): Claim {
  return {
    method: "changed(delta_abs_mean)",
    process: name(process),
    rate: "false alarms",
    nominal: FALSE_ALARM_RATE / 2,
    limits: [0, most],
    once: (random) => watchRise(process, random) !== undefined,
  };
}

/** The change after 30 steps of 70 is found within some steps. */
const CHANGE = { at: 30, steps: 70 };
const changed = (factor: number, process: Omit<StepProcess, "steps" | "name">, ramp = 1): StepProcess => ({
  name: `${factor} times as far off${ramp > 1 ? ` over ${ramp} steps` : ""} from step ${CHANGE.at} on${
    process.effect ? `, step effect ${100 * process.effect} %` : ""
  }${process.correlation ? `, autocorrelation ${process.correlation}` : ""}`,
  steps: CHANGE.steps,
  level: (step) => factor ** Math.min(1, Math.max(0, step + 1 - CHANGE.at) / ramp),
  ...process,
});

function findsChange(process: StepProcess, within: number, limits: readonly [number, number]): Claim {
  return {
    method: "changed(delta_abs_mean)",
    process: name(process),
    rate: `found within ${within} steps`,
    nominal: 1,
    limits,
    once(random) {
      const alarm = watchRise(process, random);
      return alarm !== undefined && alarm.at >= CHANGE.at && alarm.at < CHANGE.at + within;
    },
  };
}

/** Both tests, over tokens. */
const SAMPLED: Claim = {
  method: "changed",
  process: `12 steps × 4 prompts, ${SAMPLED_TOKENS.name}`,
  rate: "false alarms",
  nominal: FALSE_ALARM_RATE,
  limits: [0, 0.04],
  once(random) {
    const [summary, watch] = [new RunSummary(), new RunWatch()];
    summary.add(batchOfSequences(SAMPLED_TOKENS.draw(random, 48)));
    for (const [step, { deltas, clusters }] of summary.steps.sorted()) watch.add({ step, deltas, clusters });
    return watch.report().alarms.length > 0;
  },
};

export const WATCH_CLAIMS: readonly Claim[] = [
  ...STEADY.map((process) => alarmsFalsely(process)),
  ...BEYOND.map((process) => alarmsFalsely(process, 0.25)),
  SAMPLED,
  findsChange(changed(2, { prompts: 32 }), 4, [0.9, 1]),
  findsChange(changed(3, { prompts: 8 }), 8, [0.75, 1]),
  findsChange(changed(1.5, { prompts: 64 }), 8, [0.75, 1]),
  findsChange(changed(2, { prompts: 32, effect: 0.1 }), 20, [0.3, 1]),
  findsChange(changed(2, { prompts: 64, effect: 0.1, correlation: 0.9 }), 5, [0.75, 1]),
  findsChange(changed(3, { prompts: 64, effect: 0.3, correlation: 0.9 }), 5, [0.2, 1]),
  findsChange(changed(3, { prompts: 64, effect: 0.17, correlation: 0.75 }), 5, [0.45, 1]),
  findsChange(changed(3, { prompts: 32 }, 10), 16, [0.5, 1]),
];
