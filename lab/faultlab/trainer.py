"""The trainer's pass over finished rows: the log-probs of the tokens under its own weights."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import torch

from .checkpoints import State
from .engine import Positions, limit_window, plain_positions
from .network import Network, View
from .rows import TOP, Row
from .sampling import NEVER, entropy
from .task import PAD

CHUNK = 24


@dataclass(frozen=True)
class Trainer:
    """A scoring trainer: weights, view, and what it does to the text."""

    state: State
    view: View = field(default_factory=View)
    temperature: float = 1.0
    edit_prompt: Callable[[list[int]], list[int]] | None = None
    positions: Positions = plain_positions
    row_positions: Callable[[Row], np.ndarray] | None = None  # of a whole row, instead of `positions`
    attend_pads: bool = False
    pack: int | None = None  # rows per pack, without a block mask
    pack_budget: int | None = None  # tokens per pack instead of rows
    pack_resets: bool = True  # positions restart with every row of a pack
    chunk: int | None = None  # labels rolled inside chunks of this many tokens
    late: bool = False  # logits looked up one position late
    replay_filters: bool = False  # whether the engine's sampling mask is applied here, too
    respell: Callable[[Row], tuple[list[int], list[int]]] | None = None  # ids, and tokens of each in the row


def score(
    trainer: Trainer, config: dict, rows: list[Row], rng: torch.Generator | None = None, details: bool = True
) -> list[dict]:
    """For each row `log_prob` and, with details, `entropy`, `top`, `top_ids`, with one entry per response token."""
    network = Network(trainer.state, config, trainer.view, rng)
    texts = [spell(trainer, row) for row in rows]
    out: list[dict] = [{}] * len(rows)
    with torch.inference_mode():
        for group in split_rows(trainer, texts):
            logits = (
                read_packed(network, trainer, texts, group)
                if trainer.pack
                else read_batch(network, trainer, rows, texts, group)
            )
            for i, one in zip(group, logits, strict=True):
                out[i] = pick(trainer, rows[i], *texts[i], *one, details=details)
    return out


def spell(trainer: Trainer, row: Row) -> tuple[list[int], list[int]]:
    """Prompt and response as the trainer sees them."""
    prompt = trainer.edit_prompt(row.prompt) if trainer.edit_prompt else row.prompt
    response = trainer.respell(row)[0] if trainer.respell else row.response.tolist()
    return prompt, response


def split_rows(trainer: Trainer, texts: list) -> list[list[int]]:
    """Groups rows to compute together: whole packs, whole batches if padding matters, else rows of similar length."""
    count = len(texts)
    if trainer.pack and trainer.pack_budget:
        return fill_packs([len(p) + len(r) for p, r in texts], trainer.pack_budget)
    if trainer.pack:
        return [list(range(i, min(i + trainer.pack, count))) for i in range(0, count, trainer.pack)]
    if trainer.attend_pads:
        return [list(range(i, min(i + CHUNK, count))) for i in range(0, count, CHUNK)]
    order = sorted(range(count), key=lambda i: len(texts[i][0]) + len(texts[i][1]))
    return [order[i : i + CHUNK] for i in range(0, count, CHUNK)]


def fill_packs(sizes: list[int], budget: int) -> list[list[int]]:
    """Rows in order, a new pack whenever the next row does not fit into the budget."""
    packs: list[list[int]] = []
    room = 0
    for i, size in enumerate(sizes):
        if not packs or size > room:
            packs.append([])
            room = budget
        packs[-1].append(i)
        room -= size
    return packs


def read_batch(network: Network, trainer: Trainer, rows: list[Row], texts: list, group: list[int]) -> list[tuple]:
    """Logits of each row's tokens; padded on the left if pads are attended to, else on the right."""
    full = [texts[i][0] + texts[i][1] for i in group]
    left = max(len(texts[i][0]) for i in group) if trainer.attend_pads else 0
    pads = [left - len(texts[i][0]) if trainer.attend_pads else 0 for i in group]
    width = max(n + len(f) for n, f in zip(pads, full, strict=True))
    ids = torch.full((len(group), width), PAD)
    for k, text in enumerate(full):
        ids[k, pads[k] : pads[k] + len(text)] = torch.tensor(text)
    index = (torch.arange(width) - torch.tensor(pads)[:, None]).clamp(min=0)
    prompts = torch.tensor([len(texts[i][0]) for i in group])[:, None]
    visible = limit_window(torch.ones(1, 1, width, width, dtype=torch.bool).tril(), 0, trainer.view.window)
    positions = trainer.positions(index, prompts)
    if trainer.row_positions:
        positions = index.clone()
        for k, i in enumerate(group):
            positions[k, : len(full[k])] = torch.from_numpy(trainer.row_positions(rows[i]))
    logits, padded = network.read(ids, positions, visible)
    return [cut(logits[k], padded, k, pads[k], len(full[k])) for k in range(len(group))]


