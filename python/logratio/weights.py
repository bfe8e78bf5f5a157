"""A short digest of a model's weights, to tell whether the engine and the trainer had the same.

``str(digest)`` goes into a record, as the facts ``rollout_weights`` and ``trainer_weights`` of `Recorder.log`.
`docs/formats/record.md` ("Digests of weights") has its form, and what two digests say about each other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

import numpy as np

from .arguments import ArgumentError
from .tensors import is_tensor, to_numpy

#: Elements of a tensor that are hashed; a smaller tensor is hashed whole.
_SAMPLED = 4096
_FORM = "logratio-weights-1"
#: Parts that torch's and accelerate's wrappers put into the names of a module's parameters.
_WRAPPERS = {"module", "_fsdp_wrapped_module", "_orig_mod", "_checkpoint_wrapped_module"}
_FUSED = re.compile(r"(.*)\b(qkv_proj|gate_up_proj)\.(weight|bias)")


@dataclass(frozen=True)
class TensorDigest:
    """What is known of one tensor: digests of its shape and its sampled elements, 16 hexadecimal digits each."""

    shape: tuple[int, ...]
    exact: str
    #: Of the elements rounded to bfloat16.
    rounded: str


@dataclass(frozen=True)
class WeightComparison:
    """How two models' tensors compare, by name."""

    #: In both, with other values even after rounding to bfloat16.
    different: list[str]
    #: In both, equal only after rounding to bfloat16.
    rounded: list[str]
    #: In one of them, or in both with other shapes.
    only_first: list[str]
    only_second: list[str]


@dataclass(frozen=True)
class WeightDigest:
    """What `weight_digest` returns; ``str()`` of it is the form that records hold."""

    #: By name, as both sides name it: without wrappers, fused projections split.
    tensors: Mapping[str, TensorDigest] = field(repr=False)
    #: Number types of the tensors, sorted: ``("bfloat16", "float32")``.
    dtypes: tuple[str, ...]

    def __str__(self) -> str:
        parts = sorted(self.tensors.items())
        names = _hash(f"{name} {_describe(of.shape)}" for name, of in parts)
        exact = _hash(f"{name} {of.exact}" for name, of in parts)
        rounded = _hash(f"{name} {of.rounded}" for name, of in parts)
        return f"{_FORM}:{'+'.join(self.dtypes)}:{len(parts)}:{names}:{exact}:{rounded}"

    def compare(self, other: WeightDigest) -> WeightComparison:
        """Which tensors differ, and which only one of the two models has."""
        both = [
            name for name, of in self.tensors.items() if name in other.tensors and other.tensors[name].shape == of.shape
        ]
        pairs = [(name, self.tensors[name], other.tensors[name]) for name in sorted(both)]
        return WeightComparison(
            [name for name, a, b in pairs if a.rounded != b.rounded],
            [name for name, a, b in pairs if a.rounded == b.rounded and a.exact != b.exact],
            sorted(self.tensors.keys() - both),
            sorted(other.tensors.keys() - both),
        )


def weight_digest(model: Any, only: Callable[[str], bool] | None = None) -> WeightDigest:
    """Digests a model's weights: of each tensor its name, its shape and 4,096 elements at fixed places.

    The same values give the same digest whatever their number type and wherever they lie. Names lose the parts that
    wrappers add (``module.``, ``_orig_mod.``, ``_fsdp_wrapped_module.``), ``qkv_proj`` and ``gate_up_proj`` are split
    as vLLM and SGLang fuse them, and a head that equals the embedding is left out, since only some programs list it.
    What is left to differ in names or shapes, as slices of tensor parallelism or packed experts, cannot be compared.

    Costs about 2 ms for a tensor on one CPU core, or one small copy from the GPU. A change in elements that are not
    sampled is not seen; an optimizer step changes nearly all.

    Args:
        model: a module, its state dict, or pairs of name and tensor (torch's or numpy's). A ``DTensor`` is gathered, one
            at a time, so all of its processes must call this.
        only: given a name, whether to include the tensor, so that both sides digest what both have.

    Raises:
        TypeError: if the model is something else, or a value is not a tensor of real numbers.
        ValueError: if a tensor is on the meta device, two have the same name, or none is left.
    """
    digests: dict[str, TensorDigest] = {}
    dtypes: set[str] = set()
    for name, tensor in _split_fused(_name_tensors(model)):
        if only is not None and not only(name):
            continue
        dtypes.add(str(tensor.dtype).removeprefix("torch."))
        digests[name] = _digest(tensor)
    _drop_tied_head(digests)
    if not digests:
        raise ValueError("there is no tensor to digest; likely: only= knows the names of another model")
    return WeightDigest(digests, tuple(sorted(dtypes)))


def _name_tensors(model: Any) -> dict[str, Any]:
    """Tensors by name without wrappers."""
    if hasattr(model, "named_parameters"):
        # Buffers are computed from the config, and not every engine lists them.
        model = model.named_parameters()
    pairs: Iterable[tuple[str, Any]] = model.items() if isinstance(model, Mapping) else model
    if not isinstance(pairs, Iterable):
        raise ArgumentError("model", "a module, a state dict, or pairs of name and tensor", model)
    tensors: dict[str, Any] = {}
    for name, value in pairs:
        # What modules store beside their tensors, as Transformer Engine does.
        if name.endswith("_extra_state"):
            continue
        plain = ".".join(part for part in name.split(".") if part not in _WRAPPERS)
        if plain in tensors:
            raise ValueError(f"two tensors are named {plain} without wrappers; digest one model at a time")
        tensors[plain] = _check(name, value)
    return tensors


