"""The layouts of slime, NeMo RL, prime-rl and xtuner."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save as save_safetensors

from ..rows import Row
from ..task import PAD
from .files import F32, I64, find_positions, floats, put, save_torch


def write_slime(folder: Path, step: int, rows: list[Row], fields: dict) -> None:
    samples = []
    for i, row in enumerate(rows):
        mask = row.dumped_mask()
        sample = {
            "sample_index": i,
            "rollout_position": i,
            "data_parallel_rank": row.rank,
            "tokens": torch.tensor(row.prompt + row.response.tolist()),
            "response_lengths": row.size,
            "total_lengths": len(row.prompt) + row.size,
            "loss_masks": torch.from_numpy(mask),
            "rollout_log_probs": torch.from_numpy(row.columns["rollout"]),
            "log_probs": torch.from_numpy(row.columns["trainer"]),
            "advantages": torch.from_numpy((mask * row.advantage).astype(F32)),
            "rewards": row.score,
        }
        if fields["ref"]:
            sample["ref_log_probs"] = torch.from_numpy(row.columns["reference"])
        if fields["entropy"]:
            sample["entropy"] = torch.from_numpy(row.columns["trainer_entropy"])
        if fields["versions"]:
            sample["weight_versions"] = [str(step - row.staleness)] * len(row.turns())
        samples.append(sample)
    value = {
        "format_version": 2,
        "rollout_id": step,
        "rank": 0,
        "samples": samples,
        "raw_reward": [r.score for r in rows],
    }
    save_torch(folder, f"train_data/{step}.pt", value)


def write_nemo_rl(folder: Path, step: int, rows: list[Row], fields: dict) -> None:
    width = max(len(r.prompt) + r.size for r in rows)

    def line(row: Row, values: list, lead) -> list:
        return [*([lead] * len(row.prompt)), *values, *([lead] * (width - len(row.prompt) - row.size))]

    lines = []
    for i, row in enumerate(rows):
        mask = row.dumped_mask()
        one = {
            "rewards": [row.score],
            "input_lengths": [len(row.prompt) + row.size],
            "token_ids": [row.prompt + line(row, row.response.tolist(), PAD)[len(row.prompt) :]],
            "token_loss_mask": [line(row, mask.tolist(), 0)],
            "sample_loss_mask": [1.0],
            "advantages": [line(row, floats(mask * row.advantage), 0)],
            "generation_logprobs": [line(row, floats(row.columns["rollout"]), 0)],
            "prev_logprobs": [line(row, floats(row.columns["trainer"]), 0)],
            "agent_ref": [{"name": row.problem.source}],
            "idx": [i],
        }
        lines.append(json.dumps(one, separators=(",", ":")))
    put(folder, f"train_data_step{step}.jsonl", ("\n".join(lines) + "\n").encode(), True)


def write_prime_rl(folder: Path, step: int, rows: list[Row], fields: dict) -> None:
    for rank in range(fields["ranks"]):
        lines = []
        for i, row in enumerate(r for r in rows if r.rank == rank):
            lead = [0.0] * len(row.prompt)
            mask = row.dumped_mask()
            one = {
                "schema_version": 1,
                "step": step,
                "rank": rank,
                "micro_step": i // 4,
                "micro_sequence_idx": i % 4,
                "export_sequence_idx": i,
                "env_name": row.problem.source,
                "token_ids": row.prompt + row.response.tolist(),
                "position_ids": find_positions(row).tolist(),
                "loss_mask": [False] * len(row.prompt) + [bool(m) for m in mask],
                "advantages": lead + floats(mask * row.advantage),
                "inference_logprobs": lead + floats(row.columns["rollout"]),
                "trainer_logprobs": lead + floats(row.columns["trainer"]),
            }
            if fields["entropy"]:
                one["entropy"] = lead + floats(row.columns["trainer_entropy"])
            lines.append(json.dumps(one, separators=(",", ":")))
        put(folder, f"token_exports/step_{step}/rank_{rank}.jsonl", ("\n".join(lines) + "\n").encode(), True)


def write_xtuner(folder: Path, step: int, rows: list[Row], fields: dict) -> None:
    """No padding; entry j of every array is about the next token, j + 1."""
    parts: dict[str, list] = {n: [] for n in ("input_ids", "shifted_labels", "position_ids")}
    named = [("rollout_logprobs", "rollout"), ("old_logprobs", "trainer")] + (
        [("ref_logprobs", "reference")] if fields["ref"] else []
    )
    for row in rows:
        ids = np.array(row.prompt + row.response.tolist(), I64)
        start, mask = len(row.prompt) - 1, row.dumped_mask()
        labels = np.full(len(ids), -100, I64)
        labels[start:-1] = np.where(mask == 1, row.response, -100)
        for name, value in (("input_ids", ids), ("shifted_labels", labels), ("position_ids", find_positions(row))):
            parts[name].append(value)
        for name, value in [(n, row.columns[c]) for n, c in named] + [("advantages", mask * row.advantage)]:
            line = np.zeros(len(ids), F32)
            line[start:-1] = value
            parts.setdefault(name, []).append(line)
    lengths = np.array([len(x) for x in parts["input_ids"]], I64)
    tensors = {k: torch.from_numpy(np.concatenate(v)) for k, v in parts.items()}
    tensors["num_tokens"] = torch.from_numpy(lengths)
    tensors["cu_seq_lens_q"] = torch.from_numpy(np.concatenate(([0], lengths.cumsum())).astype(np.int32))
    tensors["rewards"] = torch.tensor([r.score for r in rows])
    about = {"global_step": str(step), "uid": json.dumps([r.uid for r in rows])}
    put(folder, f"step_{step:04d}.safetensors", save_safetensors(tensors, about), True)
