"""Sends packed batches to ``logratio serve``, from a spool on this machine's disk.

A batch is a complete file in the spool before it is sent, and is removed when the server has said that it is durable.
A server that is away costs disk, up to a bound, but no memory.

    PUT URL/api/batches?run=NAME&step=S&rank=R&call=C[&launch=L&resume=HOW]
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import http.client
import os
import random
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from .answers import Answer

_CHUNK = 1 << 20
_TIMEOUT = 30.0
_FIRST_DELAY = 0.5
_LONGEST_DELAY = 30.0
#: How many answers in a row that ask for a short pause are obeyed; after that, the pauses grow.
_PATIENCE = 8
#: How many times in a row a call number may be taken; the server names the free one.
_MOST_CONFLICTS = 16
#: How many times a batch with a doubtful request is sent.
_MOST_DOUBTS = 5


@dataclass(frozen=True)
class Address:
    """The run that a batch belongs to, as the server needs it.

    Attributes:
        launch: launch of the training job, by which the server distinguishes runs of one name; None for the run of this
            name.
        resume: what the server does if the name has an earlier run.
    """

    name: str
    launch: str | None = None
    resume: str | None = None


@dataclass(eq=False)
class Parcel:
    """A waiting file of the spool."""

    path: Path
    address: Address
    step: int
    rank: int
    call: int
    doubts: int = 0


@dataclass
class Sent:
    """The outcome of a parcel."""

    parcel: Parcel
    #: Whether the server has it now.
    is_delivered: bool
    #: Why the server does not have it and never will.
    reason: str = ""
    #: The run in which the server has it, if it says so.
    run: str | None = None


class Away(Exception):
    """The server did not take the batch now.

    Attributes:
        delay: seconds after which the server asks to try again; None if it did not say.
        is_doubtful: whether others may go before this batch, because its request may be at fault.
    """

    def __init__(self, message: str, delay: float | None = None, *, is_doubtful: bool = False) -> None:
        super().__init__(message)
        self.delay = delay
        self.is_doubtful = is_doubtful


class Sender:
    """A thread that empties a spool until `stop`.

    Args:
        url: address of the server.
        spool: the folder, for messages.
        tell: called with a message when something changes that a person should know.
        done: called on the sender's thread when a parcel is delivered or refused.
    """

    def __init__(self, url: str, spool: Path, tell: Callable[[str], None], done: Callable[[Sent], None]) -> None:
        self._parts = urlsplit(url)
        self._spool = spool
        self._tell = tell
        self._done = done
        self._connection: http.client.HTTPConnection | None = None
        self._parcels: deque[Parcel] = deque()
        self._changed = threading.Condition()
        self._is_stopping = False
        #: Whether the last request got no answer, or one that was not the server's.
        self.is_away = False
        #: Whether a connection is being made, which takes as long as its timeout if nothing answers at all.
        self._is_connecting = False
        self._thread = threading.Thread(target=self._run, name="logratio-sender", daemon=True)
        self._thread.start()

    @property
    def waiting(self) -> int:
        """The number of parcels that the server does not have yet."""
        return len(self._parcels)

    def add(self, parcel: Parcel) -> None:
        """Adds a complete file of the spool."""
        with self._changed:
            self._parcels.append(parcel)
            self._changed.notify_all()

    def wait(self, until: float | None, patience: float | None = None) -> bool:
        """Waits until everything is sent; returns whether it was before ``time.monotonic()`` reached ``until``.

        Args:
            patience: seconds to wait for a server that is away; None means as long as for one that answers.
        """
        began = time.monotonic()
        with self._changed:
            while self._parcels:
                now = time.monotonic()
                if until is not None and now >= until:
                    return False
                is_out_of_reach = self.is_away or self._is_connecting
                if patience is not None and is_out_of_reach and now - began >= patience:
                    return False
                left = 0.2 if until is None else min(0.2, until - now)
                self._changed.wait(left)
            return True

    def stop(self) -> bool:
        """Ends the thread after the current file; the rest stays in the spool. Returns whether it ended immediately."""
        with self._changed:
            self._is_stopping = True
            self._changed.notify_all()
        self._thread.join(1.0)
        return not self._thread.is_alive()

    def _run(self) -> None:
        attempt = 0
        while (parcel := self._next()) is not None:
            try:
                sent = self._send(parcel)
            except Exception as error:
                # Whatever the answer, the batches after this one must still be sent.
                self._close()
                away = error if isinstance(error, Away) else Away(f"{type(error).__name__}: {error}")
                self._stay(away, attempt)
                attempt += 1
                continue
            attempt = 0
            if self.is_away:
                self.is_away = False
                self._tell(f"{self._describe()} takes batches again")
            with contextlib.suppress(Exception):
                self._done(sent)
            with self._changed:
                self._parcels.remove(parcel)
                self._changed.notify_all()
        self._close()

    def _stay(self, away: Away, attempt: int) -> None:
        """Keeps the current parcel for a while."""
        with self._changed:
            if away.is_doubtful:
                self._parcels.rotate(-1)
        if not self.is_away:
            self.is_away = True
            self._tell(f"{self._describe()} does not take batches, which wait in {self._spool}: {away}")
        own = _delay(max(0, attempt - (0 if away.delay is None else _PATIENCE)))
        if away.delay is None:
            self._pause(own)
        else:
            asked = away.delay * random.uniform(1, 1.5)
            self._pause(asked if attempt < _PATIENCE else max(asked, own))

    def _next(self) -> Parcel | None:
        with self._changed:
            while not self._parcels and not self._is_stopping:
                self._changed.wait()
            return None if self._is_stopping else self._parcels[0]

    def _pause(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        with self._changed:
            while not self._is_stopping and (left := until - time.monotonic()) > 0:
                self._changed.wait(left)

    def _send(self, parcel: Parcel) -> Sent:
        try:
            file = parcel.path.open("rb")
        except FileNotFoundError:
            # No recorder removes files from another's locked spool, so the server was not sent this one.
            return Sent(parcel, False, f"its file was removed from {parcel.path.parent} before it was sent")
        with file:
            digest = hashlib.sha256()
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
            size = file.tell()
            call = parcel.call
            for _ in range(_MOST_CONFLICTS):
                file.seek(0)
                answer = self._put(_make_query(parcel, call), file, size, digest.digest())
                stored = answer.find_stored(digest.hexdigest())
                if stored is not None:
                    run = stored.get("run")
                    return Sent(parcel, True, run=run if isinstance(run, str) else None)
                free = answer.find_next_call()
                if free is None:
                    break
                # Another recorder of this run and rank has already recorded the step.
                call = max(call + 1, free)
        return self._judge(parcel, answer)

    def _judge(self, parcel: Parcel, answer: Answer) -> Sent:
        """Decides what happens to a parcel that is not stored."""
        if answer.is_refusal():
            return Sent(parcel, False, answer.describe())
        if answer.is_doubtful():
            parcel.doubts += 1
            if parcel.doubts >= _MOST_DOUBTS:
                return Sent(parcel, False, answer.describe())
            raise Away(answer.describe(), answer.find_wait(), is_doubtful=True)
        if answer.status < 400 or answer.status in (404, 405, 409):
            raise Away(f"{answer.describe()}: this answer is not from logratio serve", answer.find_wait())
        raise Away(answer.describe(), answer.find_wait())

    def _put(self, query: str, file: object, size: int, digest: bytes) -> Answer:
        headers = {
            "Content-Type": "application/octet-stream",
            "Content-Length": str(size),
            "Content-Digest": f"sha-256=:{base64.b64encode(digest).decode()}:",
        }
        token = os.environ.get("LOGRATIO_TOKEN", "").strip()
        if token:
            if not (token.isascii() and token.isprintable()):
                # The library's message about such a header would quote the token.
                raise Away("LOGRATIO_TOKEN has characters that no header may have")
            headers["Authorization"] = f"Bearer {token}"
        connection = self._connect()
        # A server that refuses may not read to the end, but its answer may have arrived.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.request("PUT", f"{self._parts.path.rstrip('/')}/api/batches?{query}", file, headers)  # type: ignore[arg-type]
        answer = connection.getresponse()
        body = answer.read(4096)
        fields = {name.lower(): value for name, value in answer.getheaders()}
        if answer.will_close or not answer.isclosed():
            self._close()
        return Answer(answer.status, fields, body)

    def _connect(self) -> http.client.HTTPConnection:
        if self._connection is None:
            kind = http.client.HTTPSConnection if self._parts.scheme == "https" else http.client.HTTPConnection
            made = kind(self._parts.hostname or "", self._parts.port, timeout=_TIMEOUT, blocksize=_CHUNK)
            # Not left to the request, which tolerates broken connections: one that was never made cannot have an
            # answer.
            self._is_connecting = True
            try:
                made.connect()
            finally:
                self._is_connecting = False
            self._connection = made
        return self._connection

    def _close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(Exception):
                connection.close()

    def _describe(self) -> str:
        return f"{self._parts.scheme}://{self._parts.netloc.rsplit('@')[-1]}"


def _make_query(parcel: Parcel, call: int) -> str:
    address = parcel.address
    fields = {"run": address.name, "step": parcel.step, "rank": parcel.rank, "call": call}
    if address.launch is not None:
        fields["launch"] = address.launch
        if address.resume is not None:
            fields["resume"] = address.resume
    return urlencode(fields)


def _delay(attempt: int) -> float:
    """Exponential delay with jitter, so that ranks that were refused together do not return together."""
    return min(_LONGEST_DELAY, _FIRST_DELAY * 2.0 ** min(attempt, 16)) * random.uniform(0.5, 1)
