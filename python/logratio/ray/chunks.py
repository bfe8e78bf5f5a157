"""Groups shards into chunks, each of which a worker summarizes in one request."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from .._version import __version__
from ..shard_worker import Shard

#: A chunk ends with the shard that makes it this large: some seconds of work, which are lost with its worker.
CHUNK_BYTES = 256 * 2**20
#: A chunk also ends with this many shards; grouping spares small shards a request each.
CHUNK_SHARDS = 64


@dataclass(frozen=True)
class Chunk:
    """Shards that are summarized together into one part.

    Attributes:
        name: name of the part's file. It depends only on the shards, their content and the options, not on the cluster,
            so that a resumed job finds it.
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
    """Chunks of neighbors in the run's order, so that handles and ties are decided as in a single process.

    Files that complete each other form their own chunk; together with others, they could be joined with those.
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
    """Makes each shard a chunk, to find out which one kills the process and to keep the others."""
    return [_make_chunk([shard], options) for shard in chunk.shards]


def _make_chunk(shards: list[Shard], options: Mapping[str, Any]) -> Chunk:
    known = [[*shard.paths, shard.bytes, shard.digest] for shard in shards]
    said = json.dumps([known, sorted(options.items()), __version__], default=str)
    return Chunk(f"{hashlib.sha256(said.encode()).hexdigest()[:24]}.lrs", tuple(shards))
