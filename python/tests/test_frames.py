"""Frames on the wire."""

from __future__ import annotations

import io
import json
import struct

import numpy as np
import pytest

from logratio.scoring.frames import encode_frame, read_frame


def test_arrays_come_back_as_they_were():
    arrays = {
        "ids": np.array([1, -2, 3], np.int32),
        "none": np.zeros((0, 4), np.float32),
        "rows": np.arange(6, dtype=np.float64).reshape(2, 3),
    }
    frame = read_frame(io.BytesIO(encode_frame({"request": 7, "text": "größer"}, arrays)))
    assert frame is not None
    assert frame.header == {"request": 7, "text": "größer"}
    for name, array in arrays.items():
        assert frame.arrays[name].dtype == array.dtype
        np.testing.assert_array_equal(frame.arrays[name], array)


def test_the_bytes_are_those_of_the_documentation():
    raw = encode_frame({"a": 1}, {"x": np.array([1, 2, 3], np.int32)})
    head, body = struct.unpack("<II", raw[:8])
    assert json.loads(raw[8 : 8 + head]) == {"a": 1, "arrays": {"x": {"dtype": "int32", "shape": [3], "offset": 0}}}
    assert body == 16
    assert raw[8 + head :] == struct.pack("<iii", 1, 2, 3) + bytes(4)


def test_a_pipe_that_ends():
    raw = encode_frame({"a": 1})
    assert read_frame(io.BytesIO(b"")) is None
    for length in range(1, len(raw)):
        with pytest.raises(EOFError):
            read_frame(io.BytesIO(raw[:length]))


def test_what_is_not_the_protocol():
    with pytest.raises(ValueError, match="not the protocol"):
        read_frame(io.BytesIO(b"HTTP/1.1 200 OK\r\n"))
    with pytest.raises(ValueError, match="int64"):
        encode_frame({}, {"x": np.zeros(2, np.int64)})
