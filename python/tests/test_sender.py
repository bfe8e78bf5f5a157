"""A recorder with ``url``: what reaches `logratio serve`, and what happens while it is away, full or refuses.

Servers here are the real program, except for answers that it only gives when broken.
"""

from __future__ import annotations

import http.client
import http.server
import json
import logging
import os
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
import urllib.request
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from hooks_support import read_arrays

import logratio
from logratio import LogratioError
from logratio.program import find_command
from logratio.recorder import sender
from logratio.recorder import spool as spool_module
from logratio.recorder.answers import Answer

HOME = Path(__file__).resolve().parents[1]


def make_columns(sequences: int = 4, tokens: int = 8, seed: int = 0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    rollout = (-rng.random((sequences, tokens)) - 0.1).astype(np.float32)
    return {"rollout_log_probs": rollout, "old_log_probs": rollout + np.float32(0.01)}


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def eventually(holds, seconds: float = 60.0) -> None:
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until, "it never came to hold"
        time.sleep(0.05)


@pytest.fixture(autouse=True)
def spool(tmp_path, monkeypatch) -> Path:
    for name in ("LOGRATIO_DIR", "LOGRATIO_URL", "LOGRATIO_NAME", "LOGRATIO_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LOGRATIO_SPOOL", str(tmp_path / "spool"))
    return tmp_path / "spool"


class Server:
    """`logratio serve` as a process."""

    def __init__(self, directory: Path, port: int = 0, token: str = "") -> None:
        try:
            command = find_command()
        except LogratioError as error:
            pytest.skip(f"{error.message}: the server is not tested")
        self.directory = directory
        environment = {**os.environ, "LOGRATIO_TOKEN": token, "NO_COLOR": "1"}
        self.process = subprocess.Popen(
            [*command, "serve", str(directory), "--port", str(port)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
        )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip().rstrip("/")
        if not self.url:
            pytest.skip("the program does not run: the server is not tested")

    def runs(self) -> dict[str, dict]:
        with urllib.request.urlopen(f"{self.url}/api/run") as answer:
            return {run["name"]: run for run in json.load(answer)["runs"]}

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(how)
        return self.process.wait(60)


@pytest.fixture
def servers(tmp_path):
    started: list[Server] = []

    def start(**options) -> Server:
        started.append(Server(tmp_path / "data", **options))
        return started[-1]

    yield start
    for server in started:
        if server.process.poll() is None:
            server.process.kill()
            server.process.wait()


def spooled(spool: Path) -> list[str]:
    return sorted(path.name for path in spool.glob("*/*.safetensors"))


def test_batches_arrive_and_the_spool_is_empty_again(servers, spool):
    server = servers()
    with logratio.init(url=server.url, name="exp/7", rank=3) as run:
        assert run.path is None and run.place == f"{server.url} as 'exp/7'"
        assert run.url == f"{server.url}/runs/exp~2F7/"
        for step in range(4):
            run.log(step=step, **make_columns(seed=step))
        assert run.flush(60)
        # The last step can still be measured.
        figures = run.measure()
        assert figures is not None and figures.metrics["tokens"] == 32
    assert (run.counts.written, run.counts.sequences, run.counts.tokens) == (4, 16, 128)
    assert (run.counts.dropped, run.counts.failed, run.counts.unsent) == (0, 0, 0)
    assert spooled(spool) == []
    eventually(lambda: server.runs()["exp/7"]["sequences"] == 16)
    found = server.runs()["exp/7"]
    assert (found["first_step"], found["last_step"], found["tokens"]) == (0, 3, 128)


def test_the_environment_says_where(servers, monkeypatch):
    server = servers()
    monkeypatch.setenv("LOGRATIO_URL", server.url)
    monkeypatch.setenv("LOGRATIO_NAME", "from-outside")
    with logratio.init() as run:
        run.log(step=1, **make_columns())
    assert run.counts.written == 1
    assert list(server.runs()) == ["from-outside"]


def test_a_directory_that_is_given_counts_more_than_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("LOGRATIO_URL", "http://127.0.0.1:9")
    with logratio.init(tmp_path / "here") as run:
        run.log(step=1, **make_columns())
    assert len(list((tmp_path / "here").glob("*.safetensors"))) == 1


@pytest.mark.parametrize("url", ["ftp://host", "host:8270", "http://", ""])
def test_what_is_not_an_address_is_refused_at_once(url):
    if url == "":
        with pytest.raises(ValueError, match="dir and url cannot be combined"):
            logratio.init("dir", url="http://127.0.0.1:1")
        return
    with pytest.raises(ValueError, match="url must be http://HOST:PORT"):
        logratio.init(url=url, name="a")


def test_a_server_that_is_away_costs_disk_and_no_memory(servers, spool, caplog):
    port = free_port()
    run = logratio.init(url=f"http://127.0.0.1:{port}", name="away")
    with caplog.at_level(logging.WARNING, "logratio"):
        for step in range(5):
            run.log(step=step, **make_columns(seed=step))
        eventually(lambda: len(spooled(spool)) == 5)
        assert run._waiting_bytes == 0
        assert run.counts.written == 0
        server = servers(port=port)
        assert run.flush(60)
    assert run.counts.written == 5
    said = [record.getMessage() for record in caplog.records]
    assert any("does not take batches, which wait in" in text for text in said)
    assert any("takes batches again" in text for text in said)
    run.finish()
    assert server.stop() == 0


def test_a_full_spool_drops_and_counts(spool, caplog):
    with caplog.at_level(logging.WARNING, "logratio"):
        run = logratio.init(url=f"http://127.0.0.1:{free_port()}", name="full", max_spool_bytes=3000)
        for step in range(20):
            run.log(step=step, **make_columns())
        run.finish(timeout=1)
    assert run.counts.dropped > 0 and run.counts.unsent > 0
    assert run.counts.dropped + run.counts.unsent == 20
    assert sum(path.stat().st_size for path in spool.glob("*/*")) < 5000
    said = [record.getMessage() for record in caplog.records]
    assert len([text for text in said if "batches are dropped" in text]) == 1


def test_what_a_killed_process_could_not_send_the_next_one_does(servers, spool, tmp_path):
    port = free_port()
    script = f"""
        import time, numpy as np, logratio
        run = logratio.init(url="http://127.0.0.1:{port}", name="killed", rank=0)
        for step in range(3):
            run.log(step=step, rollout_log_probs=-np.ones((2, 4)) * (step + 1), old_log_probs=-np.ones((2, 4)))
        while run._waiting: time.sleep(0.01)
        print("spooled", flush=True)
        time.sleep(600)
    """
    home = Path(__file__).resolve().parents[1]
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE, text=True, cwd=home
    )
    assert child.stdout is not None and child.stdout.readline() == "spooled\n"
    child.kill()
    child.wait()
    assert len(spooled(spool)) == 3
    server = servers(port=port)
    with logratio.init(url=server.url, name="killed", rank=0, resume="allow") as run:
        run.log(step=3, **make_columns())
    assert run.counts.written == 1
    eventually(lambda: server.runs()["killed"]["last_step"] == 3)
    assert server.runs()["killed"]["first_step"] == 0
    assert spooled(spool) == []


def test_a_resumed_run_keeps_both_of_a_step(servers, spool):
    server = servers()
    for seed in (1, 2):
        with logratio.init(url=server.url, name="resumed", rank=0, resume="allow") as run:
            run.log(step=7, **make_columns(seed=seed))
        assert run.counts.written == 1 and run.counts.failed == 0
    eventually(lambda: server.runs()["resumed"]["sequences"] == 8)
    assert list(server.runs()) == ["resumed"]


def test_a_later_run_of_a_name_has_a_run_of_its_own(servers, spool, capsys, monkeypatch):
    server = servers()
    for launch in ("a", "b", "a"):
        # Ranks of one launch start at any time and on any machine, here on one without the others' spool.
        monkeypatch.setenv("LOGRATIO_SPOOL", str(spool / str(time.monotonic())))
        monkeypatch.setenv("LOGRATIO_LAUNCH", launch)
        with logratio.init(url=server.url, name="again") as run:
            run.log(step=7, **make_columns())
            assert run.flush(60)
        assert run.url == f"{server.url}/runs/again{'-2' if launch == 'b' else ''}/"
    eventually(lambda: [run["sequences"] for _, run in sorted(server.runs().items())] == [8, 4])
    assert "this run is 'again-2'" in capsys.readouterr().err


def test_the_token_is_sent_and_a_wrong_one_is_said(servers, monkeypatch, caplog):
    server = servers(token="0123456789abcdef")
    with caplog.at_level(logging.WARNING, "logratio"):
        run = logratio.init(url=server.url, name="secret")
        run.log(step=1, **make_columns())
        eventually(lambda: any("401" in record.getMessage() for record in caplog.records))
        monkeypatch.setenv("LOGRATIO_TOKEN", "0123456789abcdef")
        assert run.flush(60)
    assert run.finish().written == 1


def test_the_server_may_be_killed_again_and_again(servers, spool):
    port = free_port()
    server = servers(port=port)
    run = logratio.init(url=server.url, name="shaken", rank=0)
    for step in range(12):
        run.log(step=step, **make_columns(seed=step))
        if step % 4 == 3:
            server.stop(signal.SIGKILL)
            server = servers(port=port)
    assert run.flush(120)
    run.finish()
    assert (run.counts.written, run.counts.failed, run.counts.dropped) == (12, 0, 0)
    eventually(lambda: server.runs()["shaken"]["sequences"] == 48)
    assert server.stop() == 0


def test_a_connection_that_is_reset_before_it_is_made_is_tried_again(servers, monkeypatch, caplog):
    """A server that is being killed does this now and then."""
    server = servers()
    connect = http.client.HTTPConnection.connect
    asked: list[float] = []

    def reset_at_first(connection: http.client.HTTPConnection) -> None:
        asked.append(time.monotonic())
        if len(asked) == 1:
            raise ConnectionResetError(104, "Connection reset by peer")
        connect(connection)

    monkeypatch.setattr(http.client.HTTPConnection, "connect", reset_at_first)
    with caplog.at_level(logging.WARNING, "logratio"):
        run = logratio.init(url=server.url, name="reset")
        run.log(step=1, **make_columns())
        assert run.flush(30)
    assert run.finish().written == 1
    assert len(asked) == 2
    assert any("does not take batches" in record.getMessage() for record in caplog.records)


class Odd(http.server.BaseHTTPRequestHandler):
    """Answers as the real server does under a flood and when broken."""

    protocol_version = "HTTP/1.1"
    answers: ClassVar[list[tuple[int, dict[str, str], bool]]] = []
    asked: ClassVar[list[float]] = []

    def do_PUT(self) -> None:
        Odd.asked.append(time.monotonic())
        status, headers, reads = Odd.answers.pop(0) if Odd.answers else (201, {}, True)
        if reads:
            self.rfile.read(int(self.headers["content-length"]))
        self.send_response(status)
        body = b'{"stored": true}' if status == 201 else b"{}"
        for name, value in {
            **headers,
            "content-length": str(len(body)),
            "connection": "keep-alive" if reads else "close",
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = not reads

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def odd():
    Odd.answers, Odd.asked = [], []
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Odd)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_a_flooded_server_is_asked_again_when_it_says(odd):
    Odd.answers = [(429, {"retry-after": "1"}, True), (503, {"retry-after": "0.2"}, True), (507, {}, True)]
    with logratio.init(url=odd, name="flood") as run:
        run.log(step=1, **make_columns())
        assert run.flush(30)
    assert run.counts.written == 1 and len(Odd.asked) == 4
    assert Odd.asked[1] - Odd.asked[0] >= 1
    assert Odd.asked[2] - Odd.asked[1] >= 0.2


def test_what_is_refused_for_good_is_said_once_and_counted(odd, spool, caplog):
    Odd.answers = [(422, {}, True)] * 3
    with caplog.at_level(logging.WARNING, "logratio"), logratio.init(url=odd, name="bad") as run:
        for step in range(4):
            run.log(step=step, **make_columns())
    assert (run.counts.failed, run.counts.written) == (3, 1)
    assert len([r for r in caplog.records if "was refused by" in r.getMessage()]) == 1
    assert spooled(spool) == []


def test_an_answer_before_the_body_is_read(odd):
    Odd.answers = [(429, {"retry-after": "0.1"}, False)]
    with logratio.init(url=odd, name="early") as run:
        run.log(step=1, **make_columns(sequences=256, tokens=4000))
        assert run.flush(60)
    assert run.counts.written == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_sends_its_own(servers):
    server = servers()
    run = logratio.init(url=server.url, name="forked")
    run.log(step=1, **make_columns(seed=1))
    run.flush(60)
    child = os.fork()
    if child == 0:
        run.log(step=2, **make_columns(seed=2))
        os._exit(0 if run.flush(60) else 1)
    assert os.waitpid(child, 0)[1] == 0
    run.finish()
    eventually(lambda: server.runs()["forked"]["sequences"] == 8)


def test_the_spool_of_another_user_is_not_used(tmp_path, monkeypatch, caplog):
    monkeypatch.delenv("LOGRATIO_SPOOL")
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    import tempfile

    monkeypatch.setattr(tempfile, "tempdir", None)
    base = tmp_path / f"logratio-spool-{os.getuid()}"
    base.symlink_to(tmp_path, target_is_directory=True)
    with caplog.at_level(logging.WARNING, "logratio"), logratio.init(url="http://127.0.0.1:1", name="a") as run:
        run.log(step=1, **make_columns())
    assert run.counts.failed == 1
    assert any("belongs to another user" in record.getMessage() for record in caplog.records)


@pytest.mark.parametrize("name", ["exp/7", ".hidden", "..", "a~b", "Δ run", "plain-1.2_3"])
def test_the_page_of_a_run_is_where_the_server_has_it(servers, name):
    server = servers()
    with logratio.init(url=server.url, name=name) as run:
        run.log(step=0, **make_columns())
        assert run.flush(60)
    assert run.url == f"{server.url}/runs/{server.runs()[name]['folder']}/"


def test_a_run_in_a_directory_has_no_page(tmp_path):
    assert logratio.init(dir=tmp_path).url is None


def test_a_rank_that_has_finished_begins_another_launch(odd, spool, monkeypatch):
    """A cluster's job id often belongs to a shell in which a script is run again."""
    monkeypatch.setenv("SLURM_JOB_ID", "7")
    launches = []

    def record(rank: int) -> logratio.Recorder:
        run = logratio.init(url=odd, name="again", rank=rank)
        run.log(step=1, **make_columns())
        assert run.flush(30)
        launches.append(run._server._address.launch)
        return run

    for rank in (0, 1, 0):
        record(rank).finish()
    first, second, third = launches
    assert first == second != third
    # Recorders that are alive at the same time belong to one launch, even with equal ranks.
    living = record(0)
    record(0).finish()
    record(0).finish()
    living.finish()
    assert len(set(launches[3:])) == 1 and launches[3] not in (first, third)


def answer(status: int, body: bytes = b"", **headers: str) -> Answer:
    return Answer(status, {name.replace("_", "-"): value for name, value in headers.items()}, body)


SHA = "0" * 64


@pytest.mark.parametrize(
    ("said", "stored"),
    [
        (answer(201, b'{"stored":true}'), True),
        (answer(200, b'{"stored":false}'), True),
        (answer(201, b'{"stored":true,"sha256":"' + b"0" * 64 + b'","call":3}'), True),
        (answer(201, b'{"stored":true,"sha256":"' + b"1" * 64 + b'"}'), False),
        (answer(201, b'{"stored":false}'), False),
        (answer(200, b'{"stored":"true"}'), False),
        (answer(200, b"<html>Please log in</html>"), False),
        (answer(200, b"[true]"), False),
        (answer(200), False),
        (answer(204), False),
        (answer(302, b'{"stored":true}', location="http://sso/"), False),
        (answer(404, b'{"stored":true}'), False),
        (answer(200, b"[" * 4000), False),
    ],
)
def test_only_the_servers_own_words_say_that_a_batch_is_stored(said, stored):
    assert (said.find_stored(SHA) is not None) == stored


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1", 1.0),
        ("0.5", 0.5),
        ("0", 0.05),
        ("99999999999", 300.0),
        ("nan", None),
        ("inf", None),
        ("-1", None),
        ("1e9", None),
        ("²", None),
        ("", None),
        ("Thu, 01 Jan 1970 00:00:00 GMT", None),
        ("Fri, 31 Dec 2999 23:59:59 GMT", 300.0),
        ("Fri, 99 Foo 99999 99:99:99", None),
    ],
)
def test_a_pause_that_is_asked_for_is_bounded(text, seconds):
    assert answer(503, retry_after=text).find_wait() == seconds


