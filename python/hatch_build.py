"""Tags a wheel that contains DuckDB's native library with that library's platform."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PlatformTag(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        # scripts/build-python.mjs writes the tag together with the library; an sdist has neither.
        tag = Path(self.root) / "platform-tag"
        if self.target_name == "wheel" and tag.is_file():
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{tag.read_text(encoding='utf-8').strip()}"
