"""verl 0.6 to 0.9, its older loop and v1: nothing to edit. verl imports this by itself.

    VERL_USE_EXTERNAL_MODULES=logratio.hooks.verl python3 -m verl.trainer.main_ppo \\
        actor_rollout_ref.rollout.calculate_log_probs=True …

verl imports the modules that VERL_USE_EXTERNAL_MODULES names and, from 0.9 on, installed packages of the group
``verl.plugins``. As such, the hook does nothing unless LOGRATIO_DIR or LOGRATIO_URL is set, because an installed package
must not change a run that did not ask for it. If it is named, the directory defaults to ./logratio. If Ray already
runs, its workers see no variable of this shell; pass +ray_kwargs.ray_init.runtime_env.env_vars.LOGRATIO_DIR=….

Read in verl 0.6.1, 0.7.1, 0.8.0, 0.9.0 and 0.9.1. The loops call verl.utils.debug.metrics.calculate_debug_metrics when
both log-probs exist: v0 with the whole batch (trainer/ppo/ray_trainer.py, fit); v1, the default of 0.9, with four
tensors of it (trainer/ppo/v1/trainer_base.py, _compute_old_log_prob), so that the rest is fetched from TransferQueue. The
metrics that it returns go to verl's loggers, and with them our figures. Advantages come later, so the batch is kept until
`_update_actor` is called; if it is not (critic warm-up), the batch is written without them. In bypass mode, it is not
called: ``verl_bypass``.
"""

from __future__ import annotations

import atexit
import functools
import importlib
import os
import sys
from dataclasses import dataclass, field
from typing import Any

from .base import Hook, describe_sampling
from .loop import Figures

_HOOK = Hook(
    "verl",
    "verl",
    "0.9.1",
    "verl.utils.debug.metrics.calculate_debug_metrics(data) with responses, response_mask, rollout_log_probs and "
    "old_log_probs in data.batch",
)
#: The record's names for the tensors of a batch.
_TENSORS = {
    "prompts": "prompts",
    "responses": "responses",
    "attention_mask": "attention_mask",
    "response_mask": "response_mask",
    "rollout_log_probs": "rollout_log_probs",
    "old_log_probs": "old_log_probs",
    "ref_log_prob": "ref_log_prob",
    "entropys": "entropys",
    "entropy": "entropys",
    "advantages": "advantages",
    "rm_scores": "rewards",
    "token_level_scores": "rewards",
}
_LATE = ("advantages", "ref_log_prob", "token_level_scores")
_PER_SEQUENCE = ("uid", "data_source", "acc")
#: The first and the last version of the weights that sampled a trajectory. v0 has them in the batch, v1 in the tags of
#: its queue's keys (experimental/agent_loop/agent_loop.py, workers/rollout/llm_server.py,
#: trainer/ppo/v1/agent_loop_tq.py).
_VERSIONS = ("min_global_steps", "max_global_steps")
_FROM_QUEUE = ["uid", "prompts", "responses", "rm_scores", "data_source", "extra_fields"]


_FIGURES = Figures(_HOOK)


@dataclass
class _Kept:
    """A batch that waits for its advantages."""

    step: int
    #: The keys of v1's queue; None in v0.
    queue: Any
    columns: dict[str, Any]
    meta: dict[str, Any]
    #: Which rows are real; v1 pads a batch with rows of its own.
    real: Any = field(default=None)
    #: Which rows of v0's batch these are; None if all.
    rows: list[int] | None = None


_kept: _Kept | None = None
_unknown_steps = 0


def is_asked_for() -> bool:
    """Whether this run named the module or said where to record."""
    named = os.environ.get("VERL_USE_EXTERNAL_MODULES", "").split(",")
    where = os.environ.get("LOGRATIO_DIR") or os.environ.get("LOGRATIO_URL")
    return "logratio.hooks.verl" in [name.strip() for name in named] or bool(where)


@_HOOK.guard
def install() -> None:
    """Wraps verl's comparison of the two policies, once."""
    metrics: Any = importlib.import_module("verl.utils.debug.metrics")
    compare = metrics.calculate_debug_metrics
    if hasattr(compare, "recorded_by_logratio"):
        return

    @functools.wraps(compare)
    def keep_and_compare(data: Any, *args: Any, **kwargs: Any) -> Any:
        caller = sys._getframe(1).f_locals
        figures = keep(data, caller.get("self"), caller.get("batch"))
        found = compare(data, *args, **kwargs)
        return {**found, **(figures or {})} if isinstance(found, dict) else found

    keep_and_compare.recorded_by_logratio = True  # type: ignore[attr-defined]
    metrics.calculate_debug_metrics = keep_and_compare
    from . import verl_bypass

    verl_bypass.install()
    atexit.register(finish)


