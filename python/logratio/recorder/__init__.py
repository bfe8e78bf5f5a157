"""Records both policies' log-probs from inside a training loop, without slowing it down or ever stopping it.

``init`` gives a `Recorder`; ``log`` copies what it is given and returns; a thread of its own packs and writes. Nothing
is raised into the loop: what is dropped is counted. A file has its name only when it is complete, and batches for a
server wait on disk, not in memory.
"""

from .recorder import BatchError, Counts, Recorder, init

__all__ = ["BatchError", "Counts", "Recorder", "init"]
