import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { recordBatch } from "../../../test/support/record-batch.ts";
import { presetNamed } from "../../trainers/presets.ts";
import type { Settings } from "../../trainers/shared/preset.ts";
import { completeSettings } from "../../trainers/shared/settings.ts";
import { CorrectRun } from "./correct-run.ts";

const open = (settings: Settings): CorrectRun =>
  new CorrectRun({ preset: presetNamed("verl"), settings: completeSettings(presetNamed("verl"), settings) });
const TIS = { rollout_is: "token", rollout_is_threshold: 2 };
const REJECT = { rollout_rs: "token_k1", rollout_rs_threshold: "0.5_2.0" };
const LN3 = String(Math.log(3));

function makeBatch(deltas: string, advantages: readonly number[]) {
  return { ...recordBatch([{ deltas, step: 1 }]), advantages: Float32Array.from(advantages) };
}

describe("what a correction does to the gradient's weights", () => {
  it("is as computed by hand", () => {
    // ρ = 3, 1, r and A = 1, −2, 1: Σ|A| = 4. Truncated at 2: w = 2, 1, r.
    const r = Math.exp(-0.5);
    const batch = makeBatch(`${LN3} 0 -0.5`, [1, -2, 1]);
    const run = open(TIS);
    run.add(batch);
    const { gradient } = run;
    expect(gradient).toMatchObject({ tokens: 3, advantage_kept_share: 1 });
    expect(gradient!.weight_gap).toBeCloseTo(1 / 4, 6);
    expect(gradient!.weight_gap_uncorrected).toBeCloseTo((2 + 1 - r) / 4, 6);
    expect(gradient!.surrogate_uncorrected).toBeCloseTo(0, 6);
    expect(gradient!.surrogate).toBeCloseTo((2 - 2 + r) / 4, 6);
    expect(gradient!.surrogate_unbiased).toBeCloseTo((3 - 2 + r) / 4, 6);
    // Rejected: the first token alone has ρ beyond 2.
    const rejecting = open(REJECT);
    rejecting.add(batch);
    expect(rejecting.gradient!.advantage_kept_share).toBeCloseTo(3 / 4, 6);
    expect(rejecting.gradient!.weight_gap).toBeCloseTo((3 + 1 - r) / 4, 6);
  });

  it("is not there without advantages, or where all of them are 0", () => {
    const run = open(TIS);
    run.add(recordBatch([{ deltas: "1 2" }]));
    expect(run.gradient).toBeNull();
    run.add(makeBatch("1 2", [0, 0]));
    expect(run.gradient).toBeNull();
  });

  it("is of the weights after a second pass, where they are normalized", () => {
    const run = open({ ...TIS, rollout_is_batch_normalize: true });
    const batch = makeBatch(`${LN3} 0`, [1, 1]);
    run.add(batch);
    expect(run.gradient).toBeNull();
    run.correct(batch);
    // w = 2, 1 over their mean 1.5; ρ = 3, 1.
    expect(run.gradient!.weight_gap).toBeCloseTo((Math.abs(2 / 1.5 - 3) + Math.abs(1 / 1.5 - 1)) / 2, 6);
  });

  it("has no gap with w = ρ, and that of the report with w = 1", () => {
    const tokens = fc.array(
      fc.tuple(fc.double({ min: -2, max: 0.6, noNaN: true }), fc.integer({ min: -3, max: 3 })),
      {
        minLength: 1,
        maxLength: 20,
      },
    );
    fc.assert(
      fc.property(tokens, (all) => {
        fc.pre(all.some(([, advantage]) => advantage !== 0));
        const run = open(TIS);
        run.add(
          makeBatch(
            all.map(([delta]) => delta.toFixed(9)).join(" "),
            all.map(([, advantage]) => advantage),
          ),
        );
        // No ρ is beyond 2.
        expect(run.gradient!.weight_gap).toBeLessThan(1e-6);
        const size = all.reduce((sum, [, advantage]) => sum + Math.abs(advantage), 0);
        const gap = all.reduce(
          (sum, [delta, advantage]) => sum + Math.abs(advantage * (Math.exp(delta) - 1)),
          0,
        );
        expect(run.gradient!.weight_gap_uncorrected).toBeCloseTo(gap / size, 6);
        expect(run.gradient!.surrogate).toBeCloseTo(run.gradient!.surrogate_unbiased, 6);
      }),
    );
  });
});