@_HOOK.guard
def finish() -> None:
    """Writes batches that still wait; called at the end of the process."""
    _write()
    _HOOK.flush()


@_HOOK.guard
def keep(data: Any, trainer: Any, batch: Any, rows: list[int] | None = None, **further: float) -> dict[str, float]:
    """Keeps a batch with both log-probs until its advantages are known.

    Args:
        data: a ``DataProto`` with both.
        trainer: the trainer, if known.
        batch: what the loop calls its batch; in v1, the keys of its queue.
        rows: which rows of the loop's batch ``data`` has; None for all. Only for v0.
        further: other figures for the loggers.

    Returns:
        Figures for verl's loggers; empty if the step is not recorded.
    """
    global _kept
    _write()
    step = find_step(data, trainer)
    if not _HOOK.open_recorder(rank=0).is_due(step):
        return {}
    queue = batch if hasattr(batch, "partition_id") else None
    rollout = getattr(getattr(getattr(trainer, "config", None), "actor_rollout_ref", None), "rollout", None)
    meta = describe_sampling(rollout) | _describe_engine(rollout)
    columns = _take_tensors(data.batch, _TENSORS) | _take_texts(data)
    others = data.non_tensor_batch or {}
    if all(name in others for name in _VERSIONS):
        columns |= _spread_versions(columns["responses"], *(others[name] for name in _VERSIONS))
    # Keep the original mask: rejection sampling changes it in place before the update.
    columns["response_mask"] = columns["response_mask"].clone()
    _kept = _Kept(step, queue, columns, meta, rows=rows)
    if queue is not None:
        _fetch(_kept)
    _kept.columns |= _find_ends(_kept.columns, getattr(rollout, "response_length", None))
    figures = _measure(_kept, further)
    if not _follow(trainer):
        _write()
    return figures


def _measure(kept: _Kept, further: dict[str, float]) -> dict[str, float]:
    columns = {name: kept.columns[name] for name in ("rollout_log_probs", "old_log_probs", "response_mask")}
    _FIGURES.add(kept.step, _drop_padding(columns, kept.real), **further)
    return _FIGURES.take()


def _describe_engine(rollout: Any) -> dict[str, str]:
    """The engine's name, and the number of GPUs of one instance."""
    name, size = getattr(rollout, "name", None), getattr(rollout, "tensor_model_parallel_size", None)
    found = {"rollout_software": name} if isinstance(name, str) else {}
    return found | ({"rollout_topology": f"tp{size}"} if isinstance(size, int) else {})


def find_step(data: Any, trainer: Any) -> int:
    """The training step, or the number of the call if it is unknown."""
    global _unknown_steps
    step = getattr(trainer, "global_steps", None)
    if step is None:
        step = (data.meta_info or {}).get("global_steps")
    if step is None:
        _HOOK.say("the step is unknown here, so calls are counted instead")
        _unknown_steps += 1
        return _unknown_steps
    return int(step)


def _take_tensors(batch: Any, names: Any) -> dict[str, Any]:
    present = set(batch.keys())
    return {_TENSORS[name]: batch[name] for name in names if name in present}


def _take_texts(data: Any) -> dict[str, Any]:
    others = data.non_tensor_batch or {}
    found = {name: list(others[name]) for name in _PER_SEQUENCE if name in others}
    if "acc" in found:
        found["acc"] = [float(value) for value in found["acc"]]
    return found


def _fetch(kept: _Kept) -> None:
    """For v1: the batch is a list of keys, and columns that were not compared are in the queue."""
    import torch

    queue = importlib.import_module("transfer_queue")
    keys = kept.queue
    rest = queue.kv_batch_get(keys=keys.keys, partition_id=keys.partition_id, select_fields=_FROM_QUEUE)
    prompts, prompt_mask = _pad_left(list(rest["prompts"].unbind()))
    width = kept.columns["responses"].shape[1]
    lengths = torch.tensor([len(row) for row in rest["responses"].unbind()])
    attention = torch.cat([prompt_mask, (torch.arange(width)[None] < lengths[:, None]).long()], 1)
    kept.columns |= {"prompts": prompts, "attention_mask": attention}
    present = set(rest.keys())
    if "rm_scores" in present:
        kept.columns["rewards"] = rest["rm_scores"].to_padded_tensor(0.0, output_size=(len(lengths), width))
    for name in ("uid", "data_source"):
        if name in present:
            kept.columns[name] = _to_list(rest[name])
    extra = _to_list(rest["extra_fields"]) if "extra_fields" in present else []
    infos = [(row.get("reward_extra_info") or {}) if isinstance(row, dict) else {} for row in extra]
    if infos and all("acc" in info for info in infos):
        kept.columns["acc"] = [float(info["acc"]) for info in infos]
    tags = keys.tags or [{}] * len(lengths)
    if tags and all(name in tag for tag in tags for name in _VERSIONS):
        spans = [[tag[name] for tag in tags] for name in _VERSIONS]
        kept.columns |= _spread_versions(kept.columns["responses"], *spans)
    kept.real = [i for i, tag in enumerate(tags) if not tag.get("is_padding", False)]


