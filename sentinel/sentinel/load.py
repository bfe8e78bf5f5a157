"""The modules of `sentinel.trainers`, read without running what they import."""

from __future__ import annotations

import ast
from pathlib import Path

FOLDER = Path(__file__).parent / "trainers"


def list_names() -> list[str]:
    """The modules' names, sorted: ``ms_swift`` for ms-swift."""
    return sorted(file.stem for file in FOLDER.glob("*.py") if not file.stem.startswith("_"))


def find_packages(name: str) -> list[str]:
    """The distributions that a module reads, the trainer's own first."""
    tree = ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "PACKAGES" for t in node.targets):
            packages: list[str] = ast.literal_eval(node.value)
            return packages
    return []
