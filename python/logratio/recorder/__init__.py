"""Records both policies' log-probs from inside a training loop, without slowing it down or ever stopping it.

``init`` gives a `Recorder`; ``log`` copies what it is given and returns; a thread of its own packs and writes.
"""

from .recorder import Counts, Recorder, init

__all__ = ["Counts", "Recorder", "init"]
