"""Packed safetensors as xtuner keeps them: sequences end to end, no padding.

Training alignment: entry j of every per-token array is about the *next* token, shifted_labels[j]
(-100 where there is nothing to train on).
"""

import json
from pathlib import Path

import numpy as np
import torch

from .npz import Arrays
from .safetensors import save_safetensors

# Name in the .npz -> name in the pack.
PER_TOKEN = {
    "rollout_log_probs": "rollout_logprobs",
    "old_log_probs": "old_logprobs",
    "ref_log_probs": "ref_logprobs",
    "advantages": "advantages",
}
NOT_TRAINED = -100


def write_packed(path: Path, a: Arrays) -> None:
    rows = [_packed_row(a, b) for b in range(len(a["acc"]))]
    lengths = np.array([len(row["input_ids"]) for row in rows])
    ends = np.concatenate(([0], lengths.cumsum())).astype(np.int32)
    tensors = {k: torch.from_numpy(np.concatenate([row[k] for row in rows])) for k in rows[0]}
    tensors["num_tokens"] = torch.from_numpy(lengths)
    tensors["cu_seq_lens_q"] = torch.from_numpy(ends)
    tensors["rewards"] = torch.from_numpy(a["acc"])
    metadata = {
        "global_step": int(a["global_step"]),
        "layout": "packed, next-token aligned",
        "uid": json.dumps(a["uid"].tolist()),
    }
    save_safetensors(path, tensors, metadata)


def _packed_row(a: Arrays, b: int) -> Arrays:
    real = a["attention_mask"][b] == 1
    ids = a["input_ids"][b][real]
    n = int(real[: a["prompts"].shape[1]].sum())
    m = len(ids) - n
    labels = np.full(len(ids), NOT_TRAINED, np.int64)
    labels[n - 1 : -1] = np.where(a["response_mask"][b, :m] == 1, ids[n:], NOT_TRAINED)
    row = {"input_ids": ids, "shifted_labels": labels, "position_ids": np.arange(len(ids))}
    for ours, theirs in PER_TOKEN.items():
        row[theirs] = np.zeros(len(ids), np.float32)
        row[theirs][n - 1 : -1] = a[ours][b, :m]
    return row
