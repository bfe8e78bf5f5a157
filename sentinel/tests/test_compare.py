"""Each kind of drift, from a release that differs in one thing from what the product knows."""

import copy
from typing import Any

import pytest

from sentinel.judge import compare, is_same

PRODUCT = {
    "ours": "src/trainers/some/config-keys.ts",
    "hook": {"ours": "python/logratio/some.py"},
    "configs": [{"text": "--loss.level token\n--loss.cap 2", "ours": "src/trainers/some/preset.ts"}],
    "settings": [
        {"name": "level", "choices": ["off", "token"], "default": "off", "ours": "src/trainers/some/preset.ts"},
        {"name": "cap", "ours": "src/trainers/some/preset.ts"},
    ],
    "known": ["--rollout.top-p"],
}


def key(name: str, default: object = None, choices: list[str] | None = None) -> dict[str, Any]:
    return {"name": name, "default": default, "choices": choices, "file": "some/config.py"}


@pytest.fixture
def reply() -> dict[str, Any]:
    return {
        "accepts": [None],
        "beside": {"loss.seed": "draws only"},
        "keys": [
            key("loss.level", "off", ["off", "token"]),
            key("loss.cap", 2.0),
            key("rollout.top_p", 1.0),
            key("loss.seed"),
        ],
        "samples": ["--loss.level token"],
        "hooks": [{"place": "some/trainer.py fit(batch)", "found": True}],
    }


def kinds(reply: dict[str, Any], **named: Any) -> list[tuple[str, str]]:
    return [(kind, key) for kind, key, *_ in compare(PRODUCT, reply, **named)]


def test_a_release_that_is_known_has_none(reply: dict[str, Any]) -> None:
    assert kinds(reply, linted=[[]], unread={"1.jsonl": None}) == []


def test_each_key_that_a_parser_loses_is_named(reply: dict[str, Any]) -> None:
    for name in ("loss.level", "loss.cap"):
        without = copy.deepcopy(reply)
        without["keys"] = [each for each in without["keys"] if each["name"] != name]
        assert kinds(without) == [("gone", name.removeprefix("loss."))]


def test_a_new_key_is_unknown_until_it_is_listed_with_a_reason(reply: dict[str, Any]) -> None:
    reply["keys"].append(key("loss.floor"))
    assert kinds(reply) == [("unknown", "loss.floor")]
    reply["beside"]["loss.floor"] = "of the log only"
    assert kinds(reply) == []


@pytest.mark.parametrize("name", ["loss.level", "loss.gone"])
def test_a_reason_that_no_key_needs_is_drift_too(reply: dict[str, Any], name: str) -> None:
    reply["beside"][name] = "why"
    assert kinds(reply) == [("beside", name)]


def test_new_and_lost_choices_are_told_apart(reply: dict[str, Any]) -> None:
    reply["keys"][0]["choices"] = ["off", "sequence"]
    [(kind, name, says, ours)] = compare(PRODUCT, reply)
    assert (kind, name, ours) == ("choices", "loss.level", "src/trainers/some/preset.ts")
    assert says == "new: sequence; gone: token"


def test_a_default_that_changed(reply: dict[str, Any]) -> None:
    reply["keys"][0]["default"] = "token"
    assert kinds(reply) == [("default", "loss.level")]


def test_a_config_that_is_refused_has_the_trainers_message(reply: dict[str, Any]) -> None:
    reply["accepts"] = ["unrecognized arguments: --loss.cap"]
    assert compare(PRODUCT, reply) == [
        (
            "refused",
            "--loss.level token --loss.cap 2",
            "unrecognized arguments: --loss.cap",
            "src/trainers/some/preset.ts",
        )
    ]


def test_samples_that_the_linter_rejects_hooks_that_moved_and_dumps_that_are_not_read(reply: dict[str, Any]) -> None:
    reply["hooks"][0]["found"] = False
    found = kinds(reply, linted=[["the trainer has no loss.level"]], unread={"1.jsonl": "not recognized"})
    assert found == [("lint", "--loss.level token"), ("hook", "some/trainer.py fit(batch)"), ("dump", "1.jsonl")]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("algo.advantage.cap", "cap", True),
        ("cap", "algo.advantage.cap", True),
        ("--use-tis", "use_tis", True),
        ("eval.temperature", "rollout.temperature", False),
        ("loss.kl_cap", "cap", False),
    ],
)
def test_names_are_the_same_by_whole_parts(one: str, other: str, same: bool) -> None:
    assert is_same(one, other) is same
