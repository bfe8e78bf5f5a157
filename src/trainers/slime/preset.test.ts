import { expect, test } from "vitest";
import { UsageError } from "../../core/base/errors.ts";
import { checkReference } from "../shared/reference.test-data.ts";
import { completeSettings } from "../shared/settings.ts";
import { listTraps } from "../shared/traps.test-data.ts";
import { slime } from "./preset.ts";

checkReference(slime);

const of = (settings: Record<string, number | string | boolean | null>) => completeSettings(slime, settings);

test.each([
  [{ use_rollout_logprobs: true }, /use_rollout_logprobs and use_tis cannot be set at the same time/],
  [{ get_mismatch_metrics: true }, /custom_tis_function_path must be set when get_mismatch_metrics is set/],
  [{ custom_tis_function_path: "my.own.function" }, /does not know/],
])("refuses %j", (settings, message) => {
  expect(() => slime.correction(of(settings))).toThrow(UsageError);
  expect(() => slime.correction(of(settings))).toThrow(message);
});

test("points to the preset of mis.py", () => {
  const path = "examples.train_infer_mismatch_helper.mis.compute_mis_weights_with_cp";
  expect(() => slime.correction(of({ custom_tis_function_path: path }))).toThrow(
    expect.objectContaining({ hint: "use the preset slime-mis" }),
  );
});

test("traps: both sides, IcePop without a lower bound, OPSM that cannot see the mismatch, metrics that change the loss", () => {
  const icepop = { custom_tis_function_path: "m.icepop_function" };
  expect(listTraps(slime, of({})).join()).toContain("clamp on both sides");
  expect(listTraps(slime, of(icepop)).join()).toContain("drops nothing from below");
  expect(listTraps(slime, of({ ...icepop, tis_clip_low: 0.5 })).join()).not.toContain(
    "drops nothing from below",
  );
  expect(listTraps(slime, of({ use_opsm: true })).join()).toContain("does not see the mismatch");
  const metricsOnly = of({ ...icepop, use_tis: false, get_mismatch_metrics: true });
  expect(slime.correction(metricsOnly).steps).toHaveLength(1);
  expect(listTraps(slime, metricsOnly).join()).toContain("although use_tis is off");
});

test("OPSM without rollout log-probs drops nothing in a record", () => {
  expect(slime.correction(of({ use_tis: false, use_opsm: true }))).toEqual({ steps: [] });
});

test("is written as flags", () => {
  expect(slime.config(of({ tis_clip_low: 0.5 })).text).toBe("--use-tis\n--tis-clip 2\n--tis-clip-low 0.5\n");
  const opsm = of({ use_tis: false, use_rollout_logprobs: true, use_opsm: true, opsm_delta: 0.01 });
  expect(slime.config(opsm).text).toBe("--use-rollout-logprobs\n--use-opsm\n--opsm-delta 0.01\n");
});

test("expresses IcePop of others with its own function's path", () => {
  const icepop = {
    weight: { level: "token", aggregation: "sum", logBound: 20 },
    steps: [
      {
        action: "zero",
        measure: { statistic: "ratio", level: "token", aggregation: "mean" },
        lower: 0.5,
        upper: 5,
      },
    ],
  } as const;
  expect(slime.express(icepop)).toMatchObject({
    use_tis: true,
    tis_clip: 5,
    tis_clip_low: 0.5,
    custom_tis_function_path: "slime.backends.megatron_utils.loss.icepop_function",
  });
  expect(slime.express({ ...icepop, weight: { level: "sequence", aggregation: "sum" } })).toBeUndefined();
});
