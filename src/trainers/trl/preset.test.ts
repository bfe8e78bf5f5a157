import { describe, expect, test } from "vitest";
import { UsageError } from "../../core/base/errors.ts";
import { checkReference } from "../shared/reference.test-data.ts";
import { completeSettings } from "../shared/settings.ts";
import { listTraps } from "../shared/traps.test-data.ts";
import { trl } from "./preset.ts";

checkReference(trl);

const of = (settings: Record<string, number | string | boolean | null>) => completeSettings(trl, settings);

describe("trl refuses in its own words", () => {
  test.each([
    [
      { vllm_importance_sampling_clip_min: 3 },
      /clip_min \(3\) must be less than vllm_importance_sampling_clip_max \(3\)/,
    ],
    [
      { vllm_importance_sampling_mode: "token_truncate", vllm_importance_sampling_clip_max: null },
      /At least one of `vllm_importance_sampling_clip_min`/,
    ],
  ])("%j", (settings, message) => {
    expect(() => trl.correction(of(settings))).toThrow(UsageError);
    expect(() => trl.correction(of(settings))).toThrow(message);
  });
});

test("the default's traps: product over the sequence, no lower bound, denominator, metrics after the mask", () => {
  const traps = listTraps(trl, of({})).join("\n");
  for (const word of ["product", "denominator", "clip_min=None", "after the clip"])
    expect(traps).toContain(word);
  expect(listTraps(trl, of({ vllm_importance_sampling_correction: false })).join()).toContain("ignored");
});

test("is written as GRPOConfig arguments", () => {
  expect(trl.config(of({ vllm_importance_sampling_mode: "token_truncate" })).text).toBe(`GRPOConfig(
    use_vllm=True,
    vllm_importance_sampling_correction=True,
    vllm_importance_sampling_mode="token_truncate",
    vllm_importance_sampling_clip_max=3,
    vllm_importance_sampling_clip_min=None,
    off_policy_mask_threshold=None,
)
`);
});

test("expresses what others write differently, and not what it cannot do", () => {
  const tis = {
    weight: { level: "token", aggregation: "sum", logBound: 20 },
    steps: [{ action: "truncate", lower: 0, upper: 2 }],
  } as const;
  expect(trl.express(tis)).toEqual(
    of({ vllm_importance_sampling_mode: "token_truncate", vllm_importance_sampling_clip_max: 2 }),
  );
  expect(trl.express({ ...tis, weight: { level: "sequence", aggregation: "mean" } })).toBeUndefined();
  expect(
    trl.express({ ...tis, steps: [...tis.steps, { action: "normalize", over: "token" }] }),
  ).toBeUndefined();
  const filter = { statistic: "ratio", level: "sequence", aggregation: "mean" } as const;
  expect(trl.express({ ...tis, steps: [{ action: "mask", measure: filter, upper: 2 }] })).toBeUndefined();
});
