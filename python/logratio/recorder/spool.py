"""Where a recorder with ``url`` puts its batches: whole files in a spool, which a thread of its own sends."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import numpy as np

from .files import publish
from .sender import Sender, Sent, find_spool

if TYPE_CHECKING:
    from .recorder import Counts

#: Steps whose calls are counted on.
_STEPS_KEPT = 64


class ServerSink:
    """Spools batches and has them sent; memory does not grow while the server is away.

    Args:
        url: of the server.
        name: of the run; None means ``$LOGRATIO_NAME``, else ``run``.
        most_bytes: files that may wait; beyond it batches are dropped and counted.
        counts: the recorder's, to which what is sent is added.
        rank: gives the rank of this process, which is known when the first batch is.
        warn: logs a message once, for each reason.

    Raises:
        ValueError: when the URL is not one of http or https.
    """

    def __init__(
        self,
        url: str,
        name: str | None,
        most_bytes: int,
        counts: Counts,
        rank: Callable[[], int],
        warn: Callable[[str, str | None], None],
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"url must be http://HOST:PORT, not {url!r}")
        self._url = url
        self._name = name or os.environ.get("LOGRATIO_NAME") or "run"
        if not name and not os.environ.get("LOGRATIO_NAME"):
            warn("the run has no name and is called 'run': give name=, or set LOGRATIO_NAME", None)
        self.place = f"{url.rstrip('/')} as {self._name!r}"
        self.page = f"{url.rstrip('/')}/runs/{_name_folder(self._name)}/"
        self._most_bytes = most_bytes
        self._counts = counts
        self._rank = rank
        self._warn = warn
        self._sender: Sender | None = None
        self._calls: dict[int, int] = {}
        self._lock = threading.Lock()
        #: Sequences, tokens and bytes of each file that this recorder spooled.
        self._spooled: dict[Path, tuple[int, int, int]] = {}
        #: Files that the server has, kept while their step is the last, so that it can be measured.
        self._kept: dict[Path, int] = {}
        self._bytes = 0
        self._last: int | None = None
        self.folder: Path | None = None

    def publish(self, step: int, stem: str, arrays: Mapping[str, np.ndarray], metadata: Mapping[str, str]) -> None:
        """Spools a batch, or drops it where too much waits already.

        Raises:
            OSError: when the spool cannot be written.
        """
        sender = self._start()
        assert self.folder is not None
        if step != self._last:
            self._last = step
            self._drop_kept(step)
        if self._bytes > self._most_bytes:
            self._counts.dropped += 1
            self._warn(
                f"batches are dropped: {self._bytes} bytes wait in {self.folder} for {self._url}, which is away or slow",
                "spool",
            )
            return
        path = publish(self.folder, stem, arrays, metadata, self._calls.get(step, 0))
        self._calls.pop(step, None)
        self._calls[step] = int(path.name.rsplit("call_", 1)[1].split(".")[0]) + 1
        if len(self._calls) > _STEPS_KEPT:
            del self._calls[next(iter(self._calls))]
        size = path.stat().st_size
        with self._lock:
            self._spooled[path] = (len(arrays["row"]), int(arrays["response_offsets"][-1]), size)
            self._bytes += size
        sender.add(path)

    def wait(self, until: float | None) -> bool:
        """Waits until the server has everything; see `Sender.wait`."""
        return self._sender is None or self._sender.wait(until)

    def finish(self, until: float) -> None:
        """Sends what waits as long as there is time; what is left stays for the next recorder of the run."""
        if self._sender is None:
            return
        self._sender.wait(max(until, time.monotonic()))
        self._sender.stop()
        self._counts.unsent = self._sender.waiting
        self._drop_kept(None)

    def restart(self) -> None:
        """After a fork: threads are the parent's, and so is what it spooled."""
        self._sender = None
        self._lock = threading.Lock()
        self._spooled = {}
        self._kept = {}
        self._bytes = 0

    def _start(self) -> Sender:
        if self._sender is None:
            self.folder = find_spool(self._url, self._name, self._rank())
            self._bytes = sum(path.stat().st_size for path in self.folder.glob("*.safetensors"))
            self._sender = Sender(self._url, self._name, self.folder, lambda text: self._warn(text, None), self._settle)
            if self._sender.found > 0:
                self._warn(f"{self._sender.found} batches of an earlier recorder of this run are sent first", None)
        return self._sender

    def _settle(self, sent: Sent) -> None:
        with self._lock:
            spooled = self._spooled.pop(sent.path, None)
        if sent.delivered and spooled is not None:
            self._counts.add_written(spooled[0], spooled[1])
        elif not sent.delivered:
            self._counts.failed += 1
            self._warn(f"{sent.path.name} was refused by {self._url}: {sent.reason}", sent.reason)
        size = spooled[2] if spooled is not None else _size(sent.path)
        if sent.delivered and f"step_{self._last}." in sent.path.name:
            with self._lock:
                self._kept[sent.path] = size
            return
        self._remove(sent.path, size)

    def _drop_kept(self, step: int | None) -> None:
        with self._lock:
            gone = {path: size for path, size in self._kept.items() if f"step_{step}." not in path.name}
            for path in gone:
                del self._kept[path]
        for path, size in gone.items():
            self._remove(path, size)

    def _remove(self, path: Path, size: int) -> None:
        path.unlink(missing_ok=True)
        with self._lock:
            self._bytes -= size


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _name_folder(name: str) -> str:
    """What the server calls the folder of a run: letters, digits, ``.``, ``_`` and ``-``, and ``~`` with two hexadecimal
    digits for every other byte, and for a dot in front."""
    plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
    letters = [chr(byte) if chr(byte) in plain else f"~{byte:02X}" for byte in name.encode()]
    return "".join(["~2E", *letters[1:]] if letters[:1] == ["."] else letters)
