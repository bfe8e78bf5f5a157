"""The verbs of the command line as functions of anything that is a run."""

from .act import correct, gate, sweep
from .explain import compare, digits, divergence, doctor, show
from .in_process import DigitFigures
from .result import Result
from .study import kl, score

__all__ = [
    "DigitFigures",
    "Result",
    "compare",
    "correct",
    "digits",
    "divergence",
    "doctor",
    "gate",
    "kl",
    "score",
    "show",
    "sweep",
]
