import { describe, expect, test } from "vitest";
import { formatCorrection } from "../neutral/text.ts";
import { checkReference } from "../shared/reference.test-data.ts";
import { completeSettings } from "../shared/settings.ts";
import { listTraps } from "../shared/traps.test-data.ts";
import { skyrl } from "./preset.ts";

// It exponentiates in float32 whatever it is given.
checkReference(skyrl, "skyrl", 3e-7);

const of = (settings: Record<string, number | string | null>) => completeSettings(skyrl, settings);
const tokenMask = { token_mask_is_threshold_low: 0.5, token_mask_is_threshold_high: 2 };

test("a token mask with one bound is off, and said to be", () => {
  const half = of({ token_mask_is_threshold_low: 0.5 });
  expect(skyrl.correction(half)).toEqual({ steps: [] });
  expect(listTraps(skyrl, half).join()).toContain("only token_mask_is_threshold_low is set");
});

test("masks come before the weight, which is over what they leave", () => {
  const correction = skyrl.correction(
    of({ ...tokenMask, tis_ratio_type: "sequence", sequence_mask_metric: "geometric" }),
  );
  expect(correction.weight).toEqual({ level: "sequence", aggregation: "sum", logBound: 20, over: "kept" });
  expect(correction.steps.map(({ action }) => action)).toEqual(["mask", "truncate", "mask"]);
});

test("thresholds beyond the clamp at e^±20 cannot bind", () => {
  const wide = of({
    outlier_token_is_threshold_low: 1e-10,
    sequence_mask_metric: "product",
    product_mask_high: 1e10,
  });
  expect(skyrl.correction(wide).steps).toMatchObject([{ action: "mask", lower: 0.5 }]);
  expect(skyrl.correction(wide).steps[0]).not.toHaveProperty("upper");
});

test("traps: log-probs that nothing switches on, order of masks, padding in is_ratio", () => {
  expect(listTraps(skyrl, of(tokenMask)).join()).toContain("generator.sampling_params.logprobs");
  expect(listTraps(skyrl, of({ ...tokenMask, sequence_mask_metric: "product" })).join()).toContain(
    "left out of the product",
  );
  expect(listTraps(skyrl, of({ tis_ratio_type: "token" })).join()).toContain("padding");
  expect(listTraps(skyrl, of({}))).toEqual([]);
});

test("is written as YAML under trainer.algorithm", () => {
  const { text } = skyrl.config(of({ tis_ratio_type: "token" }));
  expect(text).toContain(
    'trainer:\n  algorithm:\n    off_policy_correction:\n      tis_ratio_type: "token"\n',
  );
  expect(text).toContain("      sequence_mask_metric: null\n");
});

test("expresses TIS with a geometric rejection, and a lower bound on weights by the loss that has one", () => {
  const geometric = { statistic: "ratio", level: "sequence", aggregation: "mean" } as const;
  const correction = {
    weight: { level: "token", aggregation: "sum" },
    steps: [
      { action: "truncate", upper: 3 },
      { action: "mask", measure: geometric, lower: 0.99, upper: 1.02 },
    ],
  } as const;
  expect(skyrl.express(correction)).toEqual(
    of({
      tis_ratio_type: "token",
      token_tis_ratio_clip_high: 3,
      sequence_mask_metric: "geometric",
      geo_mask_high: 1.02,
    }),
  );
  const clamp = { action: "truncate", lower: 0.5, upper: 3 } as const;
  expect(skyrl.express({ ...correction, steps: [clamp] })).toEqual(
    of({
      policy_loss_type: "cispo",
      "cispo.cispo_anchor": "rollout",
      "cispo.cispo_eps_clip_low": 0.5,
      "cispo.cispo_eps_clip_high": 2,
    }),
  );
  expect(
    skyrl.express({ weight: { level: "sequence", aggregation: "sum" }, steps: [clamp] }),
  ).toBeUndefined();
});

