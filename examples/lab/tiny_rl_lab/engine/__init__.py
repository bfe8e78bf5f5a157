"""The rollout engine: a second, numerically different implementation of the model.

KV-cache incremental decoding, fused QKV and gate/up matrices, weights and activations in bfloat16
(or float32 for evaluation), optionally int8 matrix products.
"""

from .decoding import MAX_PROMPT, MAX_RESPONSE, generate, prompt_ids
from .forward import RolloutEngine
from .trajectory import TOP_K, Trajectory

__all__ = [
    "MAX_PROMPT",
    "MAX_RESPONSE",
    "TOP_K",
    "RolloutEngine",
    "Trajectory",
    "generate",
    "prompt_ids",
]
