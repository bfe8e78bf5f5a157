"""Checks plain arguments where they come in; errors name the argument."""

from __future__ import annotations

import contextlib
import math
import os
from typing import Any


class ArgumentError(TypeError, ValueError):
    """An argument is NaN or has a type that the function does not take.

    Attributes:
        reason: what is wrong, without the value, so that it is the same at every call with this fault.
    """

    def __init__(self, name: str, expected: str, value: Any) -> None:
        super().__init__(f"{name} must be {expected}, not {_describe(value)}")
        self.reason = f"{name} must be {expected}"


def read_whole(name: str, value: Any) -> int:
    """Reads a whole number, which may be one of numpy or torch.

    Raises:
        ArgumentError: for anything else.
    """
    plain = _find_plain(value)
    if isinstance(plain, float) and plain.is_integer():
        plain = int(plain)
    if not isinstance(plain, int):
        raise ArgumentError(name, "a whole number", value)
    return int(plain)


def read_number(name: str, value: Any, expected: str = "a number") -> float:
    """Reads a number, which may be one of numpy or torch.

    Raises:
        ArgumentError: for anything else, and for NaN.
    """
    plain = _find_plain(value)
    if not isinstance(plain, (int, float)) or math.isnan(plain):
        raise ArgumentError(name, expected, value)
    return float(plain)


def read_text(name: str, value: Any) -> str:
    """Reads a text.

    Raises:
        ArgumentError: for anything else.
    """
    if not isinstance(value, str):
        raise ArgumentError(name, "a text", value)
    return value


def read_path(name: str, value: Any) -> str:
    """Reads a path as text.

    Raises:
        ArgumentError: for anything else.
    """
    with contextlib.suppress(TypeError):
        path = os.fspath(value)
        if isinstance(path, str) and "\0" not in path:
            return path
    raise ArgumentError(name, "a path", value)


def _find_plain(value: Any) -> Any:
    """The only number in an array or a tensor."""
    with contextlib.suppress(Exception):
        return value.item() if callable(getattr(value, "item", None)) else value
    return None


def _describe(value: Any) -> str:
    if value is not None and not isinstance(value, (bool, int, float, complex, str, bytes)):
        return f"a value of type {type(value).__name__}"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
