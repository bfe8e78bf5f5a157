"""Summarizing a run on a real Ray cluster of several nodes on this machine, some of which are lost."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

ray = pytest.importorskip("ray", reason="ray is not installed: the cluster is not tested")

from ray.cluster_utils import Cluster  # noqa: E402

import logratio.ray  # noqa: E402
from logratio.errors import LogratioError  # noqa: E402
from logratio.program import find_command, run_program  # noqa: E402
from logratio.ray import chunks as chunking  # noqa: E402
from logratio.shard_worker import Shard, ShardWorker, WorkerDied  # noqa: E402

DEMO = Path(__file__).resolve().parents[2] / "examples" / "demo" / "stale"
#: In the environment of everything that this cluster starts, so that we kill no worker of another run of these tests.
OURS = f"TEST_RAY_CLUSTER={os.getpid()}"


@pytest.fixture(scope="module", autouse=True)
def program():
    try:
        run_program(["--version"])
    except LogratioError as error:
        pytest.skip(f"the program is not built: {error.message}")


@pytest.fixture(scope="module")
def cluster():
    """Three nodes with a core each; the first has the driver."""
    name, value = OURS.split("=")
    os.environ[name] = value
    started = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    for _ in range(2):
        started.add_node(num_cpus=1)
    ray.init(address=started.address, log_to_driver=False)
    yield started
    ray.shutdown()
    started.shutdown()


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(chunking, "CHUNK_SHARDS", 1)


def report_alone(*paths: Path) -> dict:
    """The report of a single process; exit status 4 is as good as 0."""
    return json.loads(run_program(["report", "--json", "--", *map(str, paths)])[0])


def same_figures(ours: dict, theirs: dict) -> None:
    """Checks that figures are equal bit for bit, except for ``next``, which names the command."""
    assert {name for name in theirs if ours.get(name) != theirs[name]} <= {"next"}


def test_the_report_is_that_of_one_process(cluster, small_chunks):
    said: list[str] = []
    report = logratio.ray.report(DEMO, progress=said.append, parity="verl", steps="10..100")
    words = ["report", "--json", "--parity=verl", "--steps=10..100", "--", str(DEMO)]
    same_figures(report.json, json.loads(run_program(words)[0]))
    assert not report.skipped
    assert said[0] == "8 shards in 8 chunks, 0 of them done before"
    assert said[-1] == "8 of 8 shards"
    assert "<html" in report.html


def alone(verb: str, *words: object) -> dict:
    return json.loads(run_program([verb, "--json", *map(str, words)])[0])


def test_the_diagnosis_is_that_of_one_process(cluster, small_chunks, tmp_path):
    killed: list[str] = []

    def lose(sentence: str) -> None:
        if sentence.startswith("1 of"):
            killed.append(kill_one_worker())

    ours = logratio.ray.doctor(DEMO, out=tmp_path, progress=lose, trainer="slime", steps="10..100")
    assert killed
    assert ours.json == alone("doctor", "--for=slime", "--steps=10..100", "--", DEMO)
    assert ours.html is not None and "<html" in ours.html
    assert not ours.skipped
    # One directory holds the parts of both verbs separately; an interrupted job resumes from there.
    same_figures(
        logratio.ray.report(DEMO, out=tmp_path, steps="10..100").json, alone("report", "--steps=10..100", "--", DEMO)
    )
    said: list[str] = []
    again = logratio.ray.doctor(DEMO, out=tmp_path, progress=said.append, trainer="slime", steps="10..100")
    assert said[0] == "8 shards in 8 chunks, 8 of them done before"
    assert again.json == ours.json


def test_the_sweep_is_that_of_one_process(cluster, small_chunks, tmp_path):
    killed: list[str] = []

    def lose(sentence: str) -> None:
        if sentence.startswith("1 of"):
            killed.append(kill_one_worker())

    tried = ["weight:token truncate:..3", "weight:token truncate:..2 normalize:token"]
    ours = logratio.ray.sweep(
        DEMO, out=tmp_path, progress=lose, trainers="verl", methods="token-tis,geo-rs", correction=tried
    )
    assert killed
    flags = ["--for=verl", "--methods=token-tis,geo-rs", *(f"--correction={one}" for one in tried)]
    assert ours.json == alone("sweep", *flags, "--", DEMO)
    assert (ours.html, ours.skipped) == (None, False)


def test_the_log_is_that_of_one_process(cluster, small_chunks, tmp_path):
    killed: list[str] = []

    def lose(sentence: str) -> None:
        if sentence.startswith("1 of"):
            killed.append(kill_one_worker())

    tokenizer = DEMO.parent / "tokenizer"
    ours = logratio.ray.divergence(
        DEMO,
        out=tmp_path / "parts",
        log=tmp_path / "ours.jsonl",
        progress=lose,
        threshold=0.3,
        tokenizer=tokenizer,
        top_k=2,
        filter="is:number",
    )
    assert killed
    flags = ["--threshold=0.3", "--top-k=2", "--filter=is:number", f"--tokenizer={tokenizer}"]
    theirs = alone("divergence", *flags, f"--out={tmp_path / 'theirs.jsonl'}", "--", DEMO)
    assert (tmp_path / "ours.jsonl").read_bytes() == (tmp_path / "theirs.jsonl").read_bytes()
    assert ours.json["metrics"]["records"] > 0
    assert {name for name in theirs if ours.json[name] != theirs[name]} == {"outputs"}


@pytest.fixture(scope="module")
def studies(tmp_path_factory):
    """Five scored studies of three policies, with random logits."""
    np = pytest.importorskip("numpy")
    random = np.random.default_rng(5)
    folder = tmp_path_factory.mktemp("studies")
    tokenizer = DEMO.parent / "tokenizer"
    vocabulary = json.loads((tokenizer / "tokenizer.json").read_text(encoding="utf-8"))["model"]["vocab"]
    width = 1 + max(vocabulary.values())
    for i in range(5):
        arrays = {}
        for k in range(3):
            name, length = f"q{i}{k}", int(random.integers(6, 12))
            arrays[f"{name}.input_ids"] = random.integers(0, width, length)
            arrays[f"{name}.prompt_length"] = np.int64(2)
            base = random.normal(size=(length, width)).astype(np.float32)
            for policy, noise in {"ref": 0, "rl_10": 0.1, "rl_20": 0.4}.items():
                moved = base + noise * random.normal(size=base.shape).astype(np.float32)
                arrays[f"{name}.{policy}"] = moved.astype(np.float32)
        logits = folder / f"{i}.npz"
        np.savez(logits, **arrays)
        out = folder / "all" / f"{i}.study"
        out.parent.mkdir(exist_ok=True)
        flags = ["--reference=ref", f"--tokenizer={tokenizer}", f"--out={out}"]
        run_program(["score", *flags, "--", str(logits)])
    return folder / "all"


def test_the_kl_report_is_that_of_one_process(cluster, small_chunks, studies, tmp_path):
    killed: list[str] = []

    def lose(sentence: str) -> None:
        if sentence.startswith("1 of"):
            killed.append(kill_one_worker())

    ours = logratio.ray.kl(studies, out=tmp_path, progress=lose, bootstrap=50, spike_threshold=1.5, parity="rl-probe")
    assert killed
    flags = ["--bootstrap=50", "--spike-threshold=1.5", "--parity=rl-probe"]
    assert ours.json == alone("kl", *flags, "--", studies)
    assert ours.json["metrics"]["texts"] == 15
    assert ours.html is not None and "<html" in ours.html
    assert not ours.skipped
    said: list[str] = []
    again = logratio.ray.kl(
        studies, out=tmp_path, progress=said.append, bootstrap=50, spike_threshold=1.5, parity="rl-probe"
    )
    assert said[0] == "5 shards in 5 chunks, 5 of them done before"
    assert again.json == ours.json


def test_a_corrupt_study_is_in_no_report(cluster, studies, tmp_path):
    run = tmp_path / "all"
    shutil.copytree(studies, run)
    damaged = run / "2.study" / "scores" / "rl_20.parquet"
    damaged.write_bytes(damaged.read_bytes()[:-100])
    ours = logratio.ray.kl(run, bootstrap=50)
    assert ours.skipped
    assert ours.json["metrics"]["texts"] == 12
    (skipped,) = [one for one in ours.json["findings"] if one["severity"] == "skipped"]
    assert "2.study" in skipped["message"]
    assert ours.json == alone("kl", "--bootstrap=50", "--", run)


def test_a_corrupt_shard_is_in_no_diagnosis(cluster, tmp_path):
    run = tmp_path / "run"
    shutil.copytree(DEMO, run)
    damaged = sorted(run.glob("*.npz"))[3]
    damaged.write_bytes(damaged.read_bytes()[:-2000])
    ours = logratio.ray.doctor(run)
    assert ours.skipped
    assert any(damaged.name in json.dumps(finding) for finding in ours.json["findings"])
    assert ours.json == alone("doctor", "--", run)


def test_a_lost_worker_and_a_lost_node_lose_nothing(cluster, small_chunks, tmp_path):
    extra = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    lost: list[str] = []

    def lose(sentence: str) -> None:
        if sentence.startswith("1 of"):
            lost.append(kill_one_worker())
        if sentence.startswith("3 of"):
            cluster.remove_node(extra, allow_graceful=False)
            lost.append("node")

    summary = logratio.ray.summarize(DEMO, out=tmp_path, progress=lose, workers=4)
    assert len(lost) == 2
    assert summary.lost >= 1
    assert (summary.shards, summary.resumed, dict(summary.given_up)) == (12, 0, {})
    merged = json.loads(run_program(["merge", "--json", "--", str(summary.part)])[0])
    same_figures(merged, report_alone(DEMO))


def kill_one_worker() -> str:
    """Sends SIGKILL to a process of the program, as the kernel does when memory runs out. The process must be at work,
    as nothing is lost with one that waits for its next shards."""
    found: list[tuple[bool, str]] = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
            if b"summarize" not in words or b"--worker" not in words:
                continue
            variables = (entry / "environ").read_bytes().split(b"\0")
            # After the program's name, which may contain spaces.
            state = (entry / "stat").read_text().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        if OURS.encode() in variables:
            found.append((state == "R", entry.name))
    assert found, "no worker process is running"
    _, name = max(found)
    os.kill(int(name), 9)
    return name


def test_a_corrupt_shard_is_said_and_the_others_count(cluster, tmp_path):
    run = tmp_path / "run"
    shutil.copytree(DEMO, run)
    damaged = sorted(run.glob("*.npz"))[3]
    damaged.write_bytes(damaged.read_bytes()[:-2000])
    report = logratio.ray.report(run)
    assert report.skipped
    assert any(damaged.name in json.dumps(finding) for finding in report.findings)
    same_figures(report.json, report_alone(run))


def test_a_broken_job_goes_on(cluster, small_chunks, tmp_path):
    class Broken(Exception):
        pass

    def break_off(sentence: str) -> None:
        if sentence.startswith("5 of"):
            raise Broken

    with pytest.raises(Broken):
        logratio.ray.summarize(DEMO, out=tmp_path, progress=break_off)
    # A file that was being written when the job ended is not a part.
    (tmp_path / ".half.lrs.1").write_bytes(b"half")
    summary = logratio.ray.summarize(DEMO, out=tmp_path)
    assert summary.resumed == 5
    same_figures(json.loads(run_program(["merge", "--json", "--", str(summary.part)])[0]), report_alone(DEMO))


def test_files_that_were_rewritten_are_summarized_again(cluster, small_chunks, tmp_path):
    run, parts = tmp_path / "run", tmp_path / "parts"
    shutil.copytree(DEMO, run, ignore=lambda folder, names: [name for name in names if name[:8] > "step_004"])
    files = sorted(run.glob("*.npz"))
    before = logratio.ray.report(run, out=parts).metrics
    with np.load(files[0]) as archive:
        arrays = dict(archive)
    arrays["old_log_probs"] = arrays["rollout_log_probs"] * np.float32(1.5)
    size = files[0].stat().st_size
    save = np.savez_compressed if size < sum(array.nbytes for array in arrays.values()) else np.savez
    save(files[0], **arrays)
    said: list[str] = []
    after = logratio.ray.report(run, out=parts, progress=said.append)
    # The count continues from what existed. If the machine's cores are busy, waiting may be reported, too.
    assert [sentence for sentence in said if "shards" in sentence] == [
        f"{len(files)} shards in {len(files)} chunks, {len(files) - 1} of them done before",
        f"{len(files)} of {len(files)} shards",
    ]
    assert after.metrics["delta_abs_mean"] > 2 * before["delta_abs_mean"]
    same_figures(after.json, report_alone(run))


def test_a_chunk_is_named_by_the_content_of_its_shards():
    names = {
        chunking.make_chunks([Shard("a", ("a",), 7, digest)], options)[0].name
        for digest, options in (("d1", {}), ("d1", {}), ("d2", {}), (None, {}), ("d1", {"steps": "1"}))
    }
    assert len(names) == 4


def test_a_cluster_without_a_free_core_says_so(cluster, monkeypatch, caplog):
    from logratio.ray import pool as pooling

    @ray.remote(num_cpus=1)
    class Busy:
        def answer(self):
            return 1

    monkeypatch.setattr(pooling, "_SILENCE", 0.2)
    busy = [Busy.remote() for _ in range(3)]
    ray.get([actor.answer.remote() for actor in busy])

    class Waited(Exception):
        pass

    def stop(sentence: str) -> None:
        said.append(sentence)
        raise Waited

    said: list[str] = []
    try:
        with pytest.raises(Waited):
            logratio.ray.report(DEMO, progress=stop)
    finally:
        for actor in busy:
            ray.kill(actor)
    assert "s: all 3 cores of the cluster are taken, likely by a training job" in said[0]
    assert "add a node or free a core, or use the command line on one machine" in said[0]


def test_a_shard_that_ends_every_worker_is_given_up_and_named(cluster, tmp_path):
    """The program itself, except that it dies on one shard."""
    wrapper = tmp_path / "program.py"
    wrapper.write_text(
        "import json, os, subprocess, sys\n"
        f"command = {find_command()!r}\n"
        "program = subprocess.Popen([*command, *sys.argv[1:]], stdin=subprocess.PIPE)\n"
        "for line in sys.stdin:\n"
        "    if any('step_0060.' in path for path in json.loads(line).get('summarize', [])):\n"
        "        program.kill()\n"
        "        sys.exit('out of memory')\n"
        "    program.stdin.write(line.encode())\n"
        "    program.stdin.flush()\n"
    )
    names = [path.name for path in DEMO.glob("*.npz") if "step_0060." in path.name]
    assert len(names) == 1
    summary = logratio.ray.summarize(
        DEMO,
        out=tmp_path / "parts",
        retries=1,
        runtime_env={"env_vars": {"LOGRATIO_CLI": f"{sys.executable} {wrapper}"}},
    )
    assert [Path(name).name for name in summary.given_up] == names
    (why,) = summary.given_up.values()
    assert "ended with status 1" in why
    # Lost twice with the others, then twice alone.
    assert summary.lost == 4
    text, status = run_program(["merge", "--json", "--", str(summary.part)])
    assert status == 4
    assert json.loads(text)["metrics"]["steps"] == 11


def test_what_is_not_there_is_said_as_the_program_says_it(cluster):
    with pytest.raises(LogratioError, match="does not exist"):
        logratio.ray.report("/nothing/here")
    with pytest.raises(LogratioError, match="steps"):
        logratio.ray.report(DEMO, steps="soon")


def test_chunks_do_not_depend_on_the_cluster():
    shards = [Shard(f"{i}", (f"{i}",), 100 * 2**20) for i in range(7)]
    pair = Shard("a", ("a", "b"), 1)
    chunks = chunking.make_chunks([*shards, pair], {})
    assert [len(chunk.shards) for chunk in chunks] == [3, 3, 1, 1]
    assert chunks[-1].paths == ["a", "b"]
    assert chunking.make_chunks([*shards, pair], {}) == chunks
    # Different options and different bytes give different parts.
    names = {chunk.name for chunk in [*chunks, *chunking.make_chunks(shards, {"steps": "1"})]}
    assert len(names) == 7


def test_a_worker_answers_again_after_its_process_died():
    with ShardWorker() as worker:
        plan = worker.plan([str(DEMO)])
        assert len(plan.shards) == 12
        assert all(shard.bytes > 0 and shard.paths == (shard.name,) for shard in plan.shards)
        assert worker._process is not None
        worker._process.kill()
        worker._process.wait()
        part = worker.summarize(plan.shards[0].paths)
        worker._process.kill()
        with pytest.raises((WorkerDied, LogratioError)):
            # The death of the process is noticed immediately, or in the middle of the request.
            worker._process.poll = lambda: None  # type: ignore[method-assign]
            worker.summarize(plan.shards[0].paths)
        assert worker.summarize(plan.shards[0].paths) == part
