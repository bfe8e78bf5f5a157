"""How the documentation's site is built. `npm run docs:site` stages the pages and starts Sphinx with this."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "python"))

from logratio import __version__  # noqa: E402

project = "logratio"
author = "The logratio authors"
copyright = author
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.githubpages", "sphinx.ext.napoleon"]
root_doc = "index"
highlight_language = "text"

# Anchors of headings as GitHub makes them, because the pages are read there, too.
myst_heading_anchors = 6

autodoc_member_order = "alphabetical"
autodoc_typehints_format = "short"
maximum_signature_line_length = 80
napoleon_use_ivar = True
# What docstrings put between backticks is code: names, flags, formulas.
default_role = "code"

html_theme = "furo"
html_title = f"logratio {version}"
html_favicon = "../web/public/favicon.svg"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}


def escape_bars(app: Any, what: str, name: str, obj: object, options: Any, lines: list[str]) -> None:
    """Docstrings write absolute values, |Δ|, which reStructuredText takes for substitutions."""
    for i, line in enumerate(lines):
        parts = re.split(r"(`[^`]*`)", line)
        lines[i] = "".join(part if part.startswith("`") else part.replace("|", "\\|") for part in parts)


def setup(app: Any) -> None:
    app.connect("autodoc-process-docstring", escape_bars)
