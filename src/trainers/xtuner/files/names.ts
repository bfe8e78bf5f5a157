/**
 * xtuner's names: `xtuner/v1/rl/rollout_is.py`, `xtuner/v1/rl/loss/base_loss.py` (commit b934f462) and the plural and
 * singular spellings in dumps made from them.
 *
 * @module
 */
import { FURTHER_NAMES } from "../../../input/adapters/shared/fields.ts";
import type { PackField } from "../../../input/adapters/shared/read-pack.ts";

/** xtuner writes none of these. */
const NO_OTHER_MASKS = { actionMask: [], assistantMask: [], toolMask: [], envMask: [] };

export const XTUNER_NAMES: Readonly<Record<PackField, readonly string[]>> = {
  rollout: ["rollout_logprobs", "rollout_log_probs", "rollout_log_prob"],
  trainer: ["old_logprobs", "old_log_probs", "old_log_prob"],
  reference: ["ref_logprobs", "ref_log_probs", "ref_log_prob"],
  ...FURTHER_NAMES,
  labels: ["shifted_labels"],
  mask: ["response_mask"],
  lossMask: ["loss_mask"],
  ...NO_OTHER_MASKS,
  inputIds: ["input_ids"],
  positions: ["position_ids"],
  advantages: ["advantages", "advantage"],
  rolloutEntropy: ["rollout_entropy"],
  trainerEntropy: ["old_entropy", "entropy"],
  lengths: ["num_tokens", "seq_lens_q"],
  bounds: ["cu_seq_lens_q", "cu_seq_lens"],
  reward: ["rewards", "reward", "scores"],
  group: ["uid", "group_id"],
  step: ["global_step", "step", "rollout_idx", "train_step"],
  rank: ["rank"],
};
