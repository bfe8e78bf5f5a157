"""Arguments of a wrong type cause one warning in the training loop, and elsewhere an error that names the argument."""

from __future__ import annotations

import logging
import re

import numpy as np
import pytest

import logratio
from logratio.arguments import ArgumentError, read_whole

R = -np.arange(1.0, 13.0).reshape(3, 4) / 10
PAIR = {"rollout_log_probs": R, "old_log_probs": R - 0.01}
ODD = [b"x", [1], {1}, object(), np.ones(3), float("nan"), 1j]


def refuse(name: str) -> pytest.RaisesExc[Exception]:
    return pytest.raises((TypeError, ValueError, logratio.LogratioError), match=rf"{name} (must be|holds|is an?) ")


@pytest.mark.parametrize("value", [*ODD, 2.5, "x"], ids=str)
def test_a_recorder_is_not_made_of_other_types(value, tmp_path):
    numbers = ["rank", "every", "max_tokens", "max_queue_bytes", "max_spool_bytes"]
    texts = ["dir", "name", "url", "resume"] if not isinstance(value, str) else []
    for name in [*numbers, *texts, *(["sample"] if not isinstance(value, float) or value != 2.5 else [])]:
        place = {} if name == "url" else {"dir": tmp_path / "run"}
        with refuse(name):
            logratio.Recorder(**{**place, name: value})
    assert list(tmp_path.iterdir()) == []


def test_numbers_of_numpy_are_numbers_and_those_out_of_range_are_said(tmp_path):
    with logratio.Recorder(
        tmp_path, rank=np.int64(2), every=np.array(2), max_queue_bytes=2e9, sample=np.float32(1)
    ) as run:
        run.log(step=np.float64(4.0), **PAIR)
    assert [path.name for path in tmp_path.glob("*.safetensors")] == ["step_4.rank_2.call_0.safetensors"]
    for name, value, least in (("rank", -1, 0), ("every", 0, 1), ("max_tokens", 0, 1)):
        with pytest.raises(ValueError, match=f"{name} must be at least {least}, not {value}"):
            logratio.Recorder(tmp_path, **{name: value})
    for url in ("http://a:99999", "http://a:x", "http://[", "ftp://a", "a"):
        with pytest.raises(ValueError, match="url must be http://HOST:PORT, not"):
            logratio.Recorder(url=url)


@pytest.mark.parametrize(("name", "values"), [("meta", [*ODD, 3, "x"]), ("step", [*ODD, 7.9, "x", {"a": 1}])])
def test_log_warns_once_of_a_fact_of_another_type(name, values, tmp_path, caplog):
    run = logratio.Recorder(tmp_path)
    with caplog.at_level(logging.WARNING, "logratio"):
        for value in values:
            run.log(**{"step": 1, **PAIR, name: value})
    assert [
        re.search(rf"BatchError: {name} must be ", record.getMessage()) is not None for record in caplog.records
    ] == [True]
    assert run.finish().failed == len(values)


@pytest.mark.parametrize("value", [*ODD, "x"], ids=str)
def test_nothing_is_raised_into_the_loop(value, tmp_path, caplog):
    run = logratio.Recorder(tmp_path)
    run.log(step=1, **PAIR)
    with caplog.at_level(logging.WARNING, "logratio"):
        assert run.is_due(value) is False
        assert run.flush(value) is True
        assert run.measure(value) is None
        assert run.measure(1, timeout=value) is not None
        assert run.scalars(1, prefix=3) == {}
        run.log(step=2, **PAIR)
        # What waits is still written.
        assert run.finish(value).written == 2
    said = "\n".join(record.getMessage() for record in caplog.records)
    for name in ("step", "timeout", "prefix"):
        assert f"{name} must be " in said


@pytest.mark.parametrize("value", [*ODD, "x"], ids=str)
def test_other_doors_name_the_argument(value):
    for door in (logratio.report, logratio.view, logratio.scalars):
        for name in ("step", "rank", "meta"):
            with refuse(name):
                door({**PAIR, name: value})
    for name in ("height", "timeout"):
        with refuse(name):
            logratio.view(PAIR, **{name: value})
    for name in ("tol", "max_tol", "alpha", "worst"):
        with refuse(name):
            logratio.compare_policies(R, R, **{"tol": 1, name: value})
    for door in (logratio.calculate_debug_metrics, logratio.collect_divergent_tokens):
        with refuse("data"):
            door(value)
    with refuse("the threshold"):
        logratio.collect_divergent_tokens(PAIR, threshold=value)
    with refuse("the number of tokens to log"):
        logratio.calculate_debug_metrics(PAIR, divergence_top_k=value)


@pytest.mark.parametrize("name", ["threshold", "mask_threshold", "veto_threshold"])
@pytest.mark.parametrize("bounds", [2, "x", (2,), (2, "a"), (None, 0.5)], ids=str)
def test_thresholds_are_two_numbers(name, bounds):
    given = {"rollout_is_threshold": (2, 0.5), f"rollout_is_{name}": bounds}
    correction = logratio.RolloutImportanceSampling(**given)
    with refuse(f"rollout_is_{name}"):
        correction.compute_rollout_importance_weights_and_metrics(R[:1], R[:1], [4], np.ones((1, 4)))


def test_what_is_not_text_or_numbers():
    for value in (3, None, [1], b"x"):
        with refuse("correction"):
            logratio.parse_correction(value)
        with refuse("correction"):
            logratio.apply_correction(value, R, R)
        with refuse("prefix"):
            logratio.scalars(PAIR, prefix=value)
    for value in ("x", {"a": 1}, object()):
        with refuse("a column"):
            logratio.apply_correction("none", R, value)
        with refuse("old_log_probs"):
            logratio.calculate_debug_metrics({**PAIR, "old_log_probs": value})
        with refuse("mask"):
            logratio.compare_policies(R, R, tol=1, mask=value)


def test_a_message_holds_no_more_of_a_value_than_a_line():
    with pytest.raises(ArgumentError, match=r"^step must be a whole number, not 'a{59}…$"):
        read_whole("step", "a" * 1000)
    with pytest.raises(ArgumentError, match=r"^step must be a whole number, not a value of type ndarray$"):
        read_whole("step", np.ones(1000))
