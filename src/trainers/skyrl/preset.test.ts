import { expect, test } from "vitest";
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

test("expresses TIS with a geometric rejection, and no lower bound on weights", () => {
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
  expect(
    skyrl.express({ ...correction, steps: [{ action: "truncate", lower: 0.5, upper: 3 }] }),
  ).toBeUndefined();
});
