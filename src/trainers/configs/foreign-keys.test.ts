import { describe, expect, it } from "vitest";
import type { LintFinding } from "../../results/lint.ts";
import { PRESETS } from "../presets.ts";
import { lintConfig } from "./lint.ts";

function foreign(text: string, file = "a.yaml"): readonly LintFinding[] {
  const { configs } = lintConfig(text, { file, presets: PRESETS });
  expect(configs).toHaveLength(1);
  return configs[0]!.findings.filter(({ code }) => code === "other-trainers-key");
}

const VERL = `algorithm:
  adv_estimator: grpo
  rollout_correction:
    rollout_is: token
    rollout_is_threshold: 2.0
`;

describe("keys of two trainers in one config", () => {
  it("are said, with whose the config is taken for", () => {
    expect(
      foreign(`${VERL}vllm_importance_sampling_mode: token_mask\nvllm_importance_sampling_clip_max: 2\n`),
    ).toEqual([
      {
        severity: "note",
        code: "other-trainers-key",
        key: "vllm_importance_sampling_mode",
        line: 6,
        message:
          "vllm_importance_sampling_mode, vllm_importance_sampling_clip_max are of TRL, but the config is judged as verl's, which does not read them",
        instead: "--preset trl if it is TRL's",
      },
    ]);
    expect(foreign(`${VERL}loss_fn:\n  truncated_importance_sampling_ratio: 2\n`)).toMatchObject([
      { line: 7, message: expect.stringContaining("is of NeMo-RL") },
    ]);
  });

  it("are not said of names that many have, nor of the trainer's own and their kin", () => {
    expect(foreign(VERL)).toEqual([]);
    expect(foreign(`${VERL}filters: a\nlevel: token\n`)).toEqual([]);
    expect(foreign("p slime/train.py --use-tis --tis-clip 2 --tis-clip-low 0.5", "a.sh")).toEqual([]);
    expect(
      foreign("from unsloth import F\nGRPOConfig(vllm_importance_sampling_correction=True)", "a.py"),
    ).toEqual([]);
  });
});
