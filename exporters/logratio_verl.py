"""verl 0.9, either of its loops: no edit. Start the same run with

    export PYTHONPATH="EXPORTERS:$PYTHONPATH"
    export VERL_USE_EXTERNAL_MODULES=logratio_verl LOGRATIO_DIR="$PWD/logratio"
    python3 -m verl.trainer.main_ppo actor_rollout_ref.rollout.calculate_log_probs=True …

Details
-------
Where Ray already runs, its workers do not see these variables: give them to it, for each of the three
  +ray_kwargs.ray_init.runtime_env.env_vars.PYTHONPATH=EXPORTERS
The folder must be at that path on every node. With algorithm.rollout_correction.bypass_mode=True there is one policy
only, and nothing is written. LOGRATIO_EVERY=10 keeps every tenth step.

Read in verl 0.9.1. verl imports the modules that VERL_USE_EXTERNAL_MODULES names (verl/__init__.py). Both loops call
verl.utils.debug.metrics.calculate_debug_metrics when both log-probs are there: v0 with the whole batch
(trainer/ppo/ray_trainer.py, fit), v1, the default, with four tensors of it (trainer/ppo/v1/trainer_base.py,
_compute_old_log_prob), where the rest is fetched from TransferQueue. Advantages come later, so the batch is kept until
`_update_actor` is called, and written without them where it is not (critic warm-up).
"""
import atexit
import functools
import sys

from logratio_record import is_due, never_stop, save_tensors, say_once

#: What is kept of the columns without tensors; others may hold images or whole conversations.
PER_SEQUENCE = ("uid", "data_source", "acc", "score", "request_id", "agent_name")
SAMPLING = ("temperature", "top_p", "top_k", "repetition_penalty")
FROM_QUEUE = ["uid", "prompts", "responses", "rm_scores", "data_source", "extra_fields"]
STEP_TENSORS = (
    "prompts", "responses", "attention_mask", "response_mask", "rollout_log_probs", "old_log_probs",
    "ref_log_prob", "entropys",
)

_kept = None
_unknown_steps = 0


def _tolist(values):
    return values.tolist() if hasattr(values, "tolist") else list(values)


def _pad_left(rows):
    import torch

    width = max(len(row) for row in rows)
    padded = torch.zeros(len(rows), width, dtype=torch.int64)
    mask = torch.zeros(len(rows), width, dtype=torch.int64)
    for i, row in enumerate(rows):
        padded[i, width - len(row):] = row
        mask[i, width - len(row):] = 1
    return padded, mask


def _from_batch(data):
    """v0: everything is in the batch itself."""
    tensors = {name: data.batch[name] for name in STEP_TENSORS if name in data.batch}
    scores = next((data.batch[name] for name in ("token_level_scores", "rm_scores") if name in data.batch), None)
    others = {name: _tolist(data.non_tensor_batch[name]) for name in PER_SEQUENCE if name in data.non_tensor_batch}
    return {**tensors, "token_level_scores": scores}, others, slice(None)


def _from_queue(data, batch):
    """v1: the batch is a list of keys. Rows that only fill it up to a multiple are left out."""
    import torch
    import transfer_queue

    rest = transfer_queue.kv_batch_get(keys=batch.keys, partition_id=batch.partition_id, select_fields=FROM_QUEUE)
    prompts, prompt_mask = _pad_left(list(rest["prompts"].unbind()))
    width = data.batch["responses"].shape[1]
    lengths = torch.tensor([len(row) for row in rest["responses"].unbind()])
    attention = torch.cat([prompt_mask, (torch.arange(width)[None] < lengths[:, None]).long()], 1)
    tensors = {name: data.batch[name] for name in STEP_TENSORS if name in data.batch}
    tensors.update(prompts=prompts, attention_mask=attention)
    if "entropy" in data.batch:
        tensors["entropys"] = data.batch["entropy"]
    if "rm_scores" in rest:
        tensors["token_level_scores"] = rest["rm_scores"].to_padded_tensor(0.0, output_size=(len(lengths), width))
    others = {name: _tolist(rest[name]) for name in ("uid", "data_source") if name in rest}
    extra = _tolist(rest["extra_fields"]) if "extra_fields" in rest else []
    infos = [(row.get("reward_extra_info") or {}) if isinstance(row, dict) else {} for row in extra]
    if infos and all("acc" in info for info in infos):
        others["acc"] = [float(info["acc"]) for info in infos]
    real = [not tag.get("is_padding", False) for tag in (batch.tags or [{}] * len(lengths))]
    return tensors, others, torch.tensor(real)


