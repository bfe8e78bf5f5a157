"""The figures computed from rows of logits: those of one policy, and how far two policies are apart.

The definitions are those of ``src/core/kernels`` (``distribution-scalar.ts``, ``distribution-divergence.ts``). No
figure is a difference of larger ones, so that a divergence of 1e-9 keeps its digits. Columns are read in float32, and
computed with in float64 (in float32 on MPS devices, which lack float64).

On a GPU, each function is compiled into a few kernels that keep all of that in registers. Without a compiler, the same
code runs operation by operation, with arrays ``[rows, vocabulary]`` in between, so callers pass blocks of rows.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import torch

from .errors import first_line

# The number of float32 arrays [rows, vocabulary] that exist at the same time when two policies are compared.
ARRAYS_AT_ONCE = 20
ARRAYS_AT_ONCE_COMPILED = 4
# The number of values of such an array that fits into a processor's cache together with the others.
CACHED_VALUES = 1 << 16


class Softmax(NamedTuple):
    """Σ exp(z − max) = 1 + rest of each row; stored without the maximum's own term 1, to avoid rounding. ``[rows]``
    each."""

    maximum: torch.Tensor
    rest: torch.Tensor
    # Σ exp(z − max) (max − z): the entropy is log1p(rest) + weighted / (1 + rest).
    weighted: torch.Tensor

    @property
    def log_sum(self) -> torch.Tensor:
        """log Σ exp z."""
        return self.maximum + torch.log1p(self.rest)


class Compiled:
    """A function that is compiled when first called on a GPU; elsewhere, and if that fails, it runs uncompiled."""

    # Why nothing is compiled; None until compiling fails.
    failure: str | None = None
    devices: tuple[str, ...] = ("cuda",)

    def __init__(self, function: Callable[..., Any]) -> None:
        self._plain = function
        self._compiled: Callable[..., Any] | None = None

    def __call__(self, first: torch.Tensor, *rest: Any) -> Any:
        if first.device.type not in Compiled.devices or Compiled.failure is not None:
            return self._run_in_pieces(first, *rest) if first.device.type == "cpu" else self._plain(first, *rest)
        try:
            return self._run(first, *rest)
        except torch.OutOfMemoryError:
            raise
        except Exception as error:  # no C compiler, no Triton, an unknown GPU: the same figures, slower
            Compiled.failure = first_line(error)
            print(f"figures are not compiled: {Compiled.failure}", file=sys.stderr, flush=True)
            return self._plain(first, *rest)

    def _run_in_pieces(self, *arguments: torch.Tensor) -> Any:
        """Runs on a few rows at a time: computing with arrays that stay in the processor's cache is four times as
        fast."""
        rows, columns = arguments[0].shape
        most = max(1, CACHED_VALUES // max(1, columns))
        if rows <= most:
            return self._plain(*arguments)
        found = [self._plain(*(values[start : start + most] for values in arguments)) for start in range(0, rows, most)]
        if isinstance(found[0], torch.Tensor):
            return torch.cat(found)
        parts = [torch.cat(values) for values in zip(*found, strict=True)]
        return type(found[0])(*parts) if hasattr(found[0], "_fields") else tuple(parts)

    def _run(self, *arguments: Any) -> Any:
        if self._compiled is not None:
            return self._compiled(*arguments)
        compiled = torch.compile(self._plain, dynamic=True)
        found, wanted = compiled(*arguments), self._plain(*arguments)
        # Compare with the uncompiled results at the first block, to notice a wrong compiler.
        if not all(_agree(a, b) for a, b in zip(_tensors(found), _tensors(wanted), strict=True)):
            Compiled.failure = "what was compiled gives other figures"
            return wanted
        self._compiled = compiled
        return found


def _tensors(value: Any) -> tuple[torch.Tensor, ...]:
    return (value,) if isinstance(value, torch.Tensor) else tuple(value)


def _agree(a: torch.Tensor, b: torch.Tensor) -> bool:
    return torch.allclose(a.double(), b.double(), rtol=1e-6, atol=1e-9, equal_nan=True)


def settle_compiler(device: torch.device, vocabulary: int) -> int:
    """Compiles what can be compiled; returns the number of arrays ``[rows, vocabulary]`` that a block then needs."""
    if device.type not in Compiled.devices:
        return ARRAYS_AT_ONCE
    rows = torch.randn((8, vocabulary), device=device)
    describe_rows(rows, torch.zeros(8, dtype=torch.int64, device=device), 1)
    compare_rows(rows, rows.flip(1))
    return ARRAYS_AT_ONCE if Compiled.failure is not None else ARRAYS_AT_ONCE_COMPILED


def wide_dtype(device: torch.device) -> torch.dtype:
    """The type in which figures are computed."""
    return torch.float32 if device.type == "mps" else torch.float64


@Compiled
def compute_softmax(logits: torch.Tensor) -> Softmax:
    """The softmax sums of ``logits`` ``[rows, columns]``. ``rest`` is NaN for rows with NaN or +inf, or nothing
    finite."""
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
    """The number of columns that equal ``value`` ``[rows, 1]``."""
    return (logits == value).sum(-1)


def describe_rows(
    logits: torch.Tensor, tokens: torch.Tensor, k: int, softmax: Softmax | None = None
) -> dict[str, torch.Tensor]:
    """Log-probs, entropies, ranks of ``tokens`` (−1: no token) and the ``k`` most probable columns.

    ``logits`` are ``[rows, vocabulary]`` in float32. Figures are in nats; NaN and −1 if a row or its token has none.
    """
    softmax = softmax or compute_softmax(logits)
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
    # It is undefined which of several equal columns topk takes, so rows where that matters are redone by id.
    taken = (values == values[:, -1:]).sum(-1)
    tied = taken != compute_equals(logits, values[:, -1:])
    for row in tied.nonzero()[:, 0].tolist():
        ids[row] = torch.sort(logits[row], descending=True, stable=True).indices[:k]
    ids = ids.sort(-1).values
    values = logits.gather(1, ids)
    order = torch.sort(values, dim=-1, descending=True, stable=True).indices
    return ids.gather(1, order), values.gather(1, order)


def compare_rows(p: torch.Tensor, q: torch.Tensor, softmax: Softmax | None = None) -> dict[str, torch.Tensor]:
    """Compares P with Q over the columns that both have, renormalized over these; ``[rows]`` each, nats.

    ``p`` and ``q`` are ``[rows, columns]`` in float32; ``softmax`` is that of ``p`` if known. Figures are NaN if either
    row has a NaN or +inf, or nothing finite.
    """
    columns = min(p.shape[1], q.shape[1])
    common_p, common_q = p[:, :columns], q[:, :columns]
    of_p = softmax if softmax is not None and columns == p.shape[1] else compute_softmax(common_p)
    of_q = compute_softmax(common_q)
    excluded_p = excluded_share(p[:, columns:], of_p)
    excluded_q = excluded_share(q[:, columns:], of_q)
    offset = (of_q.maximum - of_p.maximum) + (torch.log1p(of_q.rest) - torch.log1p(of_p.rest))
    forward, reverse, jensen, distance = compute_divergences(common_p, common_q, of_p.log_sum, of_q.log_sum, offset)
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
    """Probability of the columns that only one of two policies has, ``[rows]``; 0 if there are none."""
    if tail.shape[1] == 0:
        return torch.zeros_like(common.rest)
    share = torch.sigmoid(compute_softmax(tail).log_sum - common.log_sum)
    return torch.where((tail == -math.inf).all(-1), 0.0, share)


@Compiled
def compute_divergences(
    p: torch.Tensor, q: torch.Tensor, log_sum_p: torch.Tensor, log_sum_q: torch.Tensor, offset: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """D(P‖Q), D(Q‖P), Jensen-Shannon divergence and total variation, ``[rows]`` each, nats.

    With D = log q − log p, s = |D|, b the larger of p and q, and w = e^−s − 1, the smaller one is b (1 + w). In these
    terms, everything is a product that cannot overflow, and nothing is negative: |p − q| is −b w; p log(p/q) − p + q is
    b (w + s) if p is larger, and −b (w + (1 + w) s) if q is; a column's share of JS follows from log1p(w / 2).
    """
    wide = log_sum_p.dtype
    ratio = (q.to(wide) - p.to(wide)) - offset.unsqueeze(1)
    none_p, none_q = p == -math.inf, q == -math.inf
    # A column that neither has adds nothing, but ∞ − ∞ is NaN. If only one has it, 0 · ∞ must be 0.
    ratio = torch.where(none_p & none_q, 0.0, ratio).clamp(-1e30, 1e30)
    log_larger = torch.maximum(p.to(wide) - log_sum_p.unsqueeze(1), q.to(wide) - log_sum_q.unsqueeze(1))
    larger = torch.exp(log_larger)
    size = ratio.abs()
    w = torch.expm1(-size)
    away = larger * (w + size)
    back = -larger * (w + (1 + w) * size)
    p_is_larger = ratio < 0
    forward = torch.where(p_is_larger, away, back).sum(-1)
    reverse = torch.where(p_is_larger, back, away).sum(-1)
    middle = torch.log1p(w / 2)
    jensen = (larger * (middle + (1 + w) * (size + middle))).sum(-1) / -2
    distance = (larger * w).sum(-1) / -2
    forward = torch.where((none_q & ~none_p).any(-1), math.inf, forward)
    reverse = torch.where((none_p & ~none_q).any(-1), math.inf, reverse)
    return forward, reverse, jensen, distance
