import { describe, expect, it } from "vitest";
import { FIELDS } from "../../core/kernels/layout.ts";
import { mismatchSums } from "../../core/kernels/mismatch.ts";
import { seededRandom } from "../../core/statistics/random.ts";
import { ClusterSums } from "../../core/summaries/cluster-sums.ts";
import { ValueSketch } from "../../core/summaries/value-sketch.ts";
import type { WatchReport } from "../../results/watch.ts";
import { FALSE_ALARM_RATE, RunWatch, type WatchedStep } from "./step-watch.ts";

function watchSteps(steps: Iterable<WatchedStep>): WatchReport {
  const watch = new RunWatch();
  for (const step of steps) watch.add(step);
  return watch.report();
}

interface World {
  /** Standard deviation of the policies' difference, in logits. */
  readonly noise: (step: number) => number;
  /** Whether the recorded log-probs are of another pass than the one that sampled. */
  readonly isRescored?: (step: number) => boolean;
  readonly prompts?: number;
  readonly tokens?: number;
}

/** Tokens of two policies over two outcomes, sampled from the first: exact, so that mean ρ is 1 where it should be. */
function makeStep(step: number, world: World, random: () => number): WatchedStep {
  const { prompts = 16, tokens = 12, noise, isRescored = () => false } = world;
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const share = (logit: number): number => 1 / (1 + Math.exp(-logit));
  const clusters = new ClusterSums(256);
  const deltas = new ValueSketch(7);
  for (let prompt = 0; prompt < prompts; prompt++) {
    const rollout = new Float32Array(tokens);
    const trainer = new Float32Array(tokens);
    // Prompts differ by a factor of two and more.
    const scale = noise(step) * Math.exp(0.5 * normal());
    for (let t = 0; t < tokens; t++) {
      const logit = 2 * normal();
      const isFirst = random() < share(logit);
      const [recorded, trained] = [
        logit + (isRescored(step) ? scale * normal() : 0),
        logit + scale * normal(),
      ];
      rollout[t] = Math.log(isFirst ? share(recorded) : 1 - share(recorded));
      trainer[t] = Math.log(isFirst ? share(trained) : 1 - share(trained));
    }
    const mask = new Uint8Array(tokens).fill(1);
    const { rows } = mismatchSums(
      { rollout, trainer, mask, offsets: Int32Array.of(0, tokens) },
      { sink: ({ delta, count }) => deltas.addAll(delta.slice(0, count)) },
    );
    clusters.add(Math.floor(random() * 2 ** 52), true, rows, 0 * FIELDS);
  }
  return { step, deltas, clusters };
}

function* makeRun(steps: number, world: World, seed: number): Generator<WatchedStep> {
  const random = seededRandom(seed);
  for (let step = 1; step <= steps; step++) yield makeStep(step, world, random);
}

describe("watching a run", () => {
  it("raises no alarm in long sound runs, whose mismatch drifts and whose prompts differ", () => {
    let alarms = 0;
    for (let seed = 0; seed < 30; seed++) {
      const noise = (step: number): number => 0.2 * (1 + 0.1 * Math.sin(step / 9 + seed));
      alarms += watchSteps(makeRun(100, { noise }, seed)).alarms.length;
    }
    // 30 runs at 1 in 1,000: more than one has a chance of 0.04 %.
    expect(FALSE_ALARM_RATE).toBe(1e-3);
    expect(alarms).toBeLessThanOrEqual(1);
  });

  it("raises one soon after log-probs are no longer those of what is sampled, and names the step", () => {
    for (let seed = 0; seed < 5; seed++) {
      const world: World = { noise: () => 0.6, isRescored: (step) => step >= 40, prompts: 40, tokens: 60 };
      const { alarms } = watchSteps(makeRun(52, world, 100 + seed));
      const [alarm] = alarms.filter(({ test }) => test === "unit_mean");
      expect(alarm?.at).toBeGreaterThanOrEqual(40);
      expect(alarm?.at).toBeLessThanOrEqual(44);
      expect(Math.abs((alarm?.since ?? 0) - 40)).toBeLessThanOrEqual(1);
      expect(alarm?.text).toMatch(
        /^since step \d+: mean ρ is above 1: the rollout log-probs no longer describe the distribution that is sampled from \(seen at step \d+; the chance of such an alarm in a healthy run is at most 1 in 1,000\)$/,
      );
    }
  });

  it("raises one when mean |Δ| has tripled, and none when it has risen by a tenth", () => {
    const rising = (factor: number): World => ({
      noise: (step) => 0.2 * (step < 30 ? 1 : factor),
      prompts: 32,
    });
    for (let seed = 0; seed < 5; seed++) {
      const { alarms, per_step, alarm_at } = watchSteps(makeRun(40, rising(3), 200 + seed));
      expect(alarms.map(({ test, since }) => [test, since])).toEqual([["delta_abs_mean", 30]]);
      expect(alarms[0]?.at).toBeLessThanOrEqual(32);
      const [, now, factor, before] =
        /^since step 30: the mean \|Δ\| of prompts rose to (\S+) nats, (\S+) times the (\S+) of all earlier steps \(seen/
          .exec(alarms[0]?.text ?? "")
          ?.map(Number) ?? [];
      expect(factor).toBeGreaterThan(2);
      expect(factor).toBeLessThan(5);
      expect(now! / before!).toBeCloseTo(factor!, 1);
      expect(per_step[28]?.delta_abs_mean).toBeLessThan(alarm_at);
      expect(per_step[39]?.delta_abs_mean).toBeGreaterThan(alarm_at);
      expect(watchSteps(makeRun(40, rising(1.1), 300 + seed)).alarms).toEqual([]);
    }
  });

  it("leaves out steps without a number, and knows nothing of none", () => {
    const steps = [...makeRun(12, { noise: (step) => (step < 8 ? 0.2 : 1), prompts: 32 }, 2)];
    expect(watchSteps([...steps, { ...steps[0]!, step: Number.NaN }])).toEqual(watchSteps(steps));
    expect(watchSteps(steps).per_step.map(({ step }) => step)).toEqual(steps.map(({ step }) => step));
    expect(watchSteps([])).toMatchObject({ alarms: [], per_step: [] });
    const empty: WatchedStep = { step: 1, deltas: new ValueSketch(7), clusters: undefined };
    expect(watchSteps([empty, { ...empty, step: 2 }]).alarms).toEqual([]);
  });
});
