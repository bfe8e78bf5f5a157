"""JSON files whose values may be numpy's."""

import json
from pathlib import Path

import numpy as np


def write_json(path: Path, value, indent: int | None = 1) -> None:
    text = json.dumps(value, ensure_ascii=False, indent=indent, default=_plain)
    Path(path).write_text(text, encoding="utf-8")


def read_json(path: Path):
    return json.loads(Path(path).read_text(encoding="utf-8"))


def _plain(x):
    if isinstance(x, np.ndarray):
        return x.tolist()
    if isinstance(x, np.floating | np.integer | np.bool_):
        return x.item()
    raise TypeError(f"{type(x).__name__} has no JSON form")
