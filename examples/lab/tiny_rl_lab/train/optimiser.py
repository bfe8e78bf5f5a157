"""AdamW and gradient clipping, written out so that no torch release can change the update."""

from collections.abc import Iterable

import torch
from torch import nn


class AdamW:
    def __init__(
        self,
        parameters: Iterable[nn.Parameter],
        lr: float,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
    ):
        self.parameters = list(parameters)
        self.lr, self.betas, self.eps, self.weight_decay = lr, betas, eps, weight_decay
        self.t = 0
        self.m = [torch.zeros_like(p) for p in self.parameters]
        self.v = [torch.zeros_like(p) for p in self.parameters]

    def zero_grad(self) -> None:
        for p in self.parameters:
            p.grad = None

    @torch.no_grad()
    def step(self) -> None:
        self.t += 1
        b1, b2 = self.betas
        grads = [p.grad for p in self.parameters]
        torch._foreach_lerp_(self.m, grads, 1 - b1)
        torch._foreach_mul_(self.v, b2)
        torch._foreach_addcmul_(self.v, grads, grads, 1 - b2)
        denominator = torch._foreach_sqrt(self.v)
        torch._foreach_div_(denominator, (1 - b2**self.t) ** 0.5)
        torch._foreach_add_(denominator, self.eps)
        if self.weight_decay:
            torch._foreach_mul_(self.parameters, 1 - self.lr * self.weight_decay)
        rate = -self.lr / (1 - b1**self.t)
        torch._foreach_addcdiv_(self.parameters, self.m, denominator, rate)


@torch.no_grad()
def clip_grad_norm(parameters: list[nn.Parameter], limit: float) -> float:
    """Scale all gradients so that their joint norm is at most `limit`; returns the norm before."""
    grads = [p.grad for p in parameters]
    norm = torch.stack(torch._foreach_norm(grads)).norm().item()
    if norm > limit:
        torch._foreach_mul_(grads, limit / norm)
    return norm
