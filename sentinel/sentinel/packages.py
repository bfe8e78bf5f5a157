"""Packages of a release without what their ``__init__`` imports."""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType


def skip_init(*names: str) -> None:
    """Puts packages into `sys.modules` without running their ``__init__``, so that a module inside can be imported alone.
    Parents are to be named before what is inside them; a package that the release does not have is left out."""
    for name in names:
        parent = sys.modules.get(name.rpartition(".")[0])
        spec = PathFinder.find_spec(name, None if parent is None else parent.__path__)
        if spec is None or spec.submodule_search_locations is None or name in sys.modules:
            continue
        package = ModuleType(name)
        package.__path__ = list(spec.submodule_search_locations)
        package.__spec__ = ModuleSpec(name, None, is_package=True)
        sys.modules[name] = package
