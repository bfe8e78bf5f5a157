"""What scripts/build-python.mjs knows of a wheel: its platform and the project's addresses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface


class ProjectUrls(MetadataHookInterface):
    """Names the addresses; an installation from the source directory has none."""

    def update(self, metadata: dict[str, Any]) -> None:
        urls = Path(self.root) / "project-urls.json"
        metadata["urls"] = json.loads(urls.read_text(encoding="utf-8")) if urls.is_file() else {}


class PlatformTag(BuildHookInterface):
    """Tags a wheel that contains DuckDB's native library with that library's platform."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        # scripts/build-python.mjs writes the tag together with the library; an sdist has neither.
        tag = Path(self.root) / "platform-tag"
        if self.target_name == "wheel" and tag.is_file():
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{tag.read_text(encoding='utf-8').strip()}"
