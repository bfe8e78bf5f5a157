"""logratio for Python: the parts that run where the models are."""

from .corrections import RolloutImportanceSampling, apply_correction, parse_correction
from .divergence import calculate_debug_metrics, collect_divergent_tokens
from .recorder import Counts, Recorder, init

__version__ = "0.1.0"

__all__ = [
    "Counts",
    "Recorder",
    "RolloutImportanceSampling",
    "__version__",
    "apply_correction",
    "calculate_debug_metrics",
    "collect_divergent_tokens",
    "init",
    "parse_correction",
]
