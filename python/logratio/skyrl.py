"""SkyRL: a callback of its RayPPOTrainer, where the experiment makes its trainer.

    class Experiment(BasePPOExp):
        def get_trainer(self, *args, **kwargs):
            trainer = super().get_trainer(*args, **kwargs)
            trainer.add_callback(logratio.skyrl.Callback())
            return trainer

The engine must return log-probs: generator.sampling_params.logprobs=1, the default. The fully asynchronous trainer
refuses callbacks.

Read in SkyRL 0.4.0: skyrl/train/trainer.py (_fire, convert_to_training_input), skyrl/train/utils/callbacks.py,
skyrl/train/dataset/preprocess.py: rows are left-padded, and columns about responses have the width of responses.
"""

from __future__ import annotations

from typing import Any

from .hooks.base import Hook, cut_rows, describe_sampling, look_up, need

_HOOK = Hook(
    "skyrl",
    "skyrl",
    "0.4.0",
    "callback_input.batch with sequences, attention_mask, response_mask, loss_mask, action_log_probs, rollout_logprobs",
)


class Callback:
    """A ``TrainingCallback`` that records each step's batch."""

    def __getattr__(self, name: str) -> Any:
        # Acts as a TrainingCallback without importing SkyRL: all other events do nothing.
        if name.startswith("on_"):
            return lambda *args, **kwargs: None
        raise AttributeError(name)

    @_HOOK.guard
    def on_step_end(self, trainer: Any, callback_input: Any, control: Any) -> None:
        record(callback_input.batch, callback_input.global_step, getattr(trainer, "cfg", None))

    def on_train_end(self, trainer: Any, callback_input: Any, control: Any) -> None:
        _HOOK.flush()


@_HOOK.guard
def record(batch: Any, step: int, cfg: Any = None) -> None:
    """Records a TrainingInputBatch that has both log-probs."""
    if not _HOOK.open_recorder(rank=0).is_due(step):
        return
    rollout = need(
        look_up(batch, "rollout_logprobs"), "the engine gave no log-probs; set generator.sampling_params.logprobs=1"
    )
    trainer = need(
        look_up(batch, "action_log_probs"),
        "SkyRL skips the policy's forward pass for losses that use rollout log-probs; "
        "another trainer.algorithm.policy_loss_type computes them",
    )
    metadata = getattr(batch, "metadata", None) or {}
    # Without rows that only pad the batch to a multiple of the number of workers.
    count = len(rollout) - int(metadata.get("pad_size") or 0)
    sizes = [int(n) for n in batch["response_mask"].sum(1)[:count]]
    width, total = rollout.shape[1], batch["sequences"].shape[1]
    ends = [(width - n, width) for n in sizes]
    known = [int(n) for n in batch["attention_mask"].sum(1)[:count]]

    def responses(name: str) -> Any:
        value = look_up(batch, name)
        return None if value is None else cut_rows(value[:count], ends)

    params = getattr(getattr(cfg, "generator", None), "sampling_params", None)
    _HOOK.log(
        step,
        rank=0,
        meta=describe_sampling(params),
        rollout_log_probs=cut_rows(rollout[:count], ends),
        old_log_probs=cut_rows(trainer[:count], ends),
        ref_log_prob=responses("base_action_log_probs"),
        response_mask=responses("loss_mask"),
        advantages=responses("advantages"),
        rewards=responses("rewards"),
        responses=cut_rows(batch["sequences"][:count], [(total - n, total) for n in sizes]),
        prompts=cut_rows(
            batch["sequences"][:count], [(total - k, total - n) for k, n in zip(known, sizes, strict=True)]
        ),
        uid=_find_groups(metadata.get("policy_prompt_boundaries"), step, count),
    )


def _find_groups(boundaries: Any, step: int, count: int) -> list[str] | None:
    """The prompt of each sequence, from where prompts begin: SkyRL removes the uids before the event."""
    if not boundaries:
        return None
    groups = [f"{step}.{group}" for group, (start, end) in enumerate(boundaries) for _ in range(start, end)]
    return groups if len(groups) == count else None
