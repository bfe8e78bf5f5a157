"""One process of the program that summarizes shard after shard (docs/larger-than-one-machine.md, "The worker").

Starting a process for each shard would cost more than a small shard itself.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import IO, Any

from .errors import LogratioError
from .program import environment, find_command

#: Characters kept from the end of what a process printed before it died.
_SAID = 4000


class WorkerDied(LogratioError):
    """The process ended in the middle of a request: killed, or out of memory."""


@dataclass(frozen=True)
class Shard:
    """A unit of summarizing: a file, or files that complete each other.

    Attributes:
        name: path or address of its first file, which names it in reports.
        paths: all its files.
        bytes: their size; 0 if unknown.
        digest: digest of their content, by which ``logratio summarize`` recognizes a shard; None if it cannot be read.
    """

    name: str
    paths: tuple[str, ...]
    bytes: int
    digest: str | None = None


@dataclass(frozen=True)
class Plan:
    """The shards of a run.

    Attributes:
        shards: in the order in which one process reads them.
        part: a part without shards that lists which shards there should be, so that ``merge`` notices missing ones.
    """

    shards: tuple[Shard, ...]
    part: bytes


class ShardWorker:
    """A long-lived ``logratio summarize --worker``. Not thread-safe.

    The process starts with the first request, restarts after it died, and ends with `close`, with the ``with`` block or
    with this process.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._said: IO[bytes] | None = None

    def start(self) -> None:
        """Starts the process now.

        Raises:
            LogratioError: if there is no program, or no Node to run it with.
        """
        self._start()

    def plan(self, paths: Sequence[str], options: Mapping[str, Any] | None = None) -> Plan:
        """The shards in the paths; reads only their beginnings.

        Raises:
            LogratioError: if a path does not exist or nothing in it is recognized; `WorkerDied`.
        """
        head, part = self._ask(plan=list(paths), options=_name_options(options))
        shards = tuple(
            Shard(one["name"], tuple(one["paths"]), int(one["bytes"]), one.get("digest")) for one in head["shards"]
        )
        return Plan(shards, part)

    def summarize(self, paths: Sequence[str], options: Mapping[str, Any] | None = None) -> bytes:
        """The part of these shards. Shards that cannot be read are in it as failed.

        Args:
            paths: the files of one shard, or of several shards with one file each.
            options: flags of ``logratio summarize`` with underscores, the same for all shards of a run.

        Raises:
            LogratioError: for wrong options; `WorkerDied`.
        """
        return self._ask(summarize=list(paths), planned=True, options=_name_options(options))[1]

    def merge(self, parts: Sequence[str]) -> bytes:
        """Merges the parts in these files and directories into one.

        Raises:
            LogratioError: if a part is damaged, or was made with other settings; `WorkerDied`.
        """
        return self._ask(merge=list(parts))[1]

    def close(self) -> None:
        """Ends the process, if there is one."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None and process.stdout is not None
        process.stdout.close()
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        try:
            process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def __enter__(self) -> ShardWorker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _ask(self, **request: Any) -> tuple[dict[str, Any], bytes]:
        process = self._start()
        assert process.stdin is not None and process.stdout is not None
        try:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
        except BrokenPipeError:
            raise self._died(process) from None
        line = process.stdout.readline()
        if not line.endswith(b"\n"):
            raise self._died(process)
        head: dict[str, Any] = json.loads(line)
        payload = process.stdout.read(head["bytes"])
        if len(payload) < head["bytes"]:
            raise self._died(process)
        if not head["ok"]:
            error = head["error"]
            place = error.get("at") or {}
            raise LogratioError(
                error["message"], where=place.get("file"), likely=error.get("likely"), hint=error.get("hint")
            )
        return head, payload

    def _start(self) -> subprocess.Popen[bytes]:
        if self._process is not None and self._process.poll() is None:
            return self._process
        self.close()
        # A file, not a pipe: messages are not read while a request is being answered, and a full pipe would block the
        # program.
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 (as long as the process lives)
        self._process = subprocess.Popen(
            [*find_command(), "--color", "never", "summarize", "--worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            env=environment(),
        )
        return self._process

    def _died(self, process: subprocess.Popen[bytes]) -> WorkerDied:
        status = process.wait()
        said = ""
        if self._said is not None:
            self._said.seek(max(0, self._said.seek(0, 2) - _SAID))
            said = self._said.read().decode(errors="replace").strip()
        self.close()
        return WorkerDied(
            f"the process that summarizes ended with status {status} in the middle of a request",
            likely=said or "it was killed, often because the machine ran out of memory",
            hint="give the run fewer workers on a machine, or memory=MIB as an option",
        )


def _name_options(options: Mapping[str, Any] | None) -> dict[str, Any]:
    """Options under the names of the program's own library: ``batch_tokens`` becomes ``batchTokens``."""
    named = {}
    for name, value in (options or {}).items():
        if value is None or value is False:
            continue
        first, *rest = name.split("_")
        named[first + "".join(word.capitalize() for word in rest)] = value
    return named
