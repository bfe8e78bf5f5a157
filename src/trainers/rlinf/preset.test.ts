import { expect, it } from "vitest";
import { UsageError } from "../../core/base/errors.ts";
import type { Settings } from "../shared/preset.ts";
import { completeSettings } from "../shared/settings.ts";
import { rlinf } from "./preset.ts";

const correction = (settings: Settings) => rlinf.correction(completeSettings(rlinf, settings));
const weight = { level: "token", aggregation: "sum" };

it("RLinf caps ratios on advantages, and masks tokens of decoupled losses above the threshold", () => {
  expect(correction({})).toEqual({ weight, steps: [{ action: "truncate", upper: 2 }] });
  expect(correction({ importance_sampling_fix: false })).toEqual({ steps: [] });
  expect(correction({ importance_sampling_fix: false, behave_weight_threshold: 3 })).toEqual({
    weight,
    steps: [{ action: "mask", measure: "weight", upper: 3 }],
  });
  expect(() => correction({ importance_sampling_clip: null })).toThrow(UsageError);
});

it("is written with the cap only where it is read", () => {
  const text = (settings: Settings): string => rlinf.config(completeSettings(rlinf, settings)).text;
  expect(text({})).toBe(
    "algorithm:\n  importance_sampling_fix: true\n  importance_sampling_clip: 2\n  behave_weight_threshold: null\n",
  );
  expect(text({ importance_sampling_fix: false })).not.toContain("clip");
});
