"""Configs that are a call's keyword arguments, ``GRPOConfig(use_vllm=True)`` or ``bf16=True`` alone."""

from __future__ import annotations

import ast
from typing import Any


def read_arguments(config: str) -> dict[str, Any]:
    """The keyword arguments with their values.

    Raises:
        ValueError: it is no call, or an argument is no literal.
    """
    try:
        node = ast.parse(config.strip(), mode="eval").body
    except SyntaxError:
        node = ast.parse(f"call({config.strip()})", mode="eval").body
    if not isinstance(node, ast.Call):
        raise ValueError(f"not the keyword arguments of a call: {config}")
    return {argument.arg: ast.literal_eval(argument.value) for argument in node.keywords if argument.arg}


def write_call(name: str, arguments: dict[str, Any]) -> str:
    """The call with these arguments, as a user writes it."""
    return f"{name}({', '.join(f'{key}={value!r}' for key, value in arguments.items())})"
