import { advise, type CauseText, FROM_TRAINERS, forEngine } from "./cause.ts";

// slime and miles: --check-weight-update-equal (docs, miles#415). vLLM: RFC #52689.
const CHECKSUM = advise(
  "compare a checksum of the weights on both sides after a sync",
  "One checksum per tensor shows which tensors were not updated.",
);
// NeMo-RL: recompute_kv_cache_after_weight_updates; prime-rl: reset_prefix_cache_after_update (field report, cause 5).
const FLUSH: CauseText["fix"] = [
  FROM_TRAINERS,
  forEngine("sglang", "flush_cache after update_weights", "As a request: POST /flush_cache."),
  forEngine("vllm", "reset_prefix_cache() after the update", "Or serve with --no-enable-prefix-caching."),
];

export const WEIGHTS: readonly CauseText[] = [
  {
    id: "stale_weights",
    family: "weights",
    title: "Engine runs older weights",
    description:
      "The engine sampled with weights several steps older than those that the trainer scores with: both policies are genuine, but one is old.",
    fix: [
      CHECKSUM,
      FROM_TRAINERS,
      advise(
        "use rollout log-probs as old log-probs, with truncated importance sampling",
        "If some staleness is intended, correct for it (logratio sweep).",
      ),
    ],
  },
  {
    id: "trainer_ahead_one_update",
    family: "weights",
    title: "Trainer scored after an update",
    description: "The trainer's log-probs were computed after an optimizer step on the same batch.",
    fix: [
      advise(
        "compute old log-probs before the first optimizer step",
        "Score the whole batch in evaluation mode, then train.",
      ),
    ],
  },
  {
    id: "wrong_checkpoint",
    family: "weights",
    title: "Different checkpoints on the two sides",
    description: "One side runs a different checkpoint, such as the base model or the reference policy.",
    // open-instruct#1627: the engine keeps the initial weights after a resume.
    fix: [
      CHECKSUM,
      advise(
        "sync the weights once before the first rollout",
        "After a resume, the engine runs the initial weights until the first update.",
      ),
    ],
  },
  {
    id: "layer_not_synced",
    family: "weights",
    title: "Some weights not synced",
    description:
      "Some layers in the engine are old, for example because a name does not map or a shard is skipped.",
    // SkyRL#1345, vime#274.
    fix: [
      CHECKSUM,
      FROM_TRAINERS,
      advise(
        "list parameters that the engine did not receive",
        "Fail on missing names instead of ignoring them.",
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
      advise(
        "tie_word_embeddings on both sides, or sync lm_head by name",
        "Recreate copies of the head (float32 casts, tied views) after each sync.",
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
      FROM_TRAINERS,
      advise(
        "merge the adapter before the sync, or send the adapter",
        "Δ starts at 0 and grows from the first update.",
      ),
    ],
  },
  {
    id: "update_below_precision",
    family: "weights",
    title: "Updates lost in the engine's precision",
    description:
      "The trainer's float32 weights move by less than half a step of the engine's bfloat16, so most weights there never change: each sync is exact, and the engine still runs old weights.",
    // martingale, docs/findings/2026-10-06-trl-colocate-sync.md: Adam moved weights by 1e-5, 83 to 88 % never changed.
    fix: [
      FROM_TRAINERS,
      advise(
        "run the trainer's forward pass in the engine's precision",
        "Autocast to bfloat16 over float32 weights: both sides then compute with the same rounded weights.",
      ),
      forEngine("vllm", "--dtype float32", "Serves the weights as they are trained, at twice the memory."),
    ],
  },
  {
    id: "mixed_weight_versions",
    family: "weights",
    title: "Workers with different weights",
    description: "Some rollout workers run older weights than the others.",
    fix: [
      CHECKSUM,
      advise(
        "record the weight version per sequence",
        "Let workers sample only after every worker has confirmed the update.",
      ),
    ],
  },
  {
    id: "stale_prefix_cache",
    family: "weights",
    title: "Prompt cache from older weights",
    description: "The prefix cache returned prompt keys and values that older weights had computed.",
    fix: [
      ...FLUSH,
      advise(
        "flush the prefix cache after every weight update",
        "To verify, compare mean |Δ| of sequences with and without cached tokens.",
      ),
    ],
  },
];
