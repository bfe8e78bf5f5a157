"""verl's layouts: padded arrays per step or per rank, torch files, and one object per sequence."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import torch

from ..rows import Row
from ..task import LONGEST_PROMPT, LONGEST_RESPONSE, PAD
from .files import F32, I64, find_positions, floats, pad, put, save_torch

DETAILS = {
    "entropy": [("rollout_entropy", "rollout_entropy"), ("old_entropy", "trainer_entropy")],
    "topk": [
        ("rollout_top_ids", "rollout_top_ids"),
        ("rollout_top_log_probs", "rollout_top"),
        ("old_top_ids", "trainer_top_ids"),
        ("old_top_log_probs", "trainer_top"),
    ],
}


def build_batch(rows: list[Row], fields: dict) -> dict[str, np.ndarray]:
    """verl's padded arrays: prompts on the left, responses on the right."""
    width = max(LONGEST_RESPONSE, *(r.size for r in rows))
    column = lambda name: pad([r.columns[name] for r in rows], width, F32)  # noqa: E731
    longest = max(LONGEST_PROMPT, *(len(r.prompt) for r in rows))
    prompts = np.full((len(rows), longest), PAD, I64)
    positions = np.zeros((len(rows), longest + width), I64)
    attention = np.zeros_like(positions)
    for i, row in enumerate(rows):
        n = len(row.prompt)
        prompts[i, longest - n :] = row.prompt
        attention[i, longest - n : longest + row.size] = 1
        known = find_positions(row)
        positions[i, longest - n : longest + row.size] = known
        positions[i, longest + row.size :] = known[-1]
    mask = pad([r.dumped_mask() for r in rows], width, I64)
    a = {
        "prompts": prompts,
        "responses": pad([r.response for r in rows], width, I64, PAD),
        "response_mask": mask,
        "attention_mask": attention,
        "rollout_log_probs": column("rollout"),
        "old_log_probs": column("trainer"),
    }
    if fields["ref"]:
        a["ref_log_probs"] = column("reference")
    if fields["rescored"]:
        a["rescored_log_probs"] = column("rescored")
    for kind in ("entropy", "topk"):
        for theirs, ours in DETAILS[kind] if fields[kind] else ():
            ids = theirs.endswith("ids")
            a[theirs] = pad([r.columns[ours] for r in rows], width, np.int32 if ids else F32, -1 if ids else 0)
    a["token_level_scores"] = np.zeros(mask.shape, F32)
    for i, row in enumerate(rows):
        a["token_level_scores"][i, row.size - 1] = row.score
    a["advantages"] = (mask * np.array([r.advantage for r in rows])[:, None]).astype(F32)
    a["input_ids"] = np.concatenate((prompts, a["responses"]), axis=1)
    a["position_ids"] = positions
    return a


def write_verl_npz(folder: Path, step: int, rows: list[Row], fields: dict) -> None:
    parts = (
        [(f"_rank_{r}", [x for x in rows if x.rank == r]) for r in range(fields["ranks"])]
        if fields["per_rank"]
        else [("", rows)]
    )
    for suffix, part in parts:
        a = build_batch(part, fields) | {
            "acc": np.array([r.score for r in part], F32),
            "num_turns": np.array([len(r.turns()) for r in part], I64),
            "uid": np.array([r.uid for r in part]),
            "data_source": np.array([r.problem.source for r in part]),
            "global_step": np.array(step, I64),
        }
        buffer = io.BytesIO()
        np.savez_compressed(buffer, **a)
        put(folder, f"step_{step:04d}{suffix}.npz", buffer.getvalue(), False)


def write_verl_pt(folder: Path, step: int, rows: list[Row], fields: dict) -> None:
    names = {"ref_log_probs": "ref_log_prob", "old_entropy": "entropys", "rollout_entropy": "rollout_entropys"}
    batch = {names.get(k, k): torch.from_numpy(v) for k, v in build_batch(rows, fields).items()}
    other = {
        "uid": [r.uid for r in rows],
        "data_source": [r.problem.source for r in rows],
        "acc": [r.score for r in rows],
        "__num_turns__": [len(r.turns()) for r in rows],
    }
    save_torch(
        folder, f"step_{step:04d}.pt", {"batch": batch, "non_tensor_batch": other, "meta_info": {"global_steps": step}}
    )


def write_verl_jsonl(folder: Path, step: int, rows: list[Row], fields: dict) -> None:
    lines = []
    for row in rows:
        one = {
            "step": step,
            "uid": row.uid,
            "data_source": row.problem.source,
            "score": row.score,
            "acc": row.score,
            "num_turns": len(row.turns()),
            "prompt_ids": row.prompt,
            "response_ids": row.response.tolist(),
            "response_mask": row.dumped_mask().tolist(),
            "rollout_log_probs": floats(row.columns["rollout"]),
            "old_log_probs": floats(row.columns["trainer"]),
            "advantage": float(F32(row.advantage)),
        }
        for theirs, ours, field in (
            ("ref_log_probs", "reference", "ref"),
            ("rescored_log_probs", "rescored", "rescored"),
        ):
            if fields[field]:
                one[theirs] = floats(row.columns[ours])
        for theirs, ours in DETAILS["entropy"] if fields["entropy"] else ():
            one[theirs] = floats(row.columns[ours])
        lines.append(json.dumps(one, separators=(",", ":")))
    put(folder, f"step_{step:04d}.jsonl", ("\n".join(lines) + "\n").encode(), True)
