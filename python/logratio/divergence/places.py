"""Permanent names of tokens: handles and record ids, as in the command line's log."""

from __future__ import annotations

import os
import struct
import sys
import threading
import zlib
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

import numpy as np

#: The most iterations whose calls are remembered, and the most calls of each.
_REMEMBERED = 64

_calls: OrderedDict[tuple[int | None, int | None], OrderedDict[int, tuple[int, int]]] = OrderedDict()
_lock = threading.Lock()


def find_rank(meta: Mapping[str, Any]) -> int | None:
    """The rank of this process: the batch's ``meta_info["rank"]``, else torch.distributed's, else ``$RANK``, else None."""
    if isinstance(meta.get("rank"), (int, np.integer)):
        return int(meta["rank"])
    # Only if the loop itself has imported it, because importing torch takes seconds.
    distributed = getattr(sys.modules.get("torch"), "distributed", None)
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return int(distributed.get_rank())
    text = os.environ.get("RANK", "")
    return int(text) if text.isdigit() else None


def number_rows(iteration: int | None, rank: int | None, rollout: np.ndarray, mask: np.ndarray) -> int:
    """The number of a batch's first row among those that this process logged at the iteration.

    Mini-batches of one iteration continue the count, so that a handle names one response; logging the same batch again
    gives the same numbers.
    """
    rows, step = len(rollout), max(1, rollout.shape[1] // 64)
    seen = zlib.crc32(np.ascontiguousarray(rollout[:, ::step]).tobytes(), zlib.crc32(np.packbits(mask).tobytes()))
    with _lock:
        calls = _calls.setdefault((iteration, rank), OrderedDict())
        _calls.move_to_end((iteration, rank))
        if len(_calls) > _REMEMBERED:
            _calls.popitem(last=False)
        if seen not in calls:
            last = next(reversed(calls.values()), (0, 0))
            calls[seen] = (last[0] + last[1], rows)
            if len(calls) > _REMEMBERED:
                calls.popitem(last=False)
        return calls[seen][0]


def format_handle(iteration: int | None, rank: int | None, row: int, position: int) -> str:
    """``s12.r0.q41.t880``; unknown parts are left out."""
    known = [f"{letter}{value}" for letter, value in (("s", iteration), ("r", rank)) if value is not None]
    return ".".join([*known, f"q{row}", f"t{position}"])


def format_record_id(handle: str, token: int | None, rollout: float, actor: float) -> str:
    """The id by which a line is recognized: handle, token and the bits of both log-probs."""
    bits = (struct.pack(">d", value).hex() for value in (rollout, actor))
    return ":".join([handle, "" if token is None else str(token), *bits])
