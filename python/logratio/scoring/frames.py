"""Frames on a pipe: a JSON header and the bytes of arrays.

A frame consists of two unsigned 32-bit little-endian integers (bytes of the header, bytes of the body), the header in
UTF-8, and the body. ``arrays`` in the header describes the body: dtype, shape and offset by name, little-endian,
row-major; every offset is a multiple of 8.
"""

from __future__ import annotations

import json
import struct
from typing import Any, BinaryIO

import numpy as np

LENGTHS = struct.Struct("<II")
ALIGNMENT = 8
# A header contains texts and errors, never arrays; anything longer than this is not a header.
LONGEST_HEADER = 1 << 26
DTYPES = ("int32", "float32", "float64")


class Frame:
    """A header without ``arrays``, and the arrays by name."""

    def __init__(self, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> None:
        self.header = header
        self.arrays = arrays


def encode_frame(header: dict[str, Any], arrays: dict[str, np.ndarray] | None = None) -> bytes:
    """The bytes of a frame. Raises ``ValueError`` for a dtype that the protocol lacks."""
    described: dict[str, Any] = {}
    parts: list[bytes] = []
    offset = 0
    for name, array in (arrays or {}).items():
        if array.dtype.name not in DTYPES:
            raise ValueError(f"{name} is {array.dtype.name}, the protocol has {', '.join(DTYPES)}")
        raw = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).tobytes()
        padding = -len(raw) % ALIGNMENT
        described[name] = {"dtype": array.dtype.name, "shape": list(array.shape), "offset": offset}
        parts += [raw, b"\0" * padding]
        offset += len(raw) + padding
    if described:
        header = {**header, "arrays": described}
    head = json.dumps(header, ensure_ascii=False, allow_nan=False).encode()
    return b"".join([LENGTHS.pack(len(head), offset), head, *parts])


def read_frame(stream: BinaryIO) -> Frame | None:
    """The next frame; ``None`` at the end of the stream. Raises ``EOFError`` if it ends within a frame,
    ``ValueError``."""
    lengths = stream.read(LENGTHS.size)
    if not lengths:
        return None
    head_length, body_length = LENGTHS.unpack(_complete(stream, lengths, LENGTHS.size))
    if head_length > LONGEST_HEADER:
        raise ValueError(f"a header of {head_length} bytes: this is not the protocol")
    header = json.loads(_complete(stream, b"", head_length))
    body = _complete(stream, b"", body_length)
    arrays = {name: _array(body, **about) for name, about in header.pop("arrays", {}).items()}
    return Frame(header, arrays)


def _array(body: bytes, dtype: str, shape: list[int], offset: int) -> np.ndarray:
    if dtype not in DTYPES:
        raise ValueError(f"an array of {dtype}, the protocol has {', '.join(DTYPES)}")
    kind = np.dtype(dtype).newbyteorder("<")
    return np.frombuffer(body, kind, int(np.prod(shape, dtype=np.int64)), offset).reshape(shape)


def _complete(stream: BinaryIO, read: bytes, length: int) -> bytes:
    parts = [read]
    missing = length - len(read)
    while missing > 0:
        part = stream.read(missing)
        if not part:
            raise EOFError("the pipe ended within a frame")
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)
