"""Exact per-token figures of full distributions, in float64 and nats."""

import math
from collections.abc import Sequence

import numpy as np

Figures = dict[str, np.ndarray]


def log_softmax64(logits: np.ndarray) -> np.ndarray:
    """log-softmax over the last axis."""
    x = logits.astype(np.float64)
    x = x - x.max(-1, keepdims=True)
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


def divergences(log_p: np.ndarray, log_q: np.ndarray) -> Figures:
    """D(p||q), D(q||p) and the Jensen-Shannon divergence of log-probs [T, V], each [T]."""
    p, q = np.exp(log_p), np.exp(log_q)
    log_m = np.log(0.5 * (p + q))
    p_to_m = (p * (log_p - log_m)).sum(-1)
    q_to_m = (q * (log_q - log_m)).sum(-1)
    return {
        "forward_kl": (p * (log_p - log_q)).sum(-1),
        "reverse_kl": (q * (log_q - log_p)).sum(-1),
        "js_divergence": 0.5 * p_to_m + 0.5 * q_to_m,
    }


def own_figures(log_p: np.ndarray, chosen: Sequence[int]) -> Figures:
    """Entropy, entropy over ln V, and the log-prob of the chosen ids, each [T]."""
    entropy = -(np.exp(log_p) * log_p).sum(-1)
    return {
        "entropy": entropy,
        "entropy_normalised": entropy / math.log(log_p.shape[-1]),
        "log_prob": log_p[np.arange(len(chosen)), chosen],
    }
