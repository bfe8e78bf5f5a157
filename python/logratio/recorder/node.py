"""What the recorders of one machine share: where batches wait for a server, and how much may."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

#: File systems that are in memory, so that what waits there would be the loop's memory.
_IN_MEMORY = {"tmpfs", "ramfs", "devtmpfs"}
#: What files of batches end in: waiting, sent but kept for figures, half written.
_BATCHES = {".safetensors", ".sent", ".tmp"}
#: Seconds for which a measurement of all waiting files counts.
_MEASURED = 1.0


def find_spool() -> Path:
    """The folder where batches wait: ``$LOGRATIO_SPOOL``, else this user's in the first of the system's temporary
    directory, ``/var/tmp`` and the user's cache that is on a disk.

    Raises:
        OSError: if it cannot be created, or belongs to another user.
    """
    given = os.environ.get("LOGRATIO_SPOOL")
    user = os.getuid() if hasattr(os, "getuid") else 0
    base = Path(given) if given else _find_disk() / f"logratio-spool-{user}"
    os.makedirs(base, mode=0o700, exist_ok=True)
    if not given and hasattr(os, "getuid"):
        found = os.lstat(base)
        # Any user who can write to the temporary directory could have created it, to read what is spooled.
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != user:
            raise PermissionError(f"{base} belongs to another user: set LOGRATIO_SPOOL to a folder of your own")
    return base


def _find_disk() -> Path:
    temporary = Path(tempfile.gettempdir())
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser())
    candidates = [temporary, Path("/var/tmp"), cache]
    return next((path for path in candidates if os.access(path, os.W_OK) and not is_in_memory(path)), temporary)


def is_in_memory(path: Path) -> bool:
    """Whether a folder is in a file system without a disk, as far as the system says."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        lines = Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return False
    return _find_type(path.resolve(), lines) in _IN_MEMORY


def _find_type(path: Path, mounts: list[str]) -> str:
    """The type of the file system that holds a path, from the lines of ``/proc/self/mounts``."""
    kind, longest = "", -1
    for line in mounts:
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        # Spaces in a path are written as octal numbers.
        point = Path(" ".join(fields[1].split("\\040")))
        # Of several file systems at one place, the last covers the others.
        if len(point.parts) >= longest and (point == path or point in path.parents):
            kind, longest = fields[2], len(point.parts)
    return kind


class Room:
    """How many bytes wait in a spool, of all recorders of this user on this machine.

    Args:
        base: the spool.
    """

    def __init__(self, base: Path) -> None:
        self._base = base
        self._bytes = 0
        self._until = -1.0

    def measure(self) -> int:
        """Bytes of the files that wait, as they were at most a second ago, with what `add` has added since."""
        now = time.monotonic()
        if now >= self._until:
            self._bytes = sum(measure_file(path) for path in _list_waiting(self._base))
            self._until = now + _MEASURED
        return self._bytes

    def add(self, size: int) -> None:
        """Adds a file of this recorder; negative for one that is gone."""
        self._bytes += size

    def measure_refused(self) -> int:
        """Bytes of the files that a server has refused."""
        return sum(measure_file(path) for path in self._base.glob("*.refused/*/*"))


def _list_waiting(base: Path) -> Iterator[Path]:
    for folder in base.iterdir():
        if folder.is_dir() and folder.suffix != ".refused" and not folder.name.startswith("."):
            yield from (path for path in folder.iterdir() if path.suffix in _BATCHES)


def measure_file(path: Path) -> int:
    """Bytes of a file; 0 if it is gone."""
    # Another recorder may have sent and removed it meanwhile.
    try:
        return path.stat().st_size
    except OSError:
        return 0
