"""
What of TrainingWorker.fit the exporter needs, as xtuner b934f462 has it (xtuner/v1/rl/trainer/worker.py): objects with
the attributes of SequenceContext and BaseRLLossKwargs; PyPI's xtuner (0.2.0) is older than its reinforcement learning.
"""
from types import SimpleNamespace

import numpy as np
import torch

from truth import figures, say

random = np.random.default_rng(2)
rows = []


WorkerLogItem = dict


class TrainingWorker:
    sp_mesh = SimpleNamespace(size=lambda: 1)
    rank = 3

    def fit(self, seq_ctx_list, loss_ctx_list, rollout_idx):
        worker_log_item: WorkerLogItem = {}
        # Rejection narrows the labels in place behind this line.
        for loss_ctx in loss_ctx_list:
            loss_ctx.loss_kwargs.shifted_labels[:] = -100
        return worker_log_item


def make_pack(lengths, prompt):
    ids, labels, rollout, trainer = [], [], [], []
    for length in lengths:
        tokens = random.integers(10, 99, length)
        target = np.append(tokens[1:], -100)
        target[:prompt - 1] = -100
        mask = target != -100
        r = np.where(mask, -random.exponential(1, length), 0)
        t = np.where(mask, r + random.normal(0, 0.1, length), -3)
        rows.append((r.astype(np.float32), t.astype(np.float32), mask))
        ids.append(tokens), labels.append(target), rollout.append(r), trainer.append(t)

    def tensor(parts, dtype):
        # A view of a larger buffer, as slices of a mini-batch are.
        return torch.tensor(np.concatenate([*parts, *parts]), dtype=dtype)[None, :sum(lengths)]

    seq_ctx = SimpleNamespace(input_ids=tensor(ids, torch.int64), seq_lens_q=torch.tensor(lengths))
    kwargs = SimpleNamespace(shifted_labels=tensor(labels, torch.int64), rollout_logprobs=tensor(rollout, torch.float32),
                             old_logprobs=tensor(trainer, torch.float32),
                             advantages=torch.ones(1, sum(lengths)))
    return seq_ctx, SimpleNamespace(loss_kwargs=kwargs)


contexts = [make_pack([6, 4], 2), make_pack([5], 3)]
TrainingWorker().fit([seq_ctx for seq_ctx, _ in contexts], [loss_ctx for _, loss_ctx in contexts], 4)
say(**figures(*zip(*rows)))
