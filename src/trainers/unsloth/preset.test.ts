import { expect, it } from "vitest";
import type { Settings } from "../shared/preset.ts";
import { completeSettings } from "../shared/settings.ts";
import { unsloth } from "./preset.ts";

const MODE = "vllm_importance_sampling_mode";
const complete = (settings: Settings): Settings => completeSettings(unsloth, settings);

it("Unsloth's geometric modes are TRL's of sequences over a mean", () => {
  const settings = complete({ [MODE]: "geometric_truncate", vllm_importance_sampling_clip_max: 1.01 });
  expect(unsloth.correction(settings)).toEqual({
    weight: { level: "sequence", aggregation: "mean" },
    steps: [{ action: "truncate", upper: 1.01 }],
  });
  expect(unsloth.express(unsloth.correction(settings))).toEqual(settings);
  expect(unsloth.config(settings).text).toContain('vllm_importance_sampling_mode="geometric_truncate"');
});

it("rejection by verl's options has words and no neutral form", () => {
  expect(unsloth.beyondForm?.(complete({ rollout_rs: "seq_mean_k1" }))).toContain("rejection by seq_mean_k1");
  expect(unsloth.beyondForm?.(complete({}))).toBeUndefined();
});
