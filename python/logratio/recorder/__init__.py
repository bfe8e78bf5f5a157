"""Records both policies' log-probs from inside a training loop, without slowing it down or ever stopping it.

``init`` returns a `Recorder`; ``log`` copies its arguments and returns; a separate thread packs and writes. Nothing is
raised into the loop; dropped calls are counted. A file gets its name only when it is complete, and batches for a server
wait on disk, not in memory.
"""

from .columns import BatchError
from .counts import Counts
from .current import finish, init, log
from .recorder import Recorder

__all__ = ["BatchError", "Counts", "Recorder", "finish", "init", "log"]
