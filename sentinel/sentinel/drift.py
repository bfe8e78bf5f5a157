"""What the sentinel finds: one drift is one task."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["refused", "unknown", "gone", "choices", "default", "lint", "hook", "dump", "beside", "unreadable"]

# What is to be done about each kind, beside the file of ours that it names.
TASKS: dict[Kind, str] = {
    "refused": "what we print must be taken: write it as this release wants it, and keep the old form under earlier/",
    "unknown": "teach the dialect this key, or list it under BESIDE in the sentinel's module, with the reason",
    "gone": "the release no longer has it: move it to otherNames, or to earlier/",
    "choices": "make the choices those of the release",
    "default": "make the default that of the release",
    "lint": "the linter rejects what the trainer takes: correct the rule",
    "hook": "the hook's place has moved: read the release, and correct hook and catalog",
    "dump": "the reader no longer reads what the trainer writes: correct the adapter",
    "beside": "remove the entry from BESIDE in the sentinel's module",
    "unreadable": "the sentinel's module no longer reads the release: correct it",
}


@dataclass(frozen=True)
class Drift:
    """A difference between a release and what logratio knows of the trainer."""

    trainer: str
    version: str
    kind: Kind
    key: str
    """The key, the place of a hook, or the config."""
    says: str
    """The trainer's message, or the two that differ."""
    ours: str
    """The file of this repository to correct."""

    @property
    def task(self) -> str:
        return TASKS[self.kind]


@dataclass(frozen=True)
class Judged:
    """One trainer's release, judged."""

    trainer: str
    distribution: str
    version: str
    date: str
    configs: int
    """Printed configs that its parser was given."""
    keys: int
    samples: int
    dumps: int | None
    """None where the module runs no writer."""
    hooks: tuple[int, int]
    """Found, of all."""
    drift: tuple[Drift, ...]
    seconds: float

    def to_json(self) -> dict[str, Any]:
        rows = [{**vars(each), "task": each.task} for each in self.drift]
        return {**vars(self), "hooks": list(self.hooks), "drift": rows}
