"""The rollout engine: batched sampling with a key-value cache, and prefill of finished text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import torch

from .checkpoints import State
from .network import Network, View
from .rows import TOP, Row
from .sampling import Sampling, entropy, find_kept, penalize, process, report
from .task import PAD, Problem, Task

Positions = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


def plain_positions(index: torch.Tensor, prompt: torch.Tensor) -> torch.Tensor:
    """The position of the index-th token of a row; `prompt` is the number of its prompt tokens."""
    return index


@dataclass(frozen=True)
class Engine:
    """A serving engine: weights, view, sampling, and what it does to a prompt."""

    state: State
    view: View = field(default_factory=View)
    sampling: Sampling = field(default_factory=Sampling)
    edit_prompt: Callable[[list[int]], list[int]] | None = None
    positions: Positions = plain_positions
    attend_pads: bool = False
    prefix_state: State | None = None  # weights that computed the prompt's cache


@dataclass
class Decoding:
    """The state of a batch during sampling."""

    ids: torch.Tensor  # [B, R] tokens so far
    forced: torch.Tensor  # [B, R] bool: tool tokens
    values: dict[str, torch.Tensor]


def encode_prompts(prompts: list[list[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    """Left-padded ids [B, P], and the number of pads of each row [B]."""
    width = max(map(len, prompts))
    ids = torch.full((len(prompts), width), PAD)
    for i, prompt in enumerate(prompts):
        ids[i, width - len(prompt) :] = torch.tensor(prompt)
    return ids, torch.tensor([width - len(p) for p in prompts])


def limit_window(visible: torch.Tensor, first: int, window: int | None) -> torch.Tensor:
    """Hides keys further back than the window from queries that start at column `first`."""
    if window is None:
        return visible
    n, keys = visible.shape[-2:]
    gap = torch.arange(first, first + n)[:, None] - torch.arange(keys)
    return visible & (gap < window)


@torch.inference_mode()
def generate(
    engine: Engine,
    config: dict,
    problems: list[Problem],
    task: Task,
    rng: torch.Generator,
    details: bool = True,
    longest: int | None = None,
) -> list[Row]:
    """Samples one finished row per problem, of at most `longest` tokens (default: the task's limit)."""
    if not problems:
        return []
    longest = min(longest or task.longest_response, task.longest_response)
    network = Network(engine.state, config, engine.view, rng)
    prompts = [list(p.prompt) for p in problems]
    if engine.edit_prompt:
        prompts = [engine.edit_prompt(p) for p in prompts]
    ids, pads = encode_prompts(prompts)
    rows, width = ids.shape
    lengths = torch.tensor([len(p) for p in prompts])
    cache = network.new_cache(rows, width + longest)
    columns = torch.arange(width + longest)
    shown = torch.zeros_like(pads) if engine.attend_pads else pads
    visible = (columns[None, None, :width] >= shown[:, None, None]) & torch.ones(width, width, dtype=torch.bool).tril()
    visible = limit_window((visible | torch.eye(width, dtype=torch.bool))[:, None], 0, engine.view.window)
    index = columns[:width] - pads[:, None]
    position = engine.positions(index.clamp(min=0), lengths[:, None])
    logits, padded = network.read(ids, position, visible, cache, 0, last_only=True)
    if engine.prefix_state is not None:
        old = Network(engine.prefix_state, config, engine.view, rng)
        old.logits(ids[:, :-1], position[:, :-1], visible[:, :, :-1, :-1], cache, 0)
        logits, padded = network.read(
            ids[:, -1:], position[:, -1:], visible[:, :, -1:], cache, width - 1, last_only=True
        )
    out = start_decoding(rows, longest, config["vocab_size"], details, engine.sampling)
    counts = torch.zeros(rows, config["vocab_size"])
    in_prompt = torch.zeros_like(counts).scatter(1, ids, 1.0) > 0
    in_prompt[:, PAD] = False
    live = torch.arange(rows)
    pending: list[list[int]] = [[] for _ in range(rows)]
    calls, stops, sizes = [0] * rows, [""] * rows, [0] * rows
    for t in range(longest):
        token = choose(
            out, t, live, logits[:, -1], None if padded is None else padded[:, -1], engine, (counts, in_prompt), rng
        )
        listed = token.tolist()
        for k, i in enumerate(live.tolist()):
            if stops[i]:
                continue
            forced = bool(pending[i])
            if forced:
                listed[k] = pending[i].pop(0)
            out.ids[i, t], out.forced[i, t] = listed[k], forced
            if forced:
                continue
            if listed[k] not in task.enders:
                continue
            reaction = task.react(problems[i], out.ids[i, : t + 1].tolist(), calls[i])
            if isinstance(reaction, str):
                stops[i] = reaction
            else:
                calls[i] += 1
                pending[i] = reaction
        for i in live.tolist():
            if not stops[i] and t + 1 == longest:
                stops[i] = "length"
            if stops[i] and sizes[i] == 0:
                sizes[i] = t + 1
        keep = [k for k, i in enumerate(live.tolist()) if not stops[i]]
        if not keep:
            break
        if len(keep) < 0.85 * len(live):
            chosen = torch.tensor(keep)
            cache = [(k[chosen], v[chosen]) for k, v in cache]
            live, pads, shown, lengths = live[chosen], pads[chosen], shown[chosen], lengths[chosen]
            counts, in_prompt = counts[chosen], in_prompt[chosen]
            listed = [listed[k] for k in keep]
        at = width + t
        step = torch.tensor(listed)[:, None]
        counts.scatter_add_(1, step, torch.ones(step.shape))
        seen = limit_window((columns[None, : at + 1] >= shown[:, None])[:, None, None], at, engine.view.window)
        position = engine.positions((at - pads)[:, None], lengths[:, None])
        logits, padded = network.read(step, position, seen, cache, at)
    return collect(problems, out, stops, sizes, details)


def start_decoding(rows: int, longest: int, vocabulary: int, details: bool, sampling: Sampling) -> Decoding:
    shape = (rows, longest)
    values = {"log_prob": torch.zeros(shape)}
    if details:
        values |= {
            "entropy": torch.zeros(shape),
            "top": torch.zeros(*shape, TOP),
            "top_ids": torch.full((*shape, TOP), -1),
        }
    if sampling.filters:
        values["kept"] = torch.zeros(*shape, vocabulary, dtype=torch.bool)
    return Decoding(torch.full(shape, PAD), torch.zeros(shape, dtype=torch.bool), values)


def choose(out: Decoding, t, live, logits, padded, engine: Engine, seen, rng) -> torch.Tensor:
    """Samples a token for every live row and notes what the engine reports about it."""
    sampling = engine.sampling
    shaped = penalize(logits, sampling, *seen)
    sampled = process(shaped, sampling)
    choice = shaped.argmax(-1) if sampling.greedy else torch.multinomial(sampled.exp(), 1, generator=rng)[:, 0]
    reported = report(shaped if sampling.report == "processed" else logits, padded, sampled, sampling)
    values = out.values
    values["log_prob"][live, t] = reported.gather(-1, choice[:, None])[:, 0]
    if "entropy" in values:
        values["entropy"][live, t] = entropy(reported)
        best = reported.topk(TOP, dim=-1)
        values["top"][live, t] = best.values
        values["top_ids"][live, t] = torch.where(best.values > -1e30, best.indices, -1)
    if "kept" in values:
        values["kept"][live, t] = find_kept(torch.log_softmax(shaped / sampling.temperature, -1), sampling)
    return choice


def collect(problems: list[Problem], out: Decoding, stops: list[str], sizes: list[int], details: bool) -> list[Row]:
    rows = []
    for i, (problem, n) in enumerate(zip(problems, sizes, strict=True)):
        own = ~out.forced[i, :n].numpy()
        take = lambda name, i=i, n=n: out.values[name][i, :n].numpy().copy()  # noqa: E731
        row = Row(problem, out.ids[i, :n].numpy().copy(), own, stops[i])
        row.columns["rollout"] = np.where(own, take("log_prob"), 0).astype(np.float32)
        if details:
            row.columns["rollout_entropy"] = np.where(own, take("entropy"), 0).astype(np.float32)
            row.columns["rollout_top_ids"] = np.where(own[:, None], take("top_ids"), -1).astype(np.int32)
            listed = row.columns["rollout_top_ids"] >= 0
            row.columns["rollout_top"] = np.where(listed, take("top"), 0).astype(np.float32)
        if "kept" in out.values:
            row.kept = take("kept")
        rows.append(row)
    return rows
