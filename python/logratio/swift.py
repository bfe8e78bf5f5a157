"""ms-swift: a callback that its GRPO trainers load by name, from an external plug-in.

    swift rlhf --rlhf_type grpo --use_vllm true --log_rollout_offpolicy_metrics true \\
        --external_plugins "$(python -m logratio.hooks --path ms-swift)" --callbacks logratio …

The option makes ms-swift compare both policies in every micro-batch, in `_compute_rollout_offpolicy_metrics`, which is
wrapped on this trainer only.

Read in ms-swift 3602360a5: swift/rlhf_trainers/grpo_trainer.py and swift/megatron/trainers/grpo_trainer.py
(_compute_rollout_offpolicy_metrics and its caller), swift/rl_core/data.py (GRPOBatch), swift/trainers/mixin.py
(callbacks_map[name](args, trainer)), swift/megatron/trainers/base.py (megatron_callbacks_map[name](trainer)).
"""

from __future__ import annotations

import functools
import importlib
from typing import Any

from .hooks.base import Hook, describe_sampling, find_caller

_HOOK = Hook(
    "ms-swift",
    "ms-swift",
    "3602360a5",
    "trainer._compute_rollout_offpolicy_metrics(old_per_token_logps, rollout_per_token_logps, completion_mask)",
)
_METHOD = "_compute_rollout_offpolicy_metrics"


class Callback:
    """What ``callbacks_map["logratio"]`` creates; in both of ms-swift's maps, the last argument is the trainer."""

    def __init__(self, *args: Any) -> None:
        attach(args[-1])

    def __getattr__(self, name: str) -> Any:
        if name.startswith("on_"):
            return lambda *args, **kwargs: None
        raise AttributeError(name)


@_HOOK.guard
def register() -> None:
    """Puts the callback where ms-swift looks up names; called by its external plug-in."""
    importlib.import_module("swift.callbacks").callbacks_map["logratio"] = Callback
    try:
        megatron = importlib.import_module("swift.megatron.callbacks")
    except ImportError:
        return
    megatron.megatron_callbacks_map["logratio"] = Callback


@_HOOK.guard
def attach(trainer: Any) -> None:
    """Records from now on what this trainer compares."""
    compare = getattr(trainer, _METHOD)

    @functools.wraps(compare)
    def record_and_compare(old: Any, rollout: Any, mask: Any, *args: Any, **kwargs: Any) -> Any:
        _record(trainer, old, rollout, mask, find_caller("grpo_batch"))
        return compare(old, rollout, mask, *args, **kwargs)

    setattr(trainer, _METHOD, record_and_compare)
    options = getattr(trainer, "args", None)
    if not (
        getattr(options, "log_rollout_offpolicy_metrics", True)
        or getattr(options, "rollout_importance_sampling_mode", None)
    ):
        _HOOK.say("ms-swift compares nothing in this run; add --log_rollout_offpolicy_metrics true")


@_HOOK.guard
def _record(trainer: Any, old: Any, rollout: Any, mask: Any, caller: dict[str, Any]) -> None:
    step = trainer.state.global_step if hasattr(trainer.state, "global_step") else trainer.state.iteration
    if not _HOOK.open_recorder().is_due(step):
        return
    batch = caller.get("grpo_batch")
    if getattr(batch, "recorded_by_logratio", False):
        # If --num_iterations is above 1, one generation is used several times.
        return
    ids: Any = (caller.get("model_inputs") or caller.get("inputs") or {}).get("input_ids")
    # Without --padding_free, rows are sequences, and their last columns are the completions.
    aligned = ids is not None and len(ids) == len(mask) and ids.shape[1] >= mask.shape[1]
    options = getattr(trainer, "args", None)
    _HOOK.log(
        step,
        meta=describe_sampling(options),
        rollout_log_probs=rollout,
        old_log_probs=old,
        response_mask=mask,
        responses=ids[:, -mask.shape[1] :] if aligned else None,
        ref_log_prob=getattr(batch, "ref_per_token_logps", None),
        advantages=getattr(batch, "advantages", None),
    )
    if batch is not None:
        batch.recorded_by_logratio = True
