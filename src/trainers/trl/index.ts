import type { Trainer } from "../shared/trainer.ts";

export const trainer: Trainer = {
  name: "trl",
  title: "TRL",
  repository: "huggingface/trl",
  read: { version: "1.16.0", commit: "f2cd5771", date: "2026-10-15" },
  fixes: [
    {
      causes: ["dropout_on"],
      line: "disable_dropout=True",
      note: "Set it in the trainer's config.",
      keys: {
        disable_dropout: "trl/trainer/grpo_config.py GRPOConfig (1.16.0)",
      },
    },
    {
      causes: ["update_below_precision"],
      line: "bf16=True",
      note: "The trainer's forward pass then rounds the weights as the engine does; float32 weights are still what is updated.",
      keys: { bf16: "transformers/training_args.py TrainingArguments, which GRPOConfig extends (1.16.0)" },
    },
  ],
  hook: {
    distribution: "trl",
    writtenFor: "1.16.0",
    place: "Python, before trainer.train()",
    language: "python",
    lines: ["import logratio.trl", "trainer.add_callback(logratio.trl.Callback(trainer))"],
    needs: "GRPOConfig(use_vllm=True), or a rollout_func that returns logprobs",
  },
  textDumps: [{ what: "TRL's completions table", keys: ["step", "prompt", "completion", "advantage"] }],
};
