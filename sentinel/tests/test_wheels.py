"""Releases in the cache, and those that are not."""

import hashlib
import json
import zipfile
from pathlib import Path

import pytest

from sentinel import wheels
from sentinel.load import find_packages, list_names
from sentinel.wheels import Damaged, Release, Unavailable


def make_wheel(folder: Path) -> Release:
    file = folder / "some-1.0-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as wheel:
        wheel.writestr("some-1.0.data/purelib/some/config.py", "LEVEL = 1\n")
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    return Release("some", "1.0", "2026-06-01", file.name, digest)


def test_a_wheel_is_unpacked_once_to_where_its_packages_are(tmp_path: Path) -> None:
    release = make_wheel(tmp_path)
    paths = wheels.unpack(wheels.fetch(release, tmp_path, offline=True))
    assert any((path / "some" / "config.py").is_file() for path in paths)
    assert wheels.unpack(tmp_path / release.file) == paths
    assert len(list((tmp_path / "unpacked").iterdir())) == 1


def test_a_file_that_is_not_the_locked_one_is_refused(tmp_path: Path) -> None:
    release = make_wheel(tmp_path)
    with (tmp_path / release.file).open("ab") as file:
        file.write(b"x")
    with pytest.raises(Damaged, match=release.sha256):
        wheels.fetch(release, tmp_path, offline=True)


def test_offline_downloads_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    release = Release("some", "1.0", "2026-06-01", "some.whl", "0")
    monkeypatch.setattr(wheels, "_get", lambda url: pytest.fail(f"asked for {url}"))
    with pytest.raises(Unavailable, match="--offline"):
        wheels.fetch(release, tmp_path, offline=True)


def test_the_lock_gets_the_newest_release_and_one_of_half_a_year_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def files(day: str, *, yanked: bool = False) -> list[dict[str, object]]:
        kinds = {"sdist": "some.tar.gz", "bdist_wheel": "some.whl"}
        return [
            {
                "packagetype": kind,
                "filename": name,
                "upload_time": f"{day}T00:00:00",
                "digests": {"sha256": day},
                "yanked": yanked,
            }
            for kind, name in kinds.items()
        ]

    page = {
        "releases": {
            "1.10": files("2026-09-14"),
            "1.9": files("2026-05-03"),
            "1.8": files("2026-03-01"),
            "2.0rc1": files("2026-10-01"),
            "1.11": files("2026-10-02", yanked=True),
            "1.7": [],
        }
    }
    lock = tmp_path / "releases.json"
    lock.write_text('{"other": {}}')
    monkeypatch.setattr(wheels, "LOCK", lock)
    monkeypatch.setattr(wheels, "_get", lambda url: json.dumps(page).encode())
    wheels.lock("some", wheels.date(2026, 12, 1))
    entries = json.loads(lock.read_text())
    assert list(entries) == ["other", "some"]
    assert entries["some"] == {
        "version": "1.10",
        "date": "2026-09-14",
        "file": "some.whl",
        "sha256": "2026-09-14",
        "earlier": {"version": "1.9", "date": "2026-05-03", "file": "some.whl", "sha256": "2026-05-03"},
    }
    assert wheels.locked("some", "earlier").version == "1.9"
    assert wheels.newest("some").version == "1.10"


@pytest.mark.parametrize("name", list_names())
def test_the_lock_has_every_package_of_a_module(name: str) -> None:
    packages = find_packages(name)
    assert packages
    for package in packages:
        assert len(wheels.locked(package, "pinned").sha256) == 64
