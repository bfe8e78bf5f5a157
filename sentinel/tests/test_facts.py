"""Trainers of which only the keys of a commit are known."""

import json
import re
import sys
from datetime import date
from pathlib import Path

import pytest

from sentinel import facts
from sentinel.packages import skip_init


@pytest.mark.parametrize("name", facts.list_names())
def test_says_where_and_when_it_was_read(name: str) -> None:
    about = json.loads((facts.FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    assert re.fullmatch("[0-9a-f]{12}", about["commit"])
    assert date.fromisoformat(about["date"]) > date(2026, 1, 1)
    names = [key["name"] for key in about["keys"]]
    assert len(names) == len(set(names)) > 0
    assert all(key["file"] for key in about["keys"])
    assert set(about["beside"]) <= set(names)


def test_keys_that_either_side_lacks_are_drift(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    keys = [{"name": name, "default": 2.0, "choices": None, "file": "loss.py"} for name in ("loss.cap", "loss.floor")]
    about = {"commit": "0" * 12, "date": "2026-08-21", "source": "here", "keys": keys, "beside": {}}
    (tmp_path / "some_one.json").write_text(json.dumps(about), encoding="utf-8")
    monkeypatch.setattr(facts, "FOLDER", tmp_path)
    settings = [{"name": "cap", "ours": "preset.ts"}, {"name": "band", "ours": "preset.ts"}]
    judged = facts.judge_facts("some_one", {"configs": [], "settings": settings, "known": []})
    assert (judged.trainer, judged.version, judged.keys) == ("some-one", "0" * 12, 2)
    assert [(drift.kind, drift.key) for drift in judged.drift] == [("gone", "band"), ("unknown", "loss.floor")]


def test_a_package_is_entered_without_its_init(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = tmp_path / "heavy_one" / "inner"
    inner.mkdir(parents=True)
    for folder in (inner.parent, inner):
        (folder / "__init__.py").write_text("raise ImportError('heavy')", encoding="utf-8")
    (inner / "config.py").write_text("value = 3", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    skip_init("heavy_one", "heavy_one.inner", "heavy_one.missing")
    try:
        from heavy_one.inner.config import value
    finally:
        for name in [name for name in sys.modules if name.startswith("heavy_one")]:
            del sys.modules[name]
    assert value == 3
