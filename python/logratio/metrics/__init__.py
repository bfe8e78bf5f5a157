"""Computes the report's figures inside a training step, and sends them to a logger."""

from .collect import MetricsError, scalars
from .figures import Figures, measure
from .loggers import log_to

__all__ = ["Figures", "MetricsError", "log_to", "measure", "scalars"]