def cut(logits: torch.Tensor, padded: torch.Tensor | None, row: int, start: int, size: int) -> tuple:
    part = slice(start, start + size)
    return logits[part], None if padded is None else padded[row, part]


def read_packed(network: Network, trainer: Trainer, texts: list, group: list[int]) -> list[tuple]:
    full = [texts[i][0] + texts[i][1] for i in group]
    ids = torch.tensor([[token for text in full for token in text]])
    restart = torch.cat([torch.arange(len(f)) for f in full])[None]
    position = restart if trainer.pack_resets else torch.arange(ids.shape[1])[None]
    visible = torch.ones(1, 1, ids.shape[1], ids.shape[1], dtype=torch.bool).tril()
    logits, padded = network.read(ids, position, visible)
    out, start = [], 0
    for text in full:
        out.append(cut(logits[0], padded, 0, start, len(text)))
        start += len(text)
    return out


def pick(trainer: Trainer, row: Row, prompt: list[int], response: list[int], logits, padded, details: bool) -> dict:
    """The columns of one row from the logits [prompt + response, V] of its text."""
    first = len(prompt) - (0 if trainer.late else 1)
    logits = logits[first : first + len(response)] / trainer.temperature
    labels = torch.tensor(response[: len(logits)])
    if trainer.chunk:
        at = torch.arange(len(prompt), len(prompt) + len(labels))
        text = torch.tensor(prompt + response)
        labels = torch.where(at % trainer.chunk == 0, text[(at - trainer.chunk).clamp(min=0)], labels)
    if trainer.replay_filters and row.kept is not None:
        kept = torch.from_numpy(row.kept) | torch.from_numpy(~row.own)[:, None]
        logits = logits.masked_fill(~kept, NEVER)
    whole = (
        logits
        if padded is None
        else torch.cat((logits, padded[first : first + len(response)] / trainer.temperature), -1)
    )
    log_probs = logits - torch.logsumexp(whole, dim=-1, keepdim=True)
    value = log_probs.gather(-1, labels[:, None])[:, 0]
    columns = {"log_prob": value.numpy()}
    if trainer.respell:
        columns["log_prob"] = gather_pieces(columns["log_prob"], trainer.respell(row)[1], row.size)
        details = False
    if details:
        best = log_probs.topk(TOP, dim=-1)
        columns["entropy"] = entropy(log_probs).numpy()
        columns["top"] = torch.where(best.values > -1e30, best.values, 0.0).numpy()
        columns["top_ids"] = torch.where(best.values > -1e30, best.indices, -1).numpy().astype(np.int32)
    return columns


def gather_pieces(values: np.ndarray, pieces: list[int], size: int) -> np.ndarray:
    """The sum over the pieces of each token in the row; without piece counts, the values themselves, cut to length."""
    if not pieces:
        return values[:size]
    ends = np.cumsum(pieces)
    return np.add.reduceat(values.astype(np.float64), np.concatenate(([0], ends[:-1]))).astype(np.float32)
