"""Where a recorder with ``url`` puts its batches: complete files in a spool, which a separate thread sends.

    SPOOL/KEY.ID/00000007.step_3.rank_0.call_0.safetensors    a waiting batch of recorder ID
    SPOOL/KEY.ID/run.json                                     the run that its batches belong to
    SPOOL/KEY.refused/ID/                                     batches that the server will never take
    SPOOL/.KEY/                                               which recorders of this run are alive

KEY is made of the server and the name. Each recorder has its own folder and never uses a name in it twice. If one dies,
whatever its rank, the next recorder of the same run sends what is in its folder.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import threading
import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import numpy as np

from .files import publish_as
from .launch import Roster, find_launch, hash_launch
from .locks import Held, read_facts, take
from .node import Room, find_spool, measure_file
from .sender import Address, Parcel, Sender, Sent

if TYPE_CHECKING:
    from .recorder import Recorder

_NAME = re.compile(r"(?:\d{8,}\.)?step_(-?\d+)\.rank_(\d+)\.call_(\d+)\.safetensors")
_SENT = ".sent"
#: Steps whose call counts are kept.
_STEPS_KEPT = 64
#: Seconds that an ending process waits for a server that is away; `Sender.stop` takes one more.
_AWAY_PATIENCE = 4.0


@dataclass
class _Own:
    """A batch of this recorder, with its share of the counts."""

    sequences: int
    tokens: int
    size: int


class ServerSink:
    """Spools batches and lets a thread send them; memory does not grow while the server is away.

    Args:
        recorder: the recorder of these batches, for its counts, its messages, and its rank, which is known with the
            first batch.
        url: address of the server.
        name: name of the run; None means ``$LOGRATIO_NAME``, else ``run``.
        resume: what the server does if it has an earlier run of this name.
        most_bytes: bytes of files that may wait in the spool, of all recorders of this user on this machine; beyond
            that, batches are dropped and counted.

    Raises:
        ValueError: if the URL is not an http or https URL.
    """

    def __init__(self, recorder: Recorder, url: str, name: str | None, resume: str | None, most_bytes: int) -> None:
        if not _is_address(url):
            raise ValueError(f"url must be http://HOST:PORT, not {url!r}")
        self._recorder = recorder
        self._url = url.rstrip("/")
        self._name = name or os.environ.get("LOGRATIO_NAME") or "run"
        self.is_named = bool(name or os.environ.get("LOGRATIO_NAME"))
        self._resume = resume
        self._most_bytes = most_bytes
        #: The run's name on the server, which differs from the given one if an earlier run has that.
        self.run = self._name
        self._clear()

    @property
    def place(self) -> str:
        return f"{self._url} as {self.run!r}"

    @property
    def page(self) -> str:
        return f"{self._url}/runs/{_name_folder(self.run)}/"

    def _clear(self) -> None:
        self._sender: Sender | None = None
        self._address = Address(self._name)
        self._roster: Roster | None = None
        self._held: Held | None = None
        self._adopted: dict[Path, Held] = {}
        self._calls: dict[int, int] = {}
        self._number = 0
        self._lock = threading.RLock()
        #: What this recorder has spooled and the server does not have yet.
        self._waiting: dict[Path, _Own] = {}
        #: Files that the server has, kept as long as their step is the last, so that it can be measured.
        self._kept: dict[Path, int] = {}
        self._room: Room | None = None
        self._last: int | None = None
        self.folder: Path | None = None

    def publish(self, step: int, rank: int, arrays: Mapping[str, np.ndarray], metadata: Mapping[str, str]) -> None:
        """Spools a batch, or drops it if too much is already waiting.

        Raises:
            OSError: if the spool cannot be written.
        """
        sender = self._start(rank)
        assert self.folder is not None and self._room is not None
        if step != self._last:
            self._last = step
            self._drop_kept(step)
        with self._lock:
            waiting = self._room.measure()
        if waiting > self._most_bytes:
            self._recorder.count("dropped")
            self._recorder.warn(
                f"batches are dropped: {waiting} bytes wait in {self.folder.parent}, and {self._url} is away or slow; "
                f"max_spool_bytes is {self._most_bytes} for all recorders of this machine",
                "spool",
            )
            return
        call = self._calls.pop(step, 0)
        path = self.folder / f"{self._number:08}.step_{step}.rank_{rank}.call_{call}.safetensors"
        # Even if it cannot be written, because a name is never used twice.
        self._number += 1
        self._calls[step] = call + 1
        if len(self._calls) > _STEPS_KEPT:
            del self._calls[next(iter(self._calls))]
        size = publish_as(path, arrays, metadata, self._recorder.id)
        with self._lock:
            self._waiting[path] = _Own(len(arrays["row"]), int(arrays["response_offsets"][-1]), size)
            self._room.add(size)
        sender.add(Parcel(path, self._address, step, rank, call))

    def find(self, step: int) -> list[Path]:
        """The files of a step that are still on this machine."""
        return [] if self.folder is None else sorted(self.folder.glob(f"*.step_{step}.rank_*.call_*.*"))

    def wait(self, until: float | None) -> bool:
        """Waits until the server has everything; see `Sender.wait`."""
        return self._sender is None or self._sender.wait(until)

    def finish(self, until: float) -> tuple[int, str]:
        """Sends what waits as long as there is time; the rest stays for the next recorder of the run.

        Returns:
            The number of this recorder's batches that still wait, and where.
        """
        if self._sender is None:
            return 0, ""
        self._sender.wait(max(until, time.monotonic()), _AWAY_PATIENCE)
        has_ended = self._sender.stop()
        self._drop_kept(None)
        with self._lock:
            left = len(self._waiting)
        if has_ended and self._roster is not None:
            # Otherwise the thread is still sending, and the locks stay until the process ends.
            self._release()
        return left, str(self.folder)

    def _release(self) -> None:
        assert self._roster is not None
        if self._address.launch is not None:
            self._roster.mark_done(self._address.launch, self._recorder.find_rank())
        for folder, held in [*self._adopted.items(), *([(self.folder, self._held)] if self.folder else [])]:
            _remove_empty(folder)
            if held is not None:
                held.release(remove=True)
        self._adopted, self._held = {}, None

    def restart(self) -> None:
        """Starts over after a fork, because threads, locks and spooled batches are the parent's."""
        self._clear()

    def _start(self, rank: int) -> Sender:
        if self._sender is not None:
            return self._sender
        base = find_spool()
        key = hashlib.sha256(f"{self._url}\n{self._name}".encode()).hexdigest()[:16]
        folder = base / f"{key}.{self._recorder.id}"
        roster = Roster(base / f".{key}")
        lock = roster.lock()
        left: list[Parcel] = []
        try:
            others = roster.list_living()
            launch = _choose_launch(roster, others, rank)
            self._address = Address(self._name, launch, self._resume)
            self._held = roster.enter(self._recorder.id, launch, rank)
            os.makedirs(folder, exist_ok=True)
            _write_address(folder, self._address, self._recorder.id)
            left = self._adopt(base, key, roster)
        except BaseException:
            # The next batch tries again, and then needs these locks.
            for held in [self._held, *self._adopted.values()]:
                if held is not None:
                    held.release(remove=held is self._held)
            self._held, self._adopted = None, {}
            raise
        finally:
            if lock is not None:
                lock.release()
        self._roster, self.folder = roster, folder
        self._recorder.warn_of_twin(others, rank)
        self._room = Room(base)
        sender = Sender(self._url, folder, self._recorder.warn, self._settle)
        for parcel in left:
            sender.add(parcel)
        if left:
            self._recorder.warn(f"{len(left)} batches of an earlier recorder of this run are sent first")
        self._sender = sender
        return sender

    def _adopt(self, base: Path, key: str, roster: Roster) -> list[Parcel]:
        """Takes over the folders of recorders that have died."""
        found: list[Parcel] = []
        for folder in sorted(base.glob(f"{key}.*")):
            owner = folder.name[len(key) + 1 :]
            if owner in ("refused", self._recorder.id) or not folder.is_dir():
                continue
            # A folder that cannot be read must not keep this recorder from its own.
            with contextlib.suppress(OSError):
                held = take(roster.folder / f"{owner}.live")
                if held is None:
                    continue
                parcels = _list_parcels(folder, self._name)
                if parcels:
                    self._adopted[folder] = held
                    found.extend(parcels)
                else:
                    _remove_empty(folder)
                    held.release(remove=True)
        return found

    def _settle(self, sent: Sent) -> None:
        path = sent.parcel.path
        with self._lock:
            own = self._waiting.pop(path, None)
        size = own.size if own is not None else measure_file(path)
        if sent.is_delivered:
            if own is not None:
                self._recorder.count_written(own.sequences, own.tokens)
                self._learn_run(sent.run)
                if sent.parcel.step == self._last and self._keep(path, size):
                    return
            self._remove(path, size)
            return
        self._recorder.count("failed")
        kept = self._set_aside(path, size)
        self._recorder.warn(f"{path.name} was refused by {self._url}: {sent.reason}{kept}", sent.reason)

    def _learn_run(self, run: str | None) -> None:
        """Learns from the server's answer which run of the name this one is."""
        if run is None or run == self.run:
            return
        self.run = run
        self._recorder.announce(
            f'{self._url} has an earlier run {self._name!r}: this run is {run!r}, {self.page} (resume="allow" adds to the first)'
        )

    def _keep(self, path: Path, size: int) -> bool:
        """Keeps a file under a name that no recorder sends."""
        kept = path.with_suffix(_SENT)
        try:
            os.rename(path, kept)
        except OSError:
            return False
        with self._lock:
            self._kept[kept] = size
        return True

    def _set_aside(self, path: Path, size: int) -> str:
        """Moves a refused file to where no recorder sends it; returns what a message says about that."""
        folder = path.parent.with_name(f"{path.parent.name.split('.')[0]}.refused") / path.parent.name.split(".")[-1]
        if not path.exists():
            return ""
        if self._room is not None and self._room.measure_refused() + size > self._most_bytes:
            self._remove(path, size)
            return f"; it is not kept, since {folder.parent} and others like it are full"
        try:
            os.makedirs(folder, exist_ok=True)
            os.rename(path, folder / path.name)
        except OSError as error:
            self._recorder.warn(f"a refused batch could not be moved to {folder}: {error}", "set aside")
            return ""
        self._free(size)
        return f"; it is kept in {folder}"

    def _drop_kept(self, step: int | None) -> None:
        with self._lock:
            gone = {path: size for path, size in self._kept.items() if f".step_{step}." not in path.name}
            for path in gone:
                del self._kept[path]
        for path, size in gone.items():
            self._remove(path, size)

    def _remove(self, path: Path, size: int) -> None:
        # The next recorder sends a file that stays once more, and the server recognizes it by its digest.
        with contextlib.suppress(OSError):
            os.unlink(path)
        self._free(size)

    def _free(self, size: int) -> None:
        with self._lock:
            if self._room is not None:
                self._room.add(-size)


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        # An invalid port is only noticed when the port is read.
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def _choose_launch(roster: Roster, others: Mapping[str, Mapping[str, Any]], rank: int) -> str:
    """The launch by which the server knows which recorders belong to one run."""
    named = find_launch()
    if named is None:
        # Nothing identifies the launch, so recorders that are alive at the same time belong to one.
        shared = [facts["launch"] for facts in others.values() if isinstance(facts.get("launch"), str)]
        return shared[0] if shared else uuid.uuid4().hex
    # A cluster's job id may cover several launches: a rank that has already finished under it begins another.
    launch, again = named, 0
    living = {facts.get("launch") for facts in others.values()}
    while launch not in living and (roster.folder / f"done-{launch}-{rank}").exists():
        again += 1
        launch = hash_launch(f"{named} {again}")
    return launch


