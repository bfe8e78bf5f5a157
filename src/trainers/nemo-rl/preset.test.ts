import { describe, expect, test } from "vitest";
import { UsageError } from "../../core/base/errors.ts";
import { applyCorrection } from "../neutral/apply.ts";
import { checkReference } from "../shared/reference.test-data.ts";
import { completeSettings } from "../shared/settings.ts";
import { listTraps } from "../shared/traps.test-data.ts";
import { nemoRl } from "./preset.ts";

// Its masked means divide by n + 1e-8.
checkReference(nemoRl, "nemo-rl", 1e-8);

const of = (settings: Record<string, number | string | boolean | null>) => completeSettings(nemoRl, settings);
const truncated = (type: string | null, ratio: number | null, least: number | null = null) => ({
  truncated_importance_sampling_type: type,
  truncated_importance_sampling_ratio: ratio,
  truncated_importance_sampling_ratio_min: least,
});

describe("nemo-rl refuses in its own words", () => {
  test.each([
    [
      truncated("icepop", 5),
      /ratio_min should be set when truncated_importance_sampling_type is 'icepop' or 'seq-mask-tis'/,
    ],
    [truncated("tis", null), /truncated_importance_sampling_ratio should be positive/],
    [truncated("tis", 2, 3), /ratio_min must be <= truncated_importance_sampling_ratio/],
    [truncated(null, 2), /Invalid truncated importance sampling type: None/],
    [{ ...truncated("tis", 2), use_importance_sampling_correction: false }, /only supported when/],
    [{ sequence_level_importance_ratios: true }, /mutually exclusive with token-level loss/],
    [
      {
        ...truncated("seq-mask-tis", 1.1, 0.9),
        sequence_level_importance_ratios: true,
        token_level_loss: false,
      },
      /incompatible with sequence_level_importance_ratios=True/,
    ],
  ])("%j", (settings, message) => {
    expect(() => nemoRl.correction(of(settings))).toThrow(UsageError);
    expect(() => nemoRl.correction(of(settings))).toThrow(message);
  });
});

test("ratios that are not finite in float32 become 0, then the lower bound", () => {
  const block = {
    rollout: Float64Array.from([-100, -1, -1]),
    trainer: Float64Array.from([-1, Number.NaN, -0.5]),
    mask: Uint8Array.from([1, 1, 1]),
    offsets: Int32Array.from([0, 3]),
  };
  const weights = (least: number | null) =>
    applyCorrection(block, nemoRl.correction(of(truncated("tis", 1.5, least)))).weights!;
  expect([...weights(null)]).toEqual([0, 0, 1.5]);
  expect([...weights(0.25)]).toEqual([0.25, 0.25, 1.5]);
});

test("its extreme-token example: −5 under the rollout, −15 under the trainer", () => {
  const block = {
    rollout: Float64Array.of(-5),
    trainer: Float64Array.of(-15),
    mask: Uint8Array.of(1),
    offsets: Int32Array.of(0, 1),
  };
  const metrics = nemoRl.metrics(of({}));
  metrics.add(block, applyCorrection(block, nemoRl.correction(of({}))));
  const figures = metrics.finish();
  expect(figures["train/gen_kl_error"]).toBeCloseTo(9.0000454, 6);
  expect(figures["train/policy_kl_error"]).toBeCloseTo(22015.4658, 3);
  expect(figures["train/token_mult_prob_error"]).toBeCloseTo(Math.exp(10), 6);
});

test("traps: raw ratios after seq-mask-tis, the error's floor, the broadcast mean", () => {
  const traps = (settings: Parameters<typeof of>[0]) => listTraps(nemoRl, of(settings)).join("\n");
  expect(traps(truncated("seq-mask-tis", 1.1, 0.9))).toContain("raw, untruncated");
  expect(traps({ seq_logprob_error_threshold: 0.5 })).toContain("every sequence is masked");
  expect(traps({ sequence_level_importance_ratios: true, token_level_loss: false })).toContain(
    "B times the mean",
  );
  expect(traps({})).toContain("unbounded");
});

test("is written as YAML under grpo and loss_fn", () => {
  const { text } = nemoRl.config(of({ ...truncated("icepop", 5, 0.5), seq_logprob_error_threshold: 1.5 }));
  expect(text.startsWith("grpo:\n  seq_logprob_error_threshold: 1.5\nloss_fn:\n")).toBe(true);
  expect(text).toContain(
    '  truncated_importance_sampling_type: "icepop"\n  truncated_importance_sampling_ratio: 5\n',
  );
});

test("expresses others' IcePop without a lower bound as 0, as it must be set", () => {
  const expressed = nemoRl.express({
    weight: { level: "token", aggregation: "sum" },
    steps: [{ action: "zero", measure: "weight", upper: 2 }],
  });
  expect(expressed).toEqual(of(truncated("icepop", 2, 0)));
});
