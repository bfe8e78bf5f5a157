"""OpenRLHF: --algo.advantage.is_correction_level token, and one line in openrlhf/trainer/ppo_trainer.py (train_step):

    experiences = self.experience_maker.make_experience_batch(rollout_samples)
    import logratio.openrlhf; logratio.openrlhf.record(experiences, global_step, self.args)

The flag makes vLLM return log-probs; before 0.11.2 it is --algo.advantage.is_correction_enable.

Read in OpenRLHF 0.11.2 and 3c3be623: openrlhf/trainer/ppo_trainer.py, openrlhf/trainer/ppo_utils/experience.py and
samples_generator.py: action t is token t + 1 of `sequences`, so masks and log-probs are one shorter.
"""

from __future__ import annotations

from typing import Any

from .hooks.base import Hook, cut_rows, describe_sampling, find_spans, need

_HOOK = Hook(
    "openrlhf",
    "openrlhf",
    "0.11.2",
    "Experience with sequences, attention_mask, action_mask, action_log_probs, rollout_log_probs",
)


@_HOOK.guard
def record(experiences: Any, step: int, args: Any = None) -> None:
    """Records a step's experiences."""
    if not _HOOK.open_recorder(rank=0).is_due(step):
        return
    per_prompt = int(getattr(getattr(args, "rollout", None), "n_samples_per_prompt", 0) or 0)
    for experience in experiences:
        rollout = need(
            experience.rollout_log_probs,
            "vLLM returned no log-probs; add --algo.advantage.is_correction_level token",
        )
        mask = experience.action_mask
        spans = find_spans(mask)
        # Aligned at the end: log-probs and mask have an entry for every token except the first.
        offset = experience.sequences.shape[1] - mask.shape[1]
        tokens = [(start + offset, end + offset) if end else (0, 0) for start, end in spans]
        starts = experience.attention_mask.int().argmax(1).tolist()
        index = getattr(experience, "index", None)
        truncated = getattr(experience, "truncated", None)

        def part(value: Any, spans: list[tuple[int, int]] = spans) -> Any:
            return cut_rows(value, spans)

        _HOOK.log(
            step,
            rank=0,
            meta=describe_sampling(getattr(args, "rollout", None)),
            rollout_log_probs=part(rollout),
            old_log_probs=part(need(experience.action_log_probs, "OpenRLHF computed no action_log_probs")),
            ref_log_prob=part(getattr(experience, "base_action_log_probs", None)),
            advantages=part(getattr(experience, "advantages", None)),
            response_mask=part(mask),
            responses=cut_rows(experience.sequences, tokens),
            prompts=cut_rows(experience.sequences, [(a, start) for a, (start, _) in zip(starts, tokens, strict=True)]),
            # True if vLLM's finish reason was "length" (samples_generator.py); False may be any other.
            finish_reason=None if truncated is None else ["length" if bool(row) else None for row in truncated],
            rewards=getattr(experience, "rewards", None),
            uid=[f"{step}.{int(i) // per_prompt}" for i in index] if index is not None and per_prompt else None,
        )
