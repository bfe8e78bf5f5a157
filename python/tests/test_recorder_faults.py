"""Kills and failures at every place where the recorder changes the disk, each followed by a restart and a count.

``LOGRATIO_LONG=1`` tries every place with every fault; otherwise a few are chosen at random, the same each time.
"""

from __future__ import annotations

import ast
import contextlib
import errno
import hashlib
import http.server
import json
import os
import random
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from hooks_support import read_arrays

import logratio
from logratio.recorder import sender
from logratio.recorder import spool as spool_module

SOURCES = Path(logratio.__file__).parent / "recorder"
#: Everything in the recorder that changes the disk; `test_the_list_is_complete` compares it with the sources.
CHANGES = {
    "files.py": {
        "os.open": 2,
        "os.write": 1,
        "os.close": 2,
        "os.link": 1,
        "os.rename": 2,
        "os.unlink": 3,
        "os.makedirs": 1,
    },
    "launch.py": {"os.makedirs": 1, "os.open": 2, "os.close": 2},
    "locks.py": {"os.open": 2, "os.write": 1, "os.unlink": 1, "os.close": 6},
    "node.py": {"os.makedirs": 1},
    "place.py": {"os.mkdir": 1, "os.unlink": 1},
    "spool.py": {
        "os.makedirs": 2,
        "os.open": 1,
        "os.write": 1,
        "os.close": 1,
        "os.rename": 3,
        "os.unlink": 3,
        "os.rmdir": 1,
    },
}
#: Calls that could change a disk; those that only `pathlib`, `shutil` or `open` offer are not used.
WAYS = {
    *("open", "write", "pwrite", "writev", "close", "link", "symlink", "rename", "replace", "unlink", "remove"),
    *("mkdir", "makedirs", "rmdir", "removedirs", "fsync", "fdatasync", "ftruncate", "truncate", "sendfile", "rmtree"),
    *("write_text", "write_bytes", "touch", "hardlink_to", "symlink_to", "tofile", "mkstemp", "move", "copyfile"),
}
#: Functions of ``os``, called by the above, that are made to fail.
FUNCTIONS = ("open", "write", "link", "rename", "unlink", "mkdir", "rmdir")
FAULTS = ("kill before", "kill after", "full", "broken")
IS_LONG = bool(os.environ.get("LOGRATIO_LONG"))
BATCHES = 4

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here: kills are not tested")


def find_changes(path: Path) -> dict[str, int]:
    found: dict[str, int] = {}
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        text = ast.unparse(node.func)
        is_read = text.endswith(".open") and [ast.unparse(argument) for argument in node.args] == ["'rb'"]
        is_other = (
            text.split(".")[0] in ("connection", "self", "made") or ".held." in f".{text}" or text.startswith("held.")
        )
        if text.split(".")[-1] in WAYS and not is_read and not is_other:
            found[text] = found.get(text, 0) + 1
    return found


def test_the_list_is_complete():
    found = {path.name: find_changes(path) for path in SOURCES.glob("*.py")}
    assert {name: changes for name, changes in found.items() if changes} == CHANGES


