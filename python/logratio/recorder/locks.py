"""File locks that end with their process, however it ends."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
import time
import weakref
from pathlib import Path
from typing import Any

if sys.platform == "win32":
    import msvcrt

    def _lock(fd: int, *, shared: bool = False) -> None:
        os.lseek(fd, 1 << 20, os.SEEK_SET)
        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
else:
    import fcntl

    def _lock(fd: int, *, shared: bool = False) -> None:
        fcntl.flock(fd, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)


_FACTS_BYTES = 1024
#: Locks of this process. A forked child closes its copies, which would hold the locks after the parent's death.
_held: weakref.WeakSet[Held] = weakref.WeakSet()


class Held:
    """A lock that this process holds until `release`."""

    def __init__(self, fd: int, path: Path) -> None:
        self._fd = fd
        self.path = path
        _held.add(self)

    def write(self, facts: dict[str, Any]) -> None:
        """Replaces what the file says.

        Raises:
            OSError: when it cannot be written.
        """
        # One write of constant size, so that a concurrent reader never sees half of it or nothing.
        text = json.dumps(facts).encode().ljust(_FACTS_BYTES)
        os.lseek(self._fd, 0, os.SEEK_SET)
        os.write(self._fd, text)

    def release(self, *, remove: bool = False) -> None:
        """Releases the lock; ``remove`` first removes the file, so that no other process finds it unlocked."""
        if self._fd < 0:
            return
        fd, self._fd = self._fd, -1
        with contextlib.suppress(OSError):
            if remove:
                os.unlink(self.path)
        with contextlib.suppress(OSError):
            os.close(fd)

    def forget(self) -> None:
        """Drops the lock in a forked child, because it is the parent's."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            with contextlib.suppress(OSError):
                os.close(fd)


def take(path: Path, wait: float = 0.0) -> Held | None:
    """Locks a file, created if missing; None if another process still holds it after ``wait`` seconds.

    Raises:
        OSError: if the file cannot be created, or this file system has no locks.
    """
    until = time.monotonic() + wait
    while True:
        fd = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o666)
        try:
            _lock(fd)
        except (BlockingIOError, PermissionError):
            os.close(fd)
            if time.monotonic() >= until:
                return None
            time.sleep(0.01)
            continue
        except BaseException:
            os.close(fd)
            raise
        if _is_at(fd, path):
            return Held(fd, path)
        # Its previous holder has removed the file meanwhile.
        os.close(fd)


def is_held(path: Path) -> bool:
    """Whether a living process holds the lock."""
    try:
        fd = os.open(path, os.O_RDWR | getattr(os, "O_CLOEXEC", 0))
    except OSError:
        return False
    try:
        # Shared, so that two processes that look at the same time do not take each other for the owner.
        _lock(fd, shared=True)
    except (BlockingIOError, PermissionError):
        return True
    except OSError:
        # Without locks, the process that the file names decides; on another machine, assume that it is alive.
        facts = read_facts(path)
        return facts.get("host") != socket.gethostname() or _is_running(facts.get("pid"))
    finally:
        os.close(fd)
    return False


def read_facts(path: Path) -> dict[str, Any]:
    """What `Held.write` wrote; empty if it cannot be read."""
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return facts if isinstance(facts, dict) else {}


def _is_at(fd: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(fd), os.stat(path))
    except FileNotFoundError:
        return False


def _is_running(pid: Any) -> bool:
    if not isinstance(pid, int):
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _forget_all() -> None:
    for held in list(_held):
        held.forget()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)
