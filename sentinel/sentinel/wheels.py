"""Trainers' releases: found in the cache or on PyPI, checked against the lock, and unpacked without being installed."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import shutil
import tarfile
import tempfile
import urllib.error
import urllib.request
import zipfile
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urljoin

LOCK = Path(__file__).resolve().parents[1] / "releases.json"
REGISTRY = "https://pypi.org/pypi"
# Seconds without a byte after which the registry counts as unavailable.
PATIENCE = 20
# Days, about half a year.
EARLIER = 150
FINAL = re.compile(r"\d+(\.\d+)*(\.post\d+)?")
DIGITS = re.compile(r"\d+")

Which = Literal["pinned", "newest", "earlier"]


@dataclass(frozen=True)
class Release:
    """A release of a distribution, and the one file of it that is read."""

    distribution: str
    version: str
    date: str
    file: str
    sha256: str


class Unavailable(Exception):
    """A release is neither in the cache nor to be had from PyPI now."""


class Damaged(Exception):
    """A release's file is not the one in the lock."""


def cache_folder() -> Path:
    """`LOGRATIO_WHEELS`, or a folder in the user's cache."""
    home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("LOGRATIO_WHEELS") or Path(home) / "logratio" / "wheels")


def locked(distribution: str, which: Literal["pinned", "earlier"]) -> Release:
    """The release in the lock.

    Raises:
        Unavailable: the lock has none.
    """
    entry: dict[str, Any] = json.loads(LOCK.read_text(encoding="utf-8")).get(distribution, {})
    found = entry if which == "pinned" else entry.get("earlier")
    if not found:
        raise Unavailable(f"releases.json has no {which} release of {distribution}")
    return Release(distribution, found["version"], found["date"], found["file"], found["sha256"])


def newest(distribution: str) -> Release:
    """The newest release on PyPI that is no pre-release.

    Raises:
        Unavailable: PyPI does not answer, or has no release of it.
    """
    return list_releases(distribution)[-1]


def list_releases(distribution: str) -> list[Release]:
    """All releases on PyPI that are no pre-releases, the newest last.

    Raises:
        Unavailable: PyPI does not answer, or has no release of it.
    """
    found = []
    for version, files in json.loads(_get(f"{REGISTRY}/{distribution}/json"))["releases"].items():
        if FINAL.fullmatch(version) and not all(file["yanked"] for file in files):
            with contextlib.suppress(Unavailable):
                found.append(choose_file(distribution, version, files))
    if not found:
        raise Unavailable(f"PyPI has no release of {distribution}")
    return sorted(found, key=lambda release: (release.date, [int(part) for part in DIGITS.findall(release.version)]))


def lock(distribution: str, today: date) -> Release:
    """Puts the newest release into the lock, with the newest one that is at least `EARLIER` days old.

    Raises:
        Unavailable: PyPI does not answer, or has no release of it.
    """
    releases = list_releases(distribution)
    pinned = releases[-1]
    before = [each for each in releases[:-1] if (today - date.fromisoformat(each.date)).days >= EARLIER]
    entry = _entry(pinned) | ({"earlier": _entry(before[-1])} if before else {})
    text = LOCK.read_text(encoding="utf-8")
    entries = json.loads(text) | {distribution: entry}
    LOCK.write_text(json.dumps(dict(sorted(entries.items())), indent=2) + "\n", encoding="utf-8")
    return pinned


def _entry(release: Release) -> dict[str, Any]:
    return {name: value for name, value in vars(release).items() if name != "distribution"}


def choose_file(distribution: str, version: str, files: list[dict[str, Any]]) -> Release:
    """The file of a release to read: a wheel before an archive of sources, and the last of several by name, since a
    trainer's Python code is the same in all.

    Raises:
        Unavailable: there is neither.
    """

    def rank(file: dict[str, Any]) -> tuple[bool, str]:
        return file["packagetype"] == "bdist_wheel", file["filename"]

    readable = [file for file in files if file["packagetype"] in ("bdist_wheel", "sdist")]
    if not readable:
        raise Unavailable(f"{distribution} {version} has neither a wheel nor an archive of sources")
    file = max(readable, key=rank)
    return Release(distribution, version, file["upload_time"][:10], file["filename"], file["digests"]["sha256"])


def fetch(release: Release, folder: Path | None = None, *, offline: bool = False) -> Path:
    """The release's file in the cache, downloaded if it is not there.

    Raises:
        Unavailable: it is not in the cache, and `offline`, or PyPI does not answer.
        Damaged: its SHA-256 is not that of the lock.
    """
    place = (folder or cache_folder()) / release.file
    if not place.is_file():
        if offline:
            raise Unavailable(f"{place} is missing, and --offline forbids a download")
        place.parent.mkdir(parents=True, exist_ok=True)
        content = _get(_address(release))
        with tempfile.NamedTemporaryFile(dir=place.parent, delete=False) as scratch:
            scratch.write(content)
        os.replace(scratch.name, place)
    digest = hashlib.sha256(place.read_bytes()).hexdigest()
    if digest != release.sha256:
        raise Damaged(f"{place} has SHA-256 {digest}, not {release.sha256}; delete it, and it is downloaded again")
    return place


def unpack(file: Path) -> list[Path]:
    """Unpacks a wheel or an archive of sources beside itself, once, and returns the folders for `sys.path`."""
    folder = file.parent / "unpacked" / file.name
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(dir=folder.parent))
        try:
            if file.suffix == ".whl":
                with zipfile.ZipFile(file) as wheel:
                    wheel.extractall(scratch)
            else:
                with tarfile.open(file) as archive:
                    archive.extractall(scratch, filter="data")
            os.replace(scratch, folder)
        except OSError:
            # Another process was first.
            shutil.rmtree(scratch, ignore_errors=True)
            if not folder.is_dir():
                raise
    if file.suffix == ".whl":
        # A wheel may have its packages at the top, or below its `.data`.
        return [folder, *folder.glob("*.data/purelib"), *folder.glob("*.data/platlib")]
    inside = [place for place in folder.iterdir() if place.is_dir()]
    return [path for place in inside for path in (place / "src", place / "python", place) if path.is_dir()]


def _address(release: Release) -> str:
    page = f"{REGISTRY}/{release.distribution}/json"
    for file in json.loads(_get(page))["releases"].get(release.version, []):
        if file["filename"] == release.file:
            # Mirrors give addresses that are relative to the page.
            return urljoin(page, str(file["url"]))
    raise Unavailable(f"PyPI no longer has {release.file}")


def _get(url: str) -> bytes:
    try:
        with urllib.request.urlopen(url, timeout=PATIENCE) as reply:
            content: bytes = reply.read()
            return content
    except (urllib.error.URLError, TimeoutError, ConnectionError) as error:
        raise Unavailable(f"{url}: {error}") from error
