"""What is kept of rows of logits: one policy's figures, and how far two policies are apart.

The definitions are those of ``src/core/kernels`` (``distribution-scalar.ts``, ``distribution-divergence.ts``): no figure
is a difference of larger ones, so that a divergence of 1e-9 keeps its digits. Columns are read in float32 and computed
with in float64 (an MPS device, which has none, stays in float32).

On a GPU each function is compiled into a few kernels that keep all of that in registers; without a compiler the same code
runs one operation after another, with arrays of ``[rows, vocabulary]`` between them (``ARRAYS_AT_ONCE``). So callers pass
blocks of rows.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import torch

from .errors import first_line

# Arrays of [rows, vocabulary] in float32 that comparing two policies holds at the same time without a compiler.
ARRAYS_AT_ONCE = 20

# Below these sizes a series is more accurate than the functions it stands for.
K3_SERIES = 1e-3
JENSEN_SERIES = 0.05


class Softmax(NamedTuple):
    """Rows' Σ exp(z − max) = 1 + rest, without the rounding: the maximum's own term is exactly 1. ``[rows]`` each."""

    maximum: torch.Tensor
    rest: torch.Tensor
    # Σ exp(z − max) (max − z): the entropy is log1p(rest) + weighted / (1 + rest).
    weighted: torch.Tensor

    @property
    def log_sum(self) -> torch.Tensor:
        """log Σ exp z."""
        return self.maximum + torch.log1p(self.rest)


class Compiled:
    """A function compiled for GPUs when it is first called there; as it is elsewhere, and where that fails."""

    # Why nothing is compiled; None as long as nothing has failed.
    failure: str | None = None
    devices: tuple[str, ...] = ("cuda",)

    def __init__(self, function: Callable[..., Any]) -> None:
        self._plain = function
        self._compiled: Callable[..., Any] | None = None

    def __call__(self, first: torch.Tensor, *rest: Any) -> Any:
        if first.device.type not in Compiled.devices or Compiled.failure is not None:
            return self._plain(first, *rest)
        try:
            return self._run(first, *rest)
        except torch.OutOfMemoryError:
            raise
        except Exception as error:  # no C compiler, no Triton, an unknown GPU: the same figures, slower
            Compiled.failure = first_line(error)
            print(f"figures are not compiled: {Compiled.failure}", file=sys.stderr, flush=True)
            return self._plain(first, *rest)

    def _run(self, *arguments: Any) -> Any:
        if self._compiled is not None:
            return self._compiled(*arguments)
        compiled = torch.compile(self._plain, dynamic=True)
        found, wanted = compiled(*arguments), self._plain(*arguments)
        # A compiler that is wrong is found at the first block, where both are at hand.
        if not all(_agree(a, b) for a, b in zip(_tensors(found), _tensors(wanted), strict=True)):
            Compiled.failure = "what was compiled gives other figures"
            return wanted
        self._compiled = compiled
        return found


def _tensors(value: Any) -> tuple[torch.Tensor, ...]:
    return (value,) if isinstance(value, torch.Tensor) else tuple(value)


def _agree(a: torch.Tensor, b: torch.Tensor) -> bool:
    return torch.allclose(a.double(), b.double(), rtol=1e-6, atol=1e-9, equal_nan=True)


def wide_dtype(device: torch.device) -> torch.dtype:
    """In what figures are computed."""
    return torch.float32 if device.type == "mps" else torch.float64


@Compiled
def compute_softmax(logits: torch.Tensor) -> Softmax:
    """``logits`` ``[rows, columns]``. ``rest`` is NaN where a row holds a NaN or +inf, or nothing finite."""
    z = logits.to(wide_dtype(logits.device))
    maximum, at = z.max(-1, keepdim=True)
    below = z - maximum
    terms = torch.where(torch.arange(z.shape[1], device=z.device) == at, 0.0, torch.exp(below))
    rest = torch.where(torch.isfinite(maximum[:, 0]), terms.sum(-1), math.nan)
    weighted = torch.where(terms == 0, 0.0, -terms * below).sum(-1)
    return Softmax(maximum[:, 0], rest, weighted)


@Compiled
def compute_ranks(logits: torch.Tensor, own: torch.Tensor) -> torch.Tensor:
    """1 + the number of columns with a larger logit than ``own`` ``[rows, 1]``."""
    return (logits > own).sum(-1) + 1


@Compiled
def compute_equals(logits: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    """Columns that equal ``value`` ``[rows, 1]``."""
    return (logits == value).sum(-1)


def describe_rows(logits: torch.Tensor, tokens: torch.Tensor, k: int) -> dict[str, torch.Tensor]:
    """Log-probs, entropies, ranks of ``tokens`` (−1: no token) and the ``k`` most probable columns.

    ``logits`` ``[rows, vocabulary]`` in float32. Nats; NaN and −1 where a row or its token has no figure.
    """
    softmax = compute_softmax(logits)
    wide = softmax.rest.dtype
    normalizer = torch.log1p(softmax.rest)
    usable = ~torch.isnan(softmax.rest)
    known = (tokens >= 0) & (tokens < logits.shape[1]) & usable
    own = logits.gather(1, tokens.clamp(0, logits.shape[1] - 1).unsqueeze(1))
    logprobs = own[:, 0].to(wide) - softmax.maximum - normalizer
    ids, values = top_columns(logits, min(k, logits.shape[1]))
    top = values.to(wide) - softmax.maximum.unsqueeze(1) - normalizer.unsqueeze(1)
    top = torch.where(usable.unsqueeze(1), top, math.nan)
    ids = torch.where(usable.unsqueeze(1), ids, -1).to(torch.int32)
    more = (0, k - ids.shape[1])
    return {
        "logprobs": torch.where(known, logprobs, math.nan),
        "entropies": normalizer + softmax.weighted / (1 + softmax.rest),
        "ranks": torch.where(known, compute_ranks(logits, own), -1).to(torch.int32),
        "top_ids": torch.nn.functional.pad(ids, more, value=-1),
        "top_logprobs": torch.nn.functional.pad(top, more, value=math.nan),
    }


def top_columns(logits: torch.Tensor, k: int) -> tuple[torch.Tensor, torch.Tensor]:
    """The ``k`` largest of each row, largest first, the smaller id first among equals: ids and logits."""
    if k == 0:
        empty = logits.new_zeros((logits.shape[0], 0))
        return empty.to(torch.int64), empty
    values, ids = logits.topk(k, dim=-1)
    # Which of several equal columns topk takes is not defined. Rows where that matters are done again by id.
    taken = (values == values[:, -1:]).sum(-1)
    tied = taken != compute_equals(logits, values[:, -1:])
    for row in tied.nonzero()[:, 0].tolist():
        ids[row] = torch.sort(logits[row], descending=True, stable=True).indices[:k]
    ids = ids.sort(-1).values
    values = logits.gather(1, ids)
    order = torch.sort(values, dim=-1, descending=True, stable=True).indices
    return ids.gather(1, order), values.gather(1, order)


def compare_rows(p: torch.Tensor, q: torch.Tensor) -> dict[str, torch.Tensor]:
    """P against Q over the columns that both have, renormalized over them; ``[rows]`` each, nats.

    ``p`` and ``q`` ``[rows, columns]`` in float32. NaN where either row holds a NaN or +inf, or nothing finite.
    """
    columns = min(p.shape[1], q.shape[1])
    common_p, common_q = p[:, :columns], q[:, :columns]
    of_p, of_q = compute_softmax(common_p), compute_softmax(common_q)
    excluded_p = excluded_share(p[:, columns:], of_p)
    excluded_q = excluded_share(q[:, columns:], of_q)
    forward, reverse, jensen, distance = compute_divergences(
        common_p, common_q, of_p.maximum, of_q.maximum, torch.log1p(of_p.rest), torch.log1p(of_q.rest)
    )
    figures = {
        "forward_kl": forward,
        "reverse_kl": reverse,
        "js_divergence": jensen.clamp(max=math.log(2)),
        "total_variation": distance.clamp(max=1.0),
        "excluded_p": excluded_p,
        "excluded_q": excluded_q,
    }
    usable = ~torch.isnan(excluded_p + excluded_q + of_p.rest + of_q.rest)
    return {name: torch.where(usable, values, math.nan) for name, values in figures.items()}


def excluded_share(tail: torch.Tensor, common: Softmax) -> torch.Tensor:
    """Probability of the columns that only one of two policies has, [rows]; 0 where there are none."""
    if tail.shape[1] == 0:
        return torch.zeros_like(common.rest)
    share = torch.sigmoid(compute_softmax(tail).log_sum - common.log_sum)
    return torch.where((tail == -math.inf).all(-1), 0.0, share)


@Compiled
def compute_divergences(
    p: torch.Tensor,
    q: torch.Tensor,
    maximum_p: torch.Tensor,
    maximum_q: torch.Tensor,
    normalizer_p: torch.Tensor,
    normalizer_q: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """D(P‖Q), D(Q‖P), Jensen-Shannon and total variation; ``maximum`` and ``normalizer`` = log1p(rest) ``[rows]``."""
    wide = maximum_p.dtype
    log_p = (p.to(wide) - maximum_p.unsqueeze(1)) - normalizer_p.unsqueeze(1)
    log_q = (q.to(wide) - maximum_q.unsqueeze(1)) - normalizer_q.unsqueeze(1)
    offset = (maximum_q - maximum_p) + (normalizer_q - normalizer_p)
    none_p, none_q = log_p == -math.inf, log_q == -math.inf
    # D = log q − log p. Infinite where one of the two is 0, and then its product with that 0 must be 0; a column that
    # neither has adds nothing, and ∞ − ∞ is NaN.
    ratio = (q.to(wide) - p.to(wide)) - offset.unsqueeze(1)
    ratio = torch.where(none_p & none_q, 0.0, ratio).clamp(-1e30, 1e30)
    prob_p, prob_q = torch.exp(log_p), torch.exp(log_q)
    near = ratio.abs() < 1
    forward = torch.where(near, prob_p * _k3(ratio), prob_q - prob_p - prob_p * ratio).sum(-1)
    reverse = torch.where(near, prob_q * _k3(-ratio), prob_p - prob_q + prob_q * ratio).sum(-1)
    change = torch.where(near, prob_p * torch.expm1(ratio), prob_q - prob_p)
    jensen = (_jensen(ratio) * (prob_p + prob_q)).sum(-1) / 2
    forward = torch.where((none_q & ~none_p).any(-1), math.inf, forward)
    reverse = torch.where((none_p & ~none_q).any(-1), math.inf, reverse)
    return forward, reverse, jensen, change.abs().sum(-1) / 2


def _k3(d: torch.Tensor) -> torch.Tensor:
    """e^D − 1 − D."""
    series = d * d / 2 * (1 + d / 3 * (1 + d / 4 * (1 + d / 5)))
    return torch.where(d.abs() < K3_SERIES, series, torch.expm1(d) - d)


def _jensen(ratio: torch.Tensor) -> torch.Tensor:
    """½ [(1 + x) log(1 + x) + (1 − x) log(1 − x)] with x = tanh(D / 2); times (p + q) / 2 a column's share of JS."""
    size = ratio.abs()
    x = torch.tanh(size / 2)
    squared = x * x
    series = squared * (1 / 2 + squared * (1 / 12 + squared * (1 / 30 + squared * (1 / 56 + squared / 90))))
    u = torch.exp(-size)
    exact = -torch.log1p(torch.expm1(-size) / 2) - size * u / (1 + u)
    return torch.where(x < JENSEN_SERIES, series, exact)
