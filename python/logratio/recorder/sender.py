"""Sends packed batches to ``logratio serve``, from a spool on this machine's disk.

A batch is a whole file in the spool before it is sent, and goes when the server has said that it is durable. A server
that is away costs disk, up to a bound, and no memory. What a process could not send, the next recorder of the same run and
rank sends first.

    PUT URL/api/batches?run=NAME&step=S&rank=R&call=C
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import http.client
import os
import random
import re
import stat
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode, urlsplit

_NAME = re.compile(r"step_(-?\d+)\.rank_(\d+)\.call_(\d+)\.safetensors")
_CHUNK = 1 << 20
_TIMEOUT = 30.0
_FIRST_DELAY = 0.5
_LONGEST_DELAY = 30.0
#: The same request may succeed later; so may one with another token, if the server's is changed.
_PASSING = {401, 403, 408, 421, 425, 429}
#: Calls of one step and rank that a resumed run may have recorded before.
_MOST_CALLS = 10_000


@dataclass
class Sent:
    """What became of one file of the spool."""

    path: Path
    #: Whether the server has it now.
    delivered: bool
    #: Why it does not, and never will.
    reason: str = ""


class Refused(Exception):
    """The server will not take this batch, however often it is sent."""


class Away(Exception):
    """The server did not take the batch now.

    Attributes:
        delay: seconds after which it asks to be tried again; None where it did not say.
    """

    def __init__(self, message: str, delay: float | None = None) -> None:
        super().__init__(message)
        self.delay = delay


def find_spool(url: str, name: str, rank: int) -> Path:
    """The folder where batches wait: below ``$LOGRATIO_SPOOL``, else the system's temporary directory.

    Raises:
        OSError: when it cannot be made, or belongs to another user.
    """
    given = os.environ.get("LOGRATIO_SPOOL")
    user = os.getuid() if hasattr(os, "getuid") else 0
    base = Path(given) if given else Path(tempfile.gettempdir()) / f"logratio-spool-{user}"
    base.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not given and hasattr(os, "getuid"):
        found = os.lstat(base)
        # Any user who may write to the temporary directory could have made it, to read what is spooled.
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != user:
            raise PermissionError(f"{base} belongs to another user: set LOGRATIO_SPOOL to a folder of your own")
    key = hashlib.sha256(f"{url}\n{name}".encode()).hexdigest()[:16]
    folder = base / f"{key}.rank_{rank}"
    folder.mkdir(exist_ok=True)
    return folder


class Sender:
    """A thread that empties a spool.

    Args:
        url: of the server.
        name: of the run.
        spool: the folder; files that are there already are sent first.
        tell: called with a message when something changed that a person should know.
        done: called on the sender's thread when a file is delivered or refused.
    """

    def __init__(
        self,
        url: str,
        name: str,
        spool: Path,
        tell: Callable[[str], None],
        done: Callable[[Sent], None],
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"url must be http://HOST:PORT, not {url!r}")
        self._parts = parts
        self._name = name
        self._spool = spool
        self._tell = tell
        self._done = done
        self._connection: http.client.HTTPConnection | None = None
        self._files: deque[Path] = deque(sorted(path for path in spool.glob("*.safetensors") if _NAME.match(path.name)))
        self._changed = threading.Condition()
        self._stopping = False
        self._is_away = False
        self.found = len(self._files)
        self._thread = threading.Thread(target=self._run, name="logratio-sender", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """Files that the server does not have yet."""
        return len(self._files)

    def add(self, path: Path) -> None:
        """A whole file is in the spool."""
        with self._changed:
            self._files.append(path)
            self._changed.notify_all()

    def wait(self, until: float | None) -> bool:
        """Waits until everything is sent; whether it was, before the clock ``time.monotonic`` shows ``until``."""
        with self._changed:
            while self._files:
                left = None if until is None else until - time.monotonic()
                if left is not None and left <= 0:
                    return False
                self._changed.wait(left)
            return True

    def stop(self) -> None:
        """Ends the thread after the file at hand; the rest stays in the spool."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()

    def _run(self) -> None:
        attempt = 0
        while (path := self._next()) is not None:
            try:
                sent = self._send(path)
            except (Away, OSError, http.client.HTTPException) as error:
                self._close()
                if not self._is_away:
                    self._is_away = True
                    self._tell(f"{self._describe()} does not take batches, which wait in {self._spool}: {error}")
                delay = error.delay if isinstance(error, Away) else None
                self._pause(_delay(attempt) if delay is None else min(delay, 300.0) * random.uniform(1, 1.5))
                attempt += 1
                continue
            attempt = 0
            if self._is_away:
                self._is_away = False
                self._tell(f"{self._describe()} takes batches again")
            self._done(sent)
            with self._changed:
                self._files.popleft()
                self._changed.notify_all()
        self._close()

    def _next(self) -> Path | None:
        with self._changed:
            while not self._files and not self._stopping:
                self._changed.wait()
            return None if self._stopping else self._files[0]

    def _pause(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        with self._changed:
            while not self._stopping and (left := until - time.monotonic()) > 0:
                self._changed.wait(left)

    def _send(self, path: Path) -> Sent:
        named = _NAME.match(path.name)
        if named is None:
            return Sent(path, False, f"{path.name} is not a batch")
        step, rank, call = (int(part) for part in named.groups())
        try:
            file = path.open("rb")
        except FileNotFoundError:
            # Another recorder of the same run and rank sent it.
            return Sent(path, True)
        with file:
            digest = hashlib.sha256()
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
            size = file.tell()
            for _ in range(_MOST_CALLS):
                file.seek(0)
                query = urlencode({"run": self._name, "step": step, "rank": rank, "call": call})
                status, headers, text = self._put(query, file, size, digest.digest())
                if status in (200, 201):
                    return Sent(path, True)
                if status != 409:
                    break
                # A run that was resumed: what it recorded of this step before is there under this call.
                call = max(call + 1, _read_int(headers.get("logratio-next-call")))
        if status in _PASSING or status >= 500:
            raise Away(f"{status} {text}", _read_seconds(headers.get("retry-after")))
        return Sent(path, False, f"{status} {text}")

    def _put(self, query: str, file: object, size: int, digest: bytes) -> tuple[int, dict[str, str], str]:
        headers = {
            "Content-Type": "application/octet-stream",
            "Content-Length": str(size),
            "Content-Digest": f"sha-256=:{base64.b64encode(digest).decode()}:",
        }
        token = os.environ.get("LOGRATIO_TOKEN")
        if token:
            headers["Authorization"] = f"Bearer {token}"
        connection = self._connect()
        # A server that refuses need not read to the end; what it said may be there.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.request("PUT", f"{self._parts.path.rstrip('/')}/api/batches?{query}", file, headers)  # type: ignore[arg-type]
        answer = connection.getresponse()
        text = answer.read(4096).decode("utf-8", "replace").strip()
        fields = {name.lower(): value for name, value in answer.getheaders()}
        if answer.will_close or not answer.isclosed():
            self._close()
        return answer.status, fields, text

    def _connect(self) -> http.client.HTTPConnection:
        if self._connection is None:
            kind = http.client.HTTPSConnection if self._parts.scheme == "https" else http.client.HTTPConnection
            made = kind(self._parts.hostname or "", self._parts.port, timeout=_TIMEOUT, blocksize=_CHUNK)
            # Not left to the request, whose broken connections are forgiven: no answer comes from one that was never made.
            made.connect()
            self._connection = made
        return self._connection

    def _close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _describe(self) -> str:
        return f"{self._parts.scheme}://{self._parts.netloc.rsplit('@')[-1]}"


def _delay(attempt: int) -> float:
    """Exponential with jitter, so that ranks that were refused together do not come back together."""
    return min(_LONGEST_DELAY, _FIRST_DELAY * 2.0 ** min(attempt, 16)) * random.uniform(0.5, 1)


def _read_seconds(text: str | None) -> float | None:
    try:
        return max(0.0, float(text)) if text is not None else None
    except ValueError:
        return None


def _read_int(text: str | None) -> int:
    return int(text) if text is not None and text.isdigit() else 0
