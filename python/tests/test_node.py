"""What recorders of one machine share while a server is away: the place where batches wait, the room there, the exit."""

from __future__ import annotations

import http.client
import logging
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import logratio
from logratio.recorder import node
from logratio.recorder import spool as spool_module

PAIR = {"rollout_log_probs": np.full((4, 200), -1.0), "old_log_probs": np.full((4, 200), -1.1)}
MOUNTS = [
    "/dev/vda / ext4 rw 0 0",
    "tmpfs /tmp tmpfs rw 0 0",
    "/dev/vdb /tmp/disk xfs rw 0 0",
    r"tmpfs /var/a\040b tmpfs rw 0 0",
    "/dev/vdc /over ext4 rw 0 0",
    "none /over ramfs rw 0 0",
    "broken",
]


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/home/a", "ext4"),
        ("/tmp", "tmpfs"),
        ("/tmp/x/y", "tmpfs"),
        ("/tmpx", "ext4"),
        ("/tmp/disk/x", "xfs"),
        ("/var/a b/c", "tmpfs"),
        ("/over/x", "ramfs"),
    ],
)
def test_the_file_system_of_a_folder(path, kind):
    assert node._find_type(Path(path), MOUNTS) == kind


@pytest.fixture
def folders(tmp_path, monkeypatch) -> dict[str, Path]:
    """A temporary directory and a cache of the user, instead of the machine's."""
    found = {name: tmp_path / name for name in ("temporary", "cache")}
    for folder in found.values():
        folder.mkdir()
    monkeypatch.delenv("LOGRATIO_SPOOL", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(found["cache"]))
    monkeypatch.setattr(tempfile, "tempdir", str(found["temporary"]))
    return found


@pytest.mark.parametrize(
    ("in_memory", "chosen"),
    [([], "temporary"), (["temporary", "/var/tmp"], "cache"), (["temporary", "/var/tmp", "cache"], "temporary")],
)
def test_batches_wait_on_a_disk_if_there_is_one(in_memory, chosen, folders, monkeypatch):
    covered = [folders.get(name, Path(name)) for name in in_memory]
    monkeypatch.setattr(node, "is_in_memory", lambda path: path in covered)
    assert node.find_spool().parent == folders[chosen]


def test_a_named_spool_is_taken_as_it_is(folders, tmp_path, monkeypatch):
    monkeypatch.setattr(node, "is_in_memory", lambda path: True)
    monkeypatch.setenv("LOGRATIO_SPOOL", str(tmp_path / "own"))
    assert node.find_spool() == tmp_path / "own"


def test_the_room_is_that_of_all_recorders(tmp_path, monkeypatch, caplog):
    """Eight ranks on a node may take as much as one."""
    monkeypatch.setattr(node, "_MEASURED", 0.0)
    spool = tmp_path / "spool"
    monkeypatch.setenv("LOGRATIO_SPOOL", str(spool))
    most = 60_000
    runs = [logratio.init(url="http://127.0.0.1:9", name=f"r{n}", rank=n, max_spool_bytes=most) for n in range(4)]
    with caplog.at_level(logging.WARNING, "logratio"):
        for step in range(10):
            for run in runs:
                run.log(PAIR, step=step)
                run._flush_files(None)
    sizes = [path.stat().st_size for path in spool.glob("*/*.safetensors")]
    assert most < sum(sizes) <= most + max(sizes)
    assert sum(run.counts.dropped for run in runs) == 40 - len(sizes) > 0
    assert "max_spool_bytes is 60000 for all recorders of this machine" in caplog.text
    # What a server has refused is kept apart, and takes no room from what still waits.
    refused = next(spool.glob("*.*")).with_suffix(".refused") / "x"
    refused.mkdir(parents=True)
    (refused / "a.safetensors").write_bytes(b"x" * most)
    room = node.Room(spool)
    assert (room.measure(), room.measure_refused()) == (sum(sizes), most)
    for run in runs:
        monkeypatch.setattr(spool_module, "_AWAY_PATIENCE", 0.0)
        run.finish(0)


def test_an_address_where_nothing_answers_holds_the_end_no_longer_than_one_that_refuses(tmp_path, monkeypatch):
    """A firewall that drops packets: each attempt to connect takes as long as its timeout."""
    released = threading.Event()
    monkeypatch.setattr(http.client.HTTPConnection, "connect", lambda self: released.wait(60))
    monkeypatch.setattr(spool_module, "_AWAY_PATIENCE", 0.5)
    monkeypatch.setenv("LOGRATIO_SPOOL", str(tmp_path))
    run = logratio.init(url="http://192.0.2.1:8270", name="hole", rank=0)
    run.log(PAIR, step=1)
    run._flush_files(None)
    began = time.monotonic()
    counts = run.finish()
    released.set()
    assert counts.unsent == 1 and len(list(tmp_path.glob("*/*.safetensors"))) == 1
    # The patience, a second for the thread to end, and a busy machine.
    assert time.monotonic() - began < 5
