"""JSONL: one unpadded object per sequence, special tokens spelt out in its text."""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ..tokenizer import Tokenizer
from .npz import Arrays

PER_TOKEN = (
    "rollout_log_probs",
    "old_log_probs",
    "ref_log_probs",
    "rollout_entropy",
    "old_entropy",
)


def jsonl_text(a: Arrays, tokenizer: Tokenizer) -> str:
    """All lines of a record."""
    rows = jsonl_rows(a, tokenizer)
    return "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)


def write_jsonl(path: Path, a: Arrays, tokenizer: Tokenizer) -> None:
    """Write the record, compressed if `path` ends in .gz."""
    data = jsonl_text(a, tokenizer).encode()
    path.write_bytes(gzip.compress(data, 9, mtime=0) if path.suffix == ".gz" else data)


def read_jsonl(path: Path) -> list[dict]:
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode()
    return [json.loads(line) for line in text.splitlines()]


def jsonl_rows(a: Arrays, tokenizer: Tokenizer) -> Iterator[dict]:
    width = a["prompts"].shape[1]
    prompts = a["attention_mask"][:, :width].sum(1)
    lengths = a["attention_mask"][:, width:].sum(1)
    for b in range(len(prompts)):
        n, m = int(prompts[b]), int(lengths[b])
        prompt, response = a["prompts"][b, -n:].tolist(), a["responses"][b, :m].tolist()
        own = a["response_mask"][b] == 1
        yield {
            "step": int(a["global_step"]),
            "uid": str(a["uid"][b]),
            "index": b,
            "input": tokenizer.decode(prompt),
            "output": tokenizer.decode(response),
            "gts": str(a["ground_truth"][b]),
            "score": float(a["acc"][b]),
            "acc": float(a["acc"][b]),
            "num_turns": int(a["num_turns"][b]),
            "stop_reason": str(a["stop_reason"][b]),
            "template": str(a["template"][b]),
            "prompt_ids": prompt,
            "response_ids": response,
            "response_mask": a["response_mask"][b, :m].tolist(),
            **{name: _shortest(a[name][b, :m]) for name in PER_TOKEN},
            "advantage": _shortest(a["advantages"][b][own])[0],
        }


def _shortest(x: np.ndarray) -> list[float]:
    """Shortest decimals that read back to the same float32."""
    return [float(str(v)) for v in np.asarray(x, np.float32)]
