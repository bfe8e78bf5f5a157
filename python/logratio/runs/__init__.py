"""What a user has in memory or on disk, as paths that the program reads."""

from .open import OpenRun, open_run

__all__ = ["OpenRun", "open_run"]
