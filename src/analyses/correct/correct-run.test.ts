import { describe, expect, it } from "vitest";
import { recordBatch } from "../../../test/support/record-batch.ts";
import { UsageError } from "../../core/base/errors.ts";
import type { RecordBatch } from "../../core/schema/record.ts";
import { applyCorrection } from "../../trainers/neutral/apply.ts";
import { presetNamed } from "../../trainers/presets.ts";
import type { Settings } from "../../trainers/shared/preset.ts";
import { completeSettings } from "../../trainers/shared/settings.ts";
import { CorrectRun } from "./correct-run.ts";

const open = (preset: string, settings: Settings): CorrectRun =>
  new CorrectRun({ preset: presetNamed(preset), settings: completeSettings(presetNamed(preset), settings) });
const TIS = { rollout_is: "token", rollout_is_threshold: 2 };
const NORMALIZED = { ...TIS, rollout_is_batch_normalize: true };
const REJECT = { rollout_rs: "token_k1", rollout_rs_threshold: "0.5_2.0" };

const first = recordBatch([
  { deltas: "0.5 1", step: 1 },
  { deltas: "-1 | 3 |", step: 1 },
  { deltas: "0.2", step: 2 },
]);
const second = recordBatch([{ deltas: "-0.5 2", step: 1 }, { deltas: "0.1" }], "second.npz");

describe("weights and masks of a batch", () => {
  it("are those of its tokens, one run of sequences behind the other", () => {
    const { weights, mask } = open("verl", { ...TIS, ...REJECT }).add(first);
    expect([...mask]).toEqual([1, 0, 0, 0, 1]);
    expect([...weights!].map((weight, t) => (mask[t] ? weight.toFixed(6) : "-"))).toEqual([
      Math.exp(0.5).toFixed(6),
      "-",
      "-",
      "-",
      Math.exp(0.2).toFixed(6),
    ]);
  });

  it("have no weights where the correction makes none", () => {
    const { weights, mask } = open("verl", REJECT).add(first);
    expect(weights).toBeUndefined();
    expect([...mask]).toEqual([1, 0, 0, 0, 1]);
  });

  it("are the same whatever else is in the batch", () => {
    const alone = open("verl", TIS).add(recordBatch([{ deltas: "0.2", step: 2 }]));
    expect(alone.weights![0]).toBe(open("verl", TIS).add(first).weights![4]);
  });

  it("say which side a batch lacks, and in which file", () => {
    const { rolloutLogprobs: _, ...noRollout } = first;
    const { trainerLogprobs: __, ...noTrainer } = first;
    for (const [batch, side] of [
      [noRollout, "rollout"],
      [noTrainer, "trainer"],
    ] as const)
      expect(() => open("verl", REJECT).correct(batch as RecordBatch)).toThrow(
        expect.objectContaining({
          _tag: "MissingSideError",
          message: `cannot weigh tokens: the ${side} log-probs are missing`,
          at: { file: "drawn.npz" },
        }),
      );
  });
});

describe("advantages", () => {
  const advantages = Float32Array.of(1, -1, -1, 1, 1);
  const DPPO = { dppo_mask_low: 0.01, dppo_mask_high: 0.01 };

  it("are asked for where a rule looks at them, and cut with the tokens", () => {
    expect([open("prime-rl", DPPO).looksAtAdvantages, open("verl", TIS).looksAtAdvantages]).toEqual([
      true,
      false,
    ]);
    const run = open("prime-rl", DPPO);
    const { weights } = run.add({ ...first, advantages });
    const whole = applyCorrection(
      {
        rollout: first.rolloutLogprobs!,
        trainer: first.trainerLogprobs!,
        mask: first.responseMask,
        offsets: first.offsets,
        advantages,
      },
      run.correction,
    );
    expect(weights).toEqual(whole.weights);
    expect([...weights!].map((weight) => weight === 0)).toEqual([true, false, true, true, true]);
  });
});

describe("weights that a step's mean divides", () => {
  const mean = (...weights: readonly number[]): number => weights.reduce((a, b) => a + b) / weights.length;

  it("need a second pass, and others none", () => {
    expect([open("verl", NORMALIZED).needsSecondPass, open("verl", TIS).needsSecondPass]).toEqual([
      true,
      false,
    ]);
  });

  it("are divided by the mean over all batches of the step", () => {
    const run = open("verl", NORMALIZED);
    run.add(first);
    run.add(second);
    const step1 = [Math.exp(0.5), 2, Math.exp(-1), Math.exp(-0.5), 2];
    const { weights } = run.correct(first);
    expect(weights![0]).toBeCloseTo(step1[0]! / mean(...step1), 6);
    expect(weights![2]).toBeCloseTo(step1[2]! / mean(...step1), 6);
    // Alone in its step: 1.
    expect(weights![4]).toBeCloseTo(1, 6);
    const later = run.correct(second).weights!;
    expect([...later].map((weight) => weight.toFixed(5))).toEqual(
      [step1[3]! / mean(...step1), step1[4]! / mean(...step1), 1].map((weight) => weight.toFixed(5)),
    );
  });

  it("of a step that was never added are left as they are", () => {
    const run = open("verl", NORMALIZED);
    run.add(second);
    const alone = open("verl", NORMALIZED).add(recordBatch([{ deltas: "0.2", step: 2 }])).weights!;
    expect(run.correct(recordBatch([{ deltas: "0.2", step: 2 }])).weights).toEqual(alone);
  });
});

