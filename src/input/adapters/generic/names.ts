/**
 * Names of fields when no trainer's own format is recognized, the most specific first.
 *
 * @module
 */
import type { ColumnMapping } from "../adapter.ts";
import { DIGIT_NAMES, type Field, FURTHER_NAMES, type NameTable } from "../shared/fields.ts";
import { NARROWING_MASKS, withoutOtherMasks } from "../shared/masks.ts";

export const SYNONYMS: NameTable = {
  rollout: [
    "rollout_logprobs",
    "rollout_log_probs",
    "rollout_log_prob",
    "rollout_logps",
    "sampling_per_token_logps",
    "sampling_logprobs",
    "sampling_logps",
    "generation_logprobs",
    "inference_logprobs",
    "infer_logprobs",
    "infer_log_probs",
    "vllm_logprobs",
    "sglang_logprobs",
    "engine_logprobs",
    "behavior_logprobs",
    "behave_logprobs",
    "sampler_logprobs",
    "sampled_logprobs",
    // agent-lightning and OpenJiuwen keep what the engine returned.
    "response_logprobs",
    "trajectory.response_logprobs",
  ],
  trainer: [
    "trainer_logprobs",
    "old_logprobs",
    "old_log_probs",
    "old_log_prob",
    "old_per_token_logps",
    "prev_logprobs",
    "actor_logprobs",
    "actor_log_probs",
    "action_log_probs",
    "train_logprobs",
    "train_log_probs",
    "training_logprobs",
    "training_log_probs",
    "prox_logp",
    "proximal_logprobs",
    "log_probs",
  ],
  reference: [
    "reference_logprobs",
    "ref_logprobs",
    "ref_log_probs",
    "ref_log_prob",
    "ref_per_token_logps",
    "base_action_log_probs",
  ],
  ...FURTHER_NAMES,
  tokens: [
    "response_token_ids",
    "response_ids",
    "completion_ids",
    "completion_token_ids",
    "sampled_token_ids",
    "output_token_ids",
    "output_ids",
    "responses",
    "response_tokens",
    "token_ids",
    "trajectory.response_ids",
  ],
  prompt: ["prompt_token_ids", "prompt_ids", "prompts", "prompt_tokens"],
  inputIds: ["input_ids", "sequences"],
  attention: ["attention_mask"],
  mask: ["response_mask", "completion_mask", "mask"],
  lossMask: ["loss_mask", "loss_masks", "token_loss_mask"],
  ...NARROWING_MASKS,
  promptMask: ["prompt_mask"],
  positions: ["position_ids"],
  advantages: ["advantages", "advantage"],
  rolloutEntropy: ["rollout_entropy"],
  trainerEntropy: ["trainer_entropy", "old_entropy", "entropy", "entropies"],
  ...DIGIT_NAMES,
  reward: ["reward", "rewards", "score", "judge.score"],
  correctness: ["correctness", "correct", "is_correct", "acc"],
  group: ["group_id", "uid", "prompt_id"],
  sample: ["sample_id", "request_id", "id"],
  environment: ["environment", "env_name", "env", "data_source"],
  finishReason: ["finish_reason", "finish_reasons", "stop_reason", "stop_reasons"],
  engineId: ["engine_id", "engine", "replica_id", "replica"],
  cachedTokens: ["cached_tokens", "num_cached_tokens", "prefix_cache_hit_tokens"],
  step: ["step", "global_step", "global_steps"],
  rank: ["rank"],
  promptText: ["prompt_text", "prompt"],
  responseText: ["response_text", "response", "completion", "text"],
};

/** The synonyms, replaced by the columns that the user named. */
export function mappedNames(mapping: ColumnMapping | undefined): NameTable {
  if (mapping === undefined) return SYNONYMS;
  const { policies: _policies, lengths: _lengths, ...fields } = mapping;
  const named = Object.entries(fields).map(([field, name]): [Field, readonly string[]] => [
    field as Field,
    [name as string],
  ]);
  const known = mapping.mask === undefined ? SYNONYMS : withoutOtherMasks(SYNONYMS);
  return { ...known, ...Object.fromEntries(named) };
}
