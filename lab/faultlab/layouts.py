"""The files that trainers write: one function per layout, rows of one step in, files out."""

from __future__ import annotations

import gzip
import io
import json
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save as save_safetensors

from .rows import TOP, Row
from .task import LONGEST_PROMPT, LONGEST_RESPONSE, PAD

F32, I64 = np.float32, np.int64
DETAILS = {
    "entropy": [("rollout_entropy", "rollout_entropy"), ("old_entropy", "trainer_entropy")],
    "topk": [
        ("rollout_top_ids", "rollout_top_ids"),
        ("rollout_top_log_probs", "rollout_top"),
        ("old_top_ids", "trainer_top_ids"),
        ("old_top_log_probs", "trainer_top"),
    ],
}


def floats(values: np.ndarray) -> list:
    """The shortest decimals that read back to the same float32; NaN is null, as JSON has none."""
    return [float(str(v)) if np.isfinite(v) else None for v in np.asarray(values, F32)]


def put(folder: Path, name: str, data: bytes, packed: bool) -> None:
    path = folder / (name + (".gz" if packed else ""))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(data, 6, mtime=0) if packed else data)


def pad(values: list[np.ndarray], width: int, dtype, fill=0) -> np.ndarray:
    out = np.full((len(values), width, *values[0].shape[1:]), fill, dtype)
    for row, value in zip(out, values, strict=True):
        row[: len(value)] = value
    return out


def find_positions(row: Row) -> np.ndarray:
    return row.positions if row.positions is not None else np.arange(len(row.prompt) + row.size)


def build_batch(rows: list[Row], fields: dict) -> dict[str, np.ndarray]:
    """verl's padded arrays: prompts on the left, responses on the right."""
    width = max(LONGEST_RESPONSE, *(r.size for r in rows))
    column = lambda name: pad([r.columns[name] for r in rows], width, F32)  # noqa: E731
    prompts = np.full((len(rows), LONGEST_PROMPT), PAD, I64)
    positions = np.zeros((len(rows), LONGEST_PROMPT + width), I64)
    attention = np.zeros_like(positions)
    for i, row in enumerate(rows):
        n = len(row.prompt)
        prompts[i, LONGEST_PROMPT - n :] = row.prompt
        attention[i, LONGEST_PROMPT - n : LONGEST_PROMPT + row.size] = 1
        known = find_positions(row)
        positions[i, LONGEST_PROMPT - n : LONGEST_PROMPT + row.size] = known
        positions[i, LONGEST_PROMPT + row.size :] = known[-1]
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


def save_torch(folder: Path, name: str, value) -> None:
    buffer = io.BytesIO()
    torch.save(value, buffer)
    put(folder, name, buffer.getvalue(), True)


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


WRITERS = {
    "verl_npz": write_verl_npz,
    "verl_pt": write_verl_pt,
    "verl_jsonl": write_verl_jsonl,
    "slime": write_slime,
    "nemo_rl": write_nemo_rl,
    "prime_rl": write_prime_rl,
    "xtuner": write_xtuner,
}
# What a layout can hold. `entropy`: of which side; ranks: how rows are told apart.
CAN_HOLD = {
    "verl_npz": {"entropy", "topk", "ref", "rescored", "ranks", "sources", "positions", "groups"},
    "verl_pt": {"entropy", "topk", "ref", "rescored", "sources", "positions", "groups"},
    "verl_jsonl": {"entropy", "ref", "rescored", "sources", "groups"},
    "slime": {"entropy", "ref", "ranks"},
    "nemo_rl": {"sources"},
    "prime_rl": {"entropy", "ranks", "sources", "positions"},
    "xtuner": {"ref", "positions", "groups"},
}
__all__ = ["CAN_HOLD", "TOP", "WRITERS"]
