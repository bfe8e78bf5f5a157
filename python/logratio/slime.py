"""slime: ``--rollout-data-postprocess-path logratio.slime.record --get-mismatch-metrics`` on the command line.

slime calls it on every rank once the trainer's log-probs exist, before the update. Without --get-mismatch-metrics (or
--use-tis), the usual run has no `log_probs` by then, because it uses those of the loss. Ray's workers need LOGRATIO_DIR
in their environment to write elsewhere than into ./logratio.

Read in slime 624b824a: slime/backends/megatron_utils/actor.py (train_actor, _get_rollout_data), cp_utils.py,
slime/utils/data.py (process_rollout_data): `tokens` [total_length] for each sequence, and `loss_masks`, `log_probs`,
`rollout_log_probs`, `advantages` [response_length]; under context parallelism, all except masks are this rank's slices.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .hooks.base import Hook, Lacking, describe_sampling, need, spread_versions

_EXPECTS = "rollout_data with tokens, loss_masks, response_lengths, total_lengths, log_probs, rollout_log_probs"
_HOOK = Hook("slime", "slime", "624b824a", _EXPECTS)


@dataclass
class Place:
    """A process's role in its trainer: whether it has the data, whether it writes them, as which rank."""

    has_data: bool = True
    writes: bool = True
    rank: int = 0
    #: Maps ``(slice, total_length, response_length)`` to the whole; every rank of the context group must call it.
    join: Callable[[Any, int, int], Any] | None = None


@_HOOK.guard
def record(args: Any, rollout_id: int, rollout_data: dict[str, Any]) -> None:
    """Records one rank's rollout; slime's option names this function."""
    record_rollout(_HOOK, args, rollout_id, rollout_data, _find_place)


def record_rollout(
    hook: Hook, args: Any, rollout_id: int, data: dict[str, Any], find_place: Callable[[Any], Place]
) -> None:
    """Records ``rollout_data`` of slime and of its offspring miles.

    Raises:
        Lacking: if one side is missing.
    """
    place = find_place(args)
    if not place.has_data or not hook.open_recorder(place.rank).is_due(rollout_id):
        return
    rollout = need(data.get("rollout_log_probs"), "the rollout returned no log-probs")
    trainer = need(
        data.get("log_probs"),
        f"{hook.trainer} computed no log_probs before the update; add --get-mismatch-metrics",
    )
    responses = [int(length) for length in data["response_lengths"]]
    totals = [int(length) for length in data["total_lengths"]]

    def whole(rows: Any) -> Any:
        if rows is None or place.join is None:
            return rows
        return [place.join(row, total, n) for row, total, n in zip(rows, totals, responses, strict=True)]

    columns = {
        "rollout_log_probs": whole(rollout),
        "old_log_probs": whole(trainer),
        "ref_log_prob": whole(data.get("ref_log_probs")),
        "advantages": whole(data.get("advantages")),
    }
    if not place.writes:
        return
    tokens = data["tokens"]
    rewards = data.get("local_raw_reward", data.get("rewards"))
    if "local_raw_reward" not in data and len(data.get("raw_reward") or []) == len(tokens):
        rewards = data["raw_reward"]
    samples = data.get("sample_indices")
    truncated = data.get("truncated")
    per_prompt = getattr(args, "n_samples_per_prompt", None)
    hook.log(
        int(rollout_id),
        rank=place.rank,
        meta=describe_sampling(args, "rollout_") | _find_topology(args),
        # This is all that slime keeps here of how a sample ended; 0 may be any other reason.
        finish_reason=None if truncated is None else ["length" if int(row) == 1 else None for row in truncated],
        # miles keeps the versions of each generation call; slime drops them here.
        weight_versions=_find_versions(data),
        response_mask=data["loss_masks"],
        # In the trainer's forward pass, entry t is about token t + 1; both are already cut to the response.
        responses=[row[len(row) - n :] for row, n in zip(tokens, responses, strict=True)],
        prompts=[row[: len(row) - n] for row, n in zip(tokens, responses, strict=True)],
        rewards=rewards,
        uid=[int(i) // per_prompt for i in samples] if samples is not None and per_prompt else None,
        sample_id=samples,
        **columns,
    )


def _find_versions(data: dict[str, Any]) -> list[np.ndarray] | None:
    """The version of the weights at each token of each sequence; None if no sequence says."""
    versions = data.get("weight_versions")
    if versions is None:
        return None
    rows = [spread_versions(of or [], mask) for of, mask in zip(versions, data["loss_masks"], strict=True)]
    if all(row is None for row in rows):
        return None
    unknown = [np.full(len(mask), -1, np.int32) for mask in data["loss_masks"]]
    return [empty if row is None else row for row, empty in zip(rows, unknown, strict=True)]


def _find_topology(args: Any) -> dict[str, str]:
    """How the engine is spread over GPUs."""
    size = getattr(args, "rollout_num_gpus_per_engine", None)
    return {"rollout_topology": f"tp{int(size)}"} if isinstance(size, int) else {}


def _find_place(args: Any) -> Place:
    try:
        mpu = importlib.import_module("megatron.core.mpu")
    except ImportError:
        return Place()
    if not mpu.is_initialized():
        return Place()
    has_data = mpu.is_pipeline_last_stage() and mpu.get_tensor_model_parallel_rank() == 0
    rank = mpu.get_data_parallel_rank(with_context_parallel=False)
    if mpu.get_context_parallel_world_size() == 1:
        return Place(has_data, has_data, rank)
    writes = has_data and mpu.get_context_parallel_rank() == 0
    return Place(has_data, writes, rank, find_join(args, "slime.backends.megatron_utils.cp_utils"))


def find_join(args: Any, module: str) -> Callable[[Any, int, int], Any]:
    """The trainer's own function to join the slices of context parallelism.

    Raises:
        Lacking: with --allgather-cp, whose slices are cut differently.
    """
    if getattr(args, "allgather_cp", False):
        raise Lacking("slices of --allgather-cp are not joined; record with --context-parallel-size 1")
    gather = importlib.import_module(module).all_gather_with_cp
    return lambda row, total, n: gather(row.float(), total, n).detach()
