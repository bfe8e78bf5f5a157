"""Corrections of the mismatch: importance weights and rejection, in the neutral form and in xtuner's."""

from .apply import AppliedCorrection, apply_correction
from .correction import Bounds, Correction, Measure, Normalize, Reject, Step, Truncate, Veto, Weight
from .rollout_is import (
    RolloutImportanceSampling,
    compute_is_metrics,
    compute_mismatch_metrics,
    compute_rollout_importance_weights,
    merge_rollout_is_metrics,
)
from .text import parse_correction

__all__ = [
    "AppliedCorrection",
    "Bounds",
    "Correction",
    "Measure",
    "Normalize",
    "Reject",
    "RolloutImportanceSampling",
    "Step",
    "Truncate",
    "Veto",
    "Weight",
    "apply_correction",
    "compute_is_metrics",
    "compute_mismatch_metrics",
    "compute_rollout_importance_weights",
    "merge_rollout_is_metrics",
    "parse_correction",
]
