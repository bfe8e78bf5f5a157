import { describe, expect, it, test } from "vitest";
import { lintTold } from "./table.test-data.ts";

/** The sampling findings of a config, each as `severity code`, and all that they say. */
function said(text: string, trainer: string, file = "a.yaml"): { codes: string[]; words: string } {
  const findings = lintTold(text, trainer, file).findings.filter(({ code }) => code.startsWith("sampling-"));
  return {
    codes: findings.map(({ severity, code }) => `${severity} ${code}`),
    words: findings.flatMap(({ message, why, instead }) => [message, why, instead]).join("\n"),
  };
}

const verl = (rollout: string, correction = "rollout_is: token"): string =>
  `actor_rollout_ref:\n  rollout:\n    calculate_log_probs: true\n    ${rollout.replaceAll("; ", "\n    ")}\nalgorithm:\n  rollout_correction:\n    ${correction.replaceAll("; ", "\n    ")}\n`;

describe("the figures that the findings state", () => {
  /** Logits of a few tokens; the last ones are the tail. */
  const logits = [2, 1, 0.5, -1, -3];
  const softmax = (temperature: number): number[] => {
    const powers = logits.map((logit) => Math.exp(logit / temperature));
    const sum = powers.reduce((a, b) => a + b);
    return powers.map((power) => power / sum);
  };
  const mean = (drawn: readonly number[], ratio: (token: number) => number): number =>
    drawn.reduce((sum, p, token) => sum + (p === 0 ? 0 : p * ratio(token)), 0);

  it("are the mean ratio over drawn tokens: the kept mass, 1, or 1 + χ²", () => {
    const p = softmax(1);
    const mass = p[0]! + p[1]!;
    const drawn = p.map((own, token) => (token < 2 ? own / mass : 0));
    expect(mean(drawn, (token) => p[token]! / drawn[token]!)).toBeCloseTo(mass, 12);
    expect(mean(drawn, () => 1)).toBeCloseTo(1, 12);
    for (const temperature of [0.6, 1.5]) {
      const scaled = softmax(temperature);
      const chi2 = scaled.reduce((sum, own, token) => sum + (own - p[token]!) ** 2 / p[token]!, 0);
      const ratio = (token: number): number => scaled[token]! / p[token]!;
      expect(mean(scaled, ratio)).toBeCloseTo(1 + chi2, 12);
      expect(chi2).toBeGreaterThan(0);
      // Likely tokens get the larger weights below 1, unlikely ones above.
      expect(ratio(0) > ratio(4)).toBe(temperature < 1);
    }
  });
});

describe("filters", () => {
  it("that SkyRL replays on its own log-probs are no finding once it is told to", () => {
    const skyrl = (switched: boolean): string =>
      `trainer:\n  algorithm:\n    enable_sample_support_replay: ${switched}\n    off_policy_correction:\n      tis_ratio_type: token\ngenerator:\n  sampling_params:\n    top_k: 50\n    repetition_penalty: 1.1\n`;
    expect(said(skyrl(false), "skyrl").codes).toEqual([
      "warning sampling-filter",
      "warning sampling-penalty",
    ]);
    expect(said(skyrl(true), "skyrl").codes).toEqual(["warning sampling-penalty"]);
  });

  it("whose log-probs are renormalized scale every ratio", () => {
    const { codes, words } = said(verl("top_p: 0.8"), "verl");
    expect(codes).toEqual(["warning sampling-filter"]);
    expect(words).toContain("top_p 0.8 cuts the tail off, and the engine's log-probs are of what is left");
    expect(words).toContain("the mean ratio is the kept mass S, at least 0.8, not 1");
    expect(words).toContain("each token's weight or rejection takes its S for a mismatch");
    expect(words).toContain("actor_rollout_ref.rollout.top_p: 1");
  });

  test.each([
    ["rollout_is: sequence", "warning", "a product takes one S for each token"],
    ["rollout_rs: seq_sum_k1; rollout_rs_threshold: 2", "warning", "a product takes one S"],
    [
      "rollout_rs: seq_mean_k1; rollout_rs_threshold: 0.99_1.01",
      "warning",
      "the geometric mean of the ratios is S",
    ],
    ["rollout_is: null", "note", "nothing is corrected here"],
  ])("do to %s what a %s says", (correction, severity, words) => {
    const config = verl("top_k: 20", correction.replace("0.99_1.01", '"0.99_1.01"'));
    expect(said(config, "verl")).toMatchObject({ codes: [`${severity} sampling-filter`] });
    expect(said(config, "verl").words).toContain(words);
    // Of top_k alone, nothing is known of the mass.
    expect(said(config, "verl").words).toContain("the kept mass S, not 1");
  });

  it("that neither side logs are invisible to any correction", () => {
    const { codes, words } = said(verl("top_p: 0.9; logprobs_mode: raw_logprobs"), "verl");
    expect(codes).toEqual(["warning sampling-filter"]);
    expect(words).toContain("neither side's log-probs know it");
    expect(words).toContain("the kept mass S, at least 0.9, and no correction of these columns can find it");
    expect(said(verl("top_p: 0.9; name: sglang"), "verl").words).toContain(
      "neither side's log-probs know it",
    );
  });

  it("of an engine that no config tells are both", () => {
    const { words } = said(
      "actor_infer:\n  generating_args:\n    top_p: 0.99\ntrain_infer_correction:\n  is_weight:\n    enabled: true\n",
      "roll",
    );
    expect(words).toContain(
      "or, where the engine's log-probs are taken before the filter, neither side knows it",
    );
  });

  it("that the trainer replays are none", () => {
    const flags = "python train.py --use-tis --rollout-top-p 0.9 --rollout-temperature 0.7";
    expect(said(flags, "slime", "a.sh").codes).toEqual([]);
    expect(said(`${flags} --rollout-top-k 20`, "slime", "a.sh").codes).toEqual(["warning sampling-filter"]);
    expect(said(`${flags} --rollout-top-k 20`, "slime", "a.sh").words).toContain("--rollout-top-k -1");
  });
});

