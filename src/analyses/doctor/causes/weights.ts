import { anyTrainer, type Cause, forTrainer } from "./cause.ts";

// slime and miles: --check-weight-update-equal (docs, miles#415). vLLM: RFC #52689.
const CHECKSUM = anyTrainer(
  "compare a checksum of the weights on both sides after a sync",
  "One number per tensor tells which tensors were not updated.",
);
const CHECK_SLIME = forTrainer(
  "slime",
  "--check-weight-update-equal",
  "Compares the engine's weights with the trainer's after each update.",
);
const CHECK_MILES = forTrainer(
  "miles",
  "--check-weight-update-equal",
  "Compares the engine's weights with the trainer's after each update.",
);
// NeMo-RL: recompute_kv_cache_after_weight_updates; prime-rl: reset_prefix_cache_after_update (field report, cause 5).
const FLUSH = [
  forTrainer(
    "nemo-rl",
    "grpo.async_grpo.recompute_kv_cache_after_weight_updates=true",
    "Drops what older weights put into the cache (NeMo#4018).",
  ),
  forTrainer(
    "prime-rl",
    "inference.vllm.enable_prefix_caching = false",
    "prime-rl salts the cache with the version that a group began with; without the cache nothing old is left.",
  ),
  forTrainer("sglang", "flush_cache after update_weights", "POST /flush_cache."),
  forTrainer("vllm", "reset_prefix_cache() after the update", "Or serve with --no-enable-prefix-caching."),
];

export const WEIGHTS: readonly Cause[] = [
  {
    id: "stale_weights",
    family: "weights",
    title: "Engine has older weights",
    description:
      "The engine sampled with weights that are some steps behind those that the trainer scores with: two genuine policies, one of them old.",
    fix: [
      CHECKSUM,
      CHECK_SLIME,
      CHECK_MILES,
      forTrainer(
        "prime-rl",
        "orchestrator.max_off_policy_steps = 0",
        "Bounds how old rollouts may be; asynchronous training needs a correction for the rest.",
      ),
      anyTrainer(
        "use rollout log-probs as old log-probs, with truncated importance sampling",
        "Where some staleness is wanted, correct for it (`logratio sweep`).",
      ),
    ],
  },
  {
    id: "trainer_ahead_one_update",
    family: "weights",
    title: "Trainer scored after an update",
    description: "The trainer's log-probs were computed after an optimizer step on the same batch.",
    fix: [
      anyTrainer(
        "compute old log-probs before the first optimizer step",
        "Score the whole batch in evaluation mode, then train.",
      ),
    ],
  },
  {
    id: "wrong_checkpoint",
    family: "weights",
    title: "Another checkpoint on one side",
    description:
      "One side runs another checkpoint than the other, such as the base model or the reference policy.",
    // open-instruct#1627: the engine keeps the initial weights after a resume.
    fix: [
      CHECKSUM,
      anyTrainer(
        "sync the weights once before the first rollout",
        "After a resume the engine has the initial weights until the first update.",
      ),
    ],
  },
  {
    id: "layer_not_synced",
    family: "weights",
    title: "Part of the weights not synced",
    description: "Some layers of the engine are old: a name that does not map, a shard that is skipped.",
    // SkyRL#1345, vime#274.
    fix: [
      CHECKSUM,
      CHECK_SLIME,
      anyTrainer(
        "list parameters that the engine did not receive",
        "Fail on names that are missing instead of ignoring them.",
      ),
    ],
  },
  {
    id: "tied_head_not_synced",
    family: "weights",
    title: "Output head not synced",
    description: "The engine's output head, tied to the embedding, is old.",
    // prime-rl#2438: a cached fp32 head goes stale.
    fix: [
      CHECKSUM,
      anyTrainer(
        "tie_word_embeddings on both sides, or sync lm_head by name",
        "Copies of the head (float32 casts, tied views) have to be made again after each sync.",
      ),
    ],
  },
  {
    id: "lora_not_merged",
    family: "weights",
    title: "LoRA missing in the engine",
    description: "The engine serves the base model without the adapter that the trainer trains.",
    // verl#7014: the merge context closed before the weights were read.
    fix: [
      CHECKSUM,
      forTrainer(
        "verl",
        "actor_rollout_ref.rollout.load_format=safetensors actor_rollout_ref.model.lora.merge=True",
        "The first is required, with dummy the engine has no base model; merged weights are sent whole, and SGLang takes nothing else.",
      ),
      anyTrainer(
        "merge the adapter before the sync, or send the adapter",
        "Δ starts at 0 and grows from the first update on.",
      ),
    ],
  },
  {
    id: "mixed_weight_versions",
    family: "weights",
    title: "Workers with different weights",
    description: "Part of the rollout workers hold older weights than the others.",
    fix: [
      CHECKSUM,
      anyTrainer(
        "record the weight version per sequence",
        "And wait until every worker confirmed the update before it samples.",
      ),
    ],
  },
  {
    id: "stale_prefix_cache",
    family: "weights",
    title: "Prompt cache of older weights",
    description:
      "Keys and values of the prompt were computed by older weights and reused from the prefix cache.",
    fix: [
      ...FLUSH,
      anyTrainer(
        "flush the prefix cache after every weight update",
        "Compare mean |Δ| of sequences with and without cached tokens.",
      ),
    ],
  },
];
