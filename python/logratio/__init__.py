"""logratio for Python: the parts that run where the models are.

Names are loaded when they are first used, because the command line starts from here, too, and importing numpy alone
would take as long as the whole program takes to start.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._version import __version__

if TYPE_CHECKING:
    from . import corrections
    from .agree import Agreement, assert_policies_agree, compare_policies
    from .corrections import RolloutImportanceSampling, apply_correction, parse_correction
    from .divergence import calculate_debug_metrics, collect_divergent_tokens
    from .errors import LogratioError
    from .metrics import log_to, scalars
    from .notebook import Report, Viewer, report, view
    from .recorder import Counts, Recorder, finish, init, log
    from .verb_module import VerbModule
    from .verbs import Result, compare, correct, doctor, gate, kl, score, show, sweep
    from .weights import WeightComparison, WeightDigest, weight_digest

    digits: VerbModule
    divergence: VerbModule

#: The modules that are names of their own.
_MODULES = ("corrections", "digits", "divergence")
#: The module that defines each name.
_HOMES = {
    "Agreement": ".agree",
    "Counts": ".recorder",
    "LogratioError": ".errors",
    "Recorder": ".recorder",
    "Report": ".notebook",
    "Result": ".verbs",
    "RolloutImportanceSampling": ".corrections",
    "Viewer": ".notebook",
    "WeightComparison": ".weights",
    "WeightDigest": ".weights",
    "apply_correction": ".corrections",
    "assert_policies_agree": ".agree",
    "calculate_debug_metrics": ".divergence",
    "collect_divergent_tokens": ".divergence",
    "compare": ".verbs",
    "compare_policies": ".agree",
    "correct": ".verbs",
    "doctor": ".verbs",
    "finish": ".recorder",
    "gate": ".verbs",
    "init": ".recorder",
    "kl": ".verbs",
    "log": ".recorder",
    "log_to": ".metrics",
    "parse_correction": ".corrections",
    "report": ".notebook",
    "scalars": ".metrics",
    "score": ".verbs",
    "show": ".verbs",
    "sweep": ".verbs",
    "view": ".notebook",
    "weight_digest": ".weights",
}

__all__ = [
    "Agreement",
    "Counts",
    "LogratioError",
    "Recorder",
    "Report",
    "Result",
    "RolloutImportanceSampling",
    "Viewer",
    "WeightComparison",
    "WeightDigest",
    "__version__",
    "apply_correction",
    "assert_policies_agree",
    "calculate_debug_metrics",
    "collect_divergent_tokens",
    "compare",
    "compare_policies",
    "correct",
    "corrections",
    "digits",
    "divergence",
    "doctor",
    "finish",
    "gate",
    "init",
    "kl",
    "log",
    "log_to",
    "parse_correction",
    "report",
    "scalars",
    "score",
    "show",
    "sweep",
    "view",
    "weight_digest",
]


# Type checkers know the names from above, and must find those that do not exist.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        if name in _MODULES:
            return import_module(f".{name}", __name__)
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(_HOMES[name], __name__), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
