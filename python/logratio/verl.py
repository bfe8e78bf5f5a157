"""verl's names: import ``calculate_debug_metrics`` from ``logratio.verl`` instead of ``verl.utils.debug.metrics``."""

from .divergence import calculate_debug_metrics

__all__ = ["calculate_debug_metrics"]
