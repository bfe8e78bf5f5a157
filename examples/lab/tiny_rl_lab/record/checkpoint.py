"""Checkpoint folders with Hugging Face's file and tensor names (float32)."""

from pathlib import Path

from ..model import Config, TinyLlama
from ..tokenizer import Tokenizer, save_tokenizer
from .safetensors import load_safetensors, save_safetensors
from .text import read_json, write_json

GENERATION_CONFIG = {
    "bos_token_id": 1,
    "eos_token_id": 2,
    "pad_token_id": 0,
    "do_sample": True,
    "temperature": 1.0,
}


def save_checkpoint(folder: Path, model: TinyLlama, tokenizer: Tokenizer) -> None:
    """Write config, weights and tokenizer; model.onnx is the business of the stage `export`."""
    save_tokenizer(tokenizer, folder)
    write_json(folder / "config.json", model.cfg.to_hf())
    write_json(folder / "generation_config.json", GENERATION_CONFIG)
    save_safetensors(folder / "model.safetensors", model.to_hf_state(), {"format": "pt"})


def load_checkpoint(folder: Path) -> TinyLlama:
    cfg = Config.from_hf(read_json(folder / "config.json"))
    return TinyLlama(cfg).load_hf_state(load_safetensors(folder / "model.safetensors"))
