"""Wherever the engine's and the trainer's log-probs are both at hand, any trainer, one list per sequence:

    import sys; sys.path.insert(0, "EXPORTERS")
    import logratio_record
    logratio_record.record(step, rank=rank, rollout_logprobs=rollout, trainer_logprobs=trainer,
                           response_mask=mask, response_token_ids=ids)

Details
-------
Writes logratio/step_S.rank_R.call_N.jsonl, one object per sequence: the record of docs/formats/record.md. More
columns of it are taken by name: prompt_token_ids, advantages, reward, correctness, group_id, environment. Entry t
of every per-token list is about response token t. LOGRATIO_DIR is another directory, LOGRATIO_EVERY=10 keeps every
tenth step. Needs Python 3.8 and nothing else; lists, numpy arrays and torch tensors are taken.

The other exporters of this folder write through the functions below.
"""
import collections
import functools
import json
import math
import os
import sys

_calls = collections.Counter()
_said = set()


def say_once(text):
    """Prints a line to stderr, the first time only."""
    if text not in _said:
        _said.add(text)
        print(f"logratio: {text}", file=sys.stderr, flush=True)


def never_stop(function):
    """What goes wrong while recording is said once, and training goes on."""

    @functools.wraps(function)
    def guarded(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except Exception as error:  # noqa: BLE001: a recorder must not end a run, whatever happens
            say_once(f"nothing was recorded, training goes on: {type(error).__name__}: {error}")
            return None

    return guarded


def is_due(step):
    """Whether a step is one of every LOGRATIO_EVERY."""
    return step % max(1, int(os.environ.get("LOGRATIO_EVERY", "1"))) == 0


def write_file(step, rank, suffix, write):
    """
    Has `write(path)` write a hidden file, and gives it its name when it is whole. Calls of one step and rank are
    numbered, because a step may generate several times; a resumed run replaces the steps that it repeats.
    """
    folder = os.environ.get("LOGRATIO_DIR", "logratio")
    os.makedirs(folder, exist_ok=True)
    name = f"step_{int(step):06d}.rank_{int(rank)}.call_{_calls[step, rank]}{suffix}"
    _calls[step, rank] += 1
    path = os.path.join(folder, name)
    partial = os.path.join(folder, f".{name}.{os.getpid()}.tmp")
    try:
        write(partial)
        os.replace(partial, path)
    except BaseException:
        if os.path.exists(partial):
            os.remove(partial)
        raise
    say_once(f"records both policies' log-probs in {os.path.abspath(folder)}")
    return path


def save_tensors(step, rank, trainer, tensors, per_sequence, settings=None):
    """
    Padded [B, T] tensors under verl's names, as one file. Tensors are copied: a view saves all of its storage, and one
    whose memory belongs to Ray or to pickle cannot be saved at all.
    """
    import torch

    def compact(tensor):
        tensor = tensor.detach().cpu()
        small = {torch.int64: torch.int32, torch.bool: torch.uint8, torch.bfloat16: torch.float32}
        return tensor.to(small.get(tensor.dtype, tensor.dtype)).contiguous().clone()

    batch = {name: compact(tensor) for name, tensor in tensors.items() if tensor is not None}
    others = {name: list(values) for name, values in per_sequence.items() if values is not None}
    meta = {"global_steps": int(step), "rank": int(rank), "trainer": trainer, **(settings or {})}
    content = {"batch": batch, "non_tensor_batch": others, "meta_info": meta}
    return write_file(step, rank, ".pt", lambda path: torch.save(content, path))


def _plain(value):
    """As JSON can hold it; what is not finite is missing."""
    if hasattr(value, "detach"):
        value = value.detach().cpu().float() if value.is_floating_point() else value.detach().cpu()
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(element) for element in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def write_rows(step, rank, rows):
    """Writes dicts with the record's names as JSON lines."""

    def write(path):
        with open(path, "w", encoding="utf-8") as file:
            for row in rows:
                plain = {name: _plain(value) for name, value in row.items() if value is not None}
                file.write(json.dumps(plain) + "\n")

    return write_file(step, rank, ".jsonl", write)


@never_stop
def record(step, rank=0, **columns):
    """Writes one file with a line per sequence; each column has one entry per sequence, or is None."""
    if not is_due(step):
        return None
    known = {name: values for name, values in columns.items() if values is not None}
    counts = {name: len(values) for name, values in known.items()}
    if len(set(counts.values())) != 1:
        raise ValueError(f"the columns differ in the number of sequences: {counts}")
    rows = [dict(zip(known, values), step=int(step), rank=int(rank)) for values in zip(*known.values())]
    return write_rows(step, rank, rows)
