"""What all layouts need: numbers in JSON, padding, files."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import numpy as np
import torch

from ..rows import Row

F32, I64 = np.float32, np.int64


def floats(values: np.ndarray) -> list:
    """The shortest decimals that read back to the same float32; NaN becomes null, since JSON has no NaN."""
    return [float(str(v)) if np.isfinite(v) else None for v in np.asarray(values, F32)]


def put(folder: Path, name: str, data: bytes, packed: bool) -> None:
    path = folder / (name + (".gz" if packed else ""))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(data, 6, mtime=0) if packed else data)


def pad(values: list[np.ndarray], width: int, dtype, fill=0) -> np.ndarray:
    out = np.full((len(values), width, *values[0].shape[1:]), fill, dtype)
    for row, value in zip(out, values, strict=True):
        row[: len(value)] = value
    return out


def find_positions(row: Row) -> np.ndarray:
    return row.positions if row.positions is not None else np.arange(len(row.prompt) + row.size)


def save_torch(folder: Path, name: str, value) -> None:
    buffer = io.BytesIO()
    torch.save(value, buffer)
    put(folder, name, buffer.getvalue(), True)
