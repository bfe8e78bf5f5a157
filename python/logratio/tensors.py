"""Functions common to numpy arrays and torch tensors, so that a formula is written once and runs on either.

torch is never imported here; a tensor knows its module.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np


def is_tensor(value: Any) -> bool:
    """Whether a value is a torch tensor, judging by its methods."""
    return all(hasattr(value, name) for name in ("detach", "device", "element_size"))


def to_numpy(value: Any) -> np.ndarray:
    """A numpy array from a tensor on any device, an array, or nested lists; bfloat16 becomes float32.

    Raises:
        ValueError: if rows differ in length, as in nested tensors and uneven lists.
    """
    if is_tensor(value):
        if getattr(value, "is_nested", False):
            raise ValueError(
                "expected a padded tensor, got a nested one; likely: pad it first, with to_padded_tensor(0)"
            )
        value = value.detach().cpu()
        return np.asarray((value.float() if str(value.dtype) == "torch.bfloat16" else value).numpy())
    try:
        return np.asarray(value)
    except ValueError as error:
        raise ValueError("expected rows of equal length; likely: the batch is not padded yet") from error


def module_of(value: Any) -> Any:
    """``torch`` for a tensor, else ``numpy``: the module whose functions take the value."""
    return sys.modules["torch"] if is_tensor(value) else np


def take_array(value: Any, like: Any = None) -> Any:
    """A detached tensor, or an array; if ``like`` is a tensor, a tensor on its device.

    Raises:
        ValueError: if the value does not hold numbers.
    """
    if is_tensor(value):
        return value.detach()
    array = check_numbers("a column", to_numpy(value))
    return module_of(like).as_tensor(array, device=like.device) if is_tensor(like) else array


def check_numbers(name: str, array: np.ndarray) -> np.ndarray:
    """Returns the array after checking that it holds numbers.

    Raises:
        ValueError: if it holds anything else.
    """
    if array.dtype.kind not in "biuf" and "float" not in array.dtype.name:
        raise ValueError(f"{name} holds {array.dtype.name}, expected numbers")
    return array


def to_doubles(value: Any) -> Any:
    """Float64, or float32 on devices without float64 (Apple's)."""
    if not is_tensor(value):
        return np.asarray(value, np.float64)
    return value.float() if value.device.type == "mps" else value.double()


def cast(value: Any, like: Any) -> Any:
    """The value in the type of ``like``."""
    return value.to(like.dtype) if is_tensor(value) else value.astype(like.dtype)


def describe_shape(value: Any) -> str:
    """``[4, 512]``."""
    return "[" + ", ".join(str(size) for size in value.shape) + "]"


def check_shapes(name: str, value: Any, other_name: str, other: Any, likely: str) -> None:
    """Checks that two arrays have the same shape.

    Raises:
        ValueError: with both shapes and the likely cause, if they do not.
    """
    if tuple(value.shape) != tuple(other.shape):
        raise ValueError(
            f"cannot align the columns: {name} has the shape {describe_shape(value)}, "
            f"{other_name} {describe_shape(other)}; likely: {likely}"
        )


def sum_segments(values: Any, ids: Any, count: int) -> Any:
    """Sums ``[count]`` of flat values by segment number."""
    if is_tensor(values):
        return module_of(values).zeros(count, dtype=values.dtype, device=values.device).index_add_(0, ids, values)
    return np.bincount(ids, weights=values, minlength=count)


def max_segments(values: Any, ids: Any, count: int) -> Any:
    """Maxima ``[count]`` of flat values by segment number, -Infinity for empty segments; NaN stays NaN."""
    if is_tensor(values):
        lowest = module_of(values).full((count,), -np.inf, dtype=values.dtype, device=values.device)
        return lowest.scatter_reduce_(0, ids, values, "amax")
    maxima = np.full(count, -np.inf)
    np.maximum.at(maxima, ids, values)
    return maxima


def read_lengths(num_tokens: Any) -> list[int]:
    """Lengths of sequences as integers, from a tensor, an array or a list."""
    lengths: Sequence[int] = to_numpy(num_tokens).reshape(-1).tolist()
    return [int(length) for length in lengths]
