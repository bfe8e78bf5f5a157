/** Experiments that teams use to bisect, cheapest first, and the outcome that each cause predicts. */

export interface Experiment {
  readonly id: string;
  readonly title: string;
  /** What to do; commands have lines of their own. */
  readonly steps: readonly string[];
  /** The last outcome applies to every cause that no other outcome names. */
  readonly outcomes: readonly { readonly outcome: string; readonly causes: readonly string[] }[];
}

const OTHER_PROMPT = [
  "template_mismatch",
  "bos_missing",
  "bos_double",
  "prompt_left_cut",
  "retokenized_turns",
];

export const EXPERIMENTS: readonly Experiment[] = [
  {
    id: "compare_prompt_ids",
    title: "Compare the token ids that each side sees",
    steps: [
      "Take one sequence with large Δ. Write out the ids that the engine received (vLLM: return_token_ids, or prompt_token_ids in the reply) and the trainer's input_ids.",
      "Compare them one by one, including the prompt and earlier turns.",
    ],
    outcomes: [
      { outcome: "the ids differ", causes: OTHER_PROMPT },
      { outcome: "the ids are the same", causes: [] },
    ],
  },
  {
    id: "weight_checksum",
    title: "Compare weight checksums after a sync",
    steps: [
      "Right after a weight sync, sum |w| of every tensor on the trainer and on each engine worker (slime and miles: --check-weight-update-equal).",
      "Compare by name, including adapters and the output head.",
    ],
    outcomes: [
      {
        outcome: "all or most tensors differ",
        causes: [
          "stale_weights",
          "wrong_checkpoint",
          "growing_staleness",
          "weight_quantization",
          "update_below_precision",
        ],
      },
      {
        outcome: "some tensors differ",
        causes: ["layer_not_synced", "tied_head_not_synced", "lora_not_merged"],
      },
      { outcome: "workers differ from each other", causes: ["mixed_weight_versions", "one_bad_rank"] },
      { outcome: "all are equal", causes: [] },
    ],
  },
  {
    id: "rescore_prefill",
    title: "Re-score the rollouts with the engine's own prefill",
    steps: [
      "Send the finished texts as token ids to the same engine and take its prompt log-probs (max_tokens = 1):",
      "logratio score --config score.yaml",
      "Record them as rescored_log_probs next to the other two columns and run the doctor again: it then names the leg that differs.",
    ],
    outcomes: [
      {
        outcome: "decoding differs from prefill, prefill agrees with the trainer",
        causes: [
          "kv_cache_quantization",
          "stale_prefix_cache",
          "moe_routing_flips",
          "sentinel_fill",
          "penalty_mismatch",
          "truncation_renormalised",
          "greedy_zero_logprobs",
        ],
      },
      { outcome: "prefill agrees with decoding and differs from the trainer", causes: [] },
    ],
  },
  {
    id: "zero_learning_rate",
    title: "Run two steps with a learning rate of 0",
    steps: [
      "Start from the current checkpoint with lr = 0 and run two steps, including the weight syncs: the policy cannot change.",
      "Compare mean |Δ| of the second step with the run's:",
      "logratio report NEW_RUN",
    ],
    outcomes: [
      {
        outcome: "Δ falls to the engine's precision",
        causes: [
          "stale_weights",
          "trainer_ahead_one_update",
          "growing_staleness",
          "mixed_weight_versions",
          "stale_prefix_cache",
        ],
      },
      { outcome: "Δ stays", causes: [] },
    ],
  },
  {
    id: "score_twice",
    title: "Score the same batch twice with the trainer",
    steps: [
      "Call the trainer's log-prob function twice on one batch, with different micro-batch sizes and no update in between.",
      "logratio compare FIRST SECOND",
    ],
    outcomes: [
      { outcome: "the two differ", causes: ["dropout_on"] },
      {
        outcome: "they differ where packing, padding or truncation differs",
        causes: ["packing_leak", "pads_attended", "cp_boundary"],
      },
      { outcome: "they are equal", causes: [] },
    ],
  },
  {
    id: "plain_sampling",
    title: "Sample one step with T = 1 and no filters or penalties",
    steps: [
      "Set temperature = 1, top_p = 1, top_k = −1, min_p = 0 and repetition_penalty = 1, and run one step.",
      "logratio doctor NEW_RUN",
    ],
    outcomes: [
      {
        outcome: "Δ falls to the engine's precision",
        causes: [
          "temperature_mismatch",
          "truncation_renormalised",
          "penalty_mismatch",
          "truncation_unlogged",
          "greedy_zero_logprobs",
        ],
      },
      { outcome: "Δ stays", causes: [] },
    ],
  },
  {
    id: "compare_configs",
    title: "Compare the model configs of both sides",
    steps: [
      "Write out config.json as the engine and as the trainer loaded it, including overrides.",
      "Compare rope_theta, rope_scaling, sliding_window, max_position_embeddings, final_logit_softcapping, vocab_size and its padding.",
    ],
    outcomes: [
      { outcome: "the rotary embedding or the window differs", causes: ["rope_mismatch", "context_window"] },
      {
        outcome: "the soft-cap or the vocabulary differs",
        causes: ["softcap_mismatch", "vocab_padding_in_softmax"],
      },
      { outcome: "they are the same", causes: [] },
    ],
  },
  {
    id: "full_precision",
    title: "Run one step without quantization",
    steps: [
      "Serve weights and KV cache in bfloat16 (--quantization none, --kv-cache-dtype auto) for one step.",
      "logratio doctor NEW_RUN",
    ],
    outcomes: [
      {
        outcome: "Δ falls to the engine's precision",
        causes: ["weight_quantization", "kv_cache_quantization"],
      },
      { outcome: "Δ stays", causes: [] },
    ],
  },
  {
    id: "no_prefix_cache",
    title: "Restart the engine with prefix caching off",
    steps: [
      "Restart the engine with --no-enable-prefix-caching and run one step.",
      "logratio doctor NEW_RUN",
    ],
    outcomes: [
      { outcome: "Δ falls to the engine's precision", causes: ["stale_prefix_cache"] },
      { outcome: "Δ stays", causes: [] },
    ],
  },
  {
    id: "replay_routes",
    title: "Replay the engine's expert routes in the trainer",
    steps: [
      "Turn on router replay (slime: --use-rollout-routing-replay) for one step.",
      "logratio report NEW_RUN",
    ],
    outcomes: [
      { outcome: "the tail of Δ collapses", causes: ["moe_routing_flips"] },
      { outcome: "Δ stays", causes: [] },
    ],
  },
  {
    id: "one_row_per_batch",
    title: "Score one sequence per batch, without packing or padding",
    steps: [
      "Score a few sequences one at a time with the trainer: no padding, no packing, no context parallelism.",
      "Compare them with the recorded trainer log-probs.",
    ],
    outcomes: [
      {
        outcome: "Δ vanishes",
        causes: ["packing_leak", "pads_attended", "cp_boundary", "position_ids_wrong"],
      },
      { outcome: "Δ stays", causes: [] },
    ],
  },
  {
    id: "perturb_weights",
    title: "Perturb the weights of one side",
    steps: ["Add noise of 1e-3 to one tensor in the trainer, score the batch again and compare the columns."],
    outcomes: [
      { outcome: "Δ is still 0", causes: ["copied_column"] },
      { outcome: "Δ moves", causes: [] },
    ],
  },
];
