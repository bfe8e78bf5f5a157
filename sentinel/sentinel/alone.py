"""A method or function of a release, run without the module around it."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from .syntax import find, parse


def take_method(file: str, name: str, base: type, space: Mapping[str, Any]) -> type:
    """A class with this one method of the release, ``GRPOTrainer.log``, whose `super()` is `base`.

    Args:
        file: the release's file, as `parse` takes it
        name: the class and the method
        base: what the method's `super()` is
        space: the names that the method uses

    Raises:
        AttributeError: the file has no such method.
    """
    method = _need(file, name)
    alone = ast.ClassDef("Alone", [ast.Name("Base", ast.Load())], [], [method], [])
    made: type = _run(file, alone, {**space, "Base": base})["Alone"]
    return made


def take_function(file: str, name: str, space: Mapping[str, Any]) -> Any:
    """This function of the release, with the names that it uses.

    Raises:
        AttributeError: the file has no such function.
    """
    return _run(file, _need(file, name), space)[name]


def _need(file: str, name: str) -> ast.stmt:
    found = find(parse(file), name)
    if found is None:
        raise AttributeError(f"{file} has no {name}")
    return found


def _run(file: str, statement: ast.stmt, space: Mapping[str, Any]) -> dict[str, Any]:
    names = dict(space)
    # Annotations name types that are not needed.
    future = ast.ImportFrom("__future__", [ast.alias("annotations")], 0)
    exec(compile(ast.fix_missing_locations(ast.Module([future, statement], [])), file, "exec"), names)
    return names
