"""Records from inside an unchanged trainer.

``python -m logratio.hooks`` says which trainers are installed here and what to type for each. The module named after a
trainer (``logratio.trl``, ``logratio.slime``, …) has its hook; verl's, which verl loads by itself, is
``logratio.hooks.verl``. All of them record through ``logratio.init``, and none raises.
"""

from .base import Hook, Lacking

__all__ = ["Hook", "Lacking"]