describe("the temperature", () => {
  it("is a second policy where the engine's log-probs are raw", () => {
    const low = said(verl("temperature: 0.6; logprobs_mode: raw_logprobs"), "verl");
    expect(low.codes).toEqual(["error sampling-temperature"]);
    expect(low.words).toContain("above 1, and likely tokens get the larger weights");
    expect(low.words).toContain("actor_rollout_ref.rollout.logprobs_mode: processed_logprobs");
    const high = said(verl("temperature: 1.2; logprobs_mode: raw_logprobs", "rollout_is: null"), "verl");
    expect(high.codes).toEqual(["warning sampling-temperature"]);
    expect(high.words).toContain("unlikely tokens get the larger weights");
  });

  it("is in both log-probs otherwise", () => {
    for (const rollout of [
      "temperature: 0.6",
      "temperature: 0.6; logprobs_mode: processed_logprobs",
      "temperature: 0.6; name: sglang; logprobs_mode: raw_logprobs",
      "temperature: 1.0; logprobs_mode: raw_logprobs",
      // Only the run knows.
      "temperature: 0.6; logprobs_mode: $" + "{mode}",
    ])
      expect(said(verl(rollout), "verl").codes).toEqual([]);
  });

  it("of SkyRL meets vLLM's own default, which is raw", () => {
    const config = (more: string): string =>
      `generator:\n  sampling_params:\n    temperature: 0.7\n${more}trainer:\n  algorithm:\n    policy_loss_type: rollout_is\n`;
    expect(said(config(""), "skyrl").codes).toEqual(["error sampling-temperature"]);
    expect(said(config(""), "skyrl").words).toContain(
      "generator.inference_engine.engine_init_kwargs.logprobs_mode: processed_logprobs",
    );
    const processed =
      "  inference_engine:\n    engine_init_kwargs:\n      logprobs_mode: processed_logprobs\n";
    expect(said(config(processed), "skyrl").codes).toEqual([]);
  });
});

describe("penalties and speculation", () => {
  it("are corrected by weights if the engine logs them, and by nothing else", () => {
    const weighed = said(verl("repetition_penalty: 1.1"), "verl");
    expect(weighed.codes).toEqual(["note sampling-penalty"]);
    expect(weighed.words).toContain("compares the penalized policy with the plain one");
    const alone = said(verl("repetition_penalty: 1.1", "rollout_is: null"), "verl");
    expect(alone.codes).toEqual(["warning sampling-penalty"]);
    expect(alone.words).toContain("nothing here makes up for it");
    const raw = said(verl("repetition_penalty: 1.1; logprobs_mode: raw_logprobs"), "verl");
    expect(raw.codes).toEqual(["warning sampling-penalty"]);
    expect(raw.words).toContain("neither side's log-probs know it");
  });

  it("are no finding at their neutral values", () => {
    expect(said(verl("repetition_penalty: 1.0; top_p: 1; top_k: -1; temperature: 1"), "verl").codes).toEqual(
      [],
    );
    expect(said(verl("top_k: 0"), "verl").codes).toEqual([]);
  });

  it("accept drafted tokens that the target would not have drawn", () => {
    const flag = "--sglang-speculative-accept-threshold-single";
    const { codes, words } = said(`python train.py --use-tis ${flag} 0.8`, "slime", "a.sh");
    expect(codes).toEqual(["warning sampling-speculation"]);
    expect(words).toContain(`${flag} is 0.8: drafted tokens are accepted`);
    expect(said(`python train.py --use-tis ${flag} 1.0`, "slime", "a.sh").codes).toEqual([]);
  });
});

describe("the keys of a trainer's training rollouts", () => {
  test.each([
    ["trl", "vllm_importance_sampling_correction: true\ntop_p: 0.9\nmin_p: 0.1\n", "a.yaml", 1],
    ["ms-swift", "swift rlhf --rollout_importance_sampling_mode token_truncate --top_k 50", "a.sh", 1],
    [
      "openrlhf",
      "python -m openrlhf.cli.train_ppo_ray --algo.advantage.is_correction_enable --rollout.top_p 0.9",
      "a.sh",
      1,
    ],
    [
      "open-instruct",
      "python open_instruct/grpo_fast.py --use_rho_correction True --vllm_top_p 0.9",
      "a.sh",
      1,
    ],
    [
      "prime-rl",
      "[trainer.loss]\ndppo_mask_low = 0.2\n[orchestrator.train.sampling.extra_body]\ntop_k = 50\n",
      "a.toml",
      1,
    ],
    ["areal", "actor:\n  use_decoupled_loss: true\ngconfig:\n  top_p: 0.9\n", "a.yaml", 1],
    // Those of evaluation are others.
    ["verl", verl("val_kwargs:; top_p: 0.7".replace("; top_p", "\n      top_p")), "a.yaml", 0],
    [
      "skyrl",
      "generator:\n  eval_sampling_params:\n    top_p: 0.7\noff_policy_correction:\n  tis_ratio_type: token\n",
      "a.yaml",
      0,
    ],
    [
      "prime-rl",
      "[trainer.loss]\ndppo_mask_low = 0.2\n[orchestrator.eval.sampling]\ntop_p = 0.7\n",
      "a.toml",
      0,
    ],
  ])("%s: %s", (trainer, text, file, findings) => {
    expect(said(text, trainer, file).codes.filter((code) => code.endsWith("sampling-filter"))).toHaveLength(
      findings,
    );
  });
});
