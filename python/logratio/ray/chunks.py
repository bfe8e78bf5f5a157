"""Shards grouped into what one request of a worker summarizes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .._version import __version__
from ..shard_worker import Shard

#: A chunk ends with the shard that makes it this large: some seconds of work, lost when its worker is.
CHUNK_BYTES = 256 * 2**20
#: And with this many shards: small ones cost a request each otherwise.
CHUNK_SHARDS = 64


@dataclass(frozen=True)
class Chunk:
    """Shards that are summarized into one part.

    Attributes:
        name: of the part's file, the same for the same shards and options whatever the cluster: a broken job finds it.
            Shards of another content have another one.
    """

    name: str
    shards: tuple[Shard, ...]

    @property
    def paths(self) -> list[str]:
        return [path for shard in self.shards for path in shard.paths]

    @property
    def bytes(self) -> int:
        return sum(shard.bytes for shard in self.shards)


def make_chunks(shards: Iterable[Shard], options: Mapping[str, Any]) -> list[Chunk]:
    """Neighbors in the run's order, so that a chunk's handles and ties are decided as one process decides them.

    Files that complete each other are a chunk of their own: together with others they could be joined with those.
    """
    chunks: list[Chunk] = []
    open_: list[Shard] = []
    size = 0

    def end() -> None:
        nonlocal size
        if open_:
            chunks.append(_make_chunk(open_, options))
            open_.clear()
            size = 0

    for shard in shards:
        if len(shard.paths) > 1:
            end()
            chunks.append(_make_chunk([shard], options))
            continue
        open_.append(shard)
        size += shard.bytes
        if size >= CHUNK_BYTES or len(open_) >= CHUNK_SHARDS:
            end()
    end()
    return chunks


def split_chunk(chunk: Chunk, options: Mapping[str, Any]) -> list[Chunk]:
    """Each shard by itself: which one ends the process is then known, and the others are kept."""
    return [_make_chunk([shard], options) for shard in chunk.shards]


def _make_chunk(shards: list[Shard], options: Mapping[str, Any]) -> Chunk:
    known = [[*shard.paths, shard.bytes, shard.digest] for shard in shards]
    said = json.dumps([known, sorted(options.items()), __version__], default=str)
    return Chunk(f"{hashlib.sha256(said.encode()).hexdigest()[:24]}.lrs", tuple(shards))
