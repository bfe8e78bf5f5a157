import { anyTrainer, type Cause, forTrainer } from "./cause.ts";

// Router replay. Where each trainer has its flags: `remedies` of its dialect (src/trainers/NAME/config-keys.ts).
const REPLAY = [
  forTrainer(
    "verl",
    "actor_rollout_ref.rollout.enable_rollout_routing_replay=True actor_rollout_ref.actor.megatron.router_replay.mode=R3",
    "The trainer reuses the engine's routes; with the VeOmni engine the mode stands below actor.veomni.",
  ),
  forTrainer("slime", "--use-rollout-routing-replay", "The trainer reuses the engine's routes."),
  forTrainer("miles", "--use-rollout-routing-replay", "The trainer reuses the engine's routes."),
  forTrainer("nemo-rl", "policy.router_replay.enabled=true", "The trainer reuses the engine's routes."),
  forTrainer(
    "prime-rl",
    "trainer.enable_router_replay = true",
    "Sets inference.vllm.enable_return_routed_experts too.",
  ),
  forTrainer("ms-swift", "--router_replay_mode R3", "The trainer reuses the engine's routes (Megatron)."),
  forTrainer(
    "skyrl",
    "trainer.policy.megatron_config.moe_enable_routing_replay=true generator.inference_engine.enable_return_routed_experts=true",
    "With generator.inference_engine.distributed_executor_backend=mp.",
  ),
  forTrainer(
    "roll",
    "router_replay.mode: R3",
    "On actor_train and actor_infer both; on one alone it does nothing.",
  ),
  forTrainer(
    "xtuner",
    "enable_return_routed_experts=True",
    "In RolloutConfig; the trainer then reuses the engine's routes.",
  ),
];

export const NUMERICS: readonly Cause[] = [
  {
    id: "weight_quantization",
    family: "numerics",
    title: "Quantized weights on one side",
    description: "One side computes with weights in int8, int4 or fp8, the other does not.",
    fix: [
      anyTrainer(
        "serve in bfloat16",
        "Or correct for it: truncated importance sampling on rollout log-probs.",
      ),
      forTrainer(
        "xtuner",
        "XTUNER_RL_FP8_QUANTIZE_IN_BF16=1",
        "Quantizes the values that are exported, not the float32 master weights; in versions with xtuner#2044.",
      ),
    ],
  },
  {
    id: "kv_cache_quantization",
    family: "numerics",
    title: "Rounded KV cache",
    description:
      "The engine keeps keys and values in fp8 or int8, so decoding differs from a prefill of the same text.",
    fix: [
      forTrainer("vllm", "--kv-cache-dtype auto", "Keeps the cache in the model's type."),
      forTrainer("sglang", "--kv-cache-dtype auto", "Keeps the cache in the model's type."),
      anyTrainer(
        "forward calibrated scales after each sync",
        "Scales that fall back to 1.0 make it worse (NeMo#3225).",
      ),
    ],
  },
  {
    id: "logprob_storage_rounding",
    family: "numerics",
    title: "Log-probs stored in half precision",
    description: "Log-probs were rounded to bfloat16 or float16 when they were stored or computed.",
    // slime#245.
    fix: [
      anyTrainer(
        "logits.float().log_softmax(-1), stored as float32",
        "Ratios need about 1e-4 nats; bfloat16 has steps of 2⁻⁸ relative.",
      ),
    ],
  },
  {
    id: "fp16_overflow",
    family: "numerics",
    title: "Float16 overflow in the trainer",
    description: "Activations of the trainer exceed 65,504 in float16 and become NaN from some token on.",
    fix: [
      anyTrainer(
        "bf16 = True, fp16 = False",
        "Or keep softmax, norms and the head in float32 and scale the loss.",
      ),
    ],
  },
  {
    id: "dropout_on",
    family: "numerics",
    title: "Dropout active while scoring",
    description:
      "The trainer scores in training mode, so the same token in the same context gets another log-prob each time.",
    fix: [
      anyTrainer(
        "model.eval() while log-probs are computed",
        "Or set every dropout probability of the model, and of LoRA, to 0.",
      ),
      forTrainer("trl", "disable_dropout=True", "In the trainer's config."),
    ],
  },
  {
    id: "moe_routing_flips",
    family: "numerics",
    title: "Experts routed differently",
    description:
      "Near ties of the router fall the other way on one side: most tokens agree, some are far off.",
    fix: [...REPLAY, anyTrainer("compute the router in float32 on both sides", "Fewer near ties flip.")],
  },
];
