"""Copies of whatever a training loop holds: numpy arrays, torch tensors on any device, lists.

The training thread pays for the copy alone: one pass over the array, into memory that is used again, by a few threads at
once. 64-bit ids and masks are narrowed on the way, since what is written sets the pace; all else is changed later, by the
thread that writes.
"""

from __future__ import annotations

import os
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

import numpy as np

#: Buffers come in multiples of this, so that batches of about the same size share them.
_GRAIN = 1 << 20
#: One thread copies at a fraction of the speed of the memory; more of them than this add nothing.
_COPY_THREADS = min(4, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)
#: Smaller pieces cost more to hand out than to copy.
_PIECE_BYTES = 2 << 20


class BufferPool:
    """Memory for copies, kept after use: the system gives fresh pages at a fifth of the speed of a copy."""

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


class Copier:
    """Copies arrays into memory of a pool; what was asked for is there after `join`.

    The thread that joins copies too, and takes over what no helper has begun: on a machine whose cores are all busy it is
    as fast as a plain copy.
    """

    def __init__(self) -> None:
        self.pool = BufferPool()
        self._threads: ThreadPoolExecutor | None = None
        self._pid = os.getpid()
        self._waiting: deque[tuple[np.ndarray, np.ndarray]] = deque()
        self._running: list[Future[None]] = []

    def start(self, target: np.ndarray, source: np.ndarray) -> None:
        """Begins to copy ``source`` into ``target``, of the same shape."""
        if not source.flags.c_contiguous or _COPY_THREADS == 1 or source.nbytes <= _PIECE_BYTES:
            np.copyto(target, source, casting="unsafe")
            return
        flat, raw = target.reshape(-1), source.reshape(-1)
        count = _PIECE_BYTES // source.itemsize
        for start in range(0, raw.size, count):
            self._waiting.append((flat[start : start + count], raw[start : start + count]))
        while len(self._running) < _COPY_THREADS - 1:
            self._running.append(self._helpers().submit(self._copy_waiting))

    def join(self) -> None:
        """Completes all copies that were begun."""
        self._copy_waiting()
        running, self._running = self._running, []
        begun = [helper for helper in running if not helper.cancel()]
        wait(begun)
        for helper in begun:
            helper.result()

    def _copy_waiting(self) -> None:
        while True:
            try:
                target, source = self._waiting.popleft()
            except IndexError:
                return
            np.copyto(target, source, casting="unsafe")

    def _helpers(self) -> ThreadPoolExecutor:
        # Threads do not survive a fork.
        if self._threads is None or self._pid != os.getpid():
            self._pid = os.getpid()
            self._threads = ThreadPoolExecutor(_COPY_THREADS - 1, "logratio-copy")
        return self._threads


class Copied:
    """One value as it was when it was logged. `load` gives the array; `free` gives its memory back."""

    def __init__(self, load: Callable[[], np.ndarray], size: int, free: Callable[[], None] = lambda: None) -> None:
        self.load = load
        #: Bytes held.
        self.size = size
        self.free = free


def copy(value: Any, copier: Copier, narrow: Any = None) -> Copied:
    """A copy of an array, a tensor or a (nested) list of numbers; complete after the copier's `join`.

    Args:
        narrow: the type in which 64-bit integers in this machine's memory are copied; None means their own.

    Raises:
        TypeError: for any other value.
    """
    if _is_tensor(value):
        return _copy_tensor(value.detach(), copier, narrow)
    array = np.asarray(value)
    if array.dtype == object:
        raise TypeError("rows of different lengths: give a list with one array for each sequence")
    if array is not value and not isinstance(value, np.ndarray):
        # A list was turned into an array of its own just now.
        return Copied(lambda: array, array.nbytes)
    return _copy_array(array, copier, narrow)


def is_ragged(value: Any) -> bool:
    """Whether a value holds one array or list for each sequence, rather than one array for all of them."""
    return (
        isinstance(value, Sequence) and not isinstance(value, (str, bytes)) and len(value) > 0 and _has_length(value[0])
    )


def join_rows(rows: Sequence[Any]) -> Any | None:
    """Tensors ``[T_i]`` of different lengths end to end on their device, so that they are one copy; None for others."""
    if not all(_is_tensor(row) and row.ndim == 1 for row in rows):
        return None
    import torch

    return torch.cat([row.detach() for row in rows])


def _has_length(value: Any) -> bool:
    return not isinstance(value, (str, bytes)) and hasattr(value, "__len__") and getattr(value, "ndim", 1) > 0


def _is_tensor(value: Any) -> bool:
    return all(hasattr(value, name) for name in ("detach", "cpu", "element_size"))


def _copy_array(array: np.ndarray, copier: Copier, narrow: Any) -> Copied:
    dtype = np.dtype(array.dtype if narrow is None or array.dtype != np.int64 else narrow)
    size = array.size * dtype.itemsize
    buffer = copier.pool.take(size)
    view = buffer[:size].view(dtype).reshape(array.shape)
    copier.start(view, array)
    return Copied(lambda: view, buffer.nbytes, lambda: copier.pool.give(buffer))


def _copy_tensor(tensor: Any, copier: Copier, narrow: Any) -> Copied:
    if str(tensor.device) == "cpu":
        return _decoded(_copy_array(_raw(tensor), copier, None if _is_bfloat16(tensor) else narrow), tensor)
    if tensor.device.type == "cuda":
        return _copy_from_gpu(tensor)
    host = tensor.cpu()
    return _decoded(Copied(lambda: _raw(host), host.numel() * host.element_size()), tensor)


def _copy_from_gpu(tensor: Any) -> Copied:
    """Copies in the order of the GPU's own stream: later changes come after it, and this call does not wait for it."""
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
    """The tensor's memory; numpy has no bfloat16, so that is seen as integers of the same bits."""
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
