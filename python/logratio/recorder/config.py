"""The configuration of a run: kept in its record, and read for the facts that decide causes."""

from __future__ import annotations

import dataclasses
import json
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..arguments import ArgumentError

#: The record's names for sampling parameters (docs/formats/record.md).
SAMPLING = (
    "temperature",
    "top_p",
    "top_k",
    "min_p",
    "repetition_penalty",
    "presence_penalty",
    "frequency_penalty",
    "logprobs_mode",
)
_SIDES = ("rollout", "trainer")
#: Facts about each side: ``rollout_software``, …
_FACTS = ("software", "weights", "config", "topology", "precision")
#: Groups in which trainers' configurations keep the parameters of the rollout.
_GROUPS = ("rollout", "sampling", "sampling_params", "generation")
#: Further names, and the facts that they state.
_ALIASES = {
    "engine": ("rollout_software",),
    "precision": tuple(f"{side}_precision" for side in _SIDES),
}
_STATED = {name: (name,) for name in (*SAMPLING, *(f"{side}_{fact}" for side in _SIDES for fact in _FACTS))}


class Config:
    """A run's configuration.

    Attributes:
        values: as it was given, nested dicts.
        text: the same as JSON; empty without any.
        facts: what it states under the record's names, for the metadata of every batch.
        unclear: names that it states twice, with different values; they are in no fact.
    """

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = dict(values)
        self.text = json.dumps(self.values, default=str, separators=(",", ":")) if self.values else ""
        self.facts: dict[str, str] = {}
        self.unclear: list[str] = []
        found: dict[str, set[str]] = {}
        for path, value in _walk(self.values):
            for name in _find_facts(path):
                found.setdefault(name, set()).add(str(value))
        for name, texts in found.items():
            if len(texts) == 1:
                self.facts[name] = texts.pop()
            else:
                self.unclear.append(name)


def read_config(given: Any) -> Config:
    """Reads ``config=``: a mapping, nested or not, a dataclass, a pydantic model, or ``argparse``'s namespace.

    Raises:
        ArgumentError: for anything else.
    """
    if given is None:
        return Config({})
    plain = _to_plain(given)
    if not isinstance(plain, Mapping):
        raise ArgumentError("config", "a dict", given)
    return Config(plain)


def read_tags(given: Any) -> list[str]:
    """Reads ``tags=``: texts.

    Raises:
        ArgumentError: for anything else.
    """
    if given is None:
        return []
    tags = list(given) if isinstance(given, Iterable) and not isinstance(given, (str, bytes, Mapping)) else [given]
    if isinstance(given, str) or not all(isinstance(tag, str) for tag in tags):
        raise ArgumentError("tags", "a list of texts", given)
    return tags


def _to_plain(value: Any) -> Any:
    """Nested dicts, lists and plain values."""
    if isinstance(value, Mapping):
        return {str(name): _to_plain(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_to_plain(inner) for inner in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _to_plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Namespace):
        return _to_plain(vars(value))
    dump = getattr(value, "model_dump", None)
    return _to_plain(dump()) if callable(dump) and not isinstance(value, type) else value


def _walk(values: Mapping[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The values that are not dicts, each with the names that lead to it; a dot in a name separates two."""
    for name, value in values.items():
        path = (*above, *name.split("."))
        if isinstance(value, Mapping):
            yield from _walk(value, path)
        elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
            yield path, value


def _find_facts(path: tuple[str, ...]) -> tuple[str, ...]:
    *groups, name = path
    if groups and groups[-1] not in _GROUPS:
        return ()
    return _STATED.get(name) or (_ALIASES.get(name, ()) if not groups else ())
