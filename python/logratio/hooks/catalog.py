"""Which hook fits which trainer, and what to type for it."""

from __future__ import annotations

import importlib.metadata
import json
from dataclasses import dataclass
from pathlib import Path

#: The placeholder for the path of a plug-in file in the lines.
PLUGIN = "{plugin}"


@dataclass(frozen=True)
class Trainer:
    """One trainer's way to be recorded."""

    name: str
    #: Its name on PyPI.
    distribution: str
    #: The version or commit that the hook was written for.
    written_for: str
    #: Where to put the lines.
    place: str
    #: ``shell``, ``python``, or ``none`` if there is nothing to add.
    language: str
    lines: tuple[str, ...]
    #: What else the run needs so that both log-probs exist.
    needs: str = ""
    plugin: str | None = None

    def find_version(self) -> str | None:
        """The installed version, or None."""
        try:
            return importlib.metadata.version(self.distribution)
        except importlib.metadata.PackageNotFoundError:
            return None

    def find_plugin(self) -> Path | None:
        """The plug-in file, if the trainer takes one."""
        return None if self.plugin is None else Path(__file__).parent / "plugins" / self.plugin

    def show_lines(self) -> list[str]:
        return [line.replace(PLUGIN, str(self.find_plugin())) for line in self.lines]


def _read_trainers() -> tuple[Trainer, ...]:
    """From ``catalog.json``: written from ``src/trainers``, and read by the program for files that lack a side, too."""
    catalog = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
    return tuple(Trainer(**{**entry, "lines": tuple(entry["lines"])}) for entry in catalog["trainers"])


TRAINERS = _read_trainers()
