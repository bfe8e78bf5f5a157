"""What config modules do with heavy packages while they are imported."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
from sentinel.stubs import install
install(["heavy"])
import heavy
import heavy.nn as nn
from heavy import Tensor, no_grad, remote
from heavy.errors import HeavyError
import dataclasses, typing

class Layer(nn.Module, typing.Generic[typing.TypeVar("T")]):
    def __init__(self): super().__init__(); self.own = 1

@dataclasses.dataclass
class Config:
    dtype: Tensor | None = heavy.bfloat16
    other: typing.Optional[Tensor] = None

@no_grad()
def plain(): return 2

@remote(num_gpus=1)
class Actor:
    kept = 3

try:
    raise HeavyError("x")
except HeavyError as error:
    said = str(error)
print(Layer().own, plain(), Actor.kept, said, Config().other, isinstance(4, Tensor), heavy.cuda.device_count() > 0)
"""


def test_modules_import_and_keep_what_is_their_own() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, cwd=Path(__file__).parents[1]
    )
    assert (done.stdout.split(), done.stderr) == (["1", "2", "3", "x", "None", "False", "False"], "")


def test_what_is_not_named_stays_missing() -> None:
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("heavy_without_stub")
