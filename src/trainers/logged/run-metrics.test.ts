import { describe, expect, it } from "vitest";
import { recogniseRunMetric } from "./run-metrics.ts";

const KEYS: readonly (readonly [key: string, kind: string, trainer: string])[] = [
  ["reward", "reward", "trl"],
  ["train/reward", "reward", "nemo-rl"],
  ["critic/score/mean", "reward", "verl"],
  ["rollout/raw_reward", "reward", "slime, miles"],
  ["val-core/openai/gsm8k/acc/mean@1", "evaluation", "verl"],
  ["val/test_score/openai/gsm8k", "evaluation", "verl"],
  ["eval_reward", "evaluation", "trl"],
  ["eval/math500/avg@16", "evaluation", "prime-rl"],
  ["eval_aime_pass1", "evaluation", "openrlhf"],
  ["actor/entropy", "entropy", "verl"],
  ["frac_reward_zero_std", "flat_groups", "trl"],
  ["clip_ratio/low_mean", "clip_low", "trl"],
  ["clip_ratio/high_mean", "clip_high", "trl"],
  ["clip_ratio/region_mean", "clip", "trl"],
  ["actor/pg_clipfrac", "clip", "verl"],
  ["actor/grad_norm", "grad_norm", "verl"],
  ["grad_norm", "grad_norm", "trl"],
  ["kl", "reference_kl", "trl"],
  ["actor/kl_loss", "reference_kl", "verl"],
  ["completions/mean_length", "length", "trl"],
  ["response_length/clip_ratio", "truncated", "verl"],
  ["rewards/format/mean", "reward_part", "trl"],
];

describe("what a logged key says of a run", () => {
  it.each(KEYS)("%s: %s (%s)", (key, kind, trainer) => {
    expect(recogniseRunMetric(key)).toMatchObject({ kind, trainer });
    expect(recogniseRunMetric(`my run - ${key}`)).toMatchObject({ kind });
    expect(recogniseRunMetric(`train/${key}`)).toMatchObject({ kind });
  });

  it.each([
    // To the policy before the update, not to the reference.
    "actor/ppo_kl",
    "policy/approxkl_avg",
    // Sums over an answer.
    "objective/kl",
    "objective/entropy",
    // What dual clipping bounds.
    "actor/pg_clipfrac_lower",
    "prompt_length/clip_ratio",
    "rollout_corr/kl",
    "offpolicy/kl",
    "val-core/openai/gsm8k/acc/std@4",
    "val-core/openai/gsm8k/acc/best@4",
    "val/actor/entropy",
    "test/reward",
    "eval_loss",
    "rewards/format/std",
    "entropy__MAX",
    "",
  ])("leaves %s out", (key) => {
    expect(recogniseRunMetric(key)).toBeUndefined();
  });

  it("names the part of a reward, and ranks keys of one kind", () => {
    expect(recogniseRunMetric("rewards/accuracy_reward/mean")?.part).toBe("accuracy_reward");
    expect(recogniseRunMetric("rewards//mean")).toBeUndefined();
    const [score, after] = ["critic/score/mean", "critic/rewards/mean"].map(recogniseRunMetric);
    expect(score!.rank).toBeLessThan(after!.rank);
  });
});
