"""xtuner: one line in xtuner/v1/rl/trainer/worker.py (TrainingWorker.fit), after the loop that sets `old_logprobs`:

    import logratio.xtuner; logratio.xtuner.record(self, seq_ctx_list, loss_ctx_list, rollout_idx)

Under sequence parallelism, the slices are gathered and the first rank of each group writes.

Read in xtuner b934f462: xtuner/v1/rl/trainer/worker.py (fit), xtuner/v1/rl/loss/base_loss.py (BaseRLLossKwargs,
sp_gather), xtuner/v1/data_proto/sequence_context.py: packs ``[1, tokens]``, entry t about token t + 1, labels
-100 where masked.

The classes and functions of ``xtuner.v1.rl.rollout_is`` are also here, under their own names.
"""

from __future__ import annotations

import importlib
from typing import Any

from .corrections.rollout_is import (
    RolloutImportanceSampling,
    compute_is_metrics,
    compute_mismatch_metrics,
    compute_rollout_importance_weights,
    merge_rollout_is_metrics,
)
from .hooks.base import Hook, Lacking

__all__ = [
    "RolloutImportanceSampling",
    "compute_is_metrics",
    "compute_mismatch_metrics",
    "compute_rollout_importance_weights",
    "merge_rollout_is_metrics",
    "record",
]

_HOOK = Hook(
    "xtuner",
    "xtuner",
    "b934f462",
    "loss_ctx.loss_kwargs with shifted_labels, rollout_logprobs, old_logprobs; seq_ctx with input_ids, seq_lens_q",
)
_IGNORED = -100


@_HOOK.guard
def record(worker: Any, seq_ctx_list: Any, loss_ctx_list: Any, rollout_idx: int) -> None:
    """Records this rank's packs, sequence by sequence."""
    if not _HOOK.open_recorder(rank=int(worker.rank)).is_due(rollout_idx):
        return
    # The same on every rank, so that either all ranks of a group gather or none does.
    if any(loss_ctx.loss_kwargs.rollout_logprobs is None for loss_ctx in loss_ctx_list):
        raise Lacking("the rollout returned no log-probs; set return_logprob=True in the sample parameters")
    mesh = worker.sp_mesh
    parallel = mesh is not None and mesh.size() > 1
    rows: dict[str, list[Any]] = {name: [] for name in ("rollout", "old", "mask", "ids", "prompts", "advantages")}
    for seq_ctx, loss_ctx in zip(seq_ctx_list, loss_ctx_list, strict=True):
        kwargs = loss_ctx.loss_kwargs
        values = [kwargs.shifted_labels, kwargs.rollout_logprobs, kwargs.old_logprobs, seq_ctx.input_ids]
        values.append(kwargs.advantages)
        if parallel:
            gather = importlib.import_module("xtuner.v1.rl.loss.base_loss").sp_gather
            values = [gather(value, mesh, dim=1) for value in values]
        _add_pack(rows, [int(n) for n in seq_ctx.seq_lens_q], *(value[0] for value in values))
    if parallel and mesh.get_local_rank() != 0:
        return
    _HOOK.log(
        int(rollout_idx),
        rank=int(worker.rank),
        rollout_log_probs=rows["rollout"],
        old_log_probs=rows["old"],
        response_mask=rows["mask"],
        responses=rows["ids"],
        prompts=rows["prompts"],
        advantages=rows["advantages"],
    )


def _add_pack(
    rows: dict[str, list[Any]], lengths: list[int], labels: Any, rollout: Any, old: Any, ids: Any, advantages: Any
) -> None:
    start = 0
    for length in lengths:
        end = start + length
        mask = labels[start:end] != _IGNORED
        at = mask.nonzero().flatten().tolist()
        if at:
            first, last = start + at[0], start + at[-1] + 1
            rows["mask"].append(mask[at[0] : at[-1] + 1])
            rows["rollout"].append(rollout[first:last])
            rows["old"].append(old[first:last])
            rows["advantages"].append(advantages[first:last])
            rows["ids"].append(ids[first + 1 : last + 1])
            rows["prompts"].append(ids[start : first + 1])
        start = end
