"""Chooses the folder of a run: a new one, one that it shares with other ranks, or one that it resumes."""

from __future__ import annotations

import contextlib
import os
import re
import time
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath, PureWindowsPath

from ..arguments import read_text
from .launch import Dead, Roster, find_launch
from .locks import Held

#: Values of ``resume``; None starts a new run beside an earlier one.
RESUME = ("allow", "must", "never")
MODES = ("enabled", "disabled")
#: A hidden folder, so that no reader takes its files for data.
_OWN = ".logratio"
_BATCH = re.compile(r"step_-?\d+\.rank_\d+\.call_\d+\.safetensors")
_TEMPORARY = re.compile(r"\.([0-9a-f]{32})\.\d+\.tmp")
#: Temporary files of unknown origin count as abandoned after this many seconds.
_STALE = 86_400.0


def check_name(name: str) -> str:
    """Checks the name of a run, which must not lead out of its directory.

    Raises:
        ValueError: if it does, or no file can have it.
    """
    ways = [PurePosixPath(name), PureWindowsPath(name)]
    if "\0" in name or any(way.is_absolute() or way.drive or way.root or ".." in way.parts for way in ways):
        raise ValueError(
            f"name must stay inside dir, not {name!r}: give it without '..', a drive or a leading '/', "
            "and set dir to record elsewhere"
        )
    return name


def read_resume(given: str | None) -> str | None:
    """``resume``, or the environment's value if not given.

    Raises:
        ArgumentError: if it is not a text.
        ValueError: if it is not one of the values.
    """
    text = read_text("resume", given) if given is not None else os.environ.get("LOGRATIO_RESUME") or None
    if text is not None and text not in RESUME:
        raise ValueError(f'resume must be "allow", "must" or "never", not {text!r}')
    return text


def is_disabled(given: str | None) -> bool:
    """Whether ``mode``, or the environment's value if not given, turns recording off.

    Raises:
        ArgumentError: if it is not a text.
        ValueError: if it is not one of the values.
    """
    text = read_text("mode", given) if given is not None else os.environ.get("LOGRATIO_MODE") or "enabled"
    if text not in MODES:
        raise ValueError(f'mode must be "enabled" or "disabled", not {text!r}')
    return text == "disabled"


@dataclass
class Place:
    """Where a recorder writes."""

    path: Path
    #: The recorders there; None if the folder cannot be written or locked.
    roster: Roster | None = None
    held: Held | None = None
    launch: str | None = None
    #: What a person should know about the choice, one sentence each.
    notes: list[str] = field(default_factory=list)


def claim(path: Path, resume: str | None, recorder: str, rank: int) -> Place:
    """Chooses the folder of a run and enters it.

    The given folder is used if no earlier run is in it. Otherwise ``resume`` decides; without it, the folder is the one
    in which this launch, or a living recorder, already records, else the first free of ``PATH-2``, ``PATH-3``, ….

    Raises:
        ValueError: if ``resume`` forbids what exists, or requires what does not.
    """
    place = Place(path, launch=find_launch())
    try:
        roster = Roster(path / _OWN)
        lock = roster.lock()
    except OSError as error:
        # If writing fails there, too, that is counted later; a failed lock must not prevent recording.
        if _count_files(path) > 0:
            place.notes.append(f"{path} has earlier files, and its recorders cannot be told apart: {error}")
        return place
    try:
        _choose(place, resume, rank)
        with contextlib.suppress(OSError):
            place.roster = Roster(place.path / _OWN)
            place.held = place.roster.enter(recorder, place.launch, rank)
    finally:
        if lock is not None:
            lock.release()
    return place


