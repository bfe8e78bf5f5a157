"""A loop with verl's names for a batch: two lines, marked below, record both policies and show them while it runs.

python verl_style.py [STEPS]: the batches are random numbers, from an engine that is 1 % off in a few sequences.
"""

import sys

import numpy as np

import logratio

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 20
random = np.random.default_rng(1)


def make_batch() -> dict[str, np.ndarray]:
    """What verl has in ``DataProto.batch`` before the update: 32 responses of at most 48 tokens, right-padded."""
    lengths = random.integers(8, 48, 32)
    mask = (np.arange(48)[None] < lengths[:, None]).astype(np.int64)
    old = -random.exponential(0.5, mask.shape).astype(np.float32)
    noise = random.normal(0, 0.002, mask.shape) + 0.01 * (random.random((32, 1)) < 0.1)
    return {
        "responses": random.integers(3, 1000, mask.shape),
        "response_mask": mask,
        "rollout_log_probs": np.minimum(old + noise, 0).astype(np.float32) * mask,
        "old_log_probs": old * mask,
    }


run = logratio.init(dir="logratio", name="verl-style")
print("page", logratio.view("logratio/verl-style", follow=True).url, flush=True)  # line 1: the live page
for step in range(STEPS):
    batch = make_batch()
    run.log(batch, step=step)  # line 2: the record
    # … the update of the actor
print(f"k3 of the last step: {run.scalars(step=STEPS - 1)['logratio/k3']:.3g}")
run.finish()
