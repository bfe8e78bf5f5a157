"""Which steps and sequences are scored only for the record, and what is said of the cost."""

from __future__ import annotations

import importlib
import re
import sys
from types import SimpleNamespace

import pytest

from logratio.hooks import scoring as module
from logratio.hooks.scoring import Scoring


def test_steps_and_sequences_that_are_scored():
    all_of_some = Scoring(every=3)
    assert [step for step in range(8) if all_of_some.is_due(step)] == [0, 3, 6]
    assert all_of_some.choose_rows(4, step=0) == [0, 1, 2, 3]
    assert not any(Scoring(every=0).is_due(step) for step in range(8))
    some = Scoring(every=1, sequences=5)
    rows = some.choose_rows(100, step=7)
    assert len(rows) == 5 and rows == sorted(set(rows)) and rows == some.choose_rows(100, step=7)
    assert rows != some.choose_rows(100, step=8)
    # Workers that share a batch get equal parts of it.
    assert len(some.choose_rows(100, step=7, multiple=4)) == 8
    assert some.choose_rows(6, step=7, multiple=4) == list(range(6))


def test_the_environment_says_both(monkeypatch):
    assert (Scoring().every, Scoring(default=1).every) == (0, 1)
    monkeypatch.setenv("LOGRATIO_SCORE_EVERY", "10")
    monkeypatch.setenv("LOGRATIO_SCORE_SEQUENCES", "64")
    assert (Scoring().every, Scoring().sequences) == (10, 64)
    assert (Scoring(every=2, sequences=3).every, Scoring(every=2, sequences=3).sequences) == (2, 3)
    monkeypatch.setenv("LOGRATIO_SCORE_EVERY", "often")
    with pytest.raises(ValueError, match="LOGRATIO_SCORE_EVERY must be a number, not 'often'"):
        Scoring()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"every": -1}, ValueError, "score_every must be at least 0, not -1"),
        ({"sequences": 0}, ValueError, "score_sequences must be at least 1, not 0"),
        ({"every": 1.5}, TypeError, "score_every must be a whole number"),
    ],
)
def test_settings_out_of_range(options, error, message):
    with pytest.raises(error, match=message):
        Scoring(**options)


def test_the_cost_is_told_after_1_10_100_steps(monkeypatch):
    times = iter(range(10_000))
    monkeypatch.setattr(module.time, "perf_counter", lambda: float(next(times)))
    told: list[str] = []
    recorder = SimpleNamespace(announce=told.append)
    costs = Scoring(every=4, sequences=8)
    costs.tell(recorder)
    for step in range(0, 400, 4):
        # Two generations of a step, one second each.
        for _ in range(2):
            with costs.measure(step) as took:
                pass
            assert took == [1.0]
        costs.tell(recorder)
        costs.tell(recorder)
    assert told == [
        f"scoring 8 sequences of one in 4 steps with the trainer's own model took 2 s per scored step, 0.5 s per step "
        f"({steps} scored so far)"
        for steps in (1, 10, 100)
    ]
    assert re.match("scoring all sequences of every step ", Scoring(every=1).describe())


def test_a_module_is_seen_when_it_is_imported(tmp_path, monkeypatch):
    from logratio.hooks import verl_bypass

    (tmp_path / "late_module.py").write_text("value = 1\n")
    monkeypatch.syspath_prepend(tmp_path)
    before = list(sys.meta_path)
    seen: list[int] = []
    verl_bypass._when_imported("late_module", lambda found: seen.append(found.value))
    assert seen == []
    importlib.import_module("late_module")
    assert seen == [1] and sys.meta_path == before
    verl_bypass._when_imported("late_module", lambda found: seen.append(found.value + 1))
    assert seen == [1, 2]
    monkeypatch.delitem(sys.modules, "late_module")
