"""Stand-ins for heavy packages, so that a trainer's config code imports without them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

# Later than any release that a trainer compares with.
VERSION = "99.0"


class _Validated:
    """What pydantic takes as any value."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: object) -> Any:
        from pydantic_core import core_schema

        return core_schema.any_schema()


class StandIn(_Validated):
    """Whatever a config module asks of a heavy package while it is imported: a base class, a decorator, an annotation, a
    default. It computes nothing."""

    def __init__(self, name: str) -> None:
        self._stand_in = name

    def __getattr__(self, name: str) -> Any:
        if name == "__version__":
            return VERSION
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        made = stand_in(f"{self._stand_in}.{name}")
        setattr(self, name, made)
        return made

    def __call__(self, *args: Any, **named: Any) -> Any:
        # As a decorator it leaves what it decorates as it is.
        decorates = len(args) == 1 and not named and (isinstance(args[0], type) or hasattr(args[0], "__code__"))
        return args[0] if decorates else self

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        return (type(self._stand_in.rpartition(".")[2], (_Validated,), {}),)

    def __instancecheck__(self, instance: object) -> bool:
        return False

    def __subclasscheck__(self, subclass: type) -> bool:
        return False

    def __getitem__(self, item: object) -> Any:
        return self

    def __or__(self, other: object) -> Any:
        return Any

    __ror__ = __or__

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __len__(self) -> int:
        return 0

    def __bool__(self) -> bool:
        return True

    def __enter__(self) -> StandIn:
        return self

    def __exit__(self, *error: object) -> None:
        return None

    def _compare(self, other: object) -> bool:
        return False

    __lt__ = __le__ = __gt__ = __ge__ = _compare

    def __repr__(self) -> str:
        return f"<stand-in for {self._stand_in}>"


class _Module(ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name == "__version__":
            return VERSION
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        made = stand_in(f"{self.__name__}.{name}")
        setattr(self, name, made)
        return made


def stand_in(name: str) -> Any:
    """A stand-in for what has this dotted name: an exception class if it is named like one, since `except` takes only
    those."""
    last = name.rpartition(".")[2]
    if last.endswith(("Error", "Exception")):
        return type(last, (Exception,), {})
    return StandIn(name)


class _Finder(MetaPathFinder, Loader):
    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(names)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if any(fullname == name or fullname.startswith(f"{name}.") for name in self.names):
            return ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = _Module(spec.name)
        module.__path__ = []
        vars(module)["__all__"] = []
        return module

    def exec_module(self, module: ModuleType) -> None:
        """There is nothing to run."""


def install(names: Iterable[str]) -> None:
    """Imports of these packages, and of all below them, give stand-ins from now on."""
    sys.meta_path.insert(0, _Finder(names))
