"""logratio for Python: the parts that run where the models are.

Names are loaded when they are first used: the command line starts from here too, and numpy alone would take as long to
import as the whole program takes to start.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._version import __version__

if TYPE_CHECKING:
    from .metrics import log_to, scalars
    from .recorder import Counts, Recorder, init

#: Which module has each name.
_HOMES = {
    "Counts": ".recorder",
    "Recorder": ".recorder",
    "init": ".recorder",
    "log_to": ".metrics",
    "scalars": ".metrics",
}

__all__ = ["Counts", "Recorder", "__version__", "init", "log_to", "scalars"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name], __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
