"""The outcomes of calls of ``log``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass
class Counts:
    """The outcomes of calls of ``log``; each call is in one of the first six counts."""

    #: Written as whole files or, with ``url``, acknowledged by the server.
    written: int = 0
    #: Skipped, because ``every`` does not ask for the step.
    passed_over: int = 0
    #: Without a sequence, for instance because a filter left none: there was nothing to record.
    empty: int = 0
    #: Dropped because the queue was full, as the disk is slower than the loop, or, with ``url``, because the spool was
    #: full, as the server was away.
    dropped: int = 0
    #: Could not be copied, packed or written, or was refused by the server; each reason is logged once.
    failed: int = 0
    #: Not written or, with ``url``, not acknowledged when ``finish`` ran out of time. The next recorder of this run
    #: sends what is in the spool by then; what is still in memory is lost if the process ends.
    unsent: int = 0
    sequences: int = 0
    tokens: int = 0
    #: Sequences left out by ``sample`` and ``max_tokens``.
    sequences_left_out: int = 0


def describe(counts: Counts, place: str | Path) -> str:
    """What was recorded, in one line."""
    content = f"{_count(counts.sequences, 'sequence')}, {_count(counts.tokens, 'token')}"
    parts = [f"{_count(counts.written, 'batch', 'batches')} ({content}) written to {place}"]
    if counts.dropped:
        slow = "server was away or" if str(place).startswith("http") else "disk was"
        parts.append(f"{counts.dropped} dropped because the {slow} too slow")
    if counts.unsent:
        parts.append(f"{counts.unsent} not {'sent' if str(place).startswith('http') else 'written'} yet")
    if counts.failed:
        parts.append(f"{counts.failed} failed")
    if counts.empty:
        parts.append(f"{counts.empty} empty")
    if counts.sequences_left_out:
        parts.append(f"{_count(counts.sequences_left_out, 'sequence')} left out by sample and max_tokens")
    return ", ".join(parts)


def _count(number: int, one: str, several: str | None = None) -> str:
    return f"{number} {one if number == 1 else several or one + 's'}"
