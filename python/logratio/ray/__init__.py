"""Summarizes a run on a Ray cluster; every figure equals that of a single process.

import logratio.ray

report = logratio.ray.report("s3://bucket/run/")
diagnosis = logratio.ray.doctor("s3://bucket/run/")
"""

from ..verbs.result import Result
from .run import Summary, report, summarize
from .verbs import divergence, doctor, kl, sweep

__all__ = ["Result", "Summary", "divergence", "doctor", "kl", "report", "summarize", "sweep"]
