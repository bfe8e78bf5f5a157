"""A training loop that records itself, with a policy that is one table of logits.

The engine samples with weights that are a few updates old, so the two policies differ more from step to step.
"""

from __future__ import annotations

import sys
import time

import numpy as np

import logratio

SEQUENCES, TOKENS, VOCABULARY = 32, 64, 50
AGE = 4  # updates by which the engine's weights are behind


def log_softmax(logits: np.ndarray) -> np.ndarray:
    shifted: np.ndarray = logits - logits.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def train(steps: int, seconds: float = 0.0) -> logratio.Counts:
    """Trains, and takes at least ``seconds`` for each step, as a real loop would."""
    rng = np.random.default_rng(0)
    weights = [rng.normal(0, 2, (TOKENS, VOCABULARY))]
    config = {"temperature": 1.0, "engine": "toy 1.0", "precision": "float64", "sequences": SEQUENCES}
    with logratio.init(name="loop", config=config) as run:
        for step in range(steps):
            old, engine = log_softmax(weights[-1]), log_softmax(weights[max(0, len(weights) - 1 - AGE)])
            drawn = (rng.random((SEQUENCES, TOKENS, 1)) > np.exp(engine).cumsum(axis=-1)).sum(axis=-1)
            ids = np.minimum(drawn, VOCABULARY - 1)
            rewards = (ids % 2 == 0).mean(axis=1)
            at = np.arange(TOKENS)
            run.log(
                {
                    "rollout_log_probs": engine[at, ids],
                    "old_log_probs": old[at, ids],
                    "responses": ids,
                    "rewards": rewards,
                },
                step=step,
            )
            weights.append(
                weights[-1] + 0.05 * (np.arange(VOCABULARY) % 2 == 0) + rng.normal(0, 0.03, weights[-1].shape)
            )
            time.sleep(seconds)
    return run.counts


if __name__ == "__main__":
    train(int(sys.argv[1]) if len(sys.argv) > 1 else 40, seconds=0.5)
