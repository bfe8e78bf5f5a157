"""TRL 1.x, GRPOTrainer with GRPOConfig(use_vllm=True) or a rollout_func. Paste before trainer.train():

    import sys; sys.path.insert(0, "EXPORTERS")
    import logratio_trl; logratio_trl.record(trainer)

Details
-------
Writes logratio/step_S.rank_R.call_N.pt: one file per generation and process. LOGRATIO_DIR is another directory,
LOGRATIO_EVERY=10 keeps every tenth step.

Read in TRL 1.16.0 (trl/trainer/grpo_trainer.py): `_generate_and_score_completions` returns a dict of padded tensors, in
which `sampling_per_token_logps` are the engine's and `old_per_token_logps` the trainer's. TRL computes the latter with
vLLM's importance sampling correction, or when a generation outlives an optimizer step. Elsewhere the policy is still
the one that generated, and they are computed here, by the same call: one forward pass without gradients per generation.
"""
import functools
import inspect

from logratio_record import is_due, never_stop, save_tensors

# What GRPOConfig says of sampling; 0 is "no top-k".
SAMPLING = ("temperature", "top_p", "top_k", "min_p", "repetition_penalty")


def _trainer_logprobs(trainer, out, attention):
    """TRL's own where they are there, else what `_generate_and_score_completions` would have computed."""
    import torch

    if out.get("old_per_token_logps") is not None:
        return out["old_per_token_logps"]
    compute = trainer._get_per_token_logps_and_entropies
    known = inspect.signature(compute).parameters
    extra = {name: out[name] for name in known if name in out and name not in ("input_ids", "attention_mask")}
    ids = torch.cat([out["prompt_ids"], out["completion_ids"]], 1)
    with torch.no_grad():
        return compute(
            trainer.model, ids, attention, out["completion_ids"].size(1),
            batch_size=trainer.args.per_device_train_batch_size, **extra,
        )[0]


def _rewards(trainer, first, count):
    """The weighted sum for each of this process's sequences, as TRL computes it; its log holds all processes'."""
    import torch

    logs = trainer._logs["rewards"]
    total = count * trainer.accelerator.num_processes
    columns = [list(logs[name])[-total:] for name in trainer.reward_func_names]
    if any(len(column) != total for column in columns):
        return None
    weights = trainer.reward_weights.detach().cpu()
    rewards = (torch.tensor(columns, dtype=torch.float64).T * weights).nansum(1)
    return rewards[first:first + count].tolist()


@never_stop
def _save(trainer, out, call):
    import torch

    step, rank = trainer.state.global_step, trainer.accelerator.process_index
    if not is_due(step):
        return
    if out.get("sampling_per_token_logps") is None:
        raise LookupError("the engine gave no log-probs: GRPOConfig(use_vllm=True), or a rollout_func that returns them")
    attention = torch.cat([out["prompt_mask"], out["completion_mask"]], 1)
    mask = out["completion_mask"]
    if out.get("tool_mask") is not None:
        mask = mask * out["tool_mask"]
    trainer_logprobs = _trainer_logprobs(trainer, out, attention)
    count = len(mask)
    first = rank * count
    tensors = {
        "prompts": out["prompt_ids"], "responses": out["completion_ids"], "attention_mask": attention,
        "response_mask": mask, "rollout_log_probs": out["sampling_per_token_logps"],
        "old_log_probs": trainer_logprobs, "ref_log_prob": out.get("ref_per_token_logps"),
        "advantages": out.get("advantages"),
    }
    groups = [f"{step}.{call}.{(first + i) // trainer.num_generations}" for i in range(count)]
    others = {"uid": groups, "reward": _rewards(trainer, first, count)}
    settings = {name: float(value) for name in SAMPLING if (value := getattr(trainer.args, name, None))}
    save_tensors(step, rank, "trl", tensors, others, settings)


def record(trainer):
    """Has every training generation of this GRPOTrainer written; returns the trainer."""
    generate = trainer._generate_and_score_completions
    calls = 0

    @functools.wraps(generate)
    def generate_and_save(inputs):
        nonlocal calls
        out = generate(inputs)
        if trainer.model.training:
            _save(trainer, out, calls)
            calls += 1
        return out

    trainer._generate_and_score_completions = generate_and_save
    return trainer