def _write_address(folder: Path, address: Address, writer: str) -> None:
    facts = {"run": address.name, "launch": address.launch, "resume": address.resume}
    temporary = folder / f".{writer}.run.tmp"
    fd = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
    try:
        os.write(fd, json.dumps(facts).encode())
    finally:
        os.close(fd)
    os.rename(temporary, folder / "run.json")


def _list_parcels(folder: Path, name: str) -> list[Parcel]:
    """What waits in the folder of a dead recorder, in the order in which it was recorded."""
    facts = read_facts(folder / "run.json")
    texts = {key: value if isinstance(value := facts.get(key), str) else None for key in ("run", "launch", "resume")}
    address = Address(texts["run"] or name, texts["launch"], texts["resume"])
    parcels = []
    for path in sorted(folder.iterdir()):
        named = _NAME.fullmatch(path.name)
        if named is not None:
            step, rank, call = (int(part) for part in named.groups())
            parcels.append(Parcel(path, address, step, rank, call))
        elif path.suffix in (_SENT, ".tmp"):
            with contextlib.suppress(OSError):
                os.unlink(path)
    return parcels


def _remove_empty(folder: Path) -> None:
    """Removes a folder in which nothing waits."""
    with contextlib.suppress(OSError):
        if any(_NAME.fullmatch(name) for name in os.listdir(folder)):
            return
        for path in folder.iterdir():
            os.unlink(path)
        os.rmdir(folder)


def _name_folder(name: str) -> str:
    """The server's name for the folder of a run: letters, digits, ``.``, ``_`` and ``-``, and ``~`` with two
    hexadecimal digits for every other byte and for a leading dot."""
    plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
    letters = [chr(byte) if chr(byte) in plain else f"~{byte:02X}" for byte in name.encode()]
    return "".join(["~2E", *letters[1:]] if letters[:1] == ["."] else letters)
