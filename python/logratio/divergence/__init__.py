"""verl's comparison of the two policies in a training step, with a log of high-divergence tokens."""

from .log import calculate_debug_metrics, collect_divergent_tokens
from .metrics import measure_probabilities, measure_rounds

__all__ = ["calculate_debug_metrics", "collect_divergent_tokens", "measure_probabilities", "measure_rounds"]
