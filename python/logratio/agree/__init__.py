"""Asserts that two policies agree, for tests of engines and trainers; ``logratio.pytest_plugin`` is for pytest."""

from .check import Agreement, assert_policies_agree, compare_policies

__all__ = ["Agreement", "assert_policies_agree", "compare_policies"]
