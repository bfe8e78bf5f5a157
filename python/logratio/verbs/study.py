"""The verbs about checkpoints and models: ``score``, ``kl``."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import LogratioError
from ..runs import OpenRun
from ..tables import is_table, list_columns, read_table
from .ask import ask
from .result import Result

if TYPE_CHECKING:
    from ..results import KlReport, ScoreReport


def score(
    texts: Any,
    *,
    policies: Mapping[str, str] | None = None,
    reference: str | None = None,
    out: str | os.PathLike[str] | None = None,
    **options: Any,
) -> Result[ScoreReport]:
    """Scores texts under several policies by teacher forcing, and stores the scores, as ``logratio score``.

    Args:
        texts: paths of texts or of a study's YAML; or a table, or a list of dicts, with ``prompt`` and ``response``.
        policies: where each policy is: ``{"dpo": "hf:models/dpo", "rlvr": "vllm:http://host:8000#model"}``.
        reference: the policy that the others are compared with.
        out: directory of the study; texts in memory need it.
        options: flags of ``logratio score`` with underscores: ``top_k=5``, ``limit=100``.

    Raises:
        LogratioError: if texts or policies cannot be read, or the program is missing.
    """
    opened = _open_texts(texts)
    if opened.folder is not None and out is None:
        raise LogratioError("texts in memory have no place for their scores", hint='give out="name.study"')
    return ask("score", opened, _flags(policies, reference, out, options), make=Result)


def kl(
    texts: Any,
    *,
    policies: Mapping[str, str] | None = None,
    reference: str | None = None,
    out: str | os.PathLike[str] | None = None,
    **options: Any,
) -> Result[KlReport]:
    """What training changed between checkpoints, token by token, as ``logratio kl``.

    Args:
        texts: studies that `score` wrote, saved logits; or what `score` takes, which is then scored first.
        policies: as in `score`.
        reference: as in `score`.
        out: as in `score`; scores of texts in memory are not kept without it.
        options: flags of ``logratio kl`` with underscores: ``spikes="adaptive"``, ``bootstrap=1000``.

    Returns:
        ``json["checkpoints"]`` has ``mean_kl`` (nats) and the other figures of each checkpoint.

    Raises:
        LogratioError: if nothing can be read or scored, or the program is missing.
    """
    opened = _open_texts(texts)
    if opened.folder is not None and out is None:
        out = Path(opened.folder.name) / "texts.study"
    return ask("kl", opened, _flags(policies, reference, out, options), has_page=True, make=Result)


def _flags(
    policies: Mapping[str, str] | None,
    reference: str | None,
    out: str | os.PathLike[str] | None,
    options: Mapping[str, Any],
) -> dict[str, Any]:
    named = [f"{name}={place}" for name, place in (policies or {}).items()]
    return {**options, **({"policy": named} if named else {}), "reference": reference, "out": out}


def _open_texts(texts: Any) -> OpenRun:
    """Paths of texts; those in memory as JSONL in a directory that is removed with its last user."""
    rows = _list_rows(texts)
    if rows is None:
        paths = texts if isinstance(texts, (list, tuple)) else [texts]
        if not all(isinstance(path, (str, os.PathLike)) for path in paths) or not paths:
            raise LogratioError(
                f"texts are paths, a table or dicts, not {type(texts).__name__}",
                hint='give [{"prompt": "…", "response": "…"}]',
            )
        return OpenRun([os.fspath(path) for path in paths])
    folder = tempfile.TemporaryDirectory(prefix="logratio-")
    path = Path(folder.name) / "texts.jsonl"
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    return OpenRun([str(path)], None, folder)


def _list_rows(texts: Any) -> Iterable[Mapping[str, Any]] | None:
    if is_table(texts):
        names = list_columns(texts)
        columns = read_table(texts, names)
        lists = [value.tolist() if hasattr(value, "tolist") else value for value in columns.values()]
        return [dict(zip(names, row, strict=True)) for row in zip(*lists, strict=True)]
    if isinstance(texts, (list, tuple)) and texts and all(isinstance(row, Mapping) for row in texts):
        return texts
    return None
