"""Which folder a run is recorded in, and how a recorder affects the process around it."""

from __future__ import annotations

import json
import logging
import multiprocessing
import os
import pickle
import re
import signal
import stat
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from hooks_support import read_arrays

import logratio
from logratio.recorder import recorder

COLUMNS = {"rollout_log_probs": [[-1.0, -2.0]], "old_log_probs": [[-1.0, -2.5]]}
LAUNCHES = ("LOGRATIO_LAUNCH", "TORCHELASTIC_RUN_ID", "RAY_JOB_ID", "SLURM_JOB_ID", "SLURM_STEP_ID", "WORLD_SIZE")


@pytest.fixture(autouse=True)
def bare(monkeypatch):
    for name in (*LAUNCHES, "LOGRATIO_RESUME", "LOGRATIO_URL", "LOGRATIO_DIR", "RANK"):
        monkeypatch.delenv(name, raising=False)


def record(place: Path, name: str | None = "run", steps: int = 1, **options) -> logratio.Recorder:
    with logratio.init(place, name, **options) as run:
        for step in range(steps):
            run.log(step=step, **COLUMNS)
    assert run.counts.written == steps
    return run


def record_rank(place: Path, rank: int) -> None:
    """Runs in a separate process, which does not call ``finish``."""
    run = logratio.init(place, "run", rank=rank)
    for step in range(2):
        run.log(step=step, **COLUMNS)


def count(folder: Path) -> int:
    return len(list(folder.glob("*.safetensors")))


def test_a_second_run_is_beside_the_first(tmp_path, capsys):
    assert [record(tmp_path, steps=n).path.name for n in (3, 2, 1)] == ["run", "run-2", "run-3"]
    assert [count(tmp_path / name) for name in ("run", "run-2", "run-3")] == [3, 2, 1]
    said = capsys.readouterr().err
    assert f"{tmp_path / 'run'} has 3 files of an earlier recorder: this run is run-2" in said
    assert f"records to {tmp_path / 'run-3'}" in said
    assert f"1 batch (1 sequence, 2 tokens) written to {tmp_path / 'run-3'}" in said


def test_without_a_name_it_is_beside_the_directory(tmp_path):
    assert [record(tmp_path / "logratio", None).path for _ in range(2)] == [
        tmp_path / "logratio",
        tmp_path / "logratio-2",
    ]


def test_resume(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="has no files of an earlier recorder"):
        logratio.init(tmp_path, "run", resume="must")
    record(tmp_path, resume="never")
    with pytest.raises(ValueError, match="has 1 file of an earlier recorder: give another name"):
        logratio.init(tmp_path, "run", resume="never")
    for how in ("allow", "must"):
        assert record(tmp_path, resume=how).path == tmp_path / "run"
    monkeypatch.setenv("LOGRATIO_RESUME", "allow")
    assert record(tmp_path).path == tmp_path / "run"
    assert count(tmp_path / "run") == 4
    with pytest.raises(ValueError, match='resume must be "allow", "must" or "never"'):
        logratio.init(tmp_path, "run", resume="maybe")


def test_each_recorder_has_an_id(tmp_path):
    ids = [record(tmp_path, steps=2, resume="allow").id for _ in range(2)]
    found = [read_arrays(path)[1]["recorder"] for path in sorted((tmp_path / "run").glob("*.safetensors"))]
    assert sorted(found) == sorted(ids * 2) and len(set(ids)) == 2
    assert all(re.fullmatch(r"[0-9a-f]{32}", one) for one in ids)


@pytest.mark.parametrize("variable", ["TORCHELASTIC_RUN_ID", "SLURM_JOB_ID", "RAY_JOB_ID", "LOGRATIO_LAUNCH"])
def test_ranks_of_a_launch_share_a_run_whenever_they_start(tmp_path, monkeypatch, variable):
    record(tmp_path)
    monkeypatch.setenv(variable, "job-1")
    assert {record(tmp_path, rank=rank).path.name for rank in (1, 0, 7)} == {"run-2"}
    # A rank that has finished does not come back, so this is the job starting the program again.
    assert {record(tmp_path, rank=rank).path.name for rank in (0, 1)} == {"run-3"}
    monkeypatch.setenv(variable, "job-2")
    assert record(tmp_path, rank=3).path.name == "run-4"