def _spread_versions(responses: Any, first: Any, last: Any) -> dict[str, Any]:
    """The version at each token ``[B, T]`` if a single one sampled the trajectory, else -1: verl does not say where."""
    import torch

    known = [-1 if a is None or a != b else int(a) for a, b in zip(first, last, strict=True)]
    if all(version < 0 for version in known):
        return {}
    versions = torch.tensor(known, dtype=torch.int32)[:, None].expand(tuple(responses.shape))
    return {"weight_versions": versions.contiguous()}


def _find_ends(columns: dict[str, Any], longest: Any) -> dict[str, Any]:
    """``length`` if a response has the most tokens allowed, as verl counts them for `response_length/clip_ratio`."""
    if not isinstance(longest, int) or "response_mask" not in columns:
        return {}
    attention, width = columns.get("attention_mask"), columns["responses"].shape[1]
    on = columns["response_mask"] if attention is None else attention[:, -width:]
    return {"finish_reason": ["length" if int(n) == longest else None for n in on.sum(1)]}


def _pad_left(rows: list[Any]) -> tuple[Any, Any]:
    import torch

    width = max(len(row) for row in rows)
    padded = torch.zeros(len(rows), width, dtype=torch.int64)
    mask = torch.zeros(len(rows), width, dtype=torch.int64)
    for i, row in enumerate(rows):
        padded[i, width - len(row) :] = row
        mask[i, width - len(row) :] = 1
    return padded, mask


def _to_list(values: Any) -> list[Any]:
    return list(values.tolist()) if hasattr(values, "tolist") else list(values)


def _follow(trainer: Any) -> bool:
    """Whether this trainer will complete the kept batch when it begins its update."""
    owner, name = trainer, "_update_actor"
    if not hasattr(owner, name):
        # verl 0.6 calls its workers itself.
        owner, name = getattr(trainer, "actor_rollout_wg", None), "update_actor"
    update = getattr(owner, name, None)
    if update is None or hasattr(update, "completed_by_logratio"):
        return update is not None

    @functools.wraps(update)
    def complete_and_update(batch: Any, *args: Any, **kwargs: Any) -> Any:
        _complete(batch)
        _write()
        return update(batch, *args, **kwargs)

    complete_and_update.completed_by_logratio = True  # type: ignore[attr-defined]
    setattr(owner, name, complete_and_update)
    return True


@_HOOK.guard
def _complete(batch: Any) -> None:
    """Adds the columns that were computed after the comparison."""
    if _kept is None:
        return
    if _kept.queue is None:
        if _kept.rows is not None:
            batch = batch.select_idxs(_kept.rows)
        if len(batch) == len(_kept.columns["responses"]):
            _kept.columns |= _take_tensors(batch.batch, _LATE) | _take_texts(batch)
        return
    queue = importlib.import_module("transfer_queue")
    keys = _kept.queue
    late = queue.kv_batch_get(keys=keys.keys, partition_id=keys.partition_id, select_fields=list(_LATE[:2]))
    size = tuple(_kept.columns["responses"].shape)
    present = set(late.keys())
    for name in _LATE[:2]:
        if name in present:
            _kept.columns[name] = late[name].to_padded_tensor(0.0, output_size=size)


@_HOOK.guard
def _write() -> None:
    global _kept
    if _kept is None:
        return
    kept, _kept = _kept, None
    _HOOK.log(kept.step, rank=0, meta=kept.meta, **_drop_padding(kept.columns, kept.real))


def _drop_padding(columns: dict[str, Any], real: list[int] | None) -> dict[str, Any]:
    if real is None or len(real) == len(columns["response_mask"]):
        return columns
    return {name: _choose(value, real) for name, value in columns.items()}


def _choose(values: Any, rows: list[int]) -> Any:
    return [values[i] for i in rows] if isinstance(values, list) else values[rows]


if is_asked_for():
    install()