@pytest.mark.parametrize(
    ("text", "call"), [("7", 7), (" 12 ", 12), ("²", None), ("٣", None), ("-1", None), ("9" * 30, None), ("", None)]
)
def test_the_next_call_is_a_number_or_nothing(text, call):
    assert answer(409, logratio_next_call=text).find_next_call() == call
    assert answer(503, logratio_next_call="1").find_next_call() is None


@pytest.mark.parametrize(
    "reply",
    [
        (200, {"content-type": "text/html"}, True),
        (302, {"location": "http://127.0.0.1:9/"}, True),
        (404, {}, True),
        (405, {}, True),
        (409, {"logratio-next-call": "²"}, True),
        (409, {}, True),
        (503, {"retry-after": "nan"}, True),
    ],
)
def test_an_answer_that_does_not_speak_of_the_batch_keeps_it(odd, spool, monkeypatch, reply):
    monkeypatch.setattr(sender, "_FIRST_DELAY", 0.02)
    Odd.answers = [reply] * 3
    with logratio.init(url=odd, name="proxy") as run:
        run.log(step=1, **make_columns())
        assert run.flush(30)
    assert len(Odd.asked) == 4
    assert (run.counts.written, run.counts.failed) == (1, 0)


def test_refused_batches_are_kept_apart(odd, spool):
    Odd.answers = [(422, {"content-type": "application/json"}, True)]
    with logratio.init(url=odd, name="bad") as run:
        for step in (1, 2):
            run.log(step=step, **make_columns())
    assert (run.counts.written, run.counts.failed) == (1, 1)
    (kept,) = spool.glob("*.refused/*/*.safetensors")
    assert read_arrays(kept)[1]["step"] == "1"


