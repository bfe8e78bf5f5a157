"""The files that trainers write: one function per layout, from the rows of one step to files."""

from __future__ import annotations

from .others import write_nemo_rl, write_prime_rl, write_slime, write_xtuner
from .verl import write_verl_jsonl, write_verl_npz, write_verl_pt

WRITERS = {
    "verl_npz": write_verl_npz,
    "verl_pt": write_verl_pt,
    "verl_jsonl": write_verl_jsonl,
    "slime": write_slime,
    "nemo_rl": write_nemo_rl,
    "prime_rl": write_prime_rl,
    "xtuner": write_xtuner,
}
# What a layout can hold. `entropy`: the side that has it; ranks: how rows are told apart.
CAN_HOLD = {
    "verl_npz": {"entropy", "topk", "ref", "rescored", "ranks", "sources", "positions", "groups"},
    "verl_pt": {"entropy", "topk", "ref", "rescored", "sources", "positions", "groups"},
    "verl_jsonl": {"entropy", "ref", "rescored", "sources", "groups"},
    "slime": {"entropy", "ref", "ranks", "versions"},
    "nemo_rl": {"sources"},
    "prime_rl": {"entropy", "ranks", "sources", "positions"},
    "xtuner": {"ref", "positions", "groups"},
}
__all__ = ["CAN_HOLD", "WRITERS"]
