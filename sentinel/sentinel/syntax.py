"""What a release's source says, read from its syntax tree: its own modules need not be importable for that."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

Function = ast.FunctionDef | ast.AsyncFunctionDef


def find_file(name: str) -> Path | None:
    """The file of the release, by its path from the folder of its packages: ``skyrl/train/trainer.py``."""
    places = (Path(folder) / name for folder in sys.path)
    return next((place for place in places if place.is_file()), None)


def list_files(package: str, text: str) -> list[str]:
    """The release's modules below a package that contain this text, as `parse` takes them."""
    folder = next((Path(folder) for folder in sys.path if (Path(folder) / package).is_dir()), None)
    if folder is None:
        return []
    files = sorted((folder / package).rglob("*.py"))
    return [str(file.relative_to(folder)) for file in files if text in file.read_text(encoding="utf-8")]


@cache
def parse(name: str) -> ast.Module:
    """The tree of a file of the release; an empty one where it has no such file."""
    file = find_file(name)
    return ast.Module(body=[], type_ignores=[]) if file is None else ast.parse(file.read_text(encoding="utf-8"))


def find(tree: ast.AST, dotted: str) -> ast.ClassDef | Function | None:
    """The class or function of this name: ``GRPOLearner._process_results``."""
    node: ast.AST | None = tree
    for part in dotted.split("."):
        found = (
            child
            for child in _walk(node)
            if isinstance(child, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and child.name == part
        )
        node = next(found, None)
        if node is None:
            return None
    return node if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) else None


def list_arguments(function: ast.AST | None) -> list[str]:
    """The names of a function's arguments; none where there is no function."""
    if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
        return []
    return [arg.arg for arg in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]


def list_fields(tree: ast.AST, name: str) -> dict[str, ast.expr | None]:
    """The annotated fields of a class, each with its default."""
    found = find(tree, name)
    if not isinstance(found, ast.ClassDef):
        return {}
    return {
        item.target.id: item.value
        for item in found.body
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
    }


def list_calls(node: ast.AST | None, name: str) -> list[ast.Call]:
    """The calls of this function or method below a node."""
    return [call for call in _walk(node) if isinstance(call, ast.Call) and last_name(call.func) == name]


def list_texts(node: ast.AST | None) -> set[str]:
    """All strings written below a node: keys of dictionaries, names of columns."""
    return {item.value for item in _walk(node) if isinstance(item, ast.Constant) and isinstance(item.value, str)} | {
        keyword.arg for keyword in _walk(node) if isinstance(keyword, ast.keyword) and keyword.arg
    }


def list_reads(tree: ast.AST, section: str) -> dict[str, ast.expr | None]:
    """The keys that code reads of a config's section, ``cfg.section.key`` or ``cfg.section.get("key", default)``, each
    with the default of its first ``get``."""
    keys: dict[str, ast.expr | None] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
            if last_name(node.func.value) == section and node.args and isinstance(node.args[0], ast.Constant):
                name = str(node.args[0].value)
                keys[name] = keys.get(name) or (node.args[1] if len(node.args) > 1 else None)
        elif isinstance(node, ast.Attribute) and last_name(node.value) == section and node.attr != "get":
            keys.setdefault(node.attr, None)
    return keys


def evaluate(node: ast.expr | None) -> object:
    """The value of a literal; its source text where it is none."""
    if node is None:
        return None
    try:
        return ast.literal_eval(node)
    except ValueError:
        return ast.unparse(node)


def last_name(node: ast.AST) -> str | None:
    """``c`` of ``a.b.c``."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else None


def select(keys: Iterable[str], words: Iterable[str]) -> list[str]:
    """The keys that contain one of these words."""
    wanted = tuple(words)
    return [key for key in keys if any(word in key for word in wanted)]


def _walk(node: ast.AST | None) -> Iterator[ast.AST]:
    return iter(()) if node is None else ast.walk(node)
