"""Reads whatever engine developers have into two aligned rows of log-probs per sequence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import LogratioError
from ..recorder.arrays import is_ragged
from ..recorder.columns import FACTS, BatchError, check_names

_SIDES = ("rollout_log_probs", "old_log_probs", "log_probs", "logprobs")


@dataclass
class Values:
    """One policy's log-probs, sequences end to end.

    Attributes:
        lengths: tokens of each sequence, ``[B]``.
        values: log-probs in nats, float64, ``[sum(lengths)]``.
        bits: the bits of the log-probs in their own type, as signed integers.
        dtype: name of that type.
    """

    lengths: np.ndarray
    values: np.ndarray
    bits: np.ndarray
    dtype: str


@dataclass
class Pair:
    """Two policies' log-probs of the same tokens, with what is known about the tokens."""

    a: Values
    b: Values
    #: True for tokens that count.
    mask: np.ndarray
    #: Token ids; None if not given.
    ids: np.ndarray | None
    step: int | None
    #: The cluster of each sequence; None if every sequence is its own.
    clusters: np.ndarray | None

    @property
    def sequence(self) -> np.ndarray:
        """The sequence of each token."""
        return np.repeat(np.arange(len(self.a.lengths)), self.a.lengths)

    def place(self, token: int) -> str:
        """The handle of a token: ``s12.q3.t17``, with the step if it is known."""
        starts = np.cumsum(self.a.lengths) - self.a.lengths
        sequence = int(np.searchsorted(starts, token, "right")) - 1
        step = "" if self.step is None else f"s{self.step}."
        return f"{step}q{sequence}.t{token - int(starts[sequence])}"


def read_pair(a: Any, b: Any, mask: Any, names: tuple[str, str], clusters: Any) -> Pair:
    """Reads both sides.

    Raises:
        LogratioError: if their shapes or tokens differ, or one has no log-probs.
    """
    a, b = (_read_names(side) if isinstance(side, Mapping) else side for side in (a, b))
    given: list[dict[str, Any]] = [{}, {}]
    if b is None:
        if not isinstance(a, Mapping):
            raise LogratioError("one array has nothing to agree with", hint="give a second one")
        given = [dict(a), dict(a)]
        sides = [_take(a, name, _SIDES[i]) for i, name in enumerate(names)]
    else:
        sides = []
        for i, (side, name) in enumerate(zip((a, b), names, strict=True)):
            given[i] = dict(side) if isinstance(side, Mapping) else {}
            sides.append(_find_side(side, name, i) if isinstance(side, Mapping) else side)
    first, second = (read_values(side, name) for side, name in zip(sides, names, strict=True))
    _check_lengths(first.lengths, second.lengths, names)
    on = np.ones(len(first.values), bool)
    for source, value in ((f"{names[0]}'s mask", given[0].get("response_mask")), ("mask", mask)):
        if value is not None:
            on &= _read_flat(value, first.lengths, source) > 0
    if b is not None and given[1].get("response_mask") is not None:
        on &= _read_flat(given[1]["response_mask"], first.lengths, f"{names[1]}'s mask") > 0
    pair = Pair(first, second, on, None, _first_of("step", given), None)
    pair.ids = _read_ids(given, pair, names)
    groups = clusters if clusters is not None else _first_of("uid", given)
    if groups is not None and not isinstance(groups, str):
        labels = [str(label) for label in _as_numpy(groups).reshape(-1).tolist()]
        if len(labels) != len(first.lengths):
            raise LogratioError(f"clusters has {len(labels)} values, the log-probs {len(first.lengths)} sequences")
        pair.clusters = np.unique(labels, return_inverse=True)[1]
    return pair


