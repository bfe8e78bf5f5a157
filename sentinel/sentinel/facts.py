"""Trainers without a release on PyPI: the keys of one commit of their repositories, as data in `facts/NAME.json`. Nothing of
them runs here, so their parsers judge no config; the keys that logratio prints and knows are held against theirs, and the
day says how old these are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .drift import Drift, Judged
from .judge import compare
from .product import Product

FOLDER = Path(__file__).resolve().parents[1] / "facts"


def list_names() -> list[str]:
    """The trainers that are known this way, sorted."""
    return sorted(file.stem for file in FOLDER.glob("*.json"))


def judge_facts(name: str, product: Product) -> Judged:
    """Where the keys of the commit that was read differ from what `product` prints and knows."""
    facts: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    trainer = name.replace("_", "-")
    found = compare(product, facts)
    return Judged(
        trainer=trainer,
        distribution=facts["source"],
        version=facts["commit"],
        date=facts["date"],
        configs=0,
        keys=len(facts["keys"]),
        samples=0,
        dumps=None,
        hooks=(0, 0),
        drift=tuple(Drift(trainer, facts["commit"], *each) for each in found),
        seconds=0.0,
    )
