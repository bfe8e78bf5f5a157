"""Short GRPO runs from a checkpoint, which give real older and newer weights."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from .checkpoints import State
from .engine import Engine, generate
from .network import Network, View
from .rows import Row
from .task import PAD, Problem, Task

GROUPS, GROUP_SIZE = 6, 6


def set_advantages(rows: list[Row], task: Task, group_size: int) -> None:
    """(r − mean) / (standard deviation + 1e-6) within each group of consecutive rows."""
    for row in rows:
        row.score = task.reward(row.problem, row.response.tolist(), row.stop)
    for i in range(0, len(rows), group_size):
        group = rows[i : i + group_size]
        scores = np.array([r.score for r in group])
        spread = scores.std(ddof=1) if len(group) > 1 else 0.0
        for row in group:
            row.advantage = float((row.score - scores.mean()) / (spread + 1e-6))


def update(state: State, config: dict, rows: list[Row], lr: float, updates: int = 2) -> State:
    """Policy-gradient steps with AdamW on these rows: the token mean of −advantage · log π over each share of the
    rows."""
    names = [n for n, t in state.items() if t.is_floating_point()]
    weights = {n: state[n].clone().requires_grad_(True) for n in names}
    optimizer = torch.optim.AdamW(weights.values(), lr=lr, betas=(0.9, 0.95), weight_decay=0.0)
    for k in range(updates):
        part = rows[k::updates]
        used = [r for r in part if r.advantage != 0]
        if not used:
            continue
        optimizer.zero_grad()
        network = Network(weights, config, View())
        loss = measure_loss(network, used) / sum(int(r.own.sum()) for r in part)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(weights.values(), 1.0)
        optimizer.step()
    return {n: t.detach() for n, t in weights.items()}


def measure_loss(network: Network, rows: list[Row]) -> torch.Tensor:
    texts = [r.prompt + r.response.tolist() for r in rows]
    width = max(map(len, texts))
    ids = torch.tensor([t + [PAD] * (width - len(t)) for t in texts])
    weight = torch.zeros(len(rows), width)
    for k, row in enumerate(rows):
        start = len(row.prompt)
        weight[k, start : start + row.size] = torch.from_numpy(row.own.astype(np.float32)) * row.advantage
    visible = torch.ones(1, 1, width, width, dtype=torch.bool).tril()
    logits, _ = network.logits(ids, torch.arange(width)[None].expand_as(ids), visible)
    log_prob = torch.log_softmax(logits[:, :-1], -1).gather(-1, ids[:, 1:, None])[..., 0]
    return -(log_prob * weight[:, 1:]).sum()


def draw_problems(task: Task, rng: np.random.Generator, groups: int, size: int) -> list[Problem]:
    chosen = rng.choice(len(task.problems), groups, replace=False)
    return [task.problems[i] for i in chosen for _ in range(size)]


@dataclass
class History:
    """The weights before each step of a run; `states[0]` is the checkpoint."""

    name: str
    origin: str
    lr: float
    states: list[State]


def train(
    name: str, origin: str, state: State, config: dict, task: Task, lr: float, steps: int, seed: int, cache: Path,
    shape: tuple[int, int] = (GROUPS, GROUP_SIZE),
) -> History:  # fmt: skip
    """Makes a run of `steps` GRPO steps, kept in `cache` because cases share it."""
    path = cache / f"{name}.pt"
    if path.exists():
        # Mapped, not read: the weights of a real model at every step do not fit in memory twice.
        return History(**torch.load(path, weights_only=True, mmap=True))
    rng, torch_rng = np.random.default_rng(seed), torch.Generator().manual_seed(seed)
    states = [state]
    for _ in range(steps):
        engine = Engine(states[-1], View(torch.bfloat16))
        rows = generate(engine, config, draw_problems(task, rng, *shape), task, torch_rng, details=False)
        set_advantages(rows, task, shape[1])
        states.append(update(states[-1], config, rows, lr))
    history = History(name, origin, lr, states)
    cache.mkdir(parents=True, exist_ok=True)
    torch.save(vars(history), path)
    return history
