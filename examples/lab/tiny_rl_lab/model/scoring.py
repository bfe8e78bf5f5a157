"""Log-probs of given tokens, in padded batches."""

from collections.abc import Sequence

import torch
import torch.nn.functional as F


def right_pad(rows: Sequence[Sequence[int]], value: int, dtype=torch.long) -> torch.Tensor:
    """[n, longest row], filled up with `value`."""
    width = max(len(r) for r in rows)
    out = torch.full((len(rows), width), value, dtype=dtype)
    for i, row in enumerate(rows):
        out[i, : len(row)] = torch.as_tensor(row, dtype=dtype)
    return out


def length_buckets(lengths: Sequence[int], max_rows: int = 16) -> list[list[int]]:
    """Index lists of at most `max_rows`, similar lengths together."""
    order = sorted(range(len(lengths)), key=lambda i: lengths[i])
    return [order[i : i + max_rows] for i in range(0, len(order), max_rows)]


def next_token_log_probs(model, rows: Sequence[Sequence[int]]) -> tuple[torch.Tensor, torch.Tensor]:
    """(log p(row[t+1] | row[..t]) [n, width-1] in nats, the whole log-softmax [n, width-1, V])."""
    ids = right_pad(rows, 0)
    log_probs = F.log_softmax(model(ids)[:, :-1].float(), dim=-1)
    return log_probs.gather(-1, ids[:, 1:, None]).squeeze(-1), log_probs
