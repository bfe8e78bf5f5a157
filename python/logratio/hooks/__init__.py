"""Recording from inside a trainer that was not changed for it.

``python -m logratio.hooks`` says which trainers are installed here and what to type for each. What a hook does with a
trainer's data is in the module of the trainer's name (``logratio.trl``, ``logratio.slime``, …); verl's, which verl
loads by itself, is ``logratio.hooks.verl``. All of them record through ``logratio.init``, and none raises.
"""

from .base import Hook, Lacking

__all__ = ["Hook", "Lacking"]
