"""Sequences with known log-probs for verl's two loops: three prompts, two responses each, tool output in one."""

import numpy as np
import torch

PROMPTS = [[11, 12, 13], [21, 22], [31, 32, 33, 34]]
LENGTHS = [4, 2, 5, 3, 1, 6]
TEMPERATURE = 0.7


def sequences(seed):
    random = np.random.default_rng(seed)
    rows = []
    for i, length in enumerate(LENGTHS):
        rollout = -random.exponential(1.0, length).astype(np.float32)
        trainer = np.minimum(rollout + random.normal(0, 0.1, length), -1e-4).astype(np.float32)
        mask = np.ones(length, np.int64)
        if length == 5:
            mask[2:4] = 0
        rows.append(
            {
                "uid": f"prompt-{seed}-{i // 2}",
                "prompt": PROMPTS[i // 2],
                "response": random.integers(100, 200, length).tolist(),
                "mask": mask,
                "rollout": np.where(mask == 1, rollout, 0).astype(np.float32),
                "trainer": trainer,
                "acc": bool(i % 3 == 0),
                "score": float(i % 3 == 0),
                "source": "gsm8k" if i < 4 else "math",
            }
        )
    return rows


def unwritable(tensor):
    """A view of a larger buffer that numpy may not write to, like tensors that came through Ray."""
    import warnings

    buffer = np.concatenate([np.zeros_like(tensor.numpy().ravel()), tensor.numpy().ravel()])
    buffer.flags.writeable = False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.from_numpy(buffer)[tensor.numel() :].view(tensor.shape)
