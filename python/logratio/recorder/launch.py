"""The launch of a training job that a process belongs to, and the recorders of a run that are alive."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import socket
import sys
from dataclasses import dataclass
from pathlib import Path

from .locks import Held, is_held, read_facts, take

_LIVE = re.compile(r"([0-9a-f]{32})\.live")
#: Seconds to wait for another recorder that is choosing its place.
_LOCK_WAIT = 10.0


def find_launch() -> str | None:
    """32 hexadecimal digits that all processes of one launch share; None if nothing identifies the launch."""
    text = _name_launch()
    return None if text is None else hash_launch(text)


def hash_launch(text: str) -> str:
    """A launch's name as a file name."""
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:32]


def _name_launch() -> str | None:
    given = os.environ.get
    if given("LOGRATIO_LAUNCH"):
        return f"given {given('LOGRATIO_LAUNCH')}"
    # torchrun says "none" if it was given no id.
    if given("TORCHELASTIC_RUN_ID", "none") not in ("", "none"):
        return f"torchelastic {given('TORCHELASTIC_RUN_ID')}"
    if given("RAY_JOB_ID"):
        # Every new cluster counts its jobs from 1.
        worker = getattr(getattr(sys.modules.get("ray"), "_private", None), "worker", None)
        session = getattr(getattr(worker, "global_worker", None), "session_name", "")
        return f"ray {given('RAY_JOB_ID')} {session}"
    if given("SLURM_JOB_ID"):
        return f"slurm {given('SLURM_JOB_ID')} {given('SLURM_STEP_ID', '')}"
    if given("TORCHELASTIC_RUN_ID") and given("LOCAL_WORLD_SIZE") == given("WORLD_SIZE"):
        # All ranks are on this machine, started by one torchrun.
        return _describe_process(os.getppid())
    multiprocessing = sys.modules.get("multiprocessing")
    parent = None if multiprocessing is None else multiprocessing.parent_process()
    return None if parent is None or parent.pid is None else _describe_process(parent.pid)


def _describe_process(pid: int) -> str:
    """Describes a process by number and, if the system has it, start time, to tell it from a later one."""
    began = ""
    with contextlib.suppress(OSError, IndexError):
        began = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rsplit(")", 1)[1].split()[19]
    return f"children of {pid} {began} on {socket.gethostname()}"


@dataclass
class Dead:
    """A recorder that ended without ``finish``."""

    id: str
    pid: int | None
    host: str


class Roster:
    """The recorders of one run, as files in a hidden folder: ``ID.live`` is locked while its recorder lives,
    ``launch-L`` names a launch that recorded there, ``done-L-R`` a rank of it that has finished.

    Args:
        folder: where these files are; created if it is missing.

    Raises:
        OSError: if it cannot be created.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        os.makedirs(folder, exist_ok=True)

    def lock(self) -> Held | None:
        """Lets one recorder at a time choose its place. None if another takes too long."""
        return take(self.folder / "lock", _LOCK_WAIT)

    def enter(self, recorder: str, launch: str | None, rank: int) -> Held:
        """Adds a recorder.

        Raises:
            OSError: if the folder cannot be written, or has no locks.
        """
        held = take(self.folder / f"{recorder}.live")
        if held is None:
            raise FileExistsError(f"another recorder has the id {recorder}")
        self.introduce(held, launch, rank)
        if launch is not None:
            os.close(os.open(self.folder / f"launch-{launch}", os.O_WRONLY | os.O_CREAT, 0o666))
        return held

    def introduce(self, held: Held, launch: str | None, rank: int) -> None:
        """Writes down who a recorder is.

        Raises:
            OSError: if it cannot be written.
        """
        held.write({"launch": launch, "rank": rank, "pid": os.getpid(), "host": socket.gethostname()})

    def has_launch(self, launch: str, rank: int) -> bool:
        """Whether this launch recorded here and this rank of it has not finished, so that it is starting or
        restarting."""
        return (self.folder / f"launch-{launch}").exists() and not (self.folder / f"done-{launch}-{rank}").exists()

    def mark_done(self, launch: str, rank: int) -> None:
        """Notes that a rank of a launch has finished; see `has_launch`."""
        with contextlib.suppress(OSError):
            os.close(os.open(self.folder / f"done-{launch}-{rank}", os.O_WRONLY | os.O_CREAT, 0o666))

    def list_living(self, but: str = "") -> dict[str, dict[str, object]]:
        """What the living recorders say about themselves, by id."""
        found = {}
        for path in self.folder.glob("*.live"):
            named = _LIVE.fullmatch(path.name)
            if named is not None and named[1] != but and is_held(path):
                found[named[1]] = read_facts(path)
        return found

    def clear_dead(self, keep: str = "") -> list[Dead]:
        """Removes the files of recorders that ended without ``finish``."""
        dead = []
        for path in self.folder.glob("*.live"):
            named = _LIVE.fullmatch(path.name)
            if named is None or named[1] == keep:
                continue
            with contextlib.suppress(OSError):
                held = take(path)
                if held is not None:
                    facts = read_facts(path)
                    dead.append(Dead(named[1], facts.get("pid"), str(facts.get("host", ""))))
                    held.release(remove=True)
        return dead
