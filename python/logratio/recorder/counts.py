"""What became of the calls of ``log``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass
class Counts:
    """What became of the calls of ``log``; each is in one of the first five."""

    #: Written, as whole files; with ``url``, acknowledged by the server.
    written: int = 0
    #: Steps between those that ``every`` asks for.
    passed_over: int = 0
    #: The queue was full: the disk is slower than the loop. With ``url`` also: the spool was, since the server was away.
    dropped: int = 0
    #: Could not be copied, packed or written, or the server refused them; each reason is logged once.
    failed: int = 0
    #: Not written, or with ``url`` not acknowledged, when ``finish`` ran out of time. What is in the spool by then, the next
    #: recorder of this run sends; what is still in memory is lost if the process ends.
    unsent: int = 0
    sequences: int = 0
    tokens: int = 0
    #: Left out by ``sample`` and ``max_tokens``.
    sequences_left_out: int = 0


def describe(counts: Counts, place: str | Path) -> str:
    """What was recorded, in one line."""
    parts = [f"{counts.written} batches ({counts.sequences} sequences, {counts.tokens} tokens) written to {place}"]
    if counts.dropped:
        slow = "server was away or" if str(place).startswith("http") else "disk was"
        parts.append(f"{counts.dropped} dropped because the {slow} too slow")
    if counts.unsent:
        parts.append(f"{counts.unsent} not {'sent' if str(place).startswith('http') else 'written'} yet")
    if counts.failed:
        parts.append(f"{counts.failed} failed")
    if counts.sequences_left_out:
        parts.append(f"{counts.sequences_left_out} sequences left out by sample and max_tokens")
    return ", ".join(parts)
