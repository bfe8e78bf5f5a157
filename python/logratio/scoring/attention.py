"""Where a model's attention goes: shares of spans of a text, and what changes if no later token sees a span.

Attention probabilities are those of transformers' eager attention. They are summed over the spans as each layer
computes them and then dropped, so that only one layer's ``[heads, tokens, tokens]`` exists at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn

from .errors import WorkerError
from .figures import wide_dtype
from .models import Model, agree, out_of_memory

TEST_TOKENS = 6
# How far the sum of a head's shares may be from 1, because of their type's rounding.
WHOLE = {torch.float32: 1e-4, torch.float16: 1e-2, torch.bfloat16: 5e-2}

Span = tuple[int, int]


@dataclass(frozen=True)
class AttentionLayers:
    """The modules whose attention is read, each listed as often as it is called for a text."""

    modules: list[nn.Module]
    layers: int
    heads: int
    can_hide: bool

    def describe(self) -> dict[str, Any]:
        return {"layers": self.layers, "heads": self.heads, "can_hide": self.can_hide}


def find_attention(model: Model) -> AttentionLayers | None:
    """The layers of a model loaded with eager attention; None, with a note why, if its attention cannot be read."""
    with torch.inference_mode():
        try:
            found = _probe(model)
        except (RuntimeError, TypeError, ValueError, IndexError) as error:
            found = str(error).splitlines()[0] if str(error) else type(error).__name__
    if isinstance(found, str):
        model.notes.append(f"Its attention cannot be read: {found}")
        return None
    model.notes.append(f"Attention is read from {found.layers} layers with {found.heads} heads")
    if not found.can_hide:
        model.notes.append(
            "Tokens cannot be hidden from later ones: a hidden token still changes their logits "
            "(layers that see the past other than through attention?)"
        )
    return found


def _probe(model: Model) -> AttentionLayers | str:
    """Checks that the shares of every head in every layer sum to 1, and that no later logit depends on a hidden
    token."""
    tokens = min(TEST_TOKENS, model.context_length or TEST_TOKENS)
    if tokens < 3:
        return f"its context of {tokens} tokens is too short to test it"
    ids = torch.arange(1, tokens + 1) % model.vocabulary
    seen: list[tuple[str, nn.Module, torch.Tensor]] = []
    names = {module: name for name, module in model.module.named_modules()}

    def see(module: nn.Module, weights: torch.Tensor) -> None:
        seen.append((names[module], module, weights))

    with _watch(list(names), tokens, see):
        model.run_whole(ids)
    # A layer may pass on the output of the attention in it.
    inner = [one for one in seen if not any(other.startswith(f"{one[0]}.") for other, _, _ in seen)]
    if not inner:
        return "no layer gives its attention probabilities"
    heads = {weights.shape[1] for _, _, weights in inner}
    if len(heads) > 1:
        return f"its layers have different numbers of heads ({', '.join(map(str, sorted(heads)))})"
    off = max((weights[0].float().sum(-1) - 1).abs().max().item() for _, _, weights in inner)
    if not off <= WHOLE.get(model.dtype, 5e-2):
        return f"its probabilities sum to 1 only within {off:.2g}"
    modules = list(dict.fromkeys(module for _, module, _ in inner))
    changed = ids.clone()
    changed[1] = ids[-1]
    with _hide(modules, (1, 2)):
        one, other = (model.run_whole(each)[2:] for each in (ids, changed))
    can_hide = bool(torch.isfinite(one).all()) and agree(one, other, model.dtype)
    return AttentionLayers(modules, len(inner), heads.pop(), can_hide)


def measure_attention(
    model: Model, ids: np.ndarray, spans: list[Span], tokens: np.ndarray, check: Callable[[], None]
) -> tuple[np.ndarray, np.ndarray]:
    """Shares of the attention that go to spans ``[from, to)`` at the positions that predict some tokens.

    ``tokens`` are positions in the text, from 1. Returns ``[spans, tokens]``, means over layers and heads, and
    ``[spans, layers, heads]``, means over the tokens, both float64. Raises ``WorkerError``.
    """
    found = require_attention(model)
    if len(tokens) == 0 or not (tokens.min() >= 1 and tokens.max() < len(ids)):
        raise WorkerError(f"attention at tokens {tokens.tolist()} of a text of {len(ids)}", kind="usage")
    rows = torch.from_numpy(tokens.astype(np.int64) - 1)
    # Tokens after the last of these positions do not affect them.
    text = torch.from_numpy(ids[: int(rows.max()) + 1]).long()
    shares = np.zeros((len(spans), len(tokens)))
    heads = np.zeros((len(spans), found.layers, found.heads))
    layer = 0

    def add(_module: nn.Module, weights: torch.Tensor) -> None:
        nonlocal layer
        check()
        picked = weights[0][:, rows.to(weights.device)]
        for number, (start, end) in enumerate(spans):
            share = picked[..., start:end].to(wide_dtype(picked.device)).sum(-1).to("cpu").numpy()
            shares[number] += share.sum(0)
            heads[number, layer] = share.mean(1)
        layer += 1

    with _refuse_out_of_memory(model, len(text)), torch.inference_mode(), _watch(found.modules, len(text), add):
        if model.splits:
            model.run_body(text.unsqueeze(0))
        else:
            model.run_whole(text)
    return shares / (found.layers * found.heads), heads


@contextmanager
def hidden_span(model: Model, span: Span) -> Iterator[None]:
    """Within this context, no position from ``span[1]`` on attends to the tokens of the span, in any layer."""
    found = require_attention(model)
    if not found.can_hide:
        raise WorkerError(f"{model.path} cannot hide tokens", kind="usage")
    with _hide(found.modules, span):
        yield


def require_attention(model: Model) -> AttentionLayers:
    if model.attention is None:
        raise WorkerError(f"{model.path} was not opened with readable attention", kind="usage")
    return model.attention


@contextmanager
def _refuse_out_of_memory(model: Model, tokens: int) -> Iterator[None]:
    try:
        yield
    except torch.OutOfMemoryError as cause:
        error = out_of_memory(
            f"the attention of a text of {tokens} tokens does not fit",
            model.path,
            model.device,
            "leave the text out, or score it without --attention",
        )
        error.kind, error.reason = "refused", "other"
        if model.device.type == "cuda":
            torch.cuda.empty_cache()
        raise error from cause.with_traceback(None)


@contextmanager
def _watch(modules: list[nn.Module], tokens: int, see: Callable[[nn.Module, torch.Tensor], None]) -> Iterator[None]:
    """Calls ``see`` with each module that returns attention probabilities ``[1, heads, tokens, tokens]``, in turn."""

    def hook(module: nn.Module, _arguments: Any, output: Any) -> None:
        # After what the module adds to the hidden states.
        for value in output[1:] if isinstance(output, tuple) else ():
            if isinstance(value, torch.Tensor) and value.dim() == 4 and tuple(value.shape[-2:]) == (tokens, tokens):
                see(module, value)
                return

    handles = [module.register_forward_hook(hook) for module in modules]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()


@contextmanager
def _hide(modules: list[nn.Module], span: Span) -> Iterator[None]:
    start, end = span

    def hook(_module: nn.Module, arguments: Any, named: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        mask = named.get("attention_mask")
        if mask is None:
            hidden = arguments[0] if arguments else named["hidden_states"]
            mask = hidden.new_zeros((1, 1, hidden.shape[1], hidden.shape[1]))
        else:
            mask = mask.clone()
        mask[..., end:, start:end] = False if mask.dtype == torch.bool else float("-inf")
        return arguments, {**named, "attention_mask": mask}

    handles = [module.register_forward_pre_hook(hook, with_kwargs=True) for module in modules]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()
