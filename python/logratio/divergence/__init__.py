"""verl's comparison of the two policies in a training step, with a log of high-divergence tokens.

The module is the verb, too: ``logratio.divergence(run)`` is `logratio.verbs.divergence`.
"""

from ..verb_module import make_verb
from .log import calculate_debug_metrics, collect_divergent_tokens
from .metrics import measure_probabilities, measure_rounds

make_verb(__name__)

__all__ = ["calculate_debug_metrics", "collect_divergent_tokens", "measure_probabilities", "measure_rounds"]
