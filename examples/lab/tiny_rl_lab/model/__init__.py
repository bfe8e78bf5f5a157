"""The policy: a Llama-architecture decoder with 855,168 parameters, and its token log-probs."""

from .config import Config
from .llama import TinyLlama, parameter_count
from .scoring import length_buckets, next_token_log_probs, right_pad

__all__ = [
    "Config",
    "TinyLlama",
    "length_buckets",
    "next_token_log_probs",
    "parameter_count",
    "right_pad",
]
