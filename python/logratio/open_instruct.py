"""open-instruct: two lines at the end of open_instruct/grpo_utils.py, which every Ray worker imports:

    import logratio.open_instruct
    compute_vllm_local_debug_metrics = logratio.open_instruct.wrap(compute_vllm_local_debug_metrics)

Read in open-instruct e6c3044aa: open_instruct/grpo_fast.py (step), open_instruct/olmo_core_train_modules.py,
open_instruct/grpo_utils.py: packs ``[1, L]``, already without their first entry, so that entry t is about token t + 1.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

from .hooks.base import Hook, find_caller

_HOOK = Hook(
    "open-instruct",
    "open-instruct",
    "e6c3044aa",
    "compute_vllm_local_debug_metrics(local_logprobs, vllm_logprobs, response_mask), called with data_BT at hand",
)
_steps = -1


def wrap(compare: Callable[..., dict[str, float]]) -> Callable[..., dict[str, float]]:
    """Wraps the function so that it records what it compares."""

    @functools.wraps(compare)
    def record_and_compare(local_logprobs: Any, vllm_logprobs: Any, response_mask: Any) -> dict[str, float]:
        record(local_logprobs, vllm_logprobs, response_mask)
        return compare(local_logprobs=local_logprobs, vllm_logprobs=vllm_logprobs, response_mask=response_mask)

    return record_and_compare


@_HOOK.guard
def record(local_logprobs: Any, vllm_logprobs: Any, response_mask: Any) -> None:
    """Records one micro-batch. Only the first epoch counts, because later ones compare an updated policy."""
    global _steps
    caller = find_caller("data_BT", "epoch_idx")
    i = caller.get("i", caller.get("sample_idx", 0))
    if caller.get("epoch_idx", 0) > 0:
        return
    if i == 0 or not caller:
        _steps += 1
    if not _HOOK.open_recorder().is_due(_steps):
        return
    data = caller.get("data_BT")
    old = _find_old(caller, i)
    # Packed sequences begin where positions restart.
    ids = None if data is None else data.query_responses[i][0]
    positions = None if data is None else data.position_ids[i][0]
    mask = response_mask[0]
    starts = [0] if positions is None else (positions == 0).nonzero().flatten().tolist()
    bounds = [*starts, len(mask) + 1]
    rows: dict[str, list[Any]] = {name: [] for name in ("rollout", "old", "mask", "ids", "prompts")}
    for start, end in itertools.pairwise(bounds):
        at = mask[start : end - 1].nonzero().flatten().tolist()
        if not at:
            continue
        first, last = start + at[0], start + at[-1] + 1
        rows["mask"].append(mask[first:last])
        rows["rollout"].append(vllm_logprobs[0, first:last])
        rows["old"].append((local_logprobs if old is None else old)[0, first:last])
        if ids is not None:
            rows["ids"].append(ids[first + 1 : last + 1])
            rows["prompts"].append(ids[start : first + 1])
    if rows["mask"]:
        known: dict[str, Any] = {"responses": rows["ids"], "prompts": rows["prompts"]} if ids is not None else {}
        _HOOK.log(
            _steps, rollout_log_probs=rows["rollout"], old_log_probs=rows["old"], response_mask=rows["mask"], **known
        )


def _find_old(caller: dict[str, Any], i: int) -> Any:
    """Log-probs from before the step's first update, which open-instruct computes if there are several mini-batches."""
    computed = caller.get("local_old_logprobs_BT")
    return None if computed is None else computed[i]
