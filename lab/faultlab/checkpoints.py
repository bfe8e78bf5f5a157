"""Checkpoints in the Hugging Face layout: `model.safetensors`, or the weights inside `model.onnx`."""

from __future__ import annotations

import functools
import json
import struct
from pathlib import Path

import torch
from safetensors.torch import load_file

State = dict[str, torch.Tensor]
FLOAT32 = 1  # TensorProto.DataType


@functools.cache
def load_checkpoint(folder: Path) -> State:
    """All weights in float32 under their Hugging Face names."""
    if (folder / "model.safetensors").exists():
        return {name: t.float() for name, t in load_file(folder / "model.safetensors").items()}
    return read_onnx_weights(folder / "model.onnx")


def list_checkpoints(root: Path) -> list[str]:
    return sorted(p.name for p in root.iterdir() if (p / "config.json").exists())


def load_config(folder: Path) -> dict:
    return json.loads((folder / "config.json").read_text())


def mix(a: State, b: State, share: float) -> State:
    """The weights between a (share 0) and b (share 1)."""
    return {name: t + share * (b[name] - t) for name, t in a.items()}


def read_onnx_weights(path: Path) -> State:
    """The float32 initializers of an ONNX file; `NAME_T` is NAME transposed.

    Field numbers from onnx.proto: ModelProto.graph = 7, GraphProto.initializer = 5,
    TensorProto.dims = 1, data_type = 2, name = 8, raw_data = 9.
    """
    state: State = {}
    for number, graph in read_fields(memoryview(path.read_bytes())):
        if number != 7:
            continue
        for inner, tensor in read_fields(graph):
            if inner == 5:
                name, value = read_tensor(tensor)
                if name.startswith("model."):
                    state[name.removesuffix("_T")] = value.T.contiguous() if name.endswith("_T") else value
    return state


def read_tensor(data: memoryview) -> tuple[str, torch.Tensor]:
    dims: list[int] = []
    name, kind, raw = "", 0, b""
    for number, value in read_fields(data):
        if number == 1:
            dims += [value] if isinstance(value, int) else read_packed(value)
        elif number == 2:
            kind = value
        elif number == 8:
            name = bytes(value).decode()
        elif number == 9:
            raw = bytes(value)
    if kind != FLOAT32:
        return "", torch.empty(0)
    return name, torch.frombuffer(bytearray(raw), dtype=torch.float32).reshape(dims).clone()


def read_packed(data: memoryview) -> list[int]:
    values, at = [], 0
    while at < len(data):
        value, at = read_varint(data, at)
        values.append(value)
    return values


def read_varint(data: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def read_fields(data: memoryview):
    """The fields of a Protocol Buffers message in order, as (number, int or bytes)."""
    at = 0
    while at < len(data):
        key, at = read_varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = read_varint(data, at)
        elif kind == 2:
            size, at = read_varint(data, at)
            value, at = data[at : at + size], at + size
        else:
            size = {1: 8, 5: 4}[kind]
            value = struct.unpack_from("<q" if size == 8 else "<i", data, at)[0]
            at += size
        yield key >> 3, value
