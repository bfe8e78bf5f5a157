"""RL from verifiable rewards: GRPO with a bfloat16 (or int8) rollout engine and a float32 trainer.

Per step: sync weights into the engine, sample 8 prompts x 8 responses at temperature 1.0, recompute
their log-probs in the trainer, then two PPO-clip updates of 32 sequences each, the importance ratio
taken against those old log-probs.
"""

import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import torch

from ..engine import RolloutEngine, Trajectory, generate, prompt_ids
from ..record.checkpoint import save_checkpoint
from ..record.npz import record_arrays, save_npz
from ..task import Problem, held_out, held_out_prompts, problem_stream
from ..task.streams import RL_SEED, SEED
from ..workspace import Log, Workspace
from .evaluate import accuracy, score
from .optimiser import AdamW
from .ppo import GROUP_SIZE, group_advantages, update
from .rescoring import Scored, mismatch, trainer_pass
from .runs import Run

GROUPS, MINI_BATCHES = 8, 2


@dataclass
class Batch:
    """The responses of one step and what the trainer says about them."""

    problems: list[Problem]
    trajectories: list[Trajectory]
    scores: list[float]
    advantages: list[float]
    old: list[Scored]


class Session:
    """A run in progress: model, engine, optimiser and the two random streams."""

    def __init__(self, workspace: Workspace, run: Run):
        self.workspace, self.run = workspace, run
        self.tokenizer = workspace.tokenizer()
        self.model, self.reference = workspace.model("dpo"), workspace.model("dpo")
        self.engine = RolloutEngine(self.model.cfg, torch.bfloat16, run.int8)
        self.optimiser = AdamW(self.model.parameters(), lr=run.lr)
        self.generator = torch.Generator().manual_seed(SEED + run.index)
        self.stream = problem_stream(RL_SEED + run.index, held_out_prompts())
        self.weights: deque = deque(maxlen=run.stale + 1)

    def rollout(self, recorded: bool) -> tuple[list[Problem], list[Trajectory]]:
        self.weights.append(self.model.to_hf_state())
        self.engine.sync(self.weights[0])  # the newest weights, or `stale` steps older
        problems = [p for p in islice(self.stream, GROUPS) for _ in range(GROUP_SIZE)]
        prompts = [prompt_ids(p, self.tokenizer) for p in problems]
        trajectories = generate(
            self.engine,
            prompts,
            self.tokenizer,
            self.model.rope,
            generator=self.generator,
            details=recorded,
        )
        return problems, trajectories

    def rescore(self, problems, trajectories, recorded: bool) -> Batch:
        scores = [score(p, t, self.tokenizer) for p, t in zip(problems, trajectories)]
        old = trainer_pass(self.model, trajectories, recorded)
        return Batch(problems, trajectories, scores, group_advantages(scores), old)

    def record(self, batch: Batch, step: int) -> None:
        ref = trainer_pass(self.reference, batch.trajectories)
        arrays = record_arrays(
            self.run.name,
            step,
            batch.problems,
            batch.trajectories,
            batch.scores,
            batch.advantages,
            batch.old,
            ref,
        )
        folder = self.workspace.folder(self.run.name, "npz")
        save_npz(folder / f"step_{step:04d}.npz", arrays)

    def learn(self, batch: Batch) -> list[tuple[float, float, float]]:
        """(loss, clip fraction, gradient norm) of each mini-batch."""
        size = len(batch.trajectories) // MINI_BATCHES
        parts = (slice(a, a + size) for a in range(0, len(batch.trajectories), size))
        return [
            update(
                self.model,
                self.optimiser,
                batch.trajectories[part],
                batch.old[part],
                batch.advantages[part],
            )
            for part in parts
        ]

    def step(self, step: int) -> dict:
        """One step of RL; returns its metrics."""
        recorded, t0 = self.run.records(step), time.time()
        problems, trajectories = self.rollout(recorded)
        t1 = time.time()
        batch = self.rescore(problems, trajectories, recorded)
        gap = mismatch(batch.trajectories, batch.old)
        if recorded:
            self.record(batch, step)
        t2 = time.time()
        updates = self.learn(batch)
        seconds = [t1 - t0, t2 - t1, time.time() - t2]
        return _metrics(step, recorded, batch, updates) | {"seconds": seconds, **gap}


def _metrics(step: int, recorded: bool, batch: Batch, updates: list[tuple]) -> dict:
    n = len(batch.trajectories)
    losses, clips, norms = zip(*updates)
    return {
        "step": step,
        "reward": sum(batch.scores) / n,
        "rounds": sum(t.turns for t in batch.trajectories) / n,
        "recorded": recorded,
        "response_length": sum(len(t.response) for t in batch.trajectories) / n,
        "unfinished": sum(not t.finished for t in batch.trajectories),
        "loss": sum(losses) / len(losses),
        "clip_fraction": sum(clips) / len(clips),
        "grad_norm": max(norms),
    }


def _progress(m: dict) -> str:
    seconds = "+".join(f"{s:.2f}" for s in m["seconds"])
    return (
        f"step {m['step']} reward {m['reward']:.3f} turns {m['rounds']:.2f} "
        f"|d| {m['abs_diff_mean']:.5f} k3 {m['k3']:.2e} {seconds}s"
    )


def train(workspace: Workspace, run: Run, evaluation: Sequence[Problem] | None = None) -> None:
    """Train from the checkpoint `dpo`; writes records, metrics and the run's checkpoints."""
    test = evaluation or held_out()[:400]
    session = Session(workspace, run)
    model, tokenizer = session.model, session.tokenizer
    with Log(workspace, f"rlvr_{run.name}") as log:
        for step in range(1, run.steps + 1):
            metrics = session.step(step)
            log.record(**metrics)
            if step % 10 == 0:
                log.say(_progress(metrics))
            if run.saves(step):
                right, turns = accuracy(model, test, tokenizer)
                log.say(f"step {step} greedy accuracy {right:.3f} turns {turns:.2f}")
                folder = workspace.checkpoint_folder(f"rlvr_step_{step}")
                save_checkpoint(folder, model, tokenizer)
        right, turns = accuracy(model, test, tokenizer)
        log.say(f"end: greedy accuracy {right:.3f} turns {turns:.2f}")
