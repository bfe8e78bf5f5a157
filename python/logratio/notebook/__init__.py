"""The command line's report and viewer as objects of a notebook."""

from .reports import Report, report
from .viewer import Viewer, view

__all__ = ["Report", "Viewer", "report", "view"]
