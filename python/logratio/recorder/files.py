"""Writes whole files or none: under a hidden name, renamed when complete, never replacing another.

The container is safetensors (https://github.com/huggingface/safetensors, format in its README): a length, a JSON
header, the arrays' bytes. Only numpy is needed to write it, and readers can map its arrays without parsing.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import json
import os
import uuid
from collections.abc import Mapping
from pathlib import Path

import numpy as np

#: Errors of file systems without hard links; some give no number.
_NO_LINKS = {
    None,
    errno.EPERM,
    errno.EACCES,
    errno.EINVAL,
    errno.ENOSYS,
    errno.ENOTSUP,
    errno.EOPNOTSUPP,
    errno.EMLINK,
    errno.EXDEV,
}
#: A single write may be cut off at 2 GiB.
_MOST_AT_ONCE = 1 << 30
_numbers = itertools.count()
_TYPES = {"uint8": "U8", "int32": "I32", "int64": "I64", "float32": "F32", "float64": "F64"}


def write_safetensors(path: Path, arrays: Mapping[str, np.ndarray], metadata: Mapping[str, str]) -> None:
    """Writes arrays and metadata.

    Raises:
        OSError: when the file cannot be written.
    """
    header: dict[str, object] = {"__metadata__": dict(metadata)}
    at = 0
    # The widest types first, so that every array starts at a multiple of its element's size.
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
    # The process's umask decides who may read it, as with any file that the loop itself writes.
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_BINARY", 0), 0o666)
    try:
        _write_all(file, memoryview(len(encoded).to_bytes(8, "little") + encoded))
        for _, array in ordered:
            _write_all(file, np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    finally:
        # Some file systems only report here that the disk is full.
        os.close(file)


def _write_all(file: int, data: memoryview) -> None:
    while len(data) > 0:
        data = data[os.write(file, data[:_MOST_AT_ONCE]) :]


def read_safetensors(path: Path) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """The arrays and metadata of a file that `write_safetensors` wrote.

    Raises:
        OSError: if the file cannot be read.
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
    folder: Path,
    stem: str,
    arrays: Mapping[str, np.ndarray],
    metadata: Mapping[str, str],
    writer: str | None = None,
) -> Path:
    """Writes ``STEM.call_N.safetensors`` with the first free N, completely or not at all.

    Args:
        writer: 32 hexadecimal digits that name the temporary file, so that its owner is known if it is left behind.

    Raises:
        OSError: when the file cannot be written.
    """
    os.makedirs(folder, exist_ok=True)
    temporary = folder / f".{writer or uuid.uuid4().hex}.{next(_numbers)}.tmp"
    try:
        write_safetensors(temporary, arrays, metadata)
        call = 0
        while not _take_name(temporary, path := folder / f"{stem}.call_{call}.safetensors"):
            call += 1
        return path
    finally:
        # The file is either complete under its name or absent; removing this name changes neither.
        with contextlib.suppress(OSError):
            os.unlink(temporary)


def publish_as(path: Path, arrays: Mapping[str, np.ndarray], metadata: Mapping[str, str], writer: str) -> int:
    """Writes a file into a folder that only the caller uses, completely or not at all.

    Returns:
        Its size in bytes.

    Raises:
        OSError: when the file cannot be written.
    """
    temporary = path.with_name(f".{writer}.{next(_numbers)}.tmp")
    try:
        write_safetensors(temporary, arrays, metadata)
        size = temporary.stat().st_size
        os.rename(temporary, path)
        return size
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _take_name(temporary: Path, path: Path) -> bool:
    """Gives the file its name; False if another file has it."""
    try:
        # Unlike a rename, a link never replaces what another process has written meanwhile.
        os.link(temporary, path)
    except FileExistsError:
        return False
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        return _take_name_without_links(temporary, path)
    return True


def _take_name_without_links(temporary: Path, path: Path) -> bool:
    """Like `_take_name`, for network file systems: a second, hidden name reserves the name."""
    reserved = path.with_name(f".{path.name}.reserved")
    try:
        os.close(os.open(reserved, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    except FileExistsError:
        return False
    try:
        if path.exists():
            return False
        os.rename(temporary, path)
        return True
    finally:
        with contextlib.suppress(OSError):
            os.unlink(reserved)
