"""What a divergence depends on: gradient times input of the KL at a token, with respect to every token before it.

With e_i(P) and e_i(Q) the embeddings of token i under the two policies, token i's figure is

    s_i = e_i(P) · ∂KL/∂e_i(P) + e_i(Q) · ∂KL/∂e_i(Q),

the rate at which the KL changes if token i's embeddings are scaled under both (nats; positive: the token raises it). It
is gradient × input (Shrikumar et al. 2016, arXiv:1605.01713; for text, Denil et al. 2014, arXiv:1412.6815) of D(P‖Q).

The KL depends on each policy only through its logits z, so its derivatives there have a closed form: p (log p/q − KL)
for P's logits and q − p for Q's. Each model then propagates its part back by itself, so that the activations of only
one model exist at a time.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch

from .errors import WorkerError
from .figures import wide_dtype
from .models import Model, out_of_memory
from .score import Scorer, Text, logits_of


def kl_gradients(
    scorer: Scorer, model: Model, reference: Model, text: Text, positions: list[int]
) -> tuple[np.ndarray, list[np.ndarray]]:
    """D(P‖Q) at response tokens, ``[positions]``, and for each the figures of all tokens before it, the prompt's first.

    The figures of response token t are ``[prompt_length + t]``, nats. Raises ``WorkerError``.
    """
    check_positions(text, positions)
    rows = torch.tensor(positions)
    try:
        with torch.inference_mode():
            z = [pick_logits(scorer, each, text, rows) for each in (model, reference)]
            kl, covectors = differentiate_kl(z[0], z[1].to(z[0].device))
        parts = [
            carry_back(each, text, positions, covector, scorer.check)
            for each, covector in zip((model, reference), covectors, strict=True)
        ]
    except torch.OutOfMemoryError as cause:
        error = out_of_memory(
            f"the gradients of a text of {len(text.ids)} tokens do not fit",
            model.path,
            model.device,
            "take a smaller --dtype, or leave gradients out",
        )
        error.kind, error.reason = "refused", "other"
        if model.device.type == "cuda":
            torch.cuda.empty_cache()
        raise error from cause.with_traceback(None)
    return kl.to("cpu").numpy(), [p + q for p, q in zip(*parts, strict=True)]


def check_positions(text: Text, positions: list[int]) -> None:
    """Raises ``WorkerError`` if a position is not a response token."""
    tokens = len(text.ids) - text.prompt_length
    if not positions or any(not 0 <= t < tokens for t in positions):
        raise WorkerError(f"gradients of tokens {positions} of a response of {tokens} tokens", kind="usage")


def pick_logits(scorer: Scorer, model: Model, text: Text, rows: torch.Tensor) -> torch.Tensor:
    """Logits ``[rows, vocabulary]`` that predict some response tokens."""
    hidden = scorer.hidden_rows(model, [text], keep=False)
    picked = hidden[rows.to(hidden.device)]
    return logits_of(model, picked, slice(0, len(rows)))


def differentiate_kl(p: torch.Tensor, q: torch.Tensor) -> tuple[torch.Tensor, tuple[torch.Tensor, torch.Tensor]]:
    """D(P‖Q) of rows of logits, and its gradients with respect to both.

    Computed over the columns that both have, renormalized over these; other columns are ignored.
    """
    columns = min(p.shape[1], q.shape[1])
    wide = wide_dtype(p.device)
    log_p, log_q = (torch.log_softmax(z[:, :columns].to(wide), -1) for z in (p, q))
    prob_p, prob_q = log_p.exp(), log_q.exp()
    ratio = torch.where(prob_p > 0, log_p - log_q, 0.0)
    kl = (prob_p * ratio).sum(-1)
    by_p, by_q = prob_p * (ratio - kl.unsqueeze(1)), prob_q - prob_p
    pad = lambda gradient, z: torch.nn.functional.pad(gradient, (0, z.shape[1] - columns))  # noqa: E731
    return kl, (pad(by_p, p), pad(by_q, q))


def carry_back(
    model: Model, text: Text, positions: list[int], covectors: torch.Tensor, check: Callable[[], None]
) -> list[np.ndarray]:
    """Embedding times gradient of every token before each position, given the KL's gradient at the position's
    logits."""
    rows = [text.prompt_length - 1 + t for t in positions]
    embeddings, logits = run_with_graph(model, text.ids[: max(rows) + 1], rows)
    found = []
    for i, row in enumerate(rows):
        check()
        covector = covectors[i].clone()
        # Small numbers would vanish in half precision; the gradient is linear, so scale them.
        scale = covector.abs().max().clamp(min=torch.finfo(torch.float32).tiny)
        [gradient] = torch.autograd.grad(
            logits[i],
            embeddings,
            (covector / scale).to(device=logits.device, dtype=logits.dtype),
            retain_graph=i + 1 < len(rows),
        )
        wide = wide_dtype(embeddings.device)
        product = (gradient[0].to(wide) * embeddings.detach()[0].to(wide)).sum(-1).to("cpu")
        found.append((product * scale.to("cpu"))[: row + 1].numpy())
    return found


def run_with_graph(model: Model, ids: np.ndarray, rows: list[int]) -> tuple[torch.Tensor, torch.Tensor]:
    """Embeddings ``[1, tokens, width]`` and the logits ``[rows, vocabulary]`` that follow from them.

    Embeddings are caught where the model makes them, so everything that a family does with them afterwards (a scale,
    positions) is part of the graph.
    """
    caught: list[torch.Tensor] = []

    def catch(_module: torch.nn.Module, _inputs: object, output: torch.Tensor) -> torch.Tensor:
        caught.append(output.detach().requires_grad_(True))
        return caught[-1]

    handle = model.module.get_input_embeddings().register_forward_hook(catch)
    try:
        with torch.enable_grad(), model.plain_head():
            tokens = torch.from_numpy(ids).long()
            if model.splits:
                hidden = model.run_body(tokens.unsqueeze(0))[0]
                logits = model.run_head(hidden[rows])
            else:
                logits = model.run_whole(tokens)[rows]
    finally:
        handle.remove()
    if len(caught) != 1:
        raise WorkerError(
            f"{model.path} embeds its tokens {len(caught)} times, so their gradients cannot be read",
            where=model.path,
            hint="run the study without gradients",
        )
    return caught[0], logits
