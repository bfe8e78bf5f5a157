"""Every fault that the laboratory can inject, by id."""

from __future__ import annotations

from . import alignment, context, masks, meaning, numerics, scopes, weights
from .base import LEVELS, Draw, Fault, World

MODULES = (meaning, alignment, masks, context, weights, numerics, scopes)
CAUSES = [
    "temperature_mismatch", "log_base", "probabilities_not_logs", "truncation_renormalised", "truncation_unlogged",
    "penalty_mismatch", "greedy_zero_logprobs", "softcap_mismatch", "vocab_padding_in_softmax", "token_shift",
    "rows_shuffled_batch", "rows_shuffled_group", "duplicated_rows", "retokenized_turns", "cp_boundary",
    "tool_tokens_unmasked", "eos_not_in_mask", "mask_past_eos", "mask_shift", "first_token_wrong", "last_token_wrong",
    "bos_missing", "bos_double", "prompt_left_cut", "template_mismatch", "pads_attended", "position_ids_wrong",
    "rope_mismatch", "context_window", "packing_leak", "stale_weights", "trainer_ahead_one_update", "wrong_checkpoint",
    "layer_not_synced", "tied_head_not_synced", "lora_not_merged", "mixed_weight_versions", "stale_prefix_cache",
    "weight_quantization", "kv_cache_quantization", "logprob_storage_rounding", "fp16_overflow", "dropout_on",
    "moe_routing_flips", "sentinel_fill", "nan_logprobs", "clamped_logprobs", "copied_column", "one_bad_rank",
    "one_bad_source", "one_bad_step", "sudden_onset", "growing_staleness", "other_statistic", "columns_swapped",
    "kernel_boundary", "update_below_precision",
]  # fmt: skip
FAULTS = {name: next(getattr(m, name) for m in MODULES if hasattr(m, name)) for name in CAUSES}

__all__ = ["CAUSES", "FAULTS", "LEVELS", "Draw", "Fault", "World"]
