"""What runs on the cluster: an actor for each core; each has a process of the program as long as it lives."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import ray

from ..shard_worker import Plan, ShardWorker


class Summarizer:
    """Summarizes chunks of shards, one at a time."""

    def __init__(self) -> None:
        self._worker = ShardWorker()

    def start(self) -> None:
        """Starts the process, so that a node without the program says so before it gets work."""
        self._worker.start()

    def plan(self, paths: Sequence[str], options: Mapping[str, Any]) -> Plan:
        return self._worker.plan(paths, options)

    def summarize(self, paths: Sequence[str], options: Mapping[str, Any]) -> bytes:
        return self._worker.summarize(paths, options)

    def merge(self, *parts: bytes) -> bytes:
        # Passed as files, so that the program can read part after part and holds only one of them and the sum in
        # memory.
        with tempfile.TemporaryDirectory(prefix="logratio-") as folder:
            for i, part in enumerate(parts):
                (Path(folder) / f"{i}.lrs").write_bytes(part)
            return self._worker.merge([folder])


def start_summarizer(runtime_env: Mapping[str, Any] | None) -> Any:
    """A handle of a new actor. Ray does not restart it: the pool starts another one, and knows what was lost."""
    options: dict[str, Any] = {"num_cpus": 1, "max_restarts": 0, "max_task_retries": 0}
    if runtime_env is not None:
        options["runtime_env"] = dict(runtime_env)
    return ray.remote(Summarizer).options(**options).remote()
