"""The mismatch of both policies over whole recordings."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ..record.npz import load_npz


def mismatch_over(paths: Sequence[Path]) -> dict:
    """Figures pooled over the model's own tokens of all records; d = old - rollout in nats.

    k1 = mean(-d) and k3 = mean(exp(d) - d - 1) estimate KL(rollout || trainer).
    """
    records = [load_npz(p) for p in paths]

    def own(name: str) -> np.ndarray:
        rows = [a[name][a["response_mask"] == 1] for a in records]
        return np.concatenate(rows).astype(np.float64)

    old, rollout, ref = own("old_log_probs"), own("rollout_log_probs"), own("ref_log_probs")
    d, gap = old - rollout, np.abs(np.exp(old) - np.exp(rollout))
    return {
        "recorded_steps": len(records),
        "tokens": len(d),
        "mean_abs_logprob_diff": float(np.abs(d).mean()),
        "max_abs_logprob_diff": float(np.abs(d).max()),
        "k1_kl": float(-d.mean()),
        "k3_kl": float((np.exp(d) - d - 1).mean()),
        "mean_prob_diff": float(gap.mean()),
        "max_prob_diff": float(gap.max()),
        "pearson_of_probs": float(np.corrcoef(np.exp(old), np.exp(rollout))[0, 1]),
        "share_of_tokens_with_abs_diff_above_0.01": float((np.abs(d) > 0.01).mean()),
        "k3_kl_to_ref": float((np.exp(ref - old) - (ref - old) - 1).mean()),
    }


def largest_gap(path: Path) -> tuple[float, int, int, float, float]:
    """(|d|, row, response index, rollout, old log-prob) of the record's furthest token."""
    a = load_npz(path)
    d = np.abs(a["old_log_probs"] - a["rollout_log_probs"]) * (a["response_mask"] == 1)
    b, t = np.unravel_index(d.argmax(), d.shape)
    rollout, old = float(a["rollout_log_probs"][b, t]), float(a["old_log_probs"][b, t])
    return float(d[b, t]), int(b), int(t), rollout, old
