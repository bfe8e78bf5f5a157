"""verl's bypass mode: the actor scores a part of what was sampled, only for the record.

    LOGRATIO_SCORE_EVERY=10 LOGRATIO_SCORE_SEQUENCES=64 …

In bypass mode (``algorithm.rollout_correction.bypass_mode=True``) verl takes the engine's log-probs for the actor's, so
that nothing compares the two. With these variables, one step in 10 calls the actor's compute_log_prob for 64 sequences
(by default all), before the update. The loop goes on with its own batch, and does not see the result.

v0 calls trainer/ppo/rollout_corr_helper.apply_bypass_mode (apply_rollout_correction in 0.6.1) with the whole batch, in
every release from 0.6.1 to 0.9.1. v1 (0.9) copies within `PPOTrainer._compute_old_log_prob`. The former is imported by
the loop when it first needs it, the latter only by the process that trains, so both are wrapped when they are imported.
"""

from __future__ import annotations

import functools
import importlib
import importlib.abc
import importlib.util
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any

from . import verl
from .base import Lacking
from .scoring import Scoring

_HOOK = verl._HOOK
_HELPER = "verl.trainer.ppo.rollout_corr_helper"
_V1 = "verl.trainer.ppo.v1.trainer_base"
#: What each loop calls in bypass mode: since 0.7, and in 0.6.1.
_NAMES = ("apply_bypass_mode", "apply_rollout_correction")

_scoring: Scoring | None = None


def install() -> None:
    """Wraps what both loops call in bypass mode."""
    _when_imported(_HELPER, _wrap_helper)
    _when_imported(_V1, _wrap_v1)


class _Finder(importlib.abc.MetaPathFinder):
    """Lets ``act`` see one module as soon as it is loaded."""

    def __init__(self, name: str, act: Callable[[ModuleType], None]) -> None:
        self._name = name
        self._act = act

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> Any:
        if fullname != self._name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def load_and_act(module: ModuleType) -> None:
                load(module)
                self._act(module)

            spec.loader.exec_module = load_and_act  # type: ignore[method-assign]
        return spec


def _when_imported(name: str, act: Callable[[ModuleType], None]) -> None:
    """Calls ``act`` with a module, at once or when it is imported; its import would take seconds in every worker."""
    if name in sys.modules:
        act(sys.modules[name])
    else:
        sys.meta_path.insert(0, _Finder(name, act))


@_HOOK.guard
def _wrap_helper(helper: ModuleType) -> None:
    for name in _NAMES:
        apply = getattr(helper, name, None)
        if apply is not None:
            setattr(helper, name, _score_after(apply))


def _score_after(apply: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(apply)
    def apply_and_score(*args: Any, **kwargs: Any) -> Any:
        result = apply(*args, **kwargs)
        caller = sys._getframe(1).f_locals
        figures = _score(caller.get("self"), kwargs.get("batch", args[0] if args else None))
        if isinstance(caller.get("metrics"), dict):
            caller["metrics"].update(figures or {})
        return result

    return apply_and_score


@_HOOK.guard
def _score(trainer: Any, batch: Any) -> dict[str, float]:
    """Scores rows of v0's batch; returns figures for its loggers."""
    step = verl.find_step(batch, trainer)
    scoring = _find_scoring(step)
    if scoring is None:
        return {}
    rows = scoring.choose_rows(len(batch), step, _find_multiple(trainer))
    chosen = batch.select_idxs(rows)
    # verl counts tokens for its estimate of the work.
    chosen.meta_info = {**batch.meta_info, "global_token_num": chosen.batch["attention_mask"].sum(-1).tolist()}
    with scoring.measure(step) as took:
        scored = _compute(trainer, chosen)
    for name in ("old_log_probs", "entropys"):
        if name in scored.batch.keys():  # noqa: SIM118 (a TensorDict iterates over rows)
            chosen.batch[name] = scored.batch[name]
    figures = verl.keep(chosen, trainer, batch, rows, scoring_seconds=took[0])
    scoring.tell(_HOOK.open_recorder(rank=0))
    return figures or {}


def _compute(trainer: Any, batch: Any) -> Any:
    compute = getattr(trainer, "_compute_old_log_prob", None)
    # verl 0.6 calls its workers itself.
    return trainer.actor_rollout_wg.compute_log_prob(batch) if compute is None else compute(batch)[0]


@_HOOK.guard
def _wrap_v1(module: Any) -> None:
    compute = module.PPOTrainer._compute_old_log_prob

    @functools.wraps(compute)
    def compute_and_score(self: Any, batch: Any, metrics: dict[str, Any]) -> Any:
        result = compute(self, batch, metrics)
        if (self.config.algorithm.get("rollout_correction", None) or {}).get("bypass_mode", False):
            metrics.update(_score_queue(module, self, batch) or {})
        return result

    module.PPOTrainer._compute_old_log_prob = compute_and_score


@_HOOK.guard
def _score_queue(module: Any, trainer: Any, batch: Any) -> dict[str, float]:
    """Scores keys of v1's batch; returns figures for its loggers."""
    step = int(trainer.global_steps)
    scoring = _find_scoring(step)
    if scoring is None:
        return {}
    # Padding that verl added is not chosen; a batch that is scored whole keeps it, because its workers share it evenly.
    real = [key for key, tag in zip(batch.keys, batch.tags, strict=True) if not tag.get("is_padding", False)]
    rows = scoring.choose_rows(len(real), step, _find_multiple(trainer))
    part = batch.select_keys(list(batch.keys) if len(rows) == len(real) else [real[i] for i in rows])
    temperature = trainer.config.actor_rollout_ref.rollout.temperature
    part.extra_info = {**(part.extra_info or {}), "calculate_entropy": True, "compute_loss": False}
    part.extra_info["temperature"] = temperature
    queue = importlib.import_module("transfer_queue")
    fields = ["entropy", "log_probs", "response_mask", "responses", "rollout_log_probs"]
    with scoring.measure(step) as took:
        trainer.actor_rollout_wg.compute_log_prob(part)
        data = queue.kv_batch_get(keys=part.keys, partition_id=part.partition_id, select_fields=fields)
    data["old_log_probs"] = module.response_from_nested(data.pop("log_probs"), data["response_mask"])
    data["entropy"] = module.response_from_nested(data.pop("entropy"), data["response_mask"])
    scored = module.DataProto(batch=data.to_padded_tensor())
    figures = verl.keep(scored, trainer, part, scoring_seconds=took[0])
    scoring.tell(_HOOK.open_recorder(rank=0))
    return figures or {}


def _find_scoring(step: int) -> Scoring | None:
    """The settings, if the step is scored.

    Raises:
        Lacking: if nothing asks for any scoring.
    """
    global _scoring
    if _scoring is None:
        _scoring = Scoring()
    if _scoring.every == 0:
        raise Lacking(
            "bypass mode computes one policy only; set LOGRATIO_SCORE_EVERY=10 to have the actor score one step in 10, and "
            "LOGRATIO_SCORE_SEQUENCES=64 for 64 sequences of it"
        )
    return _scoring if _HOOK.open_recorder(rank=0).is_due(step) and _scoring.is_due(step) else None


def _find_multiple(trainer: Any) -> int:
    """The number of sequences that the actor's workers can share: as many in each worker's micro-batches."""
    rollout = trainer.config.actor_rollout_ref.rollout
    dynamic = rollout.get("log_prob_use_dynamic_bsz", False)
    size = None if dynamic else rollout.get("log_prob_micro_batch_size_per_gpu", None)
    return int(getattr(trainer.actor_rollout_wg, "world_size", 1)) * int(size or 1)