describe("what the trainer would have logged", () => {
  const MEAN = "rollout_corr/rollout_is_mean";
  const logged = (run: CorrectRun): (readonly [number | null, number | undefined])[] =>
    run.metrics().perStep.map(({ step, metrics }) => [step, metrics[MEAN]]);

  it("is of each step in order, what has none last, and of all together", () => {
    const run = open("verl", TIS);
    run.add(second);
    run.add(first);
    const steps = logged(run);
    // Added as 1, none, 2.
    expect(steps.map(([step]) => step)).toEqual([1, 2, null]);
    expect(steps[1]![1]).toBeCloseTo(Math.exp(0.2), 6);
    expect(steps[2]![1]).toBeCloseTo(Math.exp(0.1), 6);
    const step1 = [Math.exp(0.5), 2, Math.exp(-1), Math.exp(-0.5), 2];
    expect(steps[0]![1]).toBeCloseTo(step1.reduce((a, b) => a + b) / 5, 6);
    const all = [...step1, Math.exp(0.2), Math.exp(0.1)];
    expect(run.metrics().pooled[MEAN]).toBeCloseTo(all.reduce((a, b) => a + b) / 7, 6);
    expect(run.metrics().discrepancies).toEqual([]);
  });

  it("is nothing for a step without tokens of mask 1", () => {
    const run = open("verl", TIS);
    run.add(
      recordBatch([
        { deltas: "| 1 1 |", step: 3 },
        { deltas: "0.5", step: 4 },
      ]),
    );
    const [empty, full] = run.metrics().perStep;
    expect(empty).toEqual({ step: 3, metrics: {} });
    expect(full!.metrics[MEAN]).toBeCloseTo(Math.exp(0.5), 6);
    run.add(recordBatch([{ deltas: "0.5", step: 3 }]));
    expect(run.metrics().perStep[0]!.metrics[MEAN]).toBeCloseTo(Math.exp(0.5), 6);
  });

  it("goes by the packs of a file, and files do not share packs", () => {
    const XTUNER = { rollout_is_threshold: [5, 0.1], rollout_is_mode: "truncate" } as const;
    const pooled = (...batches: readonly RecordBatch[]): Readonly<Record<string, number>> => {
      const run = open("xtuner", XTUNER);
      for (const batch of batches) run.add(batch);
      const key = Object.keys(run.metrics().pooled).find((name) => /rollout_is_mean$/.test(name))!;
      return { mean: run.metrics().pooled[key]!, told: run.metrics().discrepancies.length };
    };
    const row = (deltas: string, pack: number) => ({ deltas, pack });
    const [short, long] = [row("1", 0), row("0 0 0", 1)];
    const packed = pooled(recordBatch([short, long]));
    expect(packed.mean).toBeCloseTo((Math.E + 1) / 2, 5);
    expect(packed.told).toBeGreaterThan(0);
    const together = pooled(recordBatch([short, { ...long, pack: 0 }]));
    expect(together.mean).toBeCloseTo((Math.E + 3) / 4, 5);
    const files = pooled(recordBatch([short]), recordBatch([{ ...long, pack: 0 }], "other.npz"));
    expect(files.mean).toBeCloseTo((Math.E + 1) / 2, 5);
  });
});

describe("the sweep beside it", () => {
  it("holds the correction against none", () => {
    const run = open("verl", TIS);
    run.add(first);
    expect(run.unswept).toBeUndefined();
    expect(run.sweep).toBeDefined();
    expect(run.sweep!.corrections.map(({ name }) => name)).toEqual(["none", "verl"]);
  });

  it("is left out, with the reason, where sums cannot tell its effect", () => {
    const run = open("nemo-rl", {
      truncated_importance_sampling_type: "tis",
      truncated_importance_sampling_ratio: 2,
      truncated_importance_sampling_ratio_min: 0.5,
    });
    expect(run.sweep).toBeUndefined();
    expect(run.unswept).toMatch(/lower bound after setting some of them to 0/);
    expect(run.add(first).weights!.slice(0, 3)).toEqual(Float64Array.of(Math.exp(0.5), 2, 0.5));
  });
});

it("refuses what the trainer refuses before anything is read", () => {
  expect(() => open("verl", { rollout_is: "geometric" })).toThrow(UsageError);
  expect(() => open("areal", { upper: 0.5 })).toThrow(UsageError);
});
