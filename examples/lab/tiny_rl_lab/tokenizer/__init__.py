"""The byte-level BPE tokenizer: training, encoding, decoding, Hugging Face files."""

from .alphabet import BOS, CALC, END_CALC, END_OUT, EOS, OUT, PAD
from .bpe import Tokenizer
from .hub_files import load_tokenizer, save_tokenizer

__all__ = [
    "BOS",
    "CALC",
    "END_CALC",
    "END_OUT",
    "EOS",
    "OUT",
    "PAD",
    "Tokenizer",
    "load_tokenizer",
    "save_tokenizer",
]
