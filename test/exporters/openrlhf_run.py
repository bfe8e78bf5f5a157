"""
OpenRLHF's own Experience objects, concatenated by its own code, through its own `train_step` of the edited file
(argv 1). Ray and the workers are not there: the step ends behind the recording.
"""
import ast
import logging
import sys
import time
from types import SimpleNamespace

import numpy as np
import torch
from openrlhf.trainer.ppo_utils.experience import Experience

from truth import figures, say

random = np.random.default_rng(3)
truth = []


def make_sample(index, prompt, actions, reward):
    """As _process_response_into_experience makes it: mask and log-probs without the first token."""
    ids = prompt + random.integers(50, 90, len(actions)).tolist()
    mask = ([0] * len(prompt) + actions)[1:]
    rollout = np.where(mask, -random.exponential(1, len(mask)), 0).astype(np.float32)
    trainer = np.where(mask, rollout + random.normal(0, 0.1, len(mask)), 0).astype(np.float32)
    truth.append((rollout, trainer, mask, reward))
    row = {"sequences": torch.tensor([ids]), "attention_mask": torch.ones(1, len(ids), dtype=torch.long),
           "action_mask": torch.tensor([mask]), "rollout_log_probs": torch.tensor(rollout)[None],
           "action_log_probs": torch.tensor(trainer)[None], "advantages": torch.ones(1, len(mask)),
           "rewards": torch.tensor([reward]), "prompts": ["p"], "labels": ["l"], "info": {"reward": torch.tensor([reward])}}
    sample = Experience(**row)
    sample.index = [index]
    return sample


samples = [
    make_sample(0, [5, 6, 7], [1, 1, 1], 1.0), make_sample(2, [8, 9], [1, 1, 0, 0, 1], 0.0),
    make_sample(1, [5, 6, 7], [1], 1.0), make_sample(3, [8, 9], [1, 1, 1, 1, 1, 1], 1.0),
]
experiences = [Experience.concat_experiences(samples[:2], 0), Experience.concat_experiences(samples[2:], 0)]

# The method alone: what the file imports (vLLM, deepspeed, kernels for GPUs) is not needed up to the recording.
tree = ast.parse(open(sys.argv[1]).read())
method = next(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == "train_step")
method.returns = None
for argument in method.args.args:
    argument.annotation = None
scope = {"time": time, "logger": logging.getLogger()}
exec(compile(ast.Module([method], []), sys.argv[1], "exec"), scope)


class Stop(Exception):
    pass


def decode(*_, **__):
    raise Stop


trainer = SimpleNamespace(
    experience_maker=SimpleNamespace(make_experience_batch=lambda _: experiences),
    args=SimpleNamespace(rollout=SimpleNamespace(n_samples_per_prompt=2)),
    tokenizer=SimpleNamespace(decode=decode),
)
try:
    scope["train_step"](trainer, [], 7)
except Stop:
    pass
say(**figures([r for r, *_ in truth], [t for _, t, *_ in truth], [m for _, _, m, _ in truth]),
    correct=sum(reward for *_, reward in truth))
