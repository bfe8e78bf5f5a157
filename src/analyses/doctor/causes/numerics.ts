import { advise, anyTrainer, type Cause, forTrainer } from "./cause.ts";

// Router replay. Where each trainer has its flags: `remedies` of its dialect (src/trainers/NAME/config-keys.ts).
const REPLAY = [
  forTrainer(
    "verl",
    "actor_rollout_ref.rollout.enable_rollout_routing_replay=True actor_rollout_ref.actor.megatron.router_replay.mode=R3",
    "The trainer reuses the engine's routes. With the VeOmni engine, set the mode under actor.veomni.",
  ),
  forTrainer("slime", "--use-rollout-routing-replay", "The trainer reuses the engine's routes."),
  forTrainer("miles", "--use-rollout-routing-replay", "The trainer reuses the engine's routes."),
  forTrainer("nemo-rl", "policy.router_replay.enabled=true", "The trainer reuses the engine's routes."),
  forTrainer(
    "prime-rl",
    "trainer.enable_router_replay = true",
    "Also sets inference.vllm.enable_return_routed_experts.",
  ),
  forTrainer("ms-swift", "--router_replay_mode R3", "The trainer reuses the engine's routes (Megatron)."),
  forTrainer(
    "skyrl",
    "trainer.policy.megatron_config.moe_enable_routing_replay=true generator.inference_engine.enable_return_routed_experts=true",
    "Requires generator.inference_engine.distributed_executor_backend=mp.",
  ),
  forTrainer(
    "roll",
    "router_replay.mode: R3",
    "Set it on both actor_train and actor_infer; on one alone it has no effect.",
  ),
  forTrainer(
    "xtuner",
    "enable_return_routed_experts=True",
    "Set it in RolloutConfig; the trainer then reuses the engine's routes.",
  ),
];

export const NUMERICS: readonly Cause[] = [
  {
    id: "weight_quantization",
    family: "numerics",
    title: "Quantized weights on one side",
    description: "One side uses weights in int8, int4 or fp8; the other does not.",
    fix: [
      advise(
        "serve in bfloat16",
        "Or correct for it with truncated importance sampling on rollout log-probs.",
      ),
      forTrainer(
        "xtuner",
        "XTUNER_RL_FP8_QUANTIZE_IN_BF16=1",
        "Quantizes the exported values, not the float32 master weights; in versions with xtuner#2044.",
      ),
    ],
  },
  {
    id: "kv_cache_quantization",
    family: "numerics",
    title: "Quantized KV cache",
    description:
      "The engine stores keys and values in fp8 or int8, so decoding differs from a prefill of the same text.",
    fix: [
      forTrainer("vllm", "--kv-cache-dtype auto", "Stores the cache in the model's data type."),
      forTrainer("sglang", "--kv-cache-dtype auto", "Stores the cache in the model's data type."),
      advise(
        "send calibrated scales after each sync",
        "Falling back to scales of 1.0 makes it worse (NeMo#3225).",
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
        "logprobs = logits.float().log_softmax(-1)",
        "And store them as float32: ratios need a precision of about 1e-4 nats; bfloat16 has relative steps of 2⁻⁸.",
      ),
    ],
  },
  {
    id: "fp16_overflow",
    family: "numerics",
    title: "Float16 overflow in the trainer",
    description:
      "Activations in the trainer exceed 65,504, the largest float16, and are NaN from that token on.",
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
    title: "Dropout is active while scoring",
    description:
      "The trainer scores in training mode, so the same token in the same context gets a different log-prob each time.",
    fix: [
      anyTrainer(
        "model.eval()",
        "While log-probs are computed. Or set every dropout probability to 0, including LoRA's.",
      ),
      forTrainer("trl", "disable_dropout=True", "Set it in the trainer's config."),
    ],
  },
  {
    id: "moe_routing_flips",
    family: "numerics",
    title: "Experts are routed differently",
    description:
      "The router breaks near ties differently on one side: most tokens agree, a few differ a lot.",
    fix: [
      ...REPLAY,
      advise("compute the router in float32 on both sides", "Fewer near ties are then broken differently."),
    ],
  },
];
