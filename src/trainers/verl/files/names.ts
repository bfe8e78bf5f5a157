/**
 * verl's names: `verl/protocol.py` and `verl/trainer/ppo/ray_trainer.py` (commit 1dda039b), and the spellings of
 * users' own dumps (plural and singular, `_ids` in JSONL).
 *
 * @module
 */
import { DIGIT_NAMES, FURTHER_NAMES, type NameTable } from "../../../input/adapters/shared/fields.ts";
import { NARROWING_MASKS } from "../../../input/adapters/shared/masks.ts";

export const VERL_NAMES: NameTable = {
  rollout: ["rollout_log_probs", "rollout_log_prob"],
  trainer: ["old_log_probs", "old_log_prob"],
  reference: ["ref_log_prob", "ref_log_probs"],
  ...FURTHER_NAMES,
  tokens: ["responses", "response_ids"],
  prompt: ["prompts", "prompt_ids"],
  inputIds: ["input_ids"],
  attention: ["attention_mask"],
  mask: ["response_mask"],
  lossMask: ["loss_mask"],
  ...NARROWING_MASKS,
  positions: ["position_ids"],
  advantages: ["advantages", "advantage"],
  rolloutEntropy: ["rollout_entropy", "rollout_entropys"],
  trainerEntropy: ["old_entropy", "entropys", "old_entropys", "entropy"],
  rolloutTopIds: ["rollout_top_ids"],
  rolloutTopLogprobs: ["rollout_top_log_probs"],
  trainerTopIds: ["old_top_ids"],
  trainerTopLogprobs: ["old_top_log_probs"],
  ...DIGIT_NAMES,
  tokenScores: ["token_level_scores", "token_level_rewards"],
  tokenRewards: ["token_level_rewards"],
  reward: ["score", "reward"],
  correctness: ["acc"],
  group: ["uid"],
  sample: ["request_id", "keys"],
  environment: ["data_source"],
  finishReason: ["finish_reason", "stop_reason"],
  engineId: ["engine_id", "replica_rank"],
  cachedTokens: ["cached_tokens", "num_cached_tokens"],
  step: ["global_steps", "global_step", "step"],
  promptText: ["input"],
  responseText: ["output"],
  temperature: ["temperature"],
  topP: ["top_p"],
  topK: ["top_k"],
  minP: ["min_p"],
  repetitionPenalty: ["repetition_penalty"],
  presencePenalty: ["presence_penalty"],
  frequencyPenalty: ["frequency_penalty"],
  padToken: ["pad_token_id"],
};
