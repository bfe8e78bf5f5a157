"""Modules that are verbs, too: ``logratio.digits`` holds functions, and ``logratio.digits(run)`` answers."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class VerbModule(ModuleType):
    """A module with the name of a verb; calling it calls the verb of `logratio.verbs`."""

    def __call__(self, run: Any, **options: Any) -> Any:
        verb = self.__name__.rpartition(".")[2]
        return getattr(import_module("logratio.verbs"), verb)(run, **options)


def make_verb(module: str) -> None:
    """Makes a module callable."""
    sys.modules[module].__class__ = VerbModule
