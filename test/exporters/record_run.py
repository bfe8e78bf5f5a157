"""The lines of the message about any trainer, in a loop of two calls: lists, arrays and tensors."""
import os
import sys

import numpy as np
import torch

from truth import figures, say

random = np.random.default_rng(1)
masks = [[1, 1, 0, 1], [1, 1], [1]]
all_rollout, all_trainer = [], []
for call in range(2):
    rollout = [-random.exponential(1, len(m)).astype(np.float32) for m in masks]
    trainer = [torch.tensor(r + random.normal(0, 0.1, len(r)).astype(np.float32)) for r in rollout]
    ids = [list(range(len(m))) for m in masks]
    if os.environ.get("LOGRATIO_TEST_DROP"):
        ids.pop()
    exec(sys.argv[1], {"step": 3, "rank": 1, "rollout": rollout, "trainer": trainer, "mask": masks, "ids": ids})
    all_rollout += rollout
    all_trainer += [t.numpy() for t in trainer]
say(**figures(all_rollout, all_trainer, masks * 2))
