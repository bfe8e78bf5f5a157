"""Records both policies' log-probs from inside a training loop, without slowing it down or ever stopping it.

``init`` gives a `Recorder`; ``log`` copies what it is given and returns; a thread of its own packs and writes.
"""

from .recorder import BatchError, Counts, Recorder, init

__all__ = ["BatchError", "Counts", "Recorder", "init"]
