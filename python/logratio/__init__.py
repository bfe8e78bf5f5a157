"""logratio for Python: the parts that run where the models are."""

from .agree import Agreement, assert_policies_agree, compare_policies
from .errors import LogratioError
from .notebook import Report, Viewer, report, view
from .recorder import Counts, Recorder, init

__version__ = "0.1.0"

__all__ = [
    "Agreement",
    "Counts",
    "LogratioError",
    "Recorder",
    "Report",
    "Viewer",
    "__version__",
    "assert_policies_agree",
    "compare_policies",
    "init",
    "report",
    "view",
]
