"""Whole files or none: written under a hidden name, renamed when complete, never over another.

The container is safetensors (https://github.com/huggingface/safetensors, format of the README): a length, a JSON
header, the arrays' bytes. Nothing but numpy is needed to write it, and readers map its arrays without parsing.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

_TYPES = {"uint8": "U8", "int32": "I32", "int64": "I64", "float32": "F32", "float64": "F64"}


def write_safetensors(path: Path, arrays: Mapping[str, np.ndarray], metadata: Mapping[str, str]) -> None:
    """Writes arrays and texts.

    Raises:
        OSError: when the file cannot be written.
    """
    header: dict[str, object] = {"__metadata__": dict(metadata)}
    at = 0
    # The widest types first: every array then starts at a multiple of its element's size.
    ordered = sorted(arrays.items(), key=lambda item: -item[1].itemsize)
    for name, array in ordered:
        header[name] = {
            "dtype": _TYPES[array.dtype.name],
            "shape": array.shape,
            "data_offsets": [at, at + array.nbytes],
        }
        at += array.nbytes
    encoded = json.dumps(header, separators=(",", ":")).encode()
    encoded += b" " * (-len(encoded) % 8)
    with open(path, "wb") as file:
        file.write(len(encoded).to_bytes(8, "little") + encoded)
        for _, array in ordered:
            file.write(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)


def read_safetensors(path: Path) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """The arrays and texts of a file that `write_safetensors` wrote.

    Raises:
        OSError: when the file cannot be read.
    """
    raw = np.fromfile(path, np.uint8)
    body = 8 + int.from_bytes(raw[:8].tobytes(), "little")
    header = json.loads(raw[8:body].tobytes())
    metadata: dict[str, str] = header.pop("__metadata__", {})
    types = {code: np.dtype(name) for name, code in _TYPES.items()}
    arrays = {}
    for name, entry in header.items():
        start, end = entry["data_offsets"]
        arrays[name] = raw[body + start : body + end].view(types[entry["dtype"]]).reshape(entry["shape"])
    return arrays, metadata


def publish(
    folder: Path, stem: str, arrays: Mapping[str, np.ndarray], metadata: Mapping[str, str], call: int = 0
) -> Path:
    """Writes ``STEM.call_N.safetensors`` with the first N from ``call`` on that is free, as a whole or not at all.

    Raises:
        OSError: when the file cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=".", suffix=".tmp", dir=folder)
    os.close(handle)
    try:
        write_safetensors(Path(temporary), arrays, metadata)
        os.chmod(temporary, 0o666 & ~_umask())
        while True:
            path = folder / f"{stem}.call_{call}.safetensors"
            if _take_name(temporary, path):
                return path
            call += 1
    finally:
        if os.path.exists(temporary):
            os.unlink(temporary)


def _take_name(temporary: str, path: Path) -> bool:
    """Whether the file has the name now; False where another file has it."""
    try:
        # Unlike a rename, a link never replaces what another process wrote meanwhile.
        os.link(temporary, path)
    except FileExistsError:
        return False
    except OSError:
        # Some network file systems have no links.
        if path.exists():
            return False
        os.rename(temporary, path)
    return True


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
