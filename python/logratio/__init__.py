"""logratio for Python: the parts that run where the models are."""

from .recorder import Counts, Recorder, init

__version__ = "0.1.0"

__all__ = ["Counts", "Recorder", "__version__", "init"]
