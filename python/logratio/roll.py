"""ROLL: one line in the pipeline (rlvr_pipeline.py, agentic_pipeline.py), after ``batch.batch["old_log_probs"] = …``:

    import logratio.roll; logratio.roll.record(batch, global_step)

enable_old_logprobs_recompute: true makes ROLL compute the trainer's log-probs; without it, they are zeros.

Read in ROLL 8eb27cc2: roll/pipeline/rlvr/rlvr_pipeline.py, roll/pipeline/agentic/agentic_pipeline.py,
roll/utils/functionals.py (postprocess_generate): log-probs ``[B, L - 1]``, entry t about token t + 1; masks ``[B, L]``.
"""

from __future__ import annotations

from typing import Any

from .hooks.base import Hook, Lacking, cut_rows, describe_sampling, find_spans, look_up, need

_HOOK = Hook("roll", "roll", "8eb27cc2", "DataProto.batch with input_ids, response_mask, infer_logprobs, old_log_probs")


@_HOOK.guard
def record(data: Any, step: int) -> None:
    """Records a DataProto that has both log-probs."""
    if not _HOOK.open_recorder(rank=0).is_due(step):
        return
    batch = data.batch
    rollout = need(
        look_up(batch, "infer_logprobs"), "the engine gave no log-probs; ask it for logprobs in generating_args"
    )
    trainer = need(look_up(batch, "old_log_probs"), "there are no old_log_probs yet; record behind where they are set")
    if not bool((trainer != 0).any()):
        raise Lacking("old_log_probs are all 0; set enable_old_logprobs_recompute: true")
    mask = batch["response_mask"][:, 1:]
    spans = find_spans(mask)
    tokens = [(start + 1, end + 1) if end else (0, 0) for start, end in spans]
    starts = batch["attention_mask"].int().argmax(1).tolist()
    others = getattr(data, "non_tensor_batch", None) or {}
    reference, advantages = look_up(batch, "ref_log_probs"), look_up(batch, "advantages")
    prompt_ids = look_up(batch, "prompt_id")
    _HOOK.log(
        step,
        rank=0,
        # The pipeline keeps here what it asked the engine for.
        meta=describe_sampling((getattr(data, "meta_info", None) or {}).get("generation_config") or {}),
        rollout_log_probs=cut_rows(rollout, spans),
        old_log_probs=cut_rows(trainer, spans),
        ref_log_prob=cut_rows(reference, spans),
        advantages=cut_rows(advantages, spans),
        response_mask=cut_rows(mask, spans),
        responses=cut_rows(batch["input_ids"], tokens),
        prompts=cut_rows(batch["input_ids"], [(a, start) for a, (start, _) in zip(starts, tokens, strict=True)]),
        rewards=look_up(batch, "response_level_rewards"),
        uid=None if prompt_ids is None else [f"{step}.{int(i)}" for i in prompt_ids],
        data_source=list(others["domain"]) if "domain" in others else None,
    )
