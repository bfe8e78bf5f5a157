"""What a module of `sentinel.trainers` says of a trainer's release. Every function is optional, and runs in a process of
its own with the unpacked release on `sys.path` and the module's `STUBS` in place of heavy packages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol


@dataclass(frozen=True)
class Key:
    """A key of the trainer's own parser that is about correction, sampling, log-probs, staleness or dumps."""

    name: str
    """As users write it, without leading dashes: ``algo.advantage.is_correction_level``."""
    default: Any = None
    choices: Sequence[Any] | None = None
    """All values that the parser takes; None where it does not list them."""
    file: str = ""
    """The trainer's file that defines it."""


@dataclass(frozen=True)
class Found:
    """A place in the trainer that a hook or a recorder of ours depends on."""

    place: str
    """File, function and what is expected there."""
    found: bool


class TrainerModule(Protocol):
    """What may be in a module; `sentinel.load` looks each name up with a default."""

    PACKAGES: Sequence[str]
    """Distributions on PyPI, the trainer's own first."""
    STUBS: Sequence[str]
    """Packages that its config code imports and does not use."""
    BESIDE: Mapping[str, str]
    """Keys that do not touch the ratio, so that logratio need not know them, each with the reason."""

    def accepts(self, config: str) -> str | None:
        """None if the trainer's own parser takes this config, else its message, verbatim."""

    def keys(self) -> Sequence[Key]:
        """The keys that its parser has for correction, sampling, log-probs, staleness and dumps."""

    def samples(self) -> Sequence[str]:
        """Configs of the parser's own keys and choices, all of them accepted by it."""

    def hooks(self) -> Sequence[Found]:
        """The places that our hooks depend on."""

    def dumps(self, folder: Path) -> Sequence[str]:
        """Runs the trainer's own writers into `folder`, and returns the names of what they wrote."""
