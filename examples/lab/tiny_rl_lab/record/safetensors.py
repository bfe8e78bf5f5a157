"""The safetensors format: 8-byte little-endian header length, JSON header, raw data."""

import json
import struct
from collections.abc import Mapping
from pathlib import Path

import torch

from ..errors import require

CODES = {
    torch.float32: "F32",
    torch.bfloat16: "BF16",
    torch.float16: "F16",
    torch.float64: "F64",
    torch.int64: "I64",
    torch.int32: "I32",
    torch.int8: "I8",
    torch.uint8: "U8",
    torch.bool: "BOOL",
}
DTYPES = {code: dtype for dtype, code in CODES.items()}


def save_safetensors(
    path: Path, tensors: Mapping[str, torch.Tensor], metadata: Mapping | None = None
) -> None:
    """Write `tensors`; the values of `metadata` become strings."""
    header, blobs, offset = {}, [], 0
    if metadata:
        header["__metadata__"] = {k: str(v) for k, v in metadata.items()}
    for name, tensor in tensors.items():
        t = torch.as_tensor(tensor).detach().cpu().contiguous()
        raw = t.reshape(-1).view(torch.uint8).numpy().tobytes() if t.numel() else b""
        end = offset + len(raw)
        shape = list(t.shape)
        header[name] = {"dtype": CODES[t.dtype], "shape": shape, "data_offsets": [offset, end]}
        blobs.append(raw)
        offset = end
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        f.writelines(blobs)


def load_safetensors(path: Path) -> dict[str, torch.Tensor]:
    """The tensors of a file; metadata is left out."""
    data = Path(path).read_bytes()
    require(len(data) >= 8, f"{path}: safetensors needs 8 bytes of length, {len(data)} are there")
    size = struct.unpack("<Q", data[:8])[0]
    header, body = json.loads(data[8 : 8 + size]), data[8 + size :]
    return {name: _tensor(info, body) for name, info in header.items() if name != "__metadata__"}


def _tensor(info: dict, body: bytes) -> torch.Tensor:
    start, end = info["data_offsets"]
    flat = torch.frombuffer(bytearray(body[start:end]), dtype=torch.uint8)
    return flat.view(DTYPES[info["dtype"]]).reshape(info["shape"])
