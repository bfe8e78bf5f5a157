"""The record of a step: one padded .npz with the names of verl's DataProto.

Prompts are left-padded, responses right-padded, and every [B, R] array is aligned with `responses`:
entry t is about the token responses[:, t]. Log-probs and entropies are in nats.
"""

import uuid
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ..engine import MAX_PROMPT as P
from ..engine import MAX_RESPONSE as R
from ..engine import TOP_K, Trajectory
from ..task import Problem
from ..tokenizer import PAD

Arrays = dict[str, np.ndarray]
F, I = np.float32, np.int64  # noqa: E741


def record_arrays(
    run: str,
    step: int,
    problems: Sequence[Problem],
    trajectories: Sequence[Trajectory],
    scores: Sequence[float],
    advantages: Sequence[float],
    old: Sequence[dict],
    ref: Sequence[dict],
) -> Arrays:
    """All arrays of one step; `old` and `ref` are what `trainer_pass` gave, `old` with details."""
    a = _blank(len(trajectories)) | _per_sequence(run, step, problems, trajectories, scores)
    for b, t in enumerate(trajectories):
        _fill_tokens(a, b, t)
        _fill_trainer(a, b, len(t.response), old[b], ref[b])
        a["token_level_scores"][b, len(t.response) - 1] = scores[b]
        a["advantages"][b, : len(t.response)] = np.asarray(t.mask, F) * advantages[b]
    a["input_ids"] = np.concatenate((a["prompts"], a["responses"]), axis=1)
    a["position_ids"] = np.maximum(a["attention_mask"].cumsum(1) - 1, 0)
    return a


def save_npz(path: Path, arrays: Arrays) -> None:
    """Deflated and without pickles: np.load(path) is enough to read it."""
    np.savez_compressed(path, **arrays)


def load_npz(path: Path) -> Arrays:
    with np.load(path) as z:
        return {name: z[name] for name in z.files}


def take_rows(a: Arrays, rows: slice) -> Arrays:
    """The same record with fewer sequences; padding stays as wide as it was."""
    return {name: v[rows] if v.ndim else v for name, v in a.items()}


def _blank(rows: int) -> Arrays:
    def zeros(*shape: int, dtype=F) -> np.ndarray:
        return np.zeros((rows, *shape), dtype)

    def no_ids() -> np.ndarray:
        return np.full((rows, R, TOP_K), -1, np.int32)

    return {
        "prompts": np.full((rows, P), PAD, I),
        "responses": np.full((rows, R), PAD, I),
        "response_mask": zeros(R, dtype=I),
        "attention_mask": zeros(P + R, dtype=I),
        "rollout_log_probs": zeros(R),
        "old_log_probs": zeros(R),
        "ref_log_probs": zeros(R),
        "rollout_entropy": zeros(R),
        "old_entropy": zeros(R),
        "rollout_top_ids": no_ids(),
        "rollout_top_log_probs": zeros(R, TOP_K),
        "old_top_ids": no_ids(),
        "old_top_log_probs": zeros(R, TOP_K),
        "token_level_scores": zeros(R),
        "advantages": zeros(R),
    }


def _per_sequence(run, step, problems, trajectories, scores) -> Arrays:
    def group(problem: Problem) -> str:
        return str(uuid.uuid5(uuid.NAMESPACE_OID, f"{run}/{step}/{problem.uid}"))

    return {
        "acc": np.asarray(scores, F),
        "num_turns": np.asarray([t.turns for t in trajectories], I),
        "uid": np.asarray([group(p) for p in problems]),
        "problem_id": np.asarray([p.uid for p in problems]),
        "template": np.asarray([p.template for p in problems]),
        "ground_truth": np.asarray([str(p.answer) for p in problems]),
        "stop_reason": np.asarray([t.stop for t in trajectories]),
        "global_step": np.asarray(step, I),
    }


def _fill_tokens(a: Arrays, b: int, t: Trajectory) -> None:
    n, m = len(t.prompt), len(t.response)
    a["prompts"][b, P - n :] = t.prompt
    a["responses"][b, :m] = t.response
    a["attention_mask"][b, P - n : P + m] = 1
    a["response_mask"][b, :m] = t.mask
    a["rollout_log_probs"][b, :m] = t.log_prob
    a["rollout_entropy"][b, :m] = t.entropy
    a["rollout_top_ids"][b, :m] = t.top_ids
    a["rollout_top_log_probs"][b, :m] = t.top_log_prob


def _fill_trainer(a: Arrays, b: int, m: int, old: dict, ref: dict) -> None:
    a["old_log_probs"][b, :m] = old["log_prob"]
    a["old_entropy"][b, :m] = old["entropy"]
    a["old_top_ids"][b, :m] = old["top_ids"]
    a["old_top_log_probs"][b, :m] = old["top_log_prob"]
    a["ref_log_probs"][b, :m] = ref["log_prob"]