def _read_names(side: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return check_names(side, (*_SIDES, *FACTS))
    except BatchError as error:
        raise error.explain() from error


def read_values(value: Any, name: str) -> Values:
    """Reads one side: ``[B, T]``, ``[T]`` for a single sequence, or a list of ``B`` arrays.

    Raises:
        LogratioError: if the values are not floating-point numbers, or have another shape.
    """
    rows = list(value) if is_ragged(value) else None
    arrays = [_as_numpy(row) for row in rows] if rows is not None else [_as_numpy(value)]
    if rows is None and arrays[0].ndim == 2:
        arrays = list(arrays[0])
    kinds = {array.dtype.name for array in arrays if array.size > 0} or {"float32"}
    if len(kinds) > 1:
        raise LogratioError(f"the rows of {name} have different types: {', '.join(sorted(kinds))}")
    (kind,) = kinds
    if any(array.ndim != 1 for array in arrays):
        raise LogratioError(f"{name} has {arrays[0].ndim} dimensions", hint="give [B, T], [T] or a list of sequences")
    if kind != _BFLOAT16.name and not kind.startswith("float"):
        raise LogratioError(f"{name} has {kind}, expected floating-point log-probs")
    lengths = np.array([len(array) for array in arrays], np.int64)
    flat = np.concatenate([array for array in arrays if array.size] or [np.zeros(0, np.float32)])
    bits = flat.view(np.dtype(f"i{flat.dtype.itemsize}"))
    if kind == _BFLOAT16.name:
        # The upper half of a float32 is a bfloat16.
        wide = (flat.astype(np.uint32) << 16).view(np.float32)
        return Values(lengths, wide.astype(np.float64), bits, "bfloat16")
    return Values(lengths, flat.astype(np.float64), bits, kind)


#: numpy has no bfloat16; nothing else that holds log-probs is made of unsigned 16-bit integers.
_BFLOAT16 = np.dtype(np.uint16)


def _as_numpy(value: Any) -> np.ndarray:
    if hasattr(value, "detach") and hasattr(value, "cpu"):
        tensor = value.detach().cpu()
        if str(tensor.dtype) != "torch.bfloat16":
            return np.asarray(tensor.numpy())
        import torch

        return np.asarray(tensor.contiguous().view(torch.int16).numpy()).view(np.uint16)
    array = np.asarray(value)
    if array.dtype == object and all(entry is None or isinstance(entry, (int, float)) for entry in array.flat):
        return array.astype(np.float64)
    # In a list, -1 means -1.0.
    return array.astype(np.float64) if array.dtype.kind == "i" and isinstance(value, (list, tuple)) else array


def _find_side(side: Mapping[str, Any], name: str, place: int) -> Any:
    found = [column for column in _SIDES if side.get(column) is not None]
    # If both sides are whole batches, take the engine's column of the first and the trainer's of the second.
    preferred = _SIDES[place]
    if preferred in found:
        return side[preferred]
    if len(found) == 1:
        return side[found[0]]
    raise LogratioError(
        f"{name} has {'no log-probs' if not found else ' and '.join(found)}",
        hint=f"name them {' or '.join(_SIDES[:3])}",
    )


def _take(batch: Mapping[str, Any], name: str, column: str) -> Any:
    if batch.get(column) is None:
        raise LogratioError(f"the batch has no {column}, which {name} is", hint="give the second side as an argument")
    return batch[column]


def _first_of(column: str, given: Sequence[Mapping[str, Any]]) -> Any:
    return next((side[column] for side in given if side.get(column) is not None), None)


def _check_lengths(a: np.ndarray, b: np.ndarray, names: tuple[str, str]) -> None:
    if len(a) != len(b):
        raise LogratioError(f"{names[0]} has {len(a)} sequences, {names[1]} {len(b)}")
    wrong = np.flatnonzero(a != b)
    if len(wrong):
        i = int(wrong[0])
        raise LogratioError(
            f"{names[0]} has {a[i]} tokens in sequence {i}, {names[1]} {b[i]}",
            likely="one side has the prompt or padding in it",
            hint="give both sides the response tokens only",
        )


def _read_flat(value: Any, lengths: np.ndarray, name: str) -> np.ndarray:
    if not hasattr(value, "__len__") or isinstance(value, (str, bytes, Mapping)):
        raise LogratioError(f"{name} is a {type(value).__name__}, expected an array [B, T]")
    rows = [_as_numpy(row) for row in value]
    if rows and rows[0].ndim == 0:
        rows = [_as_numpy(value)]
    if len(rows) != len(lengths):
        raise LogratioError(f"{name} has {len(rows)} sequences, the log-probs {len(lengths)}")
    for i, (row, length) in enumerate(zip(rows, lengths, strict=True)):
        if len(row) != length:
            raise LogratioError(f"{name} has {len(row)} tokens in sequence {i}, the log-probs {length}")
    return np.concatenate(rows) if rows else np.zeros(0)


def _read_ids(given: Sequence[Mapping[str, Any]], pair: Pair, names: tuple[str, str]) -> np.ndarray | None:
    ids = [
        _read_flat(side["responses"], pair.a.lengths, f"{name}'s responses").astype(np.int64)
        for side, name in zip(given, names, strict=True)
        if side.get("responses") is not None
    ]
    if len(ids) == 2:
        wrong = np.flatnonzero((ids[0] != ids[1]) & pair.mask)
        if len(wrong):
            i = int(wrong[0])
            raise LogratioError(
                f"the sides scored different tokens at {_places(len(wrong))}, the first: {pair.place(i)}, "
                f"{names[0]} {ids[0][i]}, {names[1]} {ids[1][i]}",
                likely="one side sampled its own tokens instead of scoring the other's",
                hint="score one side's tokens under the other (teacher forcing)",
            )
    return ids[0] if ids else None


def _places(count: int) -> str:
    return f"{count:,} place{'' if count == 1 else 's'}"