def _select(values, rows):
    if isinstance(rows, slice):
        return values
    return [value for value, keep in zip(values, rows.tolist()) if keep]


@never_stop
def _flush():
    """Writes what is kept."""
    global _kept
    if _kept is None:
        return
    kept, _kept = _kept, None
    rows = kept["rows"]
    tensors = {name: tensor[rows] for name, tensor in kept["tensors"].items() if tensor is not None}
    others = {name: _select(values, rows) for name, values in kept["others"].items()}
    save_tensors(kept["step"], 0, "verl", tensors, others, kept["settings"])


@never_stop
def _add_advantages():
    if _kept is None:
        return
    data, batch = _kept["data"], _kept["batch"]
    if batch is not None:
        import transfer_queue

        fields = ["advantages", "ref_log_prob"]
        late = transfer_queue.kv_batch_get(keys=batch.keys, partition_id=batch.partition_id, select_fields=fields)
        shape = _kept["tensors"]["responses"].shape
        found = {name: late[name].to_padded_tensor(0.0, output_size=tuple(shape)) for name in fields if name in late}
        _kept["tensors"].update(found)
        return
    for name in ("advantages", "ref_log_prob", "token_level_scores"):
        if name in data.batch:
            _kept["tensors"][name] = data.batch[name]
    for name in PER_SEQUENCE:
        if name in data.non_tensor_batch:
            _kept["others"][name] = _tolist(data.non_tensor_batch[name])


def _follow(trainer):
    """Completes what is kept when this trainer begins its update."""
    if "_update_actor" in vars(trainer) or not hasattr(trainer, "_update_actor"):
        return "_update_actor" in vars(trainer)
    update = trainer._update_actor

    @functools.wraps(update)
    def complete_and_update(batch, *args, **kwargs):
        if _kept is not None and _kept["batch"] is None:
            _kept["data"] = batch
        _add_advantages()
        _flush()
        return update(batch, *args, **kwargs)

    trainer._update_actor = complete_and_update
    return True


@never_stop
def _keep(data, caller):
    global _kept, _unknown_steps
    _flush()
    trainer = caller.get("self")
    step = getattr(trainer, "global_steps", None)
    if step is None:
        step = data.meta_info.get("global_steps")
    if step is None:
        say_once("the step is unknown here, so calls are counted instead")
        _unknown_steps += 1
        step = _unknown_steps
    if not is_due(step):
        return
    keys = caller.get("batch")
    batch = keys if hasattr(keys, "partition_id") else None
    tensors, others, rows = _from_batch(data) if batch is None else _from_queue(data, batch)
    # The mask as it was sampled: rejection sampling narrows it in place before the update.
    tensors["response_mask"] = tensors["response_mask"].clone()
    rollout = getattr(getattr(getattr(trainer, "config", None), "actor_rollout_ref", None), "rollout", None)
    settings = {name: float(getattr(rollout, name)) for name in SAMPLING if hasattr(rollout, name)}
    if settings.get("top_k", 1) <= 0:
        del settings["top_k"]  # -1 is "no top-k"
    _kept = {"step": step, "data": data, "batch": batch, "tensors": tensors, "others": others, "rows": rows,
             "settings": settings}
    if trainer is None or not _follow(trainer):
        _flush()


@never_stop
def install():
    """Puts itself before verl's comparison of the two policies, once."""
    from verl.utils.debug import metrics

    compare = metrics.calculate_debug_metrics
    if hasattr(compare, "logratio"):
        return

    @functools.wraps(compare)
    def keep_and_compare(data, *args, **kwargs):
        _keep(data, sys._getframe(1).f_locals)
        return compare(data, *args, **kwargs)

    keep_and_compare.logratio = True
    metrics.calculate_debug_metrics = keep_and_compare
    atexit.register(_flush)


install()
