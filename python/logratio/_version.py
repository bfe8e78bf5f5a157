"""The version, which package and program share; package.json has it."""

from __future__ import annotations

import json
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
#: The manifest of the program in a wheel, and that of a checkout.
_MANIFESTS = (_PACKAGE / "_program" / "package.json", _PACKAGE.parent.parent / "package.json")


def read_version() -> str:
    """The version of the first manifest that exists, else of the installed distribution."""
    for path in _MANIFESTS:
        if path.is_file():
            manifest = json.loads(path.read_text(encoding="utf-8"))
            if manifest.get("name") == "logratio":
                return str(manifest["version"])
    from importlib.metadata import version

    return version("logratio")


__version__ = read_version()
