"""TRL: ``trainer.add_callback(logratio.trl.Callback(trainer))`` before ``trainer.train()``.

    import logratio.trl
    trainer.add_callback(logratio.trl.Callback(trainer))

Read in TRL 1.16.0 (trl/trainer/grpo_trainer.py). `_prepare_inputs` generates when its buffer is used up, and keeps
`_buffered_inputs`, the generation shuffled and cut into micro-batches. An optimizer step can have several generations,
and several steps can share one; events follow every micro-batch, so that each generation is seen exactly once. Rewards
are kept elsewhere, in the order before the shuffle, so each is attached to its sequence at generation: shuffling and
cutting carry everything in the batch along.
"""

from __future__ import annotations

import functools
import inspect
import os
import zlib
from typing import Any

from . import transformers
from .hooks.base import Hook, Lacking, describe_sampling, need
from .hooks.scoring import Scoring
from .recorder import Recorder

_HOOK = Hook(
    "trl",
    "trl",
    "1.16.0",
    "GRPOTrainer._buffered_inputs, a list of dicts with prompt_ids, prompt_mask, completion_ids, completion_mask",
)


#: The key under which a generation carries its rewards through TRL's shuffle.
_REWARDS = "logratio_rewards"


class Callback(transformers.Callback):
    """A ``TrainerCallback`` that records every generation of a GRPOTrainer or a similar trainer.

    Its figures go to the trainer's own logger (``report_to``), as ``logratio/k3`` and so on.

    Args:
        trainer: the trainer that it is added to.
        dir, name, run, figures: as for `logratio.transformers.Callback`.
        forward: whether to compute the trainer's log-probs here if TRL does not, which is the case without vLLM's
            importance sampling correction if no generation outlives an optimizer step. This costs one forward pass
            without gradients for each generation, which is printed and logged as ``logratio/scoring_seconds``.
        score_every: if they are computed here, does so for one in this many steps, and records no other; None:
            ``$LOGRATIO_SCORE_EVERY``, else 1.
        score_sequences: the most sequences of a generation to score, rounded up to whole micro-batches, into which TRL
            has shuffled them; None: ``$LOGRATIO_SCORE_SEQUENCES``, else all.

    Raises:
        TypeError: if ``score_every`` or ``score_sequences`` is not a whole number.
        ValueError: if one of them is out of range, or ``run`` is given with ``dir`` or ``name``.
    """

    _hook = _HOOK

    def __init__(
        self,
        trainer: Any,
        *,
        dir: str | os.PathLike[str] | None = None,
        name: str | None = None,
        run: Recorder | None = None,
        figures: bool | None = None,
        forward: bool = True,
        score_every: int | None = None,
        score_sequences: int | None = None,
    ) -> None:
        super().__init__(trainer, dir=dir, name=name, run=run, figures=figures)
        self._forward = forward
        self._scoring = Scoring(score_every, score_sequences, default=1)
        self._seen: Any = None
        self._generations = 0
        _attach_rewards(trainer)

    def on_substep_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """After each micro-batch of an optimizer step except the last."""
        self._record_new(state.global_step)

    def on_pre_optimizer_step(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """After the last one, while the weights are still those that generated."""
        self._record_new(state.global_step)

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """For loops that lack the other two events; by now the step has been counted."""
        self._record_new(state.global_step - 1)

    @_HOOK.guard
    def _record_new(self, step: int) -> None:
        batches = self._trainer._buffered_inputs
        # Keep the list itself, because the address of a freed list may be reused.
        if batches is None or batches is self._seen:
            return
        self._seen = batches
        generation, self._generations = self._generations, self._generations + 1
        recorder = self._loop.open(self._trainer.accelerator.process_index)
        if not recorder.is_due(step):
            return
        is_scored = any(batch.get("old_per_token_logps") is None for batch in batches)
        for batch in self._choose(step, batches) if is_scored else batches:
            self._record(step, generation, batch)
        if is_scored:
            self._scoring.tell(recorder)

    def _choose(self, step: int, batches: Any) -> list[Any]:
        """The micro-batches to score: from the first, until they have the wanted number of sequences."""
        if not self._scoring.is_due(step):
            return []
        most, chosen, count = self._scoring.sequences, [], 0
        for batch in batches:
            if most is not None and count >= most:
                break
            chosen.append(batch)
            count += len(batch["completion_ids"])
        return chosen

    def _record(self, step: int, generation: int, batch: Any) -> None:
        import torch

        rollout = need(
            batch.get("sampling_per_token_logps"),
            "the engine gave no log-probs; set GRPOConfig(use_vllm=True), or a rollout_func that returns logprobs",
        )
        attention = torch.cat([batch["prompt_mask"], batch["completion_mask"]], 1)
        mask = batch["completion_mask"]
        if batch.get("tool_mask") is not None:
            mask = mask * batch["tool_mask"]
        # One copy for all rows; a generation has one width, so equal prompts have equal bytes.
        prompts = (batch["prompt_ids"] * batch["prompt_mask"]).cpu().numpy()
        args = self._trainer.args
        old, seconds = self._find_trainer_log_probs(step, batch, attention)
        columns = {
            "rollout_log_probs": rollout,
            "old_log_probs": old,
            "response_mask": mask,
            "responses": batch["completion_ids"],
            "prompts": batch["prompt_ids"],
            "attention_mask": attention,
            "ref_log_prob": batch.get("ref_per_token_logps"),
            "advantages": batch.get("advantages"),
            "finish_reason": _find_ends(self._trainer, batch),
            "weight_versions": self._find_versions(batch["completion_ids"]),
            "rewards": batch.get(_REWARDS),
            # Micro-batches are shuffled, so a group is identified by its prompt.
            "uid": [f"{step}.{generation}.{zlib.crc32(row.tobytes()):08x}" for row in prompts],
        }
        self._loop.record(
            step,
            columns,
            rank=self._trainer.accelerator.process_index,
            meta=describe_sampling(args) | _describe_engine(args),
            **({} if seconds is None else {"scoring_seconds": seconds}),
        )

    def _find_versions(self, ids: Any) -> Any:
        """The step whose weights vLLM had when it sampled; without vLLM, the trainer's own model samples."""
        version = getattr(self._trainer, "_last_loaded_step", -1)
        return None if version < 0 else (ids * 0 + version)

    def _find_trainer_log_probs(self, step: int, batch: Any, attention: Any) -> tuple[Any, float | None]:
        """TRL's own log-probs, else what `_generate_and_score_completions` would have computed, and the seconds that it
        took here."""
        import torch

        if batch.get("old_per_token_logps") is not None:
            return batch["old_per_token_logps"], None
        advice = "set GRPOConfig(use_vllm=True, vllm_importance_sampling_correction=True) to have TRL compute them"
        if not self._forward:
            raise Lacking(f"TRL computes no old_per_token_logps here; {advice}, or Callback(trainer, forward=True)")
        _HOOK.say(f"TRL computes no old_per_token_logps here, so one forward pass per generation does; {advice}")
        trainer = self._trainer
        compute = trainer._get_per_token_logps_and_entropies
        known = inspect.signature(compute).parameters
        extra = {name: batch[name] for name in known if name in batch and name not in ("input_ids", "attention_mask")}
        ids = torch.cat([batch["prompt_ids"], batch["completion_ids"]], 1)
        with self._scoring.measure(step) as took, torch.no_grad():
            found = compute(
                trainer.model,
                ids,
                attention,
                batch["completion_ids"].size(1),
                batch_size=trainer.args.per_device_train_batch_size,
                **extra,
            )[0]
            # A GPU is done once the values are here, which the record needs anyway.
            found = found.cpu()
        return found, took[0]


def _describe_engine(args: Any) -> dict[str, Any]:
    """vLLM's options, which override the trainer's own; TRL starts vLLM with processed log-probs."""
    extra = getattr(args, "generation_kwargs", None)
    found = describe_sampling(extra) if isinstance(extra, dict) else {}
    if not getattr(args, "use_vllm", False) or getattr(args, "vllm_mode", None) != "colocate":
        return found
    return found | {
        "logprobs_mode": "processed_logprobs",
        "rollout_topology": f"tp{args.vllm_tensor_parallel_size}",
    }


def _find_ends(trainer: Any, batch: Any) -> list[str] | None:
    """``length`` if a completion lacks an end, by TRL's own rule for `completions/clipped_ratio`, else ``stop``."""
    ends = getattr(trainer, "eos_token_ids", None)
    pad = getattr(getattr(trainer, "_tokenizer", None), "pad_token_id", None)
    if ends is None:
        return None
    known = {*ends, pad}
    ids, mask = batch["completion_ids"].tolist(), batch["completion_mask"].tolist()
    # mask_truncated_completions masks all tokens of truncated completions.
    lasts = [row[sum(on) - 1] if any(on) else None for row, on in zip(ids, mask, strict=True)]
    return ["stop" if last is not None and last in known else "length" for last in lasts]


def _attach_rewards(trainer: Any) -> None:
    """Makes every generation of the trainer carry its sequences' rewards."""
    generate = getattr(trainer, "_generate_and_score_completions", None)
    if generate is None or hasattr(generate, "__wrapped__"):
        return

    @functools.wraps(generate)
    def generate_with_rewards(inputs: Any) -> Any:
        out = generate(inputs)
        _add_rewards(trainer, out)
        return out

    trainer._generate_and_score_completions = generate_with_rewards


@_HOOK.guard
def _add_rewards(trainer: Any, out: Any) -> None:
    """Adds the weighted sum for each of this process's sequences, as TRL computes it; TRL's log has all processes'."""
    import torch

    count, processes = len(out["completion_ids"]), trainer.accelerator.num_processes
    columns = [list(trainer._logs["rewards"][name])[-count * processes :] for name in trainer.reward_func_names]
    if any(len(column) != count * processes for column in columns):
        return
    weights = trainer.reward_weights.detach().cpu().double()
    rewards = (torch.tensor(columns, dtype=torch.float64).T * weights).nansum(1)
    first = trainer.accelerator.process_index * count
    out[_REWARDS] = rewards[first : first + count].to(out["completion_ids"].device)
