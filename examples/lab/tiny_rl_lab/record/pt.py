"""torch.save of a dict with the names of verl's DataProto (plain dicts, no pickled classes)."""

from pathlib import Path

import torch

from .npz import Arrays

# Name in the .npz -> name in DataProto.batch.
TENSORS = {
    "prompts": "prompts",
    "responses": "responses",
    "input_ids": "input_ids",
    "attention_mask": "attention_mask",
    "position_ids": "position_ids",
    "response_mask": "response_mask",
    "rollout_log_probs": "rollout_log_probs",
    "old_log_probs": "old_log_probs",
    "ref_log_probs": "ref_log_prob",
    "old_entropy": "entropys",
    "rollout_entropy": "rollout_entropys",
    "rollout_top_ids": "rollout_top_ids",
    "rollout_top_log_probs": "rollout_top_log_probs",
    "old_top_ids": "old_top_ids",
    "old_top_log_probs": "old_top_log_probs",
    "token_level_scores": "token_level_scores",
    "advantages": "advantages",
}


def write_pt(path: Path, a: Arrays) -> None:
    """Loads with torch.load(path, weights_only=True)."""
    batch = {theirs: torch.from_numpy(a[ours].copy()) for ours, theirs in TENSORS.items()}
    batch["token_level_rewards"] = torch.from_numpy(a["token_level_scores"].copy())
    batch["returns"] = torch.from_numpy(a["advantages"].copy())
    content = {"batch": batch, "non_tensor_batch": _lists(a), "meta_info": _meta(a)}
    torch.save(content, path)


def _lists(a: Arrays) -> dict[str, list]:
    truths = a["ground_truth"].tolist()
    return {
        "uid": a["uid"].tolist(),
        "acc": a["acc"].tolist(),
        "__num_turns__": a["num_turns"].tolist(),
        "data_source": ["tiny_calc"] * len(truths),
        "stop_reason": a["stop_reason"].tolist(),
        "reward_model": [{"style": "rule", "ground_truth": truth} for truth in truths],
    }


def _meta(a: Arrays) -> dict:
    return {
        "global_steps": int(a["global_step"]),
        "temperature": 1.0,
        "eos_token_id": 2,
        "pad_token_id": 0,
    }