def _check(name: str, value: Any) -> Any:
    """The tensor, detached.

    Raises:
        TypeError: if it does not hold real numbers.
        ValueError: if it has no values.
    """
    if is_tensor(value):
        value = value.detach()
        if value.device.type == "meta":
            raise ValueError(f"{name} is on the meta device, which has no values; digest the loaded model")
        if value.is_complex() or value.is_quantized:
            raise TypeError(f"{name} holds {value.dtype}, expected real numbers")
        return value
    # ml_dtypes' bfloat16 and float8, which JAX uses, are of kind V.
    if isinstance(value, np.ndarray) and (value.dtype.kind in "biuf" or "float" in value.dtype.name):
        return value
    raise TypeError(f"{name} is a {type(value).__name__}, expected a tensor of real numbers")


def _split_fused(tensors: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The tensors by name, with fused projections as their parts: ``q_proj``, ``k_proj``, ``v_proj``."""
    for name, tensor in tensors.items():
        # Only here, so that no two tensors are gathered at a time.
        tensor = tensor.full_tensor() if hasattr(tensor, "full_tensor") else tensor
        sizes = _measure_parts(name, tensor, tensors)
        start = 0
        for part, size in sizes.items():
            yield part, tensor[start : start + size]
            start += size
        if not sizes:
            yield name, tensor


def _measure_parts(name: str, tensor: Any, tensors: Mapping[str, Any]) -> dict[str, int]:
    """Rows of each part of a fused projection by the part's name; empty for another tensor."""
    fused = _FUSED.fullmatch(name)
    if fused is None or tensor.ndim == 0:
        return {}
    prefix, kind, leaf = fused.groups()
    rows = len(tensor)
    if kind == "gate_up_proj":
        sizes = {"gate_proj": rows // 2, "up_proj": rows // 2}
    else:
        # The output projection takes as many values as there are rows of queries; keys and values share the rest.
        output = tensors.get(f"{prefix}o_proj.weight")
        queries = rows if output is None or output.ndim != 2 else int(output.shape[1])
        sizes = {"q_proj": queries, "k_proj": (rows - queries) // 2, "v_proj": (rows - queries) // 2}
    fits = min(sizes.values()) > 0 and sum(sizes.values()) == rows
    return {f"{prefix}{part}.{leaf}": size for part, size in sizes.items()} if fits else {}


def _drop_tied_head(digests: dict[str, TensorDigest]) -> None:
    head = next((name for name in digests if name.endswith("lm_head.weight")), None)
    tied = [of for name, of in digests.items() if name.endswith("embed_tokens.weight")]
    if head is not None and digests[head] in tied:
        del digests[head]


def _digest(tensor: Any) -> TensorDigest:
    shape = tuple(int(size) for size in tensor.shape)
    values = _sample(tensor)
    # One zero and one NaN, whatever their bits.
    values = np.where(np.isnan(values), np.nan, values + 0.0)
    exact = _hash([_describe(shape)], values.astype("<f8").tobytes())
    rounded = _hash([_describe(shape)], _round(values).tobytes())
    return TensorDigest(shape, exact, rounded)


def _sample(tensor: Any) -> np.ndarray:
    """Elements at fixed places in float64, which holds every narrower type exactly."""
    shape = tuple(tensor.shape)
    places = _choose_places(int(np.prod(shape, dtype=np.int64)))
    # By coordinates: a view of a transposed or sliced tensor as one row would be a copy of it.
    at = np.unravel_index(places, shape) if shape else ()
    if not is_tensor(tensor):
        return np.asarray(tensor[at], np.float64)
    import torch

    taken = tensor[tuple(torch.as_tensor(of, device=tensor.device) for of in at)]
    return np.asarray(to_numpy(taken.float() if "float8" in str(tensor.dtype) else taken), np.float64)


def _choose_places(size: int) -> np.ndarray:
    """All places, or one in each of `_SAMPLED` stretches, so that no stride of the tensor is always hit or missed."""
    if size <= _SAMPLED:
        return np.arange(size)
    edges = np.arange(_SAMPLED + 1, dtype=np.int64) * size // _SAMPLED
    # splitmix64 (Steele, Lea, Flood 2014): the same numbers on every machine.
    bits = np.arange(1, _SAMPLED + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    bits ^= bits >> np.uint64(31)
    return edges[:-1] + (bits % np.diff(edges).astype(np.uint64)).astype(np.int64)


def _round(values: np.ndarray) -> np.ndarray:
    """The bits of the values as bfloat16, rounded to nearest, ties to even, as torch does; NaN has one form."""
    with np.errstate(over="ignore"):
        bits = values.astype("<f4").view("<u4").astype(np.uint64)
    rounded = (bits + 0x7FFF + ((bits >> np.uint64(16)) & np.uint64(1))) >> np.uint64(16)
    return np.where(np.isnan(values), 0x7FC0, rounded).astype("<u2")


def _describe(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape))


def _hash(lines: Iterable[str], data: bytes = b"") -> str:
    """16 hexadecimal digits."""
    text = "\n".join(lines)
    return blake2b(text.encode() + b"\n" + data, digest_size=8).hexdigest()