def test_an_id_of_none_is_not_a_launch(tmp_path, monkeypatch):
    monkeypatch.setenv("TORCHELASTIC_RUN_ID", "none")
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "2")
    # Ranks on two machines; on one machine, the ranks have the same torchrun as their parent.
    for size, expected in (("4", ["run", "run-2"]), ("2", ["run-3", "run-3", "run-4"])):
        monkeypatch.setenv("WORLD_SIZE", size)
        assert [record(tmp_path, rank=rank).path.name for rank in (0, 1, 0)[: len(expected)]] == expected


@pytest.mark.parametrize("how", ["fork", "spawn"])
def test_children_of_one_process_share_a_run_also_one_after_the_other(tmp_path, how):
    for rank in (0, 1):
        child = multiprocessing.get_context(how).Process(target=record_rank, args=(tmp_path, rank))
        child.start()
        child.join()
        assert child.exitcode == 0
    assert count(tmp_path / "run") == 4


def test_recorders_that_are_alive_share_a_run(tmp_path, caplog):
    record(tmp_path)
    first = logratio.init(tmp_path, "run", rank=0)
    first.log(step=1, **COLUMNS)
    assert first.flush(10)
    with caplog.at_level(logging.WARNING, "logratio"):
        second = record(tmp_path, rank=1)
        assert caplog.records == []
        record(tmp_path, rank=0)
    assert "another process records this run as rank 0" in caplog.text
    first.finish()
    assert first.path == second.path == tmp_path / "run-2" and count(first.path) == 3


def test_two_launches_at_the_same_time_are_two_runs(tmp_path, monkeypatch):
    monkeypatch.setenv("SLURM_JOB_ID", "1")
    with logratio.init(tmp_path, "run") as first:
        first.log(step=1, **COLUMNS)
        monkeypatch.setenv("SLURM_JOB_ID", "2")
        assert record(tmp_path).path.name == "run-2"


def test_what_a_killed_recorder_left_is_cleared_and_said(tmp_path, capsys):
    program = """
        import os, sys, logratio
        from logratio.recorder import files
        files.os.link = lambda *_: os._exit(9)
        run = logratio.init(sys.argv[1], "run")
        run.log(step=0, rollout_log_probs=[[-1.0]], old_log_probs=[[-1.0]])
        run.flush()
    """
    home = Path(__file__).resolve().parents[1]
    ended = subprocess.run([sys.executable, "-c", textwrap.dedent(program), str(tmp_path)], cwd=home)
    assert ended.returncode == 9 and len(list((tmp_path / "run").glob(".*.tmp"))) == 1
    assert record(tmp_path).path == tmp_path / "run"
    assert list((tmp_path / "run").glob(".*.tmp")) == list((tmp_path / "run/.logratio").glob("*.live")) == []
    assert "ended without finish(): batches that it had in memory are lost" in capsys.readouterr().err


@pytest.mark.parametrize(
    "name", ["a/b/../../../evil", "/tmp/evil", "..", "a\0b", "C:\\evil", "C:evil", "\\evil", "a\\..\\..\\evil"]
)
def test_a_name_stays_inside_the_directory(tmp_path, name):
    with pytest.raises(ValueError, match="name must stay inside dir"):
        logratio.init(tmp_path, name)
    assert list(tmp_path.iterdir()) == []


def test_a_directory_that_cannot_be_written_does_not_stop_the_loop(tmp_path):
    (tmp_path / "file").write_text("")
    run = logratio.init(tmp_path / "file", "run")
    run.log(step=1, **COLUMNS)
    assert run.finish().failed == 1


def test_threads_do_not_mix_their_batches(tmp_path):
    def work(k: int) -> None:
        values = np.empty((16, 40_000))
        for i in range(4):
            values[:] = -(k * 100 + i + 1.0)
            run.log(step=k * 100 + i, rollout_log_probs=values, old_log_probs=values)
            values[:] = -9e9

    with logratio.init(tmp_path, "run") as run:
        threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert run.counts.written == 16
    for path in (tmp_path / "run").glob("*.safetensors"):
        arrays, metadata = read_arrays(path)
        for name in ("rollout_logprobs", "trainer_logprobs"):
            assert set(np.unique(arrays[name])) == {-(int(metadata["step"]) + 1.0)}


def test_log_takes_a_dict_and_never_raises(tmp_path, caplog):
    run = logratio.init(tmp_path, "run")
    with caplog.at_level(logging.WARNING, "logratio"):
        run.log(COLUMNS, step=1)
        run.log(COLUMNS, 2)
        run.log({**COLUMNS, "step": 3})
        run.log(COLUMNS)
        run.log(**COLUMNS)
        run.log([1], step=4)
        run.log(COLUMNS, {}, {}, step=4)
    counts = run.finish()
    assert (counts.written, counts.failed) == (3, 4)
    assert "log needs the training step: run.log(step=step, …)" in caplog.text
    assert "run.log(columns, step=step)" in caplog.text


