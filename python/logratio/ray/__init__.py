"""A run summarized on a Ray cluster: the report is that of one process, figure by figure.

import logratio.ray

report = logratio.ray.report("s3://bucket/run/")
"""

from .run import Summary, report, summarize

__all__ = ["Summary", "report", "summarize"]
