"""Copies what a training loop holds: numpy arrays, torch tensors on any device, lists.

The training thread only pays for the copy: one pass over the array, into reused memory. 64-bit ids and masks are
narrowed on the way, since the bytes written set the pace; the writing thread does all other conversions later.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

#: Buffers come in multiples of this, so that batches of about the same size share them.
_GRAIN = 1 << 20


class BufferPool:
    """Memory for copies, kept for reuse, because the system provides fresh pages at a fifth of the speed of a copy."""

    def __init__(self) -> None:
        self._free: dict[int, list[np.ndarray]] = defaultdict(list)
        self._lock = threading.Lock()

    def take(self, size: int) -> np.ndarray:
        """A buffer of at least ``size`` bytes."""
        rounded = -(-max(size, 1) // _GRAIN) * _GRAIN
        with self._lock:
            if self._free[rounded]:
                return self._free[rounded].pop()
        return np.empty(rounded, np.uint8)

    def give(self, buffer: np.ndarray) -> None:
        with self._lock:
            self._free[buffer.nbytes].append(buffer)


class Copied:
    """One value as it was when it was logged. `load` returns the array; `free` returns its memory to the pool."""

    def __init__(self, load: Callable[[], np.ndarray], size: int, free: Callable[[], None] = lambda: None) -> None:
        self.load = load
        #: Bytes in use.
        self.size = size
        self.free = free


def copy(value: Any, pool: BufferPool, narrow: Any = None) -> Copied:
    """A copy of an array, a tensor or a (nested) list of numbers.

    Args:
        pool: where its memory comes from. Several threads may use one pool at the same time.
        narrow: the type to which 64-bit integers in this machine's memory are converted; None keeps their own.

    Raises:
        TypeError: for any other value.
    """
    if _is_tensor(value):
        return _copy_tensor(value.detach(), pool, narrow)
    array = np.asarray(value)
    if array.dtype == object:
        raise TypeError("rows of different lengths: give a list with one array for each sequence")
    if array is not value and not isinstance(value, np.ndarray):
        # The list was just converted to a new array.
        return Copied(lambda: array, array.nbytes)
    return _copy_array(array, pool, narrow)


def is_ragged(value: Any) -> bool:
    """Whether a value holds one array or list for each sequence, instead of one array for all."""
    return (
        isinstance(value, Sequence) and not isinstance(value, (str, bytes)) and len(value) > 0 and _has_length(value[0])
    )


def join_rows(rows: Sequence[Any]) -> Any | None:
    """Tensors ``[T_i]`` of different lengths, joined on their device so that they are one copy; None for other
    values."""
    if not all(_is_tensor(row) and row.ndim == 1 for row in rows):
        return None
    import torch

    return torch.cat([row.detach() for row in rows])


def _has_length(value: Any) -> bool:
    return not isinstance(value, (str, bytes)) and hasattr(value, "__len__") and getattr(value, "ndim", 1) > 0


def _is_tensor(value: Any) -> bool:
    return all(hasattr(value, name) for name in ("detach", "cpu", "element_size"))


def _copy_array(array: np.ndarray, pool: BufferPool, narrow: Any) -> Copied:
    dtype = np.dtype(array.dtype if narrow is None or array.dtype != np.int64 else narrow)
    size = array.size * dtype.itemsize
    buffer = pool.take(size)
    view = buffer[:size].view(dtype).reshape(array.shape)
    # With one thread: on busy cores, several threads would wait for each other longer than they copy.
    np.copyto(view, array, casting="unsafe")
    if narrow is np.int32 and dtype != array.dtype:
        _drop_wide(view, array)
    return Copied(lambda: view, buffer.nbytes, lambda: pool.give(buffer))


def as_ids(values: np.ndarray) -> np.ndarray:
    """Ids as int32, with -1 for missing values (NaN) and for values that do not fit into int32."""
    array = np.ascontiguousarray(values)
    with np.errstate(invalid="ignore"):
        ids = array.astype(np.int32)
    if array.dtype != np.int32:
        _drop_wide(ids, array)
    return ids


def _drop_wide(ids: np.ndarray, array: np.ndarray) -> None:
    """Marks ids that did not fit as missing, because cut to 32 bits they would be those of other tokens."""
    # One pass is cheaper than two extremes: if all values combined by OR are a valid id, each of them is.
    if array.dtype.kind in "iu" and 0 <= int(np.bitwise_or.reduce(array, axis=None)) < 2**31:
        return
    with np.errstate(invalid="ignore"):
        ids[~((array >= -(2**31)) & (array < 2**31))] = -1


def _copy_tensor(tensor: Any, pool: BufferPool, narrow: Any) -> Copied:
    if str(tensor.device) == "cpu":
        return _decoded(_copy_array(_raw(tensor), pool, None if _is_bfloat16(tensor) else narrow), tensor)
    if tensor.device.type == "cuda":
        return _copy_from_gpu(tensor)
    host = tensor.cpu()
    return _decoded(Copied(lambda: _raw(host), host.numel() * host.element_size()), tensor)


def _copy_from_gpu(tensor: Any) -> Copied:
    """Copies on the GPU's own stream, so that later changes come after the copy and this call does not wait for it."""
    import torch

    host = torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=True)
    host.copy_(tensor, non_blocking=True)
    done = torch.cuda.Event()  # type: ignore[no-untyped-call, unused-ignore]
    done.record(torch.cuda.current_stream(tensor.device))

    def load() -> np.ndarray:
        done.synchronize()
        return _raw(host)

    return _decoded(Copied(load, host.numel() * host.element_size()), tensor)


def _raw(tensor: Any) -> np.ndarray:
    """The tensor's memory; bfloat16, which numpy lacks, appears as integers with the same bits."""
    if not _is_bfloat16(tensor):
        return np.asarray(tensor.numpy())
    import torch

    return np.asarray(tensor.contiguous().view(torch.int16).numpy())


def _decoded(copied: Copied, tensor: Any) -> Copied:
    if not _is_bfloat16(tensor):
        return copied
    load = copied.load
    # The upper half of a float32 is a bfloat16.
    copied.load = lambda: (load().view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    return copied


def _is_bfloat16(tensor: Any) -> bool:
    return str(tensor.dtype) == "torch.bfloat16"
