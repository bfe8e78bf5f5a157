"""miles: ``--rollout-data-postprocess-path logratio.miles.record`` on the command line.

miles computes the trainer's log-probs before the update, except with --use-rollout-logprobs or
--skip-actor-forward-only. It passes the function only its arguments, so the rollout is found in the calling function.

Read in miles 31f1ca961: miles/backends/megatron_utils/actor.py (train_actor), miles/backends/training_utils/parallel.py
(ParallelState), cp_utils.py (all_gather_with_cp), miles/ray/rollout/train_data_conversion.py (`weight_versions`, one for
each generation call). The other columns are slime's.
"""

from __future__ import annotations

import importlib
from typing import Any

from .hooks.base import Hook, find_caller
from .slime import Place, find_join, record_rollout

_HOOK = Hook(
    "miles",
    "miles-rl",
    "31f1ca961",
    "a caller with rollout_id and rollout_data, which has tokens, loss_masks, response_lengths, total_lengths, "
    "log_probs and rollout_log_probs",
)


@_HOOK.guard
def record(args: Any, rollout_id: int | None = None, rollout_data: dict[str, Any] | None = None) -> None:
    """Records one rank's rollout; miles's option names this function."""
    if rollout_data is None or rollout_id is None:
        caller = find_caller("rollout_id", "rollout_data")
        rollout_id, rollout_data = caller["rollout_id"], caller["rollout_data"]
    record_rollout(_HOOK, args, rollout_id, rollout_data, _find_place)


def _find_place(args: Any) -> Place:
    try:
        state = importlib.import_module("miles.backends.training_utils.parallel").get_parallel_state()
    except ImportError:
        return Place()
    has_data = bool(state.is_pp_last_stage) and state.tp.rank == 0
    rank = int(state.effective_dp.rank)
    if state.cp.size == 1:
        return Place(has_data, has_data, rank)
    join = find_join(args, "miles.backends.training_utils.cp_utils")
    return Place(has_data, has_data and state.cp.rank == 0, rank, join)
