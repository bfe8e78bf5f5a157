"""What a run's files must say, computed with numpy from the trainer's own data and printed as a line of JSON."""

import json

import numpy as np


def figures(rollout, trainer, masks):
    """The figures that logratio's report prints for lists of sequences."""
    deltas = [
        np.asarray(t, np.float64)[np.asarray(m, bool)] - np.asarray(r, np.float64)[np.asarray(m, bool)]
        for r, t, m in zip(rollout, trainer, masks, strict=True)
    ]
    delta = np.concatenate(deltas)
    return {
        "sequences": len(masks),
        "tokens": int(delta.size),
        "delta_abs_mean": float(np.abs(delta).mean()),
        "delta_abs_max": float(np.abs(delta).max()),
        "k3": float((np.expm1(delta) - delta).mean()),
    }


def say(**facts):
    print("TRUTH " + json.dumps(facts), flush=True)
