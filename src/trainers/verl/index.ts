import type { Trainer } from "../shared/trainer.ts";

export const trainer: Trainer = {
  name: "verl",
  title: "verl",
  repository: "verl-project/verl",
  read: { version: "0.9.1", commit: "1dda039b", date: "2026-09-20" },
  fixes: [
    {
      causes: ["temperature_mismatch"],
      line: "actor_rollout_ref.rollout.logprobs_mode=processed_logprobs",
      note: "The actor already divides its logits by rollout.temperature, so the engine must report processed log-probs.",
      keys: {
        "actor_rollout_ref.rollout.logprobs_mode":
          "verl/workers/config/rollout.py RolloutConfig, default processed_logprobs (0.9.1)",
      },
    },
    {
      causes: ["truncation_renormalised"],
      line: "actor_rollout_ref.rollout.top_p=1.0 actor_rollout_ref.rollout.top_k=-1",
      note: "Sampling without filters.",
      keys: {
        "actor_rollout_ref.rollout.top_p": "verl/trainer/config/rollout/rollout.yaml (0.9.1)",
        "actor_rollout_ref.rollout.top_k": "verl/trainer/config/rollout/rollout.yaml (0.9.1)",
      },
    },
    {
      causes: ["greedy_zero_logprobs"],
      line: "actor_rollout_ref.rollout.temperature=1.0 actor_rollout_ref.rollout.do_sample=True",
      note: "Check that the training rollouts do not use validation settings.",
      keys: {
        "actor_rollout_ref.rollout.temperature": "verl/trainer/config/rollout/rollout.yaml (0.9.1)",
        "actor_rollout_ref.rollout.do_sample": "verl/trainer/config/rollout/rollout.yaml (0.9.1)",
      },
    },
    {
      causes: ["prompt_left_cut"],
      line: "data.truncation=error",
      note: "Raises an error for prompts that are too long; or increase data.max_prompt_length.",
      keys: {
        "data.truncation": "verl/trainer/config/data/legacy_data.yaml (0.9.1)",
        "data.max_prompt_length": "verl/trainer/config/data/legacy_data.yaml (0.9.1)",
      },
    },
    {
      causes: ["lora_not_merged"],
      line: "actor_rollout_ref.rollout.load_format=safetensors actor_rollout_ref.model.lora.merge=True",
      note: "load_format is required: with dummy, the engine has no base model. Merged weights are sent in full, the only form that SGLang accepts.",
      keys: {
        "actor_rollout_ref.rollout.load_format": "docs/advance/ppo_lora.rst (1dda039b): required for LoRA",
        "actor_rollout_ref.model.lora.merge": "docs/advance/ppo_lora.rst (1dda039b)",
      },
    },
    {
      causes: ["moe_routing_flips"],
      line: "actor_rollout_ref.rollout.enable_rollout_routing_replay=True actor_rollout_ref.actor.megatron.router_replay.mode=R3",
      note: "The trainer reuses the engine's routes. With the VeOmni engine, set the mode under actor.veomni.",
      keys: {
        "actor_rollout_ref.rollout.enable_rollout_routing_replay":
          "verl/trainer/config/rollout/rollout.yaml, examples/router_replay/README.md (1dda039b)",
        "actor_rollout_ref.actor.megatron.router_replay.mode":
          "verl/trainer/config/engine/megatron.yaml, examples/router_replay/README.md (1dda039b)",
      },
    },
  ],
  hook: {
    distribution: "verl",
    writtenFor: "0.9.1",
    place: "shell; both loops, nothing to edit",
    language: "shell",
    lines: [
      'export VERL_USE_EXTERNAL_MODULES=logratio.hooks.verl LOGRATIO_DIR="$PWD/logratio"',
      "python3 -m verl.trainer.main_ppo actor_rollout_ref.rollout.calculate_log_probs=True …",
    ],
    needs: "in bypass mode, LOGRATIO_SCORE_EVERY=10: the actor then scores one step in 10 for the record",
  },
  textDumps: [{ what: "verl's rollout_data_dir or validation_data_dir", keys: ["input", "output", "score"] }],
};
