"""xtuner's names: ``from logratio.xtuner import RolloutImportanceSampling`` instead of ``xtuner.v1.rl.rollout_is``."""

from .corrections.rollout_is import (
    RolloutImportanceSampling,
    compute_mismatch_metrics,
    compute_rollout_importance_weights,
)

__all__ = ["RolloutImportanceSampling", "compute_mismatch_metrics", "compute_rollout_importance_weights"]
