import type { Trainer } from "../shared/trainer.ts";

export const trainer: Trainer = {
  name: "skyrl",
  title: "SkyRL",
  repository: "NovaSky-AI/SkyRL",
  distribution: "skyrl",
  read: { version: "0.4.0", date: "2026-10-01" },
  fixes: [
    {
      causes: ["moe_routing_flips"],
      line: "trainer.strategy=megatron trainer.policy.megatron_config.moe_enable_routing_replay=true generator.inference_engine.enable_return_routed_experts=true generator.inference_engine.distributed_executor_backend=mp",
      note: "Replay is only in the Megatron backend, and SkyRL stops at it with vLLM's ray backend.",
      keys: {
        "trainer.strategy": "skyrl/train/config/config.py (0.4.0)",
        "trainer.policy.megatron_config.moe_enable_routing_replay": "skyrl/train/config/config.py (0.4.0)",
        "generator.inference_engine.enable_return_routed_experts": "skyrl/train/config/config.py (0.4.0)",
        "generator.inference_engine.distributed_executor_backend": "skyrl/train/config/config.py (0.4.0)",
      },
    },
  ],
  hook: {
    distribution: "skyrl",
    writtenFor: "0.4.0",
    place: "Python, in get_trainer of your BasePPOExp, behind super().get_trainer(…)",
    language: "python",
    lines: ["import logratio.skyrl", "trainer.add_callback(logratio.skyrl.Callback())"],
    needs:
      "generator.sampling_params.logprobs=1 (the default); the fully asynchronous trainer has no callbacks",
  },
};