def test_a_handler_that_raises_does_not_reach_the_loop(tmp_path):
    class Bad(logging.Handler):
        def emit(self, _record: logging.LogRecord) -> None:
            raise RuntimeError("handler")

    handler = Bad()
    logging.getLogger("logratio").addHandler(handler)
    try:
        run = logratio.init(tmp_path, "run")
        run.log(step=None, **COLUMNS)
        run.log(step=1, rollout_log_probs=[[-1.0, -1.0]], old_log_probs=[[-1.0]])
        run.log(step=2, **COLUMNS)
        counts = run.finish()
    finally:
        logging.getLogger("logratio").removeHandler(handler)
    assert (counts.written, counts.failed) == (1, 2)


def test_one_warning_for_each_reason_whatever_its_numbers(tmp_path, caplog):
    with caplog.at_level(logging.WARNING, "logratio"), logratio.init(tmp_path, "run") as run:
        for width in range(10, 40):
            run.log(step=width, rollout_log_probs=np.zeros((2, width)), old_log_probs=np.zeros((2, width - 1)))
    assert run.counts.failed == 30
    assert len([r for r in caplog.records if "could not be" in r.getMessage()]) == 1


def test_a_finish_that_runs_out_of_time_counts_what_is_left(tmp_path, monkeypatch, caplog):
    go_on = threading.Event()
    publish = recorder.publish
    monkeypatch.setattr(recorder, "publish", lambda *args: go_on.wait(30) and publish(*args))
    run = logratio.init(tmp_path, "run")
    for step in range(5):
        run.log(step=step, **COLUMNS)
    with caplog.at_level(logging.WARNING, "logratio"):
        counts = run.finish(timeout=0.05)
    assert (counts.written, counts.unsent) == (0, 5)
    assert "5 were still in memory when the time ran out" in caplog.text
    # The thread continues if the process does.
    go_on.set()
    assert run.flush(30)
    assert (counts.written, counts.unsent) == (5, 0)


def test_the_umask_of_the_process_is_not_touched(tmp_path, monkeypatch):
    before = os.umask(0o027)
    try:
        monkeypatch.setattr(os, "umask", lambda _: pytest.fail("the umask was set"))
        (path,) = record(tmp_path).path.glob("*.safetensors")
    finally:
        monkeypatch.undo()
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_child_of_multiprocessing_finishes_by_itself(tmp_path):
    inherited = logratio.init(tmp_path, "inherited")
    for step in range(3):
        inherited.log(step=step, **COLUMNS)
    assert inherited.flush(10)

    def work(counts: Path) -> None:
        run = logratio.init(tmp_path, "own", rank=0)
        for step in range(20):
            run.log(step=step, **COLUMNS)
            inherited.log(step=100 + step, **COLUMNS)
        assert inherited.counts.written <= 20
        inherited.flush(10)
        counts.write_text(json.dumps([inherited.counts.written, inherited.id]))

    child = multiprocessing.get_context("fork").Process(target=work, args=(tmp_path / "counts",))
    child.start()
    child.join()
    assert child.exitcode == 0
    assert (count(tmp_path / "own"), count(tmp_path / "inherited")) == (20, 23)
    written, its_id = json.loads((tmp_path / "counts").read_text())
    assert written == 20 and its_id != inherited.id
    assert inherited.finish().written == 3


def test_a_recorder_says_what_it_is_and_is_not_pickled(tmp_path):
    run = logratio.init(tmp_path, "run")
    run.log(step=1, **COLUMNS)
    assert run.flush(10)
    assert repr(run) == f"<logratio.Recorder recording to {tmp_path / 'run'}: 1 batches written>"
    with pytest.raises(TypeError, match=r"call logratio.init\(\) there with the same dir"):
        pickle.dumps(run)
    assert pickle.loads(pickle.dumps(run.finish())).written == 1


def test_a_handler_of_sigterm_may_finish(tmp_path):
    counts = []
    before = signal.signal(signal.SIGTERM, lambda *_: counts.append(run.finish(30)))
    try:
        run = logratio.init(tmp_path, "run")
        for step in range(50):
            run.log(step=step, **COLUMNS)
            if step == 25:
                os.kill(os.getpid(), signal.SIGTERM)
                time.sleep(0)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert (counts[0].written, run.counts.failed) == (26, 24)