describe("losses against the rollout", () => {
  test.each([
    ["rollout_is", {}, "weight:token:log=20 zero:weight:0.8..1.2"],
    ["rollout_is", { eps_clip_low: 0.7, eps_clip_high: 4 }, "weight:token:log=20 zero:weight:0.3..5"],
    ["cispo", { "cispo.cispo_anchor": "rollout" }, "weight:token:log=20 truncate:0..5"],
    ["cispo", {}, "none"],
    ["regular", {}, "none"],
    [
      "dppo",
      {},
      "weight:token:log=20 zero:token.prob_diff:..0.2:positive:nan zero:token.prob_diff:-0.2..:negative:nan",
    ],
    [
      "dppo",
      { "dppo.dppo_type": "binary_kl", "dppo.delta_low": 0.05, "dppo.delta_high": 0.04 },
      "weight:token:log=20 zero:token.binary_kl:..0.04:shift=1e-8:positive:diverging:nan zero:token.binary_kl:..0.05:shift=1e-8:negative:diverging:nan",
    ],
  ])("%s %o is %s", (loss, more, text) => {
    expect(formatCorrection(skyrl.correction(of({ policy_loss_type: loss, ...more })))).toBe(text);
  });

  test("keep the masks of the off-policy correction before them", () => {
    const { steps } = skyrl.correction(
      of({ policy_loss_type: "rollout_is", ...tokenMask, sequence_mask_metric: "geometric" }),
    );
    expect(steps.map(({ action }) => action)).toEqual(["mask", "zero", "mask"]);
  });

  test.each([
    ["cispo", { "cispo.cispo_anchor": "rollout" }, /already rollout-anchored/],
    ["rollout_is", {}, /counted twice/],
    ["dppo", {}, /counted twice/],
    ["clip_cov", {}, /doesn't support clip_cov/],
    ["kl_cov", {}, /doesn't support clip_cov or kl_cov/],
  ])("%s with TIS is refused", (loss, more, message) => {
    const settings = of({ policy_loss_type: loss, tis_ratio_type: "token", ...more });
    expect(() => skyrl.correction(settings)).toThrow(message);
  });

  test("an unknown anchor or divergence is refused", () => {
    expect(() => of({ "cispo.cispo_anchor": "bogus" })).toThrow(/one of old, rollout/);
    expect(() => of({ "dppo.dppo_type": "tv" })).toThrow(/one of binary_tv, binary_kl/);
  });

  test("are written beside off_policy_correction, with their own settings", () => {
    const text = (settings: Record<string, string>): string => skyrl.config(of(settings)).text;
    expect(text({ policy_loss_type: "rollout_is" })).toContain(
      '  algorithm:\n    policy_loss_type: "rollout_is"\n    eps_clip_low: 0.2\n    eps_clip_high: 0.2\n    off_policy_correction:\n',
    );
    expect(text({ policy_loss_type: "cispo", "cispo.cispo_anchor": "rollout" })).toContain(
      '    policy_loss_type: "cispo"\n    cispo:\n      cispo_anchor: "rollout"\n      cispo_eps_clip_low: 1\n',
    );
    expect(text({ policy_loss_type: "regular" })).not.toContain("policy_loss_type");
  });

  test("traps: bands whatever the sign, differences for ratios, later updates", () => {
    const traps = (settings: Record<string, string>): string => listTraps(skyrl, of(settings)).join();
    expect(traps({ policy_loss_type: "rollout_is" })).toContain("outside 0.8 to 1.2 to 0");
    expect(traps({ policy_loss_type: "dppo" })).toContain("differences of probabilities");
    expect(traps({ policy_loss_type: "dppo", "dppo.dppo_type": "binary_kl" })).toContain("nats of binary KL");
    expect(traps({ policy_loss_type: "cispo", "cispo.cispo_anchor": "rollout" })).toContain("later updates");
    expect(traps({ policy_loss_type: "cispo" })).toBe("");
  });
});