def _choose(place: Place, resume: str | None, rank: int) -> None:
    asked = place.path
    found = _list_candidates(asked)
    for folder in found:
        _clear(folder, place.notes)
    earlier = _count_files(asked)
    shared = next((folder for folder in reversed(found) if _is_shared(folder, place.launch, rank)), None)
    if resume in ("allow", "must"):
        if resume == "must" and earlier == 0 and shared != asked:
            raise ValueError(f'resume="must", but {asked} has no files of an earlier recorder')
        if earlier > 0 and shared != asked:
            place.notes.append(f"{asked} is resumed: it has {_files(earlier)} of an earlier recorder")
        return
    if shared is not None:
        place.path = shared
        if shared != asked:
            place.notes.append(f"{shared} is shared with the other recorders of this launch")
        return
    # A living recorder that does not share belongs to another launch, which may not have written anything yet.
    if earlier == 0 and not _has_living(asked):
        return
    there = f"{asked} has {_files(earlier)} of an earlier recorder" if earlier else f"{asked} is another launch's"
    if resume == "never":
        raise ValueError(f'resume="never", but {there}: give another name')
    try:
        place.path = _make_next(asked, found)
    except OSError as error:
        place.notes.append(f"{there}, and is added to: {error}")
        return
    place.notes.append(f'{there}: this run is {place.path.name} (resume="allow" adds to the first)')


def _make_next(asked: Path, found: list[Path]) -> Path:
    """Creates the first folder after the last existing one."""
    number = max([1, *(_read_number(asked, folder) or 1 for folder in found)])
    while True:
        number += 1
        folder = _resolve(asked).with_name(f"{_resolve(asked).name}-{number}")
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder)
            return folder
        if not any(folder.iterdir()):
            return folder


def _list_candidates(asked: Path) -> list[Path]:
    """The given folder, and its successors by number."""
    real = _resolve(asked)
    numbered = {}
    with contextlib.suppress(OSError):
        for folder in real.parent.iterdir():
            number = _read_number(asked, folder)
            if number is not None and folder.is_dir():
                numbered[number] = folder
    return [asked, *(numbered[number] for number in sorted(numbered))]


def _read_number(asked: Path, folder: Path) -> int | None:
    prefix = f"{_resolve(asked).name}-"
    digits = folder.name.removeprefix(prefix)
    is_number = folder.name.startswith(prefix) and re.fullmatch(r"[1-9][0-9]{0,8}", digits) is not None
    return int(digits) if is_number and int(digits) > 1 else None


def _resolve(path: Path) -> Path:
    """The path with a name: ``.`` and the like have none, and so no successor."""
    return path if path.name else path.resolve()


def _is_shared(folder: Path, launch: str | None, rank: int) -> bool:
    """Whether recorders of the same launch record, or have recorded, there."""
    if not (folder / _OWN).is_dir():
        return False
    roster = Roster(folder / _OWN)
    if launch is not None and roster.has_launch(launch, rank):
        return True
    # If nothing identifies the launch, recorders that are alive at the same time belong to one.
    return any(launch is None or facts.get("launch") in (None, launch) for facts in roster.list_living().values())


def _has_living(folder: Path) -> bool:
    return (folder / _OWN).is_dir() and bool(Roster(folder / _OWN).list_living())


def _clear(folder: Path, notes: list[str]) -> None:
    """Removes what killed recorders left."""
    if not (folder / _OWN).is_dir():
        return
    dead = Roster(folder / _OWN).clear_dead()
    for one in dead:
        notes.append(_describe_dead(folder, one))
    gone = {one.id for one in dead}
    with contextlib.suppress(OSError):
        for path in folder.glob(".*.tmp"):
            named = _TEMPORARY.fullmatch(path.name)
            with contextlib.suppress(OSError):
                if (named is not None and named[1] in gone) or time.time() - path.stat().st_mtime > _STALE:
                    os.unlink(path)


def _describe_dead(folder: Path, one: Dead) -> str:
    who = f"process {one.pid} on {one.host}" if one.pid else "another process"
    return f"{who} recorded in {folder} and ended without finish(): batches that it had in memory are lost"


def _count_files(folder: Path) -> int:
    try:
        return sum(1 for name in os.listdir(folder) if _BATCH.fullmatch(name))
    except OSError:
        return 0


def _files(count: int) -> str:
    return f"{count} file{'' if count == 1 else 's'}"
