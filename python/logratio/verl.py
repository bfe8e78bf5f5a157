"""verl's names: ``from logratio.verl import calculate_debug_metrics`` instead of ``verl.utils.debug.metrics``."""

from .divergence import calculate_debug_metrics

__all__ = ["calculate_debug_metrics"]
