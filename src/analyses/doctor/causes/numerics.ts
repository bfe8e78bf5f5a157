import { advise, anyTrainer, type CauseText, FROM_TRAINERS, forEngine } from "./cause.ts";

export const NUMERICS: readonly CauseText[] = [
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
      FROM_TRAINERS,
    ],
  },
  {
    id: "kv_cache_quantization",
    family: "numerics",
    title: "Quantized KV cache",
    description:
      "The engine stores keys and values in fp8 or int8, so decoding differs from a prefill of the same text.",
    fix: [
      forEngine("vllm", "--kv-cache-dtype auto", "Stores the cache in the model's data type."),
      forEngine("sglang", "--kv-cache-dtype auto", "Stores the cache in the model's data type."),
      advise(
        "send calibrated scales after each sync",
        "Falling back to scales of 1.0 makes it worse (NeMo#3225).",
      ),
    ],
  },
  {
    id: "kernel_boundary",
    family: "numerics",
    title: "Another kernel from one position on",
    description:
      "Both sides are equal up to one position and differ by rounding after it: a kernel that sums in another order takes over there, because keys are split, a chunk of the prefill ends or a block is full.",
    fix: [
      forEngine(
        "vllm",
        "VLLM_BATCH_INVARIANT=1",
        "Kernels that sum in one order, whatever the batch and the length.",
      ),
      forEngine("sglang", "--enable-deterministic-inference", "Fixes the split size of attention."),
      advise(
        "leave it if bitwise equality is not a goal",
        "Rounding of this size is what any bfloat16 engine has.",
      ),
    ],
  },
  {
    id: "logprob_storage_rounding",
    family: "numerics",
    title: "Log-probs stored with too few digits",
    description:
      "Log-probs were rounded to bfloat16, float16 or a few decimals when they were stored or computed.",
    // slime#245.
    fix: [
      anyTrainer(
        "logprobs = logits.float().log_softmax(-1)",
        "And store them as float32: ratios need a precision of about 1e-4 nats; bfloat16 has relative steps of 2⁻⁸.",
      ),
      advise(
        "write log-probs as text with six significant digits or more",
        "Two decimals add 2.5e-3 nats to each, as much as a bfloat16 engine, and round sure tokens to 0.",
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
      FROM_TRAINERS,
    ],
  },
  {
    id: "moe_routing_flips",
    family: "numerics",
    title: "Experts are routed differently",
    description:
      "The router breaks near ties differently on one side: most tokens agree, a few differ a lot.",
    fix: [
      // Router replay.
      FROM_TRAINERS,
      advise("compute the router in float32 on both sides", "Fewer near ties are then broken differently."),
    ],
  },
];