def test_a_file_that_was_removed_is_not_written(spool):
    run = logratio.init(url=f"http://127.0.0.1:{free_port()}", name="removed")
    run.log(step=1, **make_columns())
    eventually(lambda: len(spooled(spool)) == 1)
    for path in spool.glob("*/*.safetensors"):
        path.unlink()
    eventually(lambda: run.counts.failed == 1)
    assert run.counts.written == 0


def test_processes_of_one_rank_lose_and_double_nothing(servers, spool):
    """Each has its own folder in the spool, so none sends or removes what another wrote."""
    server = servers()
    program = textwrap.dedent(
        """
        import sys, time, numpy as np, logratio
        run = logratio.init(url=sys.argv[1], name="r", rank=0)
        for step in range(12):
            values = -np.full((2, 8), float(sys.argv[2]) + step)
            run.log(step=step, rollout_log_probs=values, old_log_probs=values)
            time.sleep(0.01)
        counts = run.finish()
        assert (counts.written, counts.failed, counts.unsent) == (12, 0, 0), counts
        """
    )
    children = [
        subprocess.Popen(
            [sys.executable, "-c", program, server.url, str(100 * k)], stderr=subprocess.PIPE, text=True, cwd=HOME
        )
        for k in range(4)
    ]
    errors = [child.communicate()[1] for child in children]
    assert [child.returncode for child in children] == [0] * 4, errors
    assert any("another process records this run as rank 0" in text for text in errors)
    eventually(lambda: sum(run["sequences"] for run in server.runs().values()) == 4 * 12 * 2)
    assert spooled(spool) == []


def test_the_end_does_not_wait_long_for_a_server_that_is_away(spool, monkeypatch, caplog):
    monkeypatch.setattr(spool_module, "_AWAY_PATIENCE", 0.1)
    run = logratio.init(url=f"http://127.0.0.1:{free_port()}", name="away")
    run.log(step=1, **make_columns())
    with caplog.at_level(logging.WARNING, "logratio"):
        counts = run.finish(timeout=600)
    assert counts.unsent == 1
    assert (
        f"waits in {next(spool.glob('[!.]*'))}: the next recorder of this run on this machine sends it" in caplog.text
    )