class Faults:
    """Counts the changes below a folder, and makes the one with a given number fail."""

    def __init__(self, root: Path) -> None:
        self._root = str(root)
        self._lock = threading.Lock()
        self._files: set[int] = set()
        self.seen: list[str] = []
        self.number = -1
        self.fault = ""

    def _is_ours(self, first: Any) -> bool:
        return first in self._files if isinstance(first, int) else str(first).startswith(self._root)

    def wrap(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def wrapped(first: Any, *rest: Any, **options: Any) -> Any:
            if not self._is_ours(first):
                return function(first, *rest, **options)
            with self._lock:
                at = len(self.seen)
                self.seen.append(name)
            if at == self.number:
                return self._fail(function, name, (first, *rest), options)
            result = function(first, *rest, **options)
            if name == "open":
                self._files.add(result)
            return result

        return wrapped

    def _fail(self, function: Callable[..., Any], name: str, given: tuple[Any, ...], options: dict[str, Any]) -> Any:
        if self.fault.startswith("kill"):
            try:
                if self.fault == "kill after":
                    function(*given, **options)
            finally:
                os.kill(os.getpid(), signal.SIGKILL)
        if self.fault == "full" and name == "write":
            # A full disk writes as much as fits.
            return function(given[0], given[1][: len(given[1]) // 2])
        raise OSError(errno.ENOSPC if self.fault == "full" else errno.EIO, os.strerror(errno.EIO), str(given[0]))


@contextlib.contextmanager
def failing(faults: Faults) -> Iterator[None]:
    kept = {name: getattr(os, name) for name in FUNCTIONS}
    for name, function in kept.items():
        setattr(os, name, faults.wrap(name, function))
    try:
        yield
    finally:
        for name, function in kept.items():
            setattr(os, name, function)


def record(options: dict[str, Any], first: int, report: Callable[[str], None] = lambda _: None) -> logratio.Recorder:
    """Logs batches with sample ids ``first``, ``first + 1``, …, and reports each that is written."""
    run = logratio.init(resume="allow", rank=0, **options)
    for i in range(BATCHES):
        before = run.counts.written
        run.log(step=i // 2, rollout_log_probs=[[-1.0, -2.0]], old_log_probs=[[-1.0, -2.0]], sample_id=[str(first + i)])
        run.flush(20)
        if run.counts.written > before:
            report(f"{first + i}\n")
    run.finish(20)
    return run


def run_until_fault(options: dict[str, Any], faults: Faults) -> set[str]:
    """What a child had written, or the server had stored, when it ended."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        status = 1
        try:
            with failing(faults):
                record(options, 0, lambda text: os.write(writing, text.encode()))
            status = 0
        finally:
            os._exit(status)
    os.close(writing)
    with open(reading) as file:
        written = set(file.read().split())
    ended = os.waitpid(child, 0)[1]
    killed = os.WIFSIGNALED(ended) and os.WTERMSIG(ended) == signal.SIGKILL
    # An exception may end neither the loop nor the process.
    assert killed == faults.fault.startswith("kill") if faults.number >= 0 else ended == 0
    return written


def read_ids(path: Path) -> str:
    return read_arrays(path)[0]["sample_id"].tobytes().decode()


def choose(names: list[str]) -> list[tuple[int, str]]:
    """Places and faults: all of them, or some of each function, chosen by a seed."""
    every = [(at, fault) for at in range(len(names)) for fault in FAULTS]
    if IS_LONG:
        return every
    drawn = random.Random(37)
    some = [drawn.choice([one for one in every if names[one[0]] == name]) for name in sorted(set(names))]
    return some + drawn.sample(every, 12)


def count_changes(options: dict[str, Any], root: Path) -> list[str]:
    faults = Faults(root)
    with failing(faults):
        assert record(options, 0).counts.written == BATCHES
    return faults.seen


def test_a_directory_loses_and_doubles_nothing(tmp_path, capfd):
    names = count_changes({"dir": tmp_path / "count", "name": "run"}, tmp_path)
    assert {"open", "write", "link", "unlink", "mkdir"} <= set(names)
    for at, fault in choose(names):
        folder = tmp_path / f"{at} {fault}"
        faults = Faults(folder)
        faults.number, faults.fault = at, fault
        written = run_until_fault({"dir": folder, "name": "run"}, faults)
        published = {read_ids(path) for path in folder.rglob("*.safetensors")}
        assert written <= published, (at, fault)
        again = record({"dir": folder, "name": "run"}, 100)
        assert again.counts.written == BATCHES, (at, fault)
        found = sorted(read_ids(path) for path in folder.rglob("*.safetensors"))
        assert found == sorted(published | {str(100 + i) for i in range(BATCHES)}), (at, fault)
        assert list(folder.rglob("*.tmp")) == [] or not fault.startswith("kill"), (at, fault)


class Store(http.server.BaseHTTPRequestHandler):
    """Stores a batch once, whichever call it is sent under, as the server promises."""

    protocol_version = "HTTP/1.1"
    batches: dict[tuple[str, str, str, str], bytes]

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        asked = {name: values[0] for name, values in parse_qs(urlsplit(self.path).query).items()}
        key = (asked["run"], asked["step"], asked["rank"], asked["call"])
        peers = [other for other in self.batches if other[:3] == key[:3]]
        if any(self.batches[other] == body for other in peers):
            self._answer(200, {"stored": False, "sha256": hashlib.sha256(body).hexdigest()})
        elif key in self.batches:
            self._answer(409, {}, str(1 + max(int(other[3]) for other in peers)))
        else:
            self.batches[key] = body
            self._answer(201, {"stored": True, "sha256": hashlib.sha256(body).hexdigest()})

    def _answer(self, status: int, said: dict[str, Any], free: str = "") -> None:
        text = json.dumps(said).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(text)))
        if free:
            self.send_header("logratio-next-call", free)
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def store():
    Store.batches = {}
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Store)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def read_stored(folder: Path) -> list[str]:
    path = folder / "stored.safetensors"
    found = []
    for body in list(Store.batches.values()):
        path.write_bytes(body)
        found.append(read_ids(path))
    path.unlink(missing_ok=True)
    return sorted(found)


def test_a_spool_loses_and_doubles_nothing(tmp_path, store, monkeypatch, capfd):
    monkeypatch.setattr(sender, "_FIRST_DELAY", 0.01)
    monkeypatch.setattr(spool_module, "_AWAY_PATIENCE", 5.0)
    monkeypatch.setenv("LOGRATIO_SPOOL", str(tmp_path / "count"))
    names = count_changes({"url": store, "name": "run"}, tmp_path)
    assert {"open", "write", "rename", "unlink", "mkdir", "rmdir"} <= set(names)
    for at, fault in choose(names):
        Store.batches = {}
        spool = tmp_path / f"{at} {fault}"
        monkeypatch.setenv("LOGRATIO_SPOOL", str(spool))
        faults = Faults(spool)
        faults.number, faults.fault = at, fault
        written = run_until_fault({"url": store, "name": "run"}, faults)
        published = set(read_stored(tmp_path)) | {read_ids(path) for path in spool.rglob("*.safetensors")}
        assert written <= published, (at, fault)
        again = record({"url": store, "name": "run"}, 100)
        assert (again.counts.written, again.counts.unsent) == (BATCHES, 0), (at, fault)
        assert read_stored(tmp_path) == sorted(published | {str(100 + i) for i in range(BATCHES)}), (at, fault)
        assert list(spool.rglob("*.safetensors")) == [], (at, fault)
