"""The pytest plugin: the fixture ``policies_agree``, and ``--logratio-report DIR`` to keep failing pairs."""

from __future__ import annotations

from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

_WRITTEN: pytest.StashKey[list[Path]] = pytest.StashKey()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("logratio").addoption(
        "--logratio-report",
        metavar="DIR",
        default=None,
        help="write pairs of policies that do not agree into DIR, as record files for logratio report",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.stash[_WRITTEN] = []


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, Any]:
    folder = item.config.getoption("--logratio-report")
    if folder is None:
        return (yield)
    # Imported here, so that it does not slow down the start of pytest.
    from .agree.record import keep_failures

    with keep_failures(Path(folder), item.nodeid) as keeping:
        try:
            return (yield)
        finally:
            item.config.stash[_WRITTEN].extend(keeping.written)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    written = config.stash[_WRITTEN]
    if written:
        terminalreporter.section("logratio")
        for path in written:
            terminalreporter.write_line(f"logratio report {path}")


@pytest.fixture
def policies_agree() -> Callable[..., Any]:
    """``logratio.assert_policies_agree``."""
    from .agree import assert_policies_agree

    return assert_policies_agree
