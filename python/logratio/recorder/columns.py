"""Checks the columns of a batch, for every function of the package that takes one.

Only names, kinds and shapes are checked, never values, so that it does not slow down a training step. The results have
the names of ``Recorder.log``; each is an array, a tensor, or a list with one of these for each sequence.
"""

from __future__ import annotations

import difflib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arguments import ArgumentError, read_whole
from ..errors import LogratioError
from ..tensors import describe_shape, is_tensor, to_numpy

#: The record's names for columns that trainers name as verl does.
TOKEN_COLUMNS = {
    "rollout_log_probs": "rollout_logprobs",
    "old_log_probs": "trainer_logprobs",
    "ref_log_prob": "policy_logprobs.reference",
    "rollout_entropy": "entropy.rollout",
    "entropys": "entropy.trainer",
    "advantages": "advantages",
    "responses": "response_token_ids",
    "position_ids": "position_ids",
    "weight_versions": "weight_versions",
    "kept_mass": "kept_mass",
    "route_agreement": "route_agreement",
}
ROW_COLUMNS = {"rewards": "reward", "acc": "correctness", "cached_tokens": "cached_tokens"}
TEXT_COLUMNS = {
    "uid": "group_id",
    "sample_id": "sample_id",
    "data_source": "environment",
    "finish_reason": "finish_reason",
    "engine_id": "engine_id",
    "prompt_text": "prompt_text",
    "response_text": "response_text",
}
#: Names of the response mask in TRL, slime, OpenRLHF and others.
MASK_ALIASES = ("mask", "loss_mask", "completion_mask", "action_mask")
#: Columns of any width: prompts and their masks.
_PROMPT_COLUMNS = ("prompts", "prompt_mask", "trainer_prompts", "trainer_prompt_mask")
_MASKS = ("response_mask", "attention_mask", "prompt_mask", "trainer_prompt_mask")
#: Columns of whole numbers, which have no value for "missing".
IDS = ("responses", "position_ids", "weight_versions", "prompts", "trainer_prompts")
KNOWN = frozenset({*TOKEN_COLUMNS, *ROW_COLUMNS, *TEXT_COLUMNS, *_PROMPT_COLUMNS, *_MASKS, "top_k", "digit_log_probs"})
#: Facts about the whole batch, which some functions take along with columns.
FACTS = ("step", "rank", "meta")
#: Columns that determine the number of sequences in a batch; the first present one counts.
LEADING = ("rollout_log_probs", "old_log_probs", "responses")


class BatchError(ValueError):
    """The columns of one call do not fit together.

    Attributes:
        message: what is wrong, with the shape found and the one expected.
        likely: the probable cause; None if unknown.
        hint: the next thing to try; None if there is none.
        reason: what is wrong, without this batch's own numbers, so that it is the same for every batch with this fault.
    """

    def __init__(
        self, message: str, *, likely: str | None = None, hint: str | None = None, reason: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.likely = likely
        self.hint = hint
        self.reason = reason or message

    def explain(self) -> LogratioError:
        """The same error, for a caller outside a training loop."""
        return LogratioError(self.message, likely=self.likely, hint=self.hint)

    def __str__(self) -> str:
        advice = (("likely", self.likely), ("try", self.hint))
        return "; ".join([self.message, *(f"{label}: {text}" for label, text in advice if text)])


class EmptyBatchError(BatchError):
    """The batch has no sequence."""


def check_columns(given: Mapping[str, Any], *, with_facts: bool = False) -> dict[str, Any]:
    """Returns the columns of a batch under the record's names, after checking that they fit together.

    Args:
        given: arrays, tensors, lists, columns of data frames; None for an absent column.
        with_facts: whether to take `FACTS`, too, checked by `check_fact`.

    Returns:
        Arrays and tensors ``[B, T]`` (``[B]`` for one value per sequence), or lists of ``B`` rows ``[T_i]``; texts
        unchanged. Nested tensors and object arrays become lists of rows, None among numbers becomes NaN.

    Raises:
        BatchError: if names are unknown, or columns differ in their number of sequences or tokens.
    """
    named = check_names(given, FACTS if with_facts else ())
    facts = {name: check_fact(name, named.pop(name)) for name in FACTS if name in named}
    columns = {name: _take(name, value) for name, value in named.items()}
    batch = _Batch.of(columns)
    return {**facts, **{name: batch.check(name, value) for name, value in columns.items()}}


def check_fact(name: str, value: Any) -> Any:
    """Checks one of `FACTS`: a whole number, or a dict.

    Raises:
        BatchError: for anything else.
    """
    try:
        if name != "meta":
            return read_whole(name, value)
        if isinstance(value, Mapping):
            return value
        raise ArgumentError(name, "a dict", value)
    except ArgumentError as error:
        hint = 'give facts by name: meta={"temperature": 1.0}' if name == "meta" else None
        raise BatchError(str(error), hint=hint, reason=error.reason) from error


def check_names(given: Mapping[str, Any], also: Collection[str] = ()) -> dict[str, Any]:
    """The columns that are not None, under known names.

    Raises:
        BatchError: if names are unknown, or two masks differ.
    """
    columns = {str(name): value for name, value in given.items() if value is not None}
    unknown = [name for name in columns if name not in KNOWN and name not in MASK_ALIASES and name not in also]
    if unknown:
        known = sorted(KNOWN | set(also))
        near = [match for name in unknown for match in difflib.get_close_matches(name, [*known, *MASK_ALIASES], 1)]
        raise BatchError(
            f"unknown column{'' if len(unknown) == 1 else 's'}: {', '.join(unknown)}",
            likely=f"{' and '.join(dict.fromkeys(near))} under another name" if near else "a name of another trainer",
            hint=f"use the names of Recorder.log: {', '.join(known)}",
        )
    return join_masks(columns)


def join_masks(columns: Mapping[str, Any]) -> dict[str, Any]:
    """The columns with the response mask as ``response_mask``, whatever its given name.

    Raises:
        BatchError: if two masks differ.
    """
    others = {name: value for name, value in columns.items() if name not in MASK_ALIASES}
    masks = [name for name in ("response_mask", *MASK_ALIASES) if columns.get(name) is not None]
    for name in masks[1:]:
        if not _are_equal(columns[masks[0]], columns[name]):
            raise BatchError(
                f"{masks[0]} and {name} are both given and differ",
                likely="one of them also covers the prompt or tool output",
                hint="give one response_mask: 1 for tokens that the policy sampled",
            )
    return {**others, "response_mask": columns[masks[0]]} if masks else others


def _are_equal(a: Any, b: Any) -> bool:
    if a is b:
        return True
    rows = [_take("response_mask", mask) for mask in (a, b)]
    if len(rows[0]) != len(rows[1]):
        return False
    return all(np.array_equal(to_numpy(x) != 0, to_numpy(y) != 0) for x, y in zip(*rows, strict=True))


def _take(name: str, value: Any) -> Any:
    """The column as an array, a tensor, or a list of these."""
    if name in TEXT_COLUMNS:
        return _take_texts(name, value)
    if name != "top_k":
        return take_numbers(name, value)
    if not isinstance(value, Mapping) or not all(
        isinstance(pair, Sequence) and len(pair) == 2 for pair in value.values()
    ):
        raise BatchError("top_k is not a dict of pairs", hint='give {"rollout": (ids, log_probs)}, [B, T, K] each')
    return {
        policy: (take_numbers(f"top_k[{policy!r}] ids", pair[0]), take_numbers(f"top_k[{policy!r}] log-probs", pair[1]))
        for policy, pair in value.items()
    }


def _take_texts(name: str, value: Any) -> Any:
    if isinstance(value, str):
        return value
    for method in ("to_pylist", "tolist", "to_list"):
        if hasattr(value, method):
            value = getattr(value, method)()
            break
    if isinstance(value, (str, bytes)) or not hasattr(value, "__iter__"):
        raise BatchError(f"{name} is one {type(value).__name__}", hint="give one text for each sequence, [B]")
    return [text.item() if hasattr(text, "item") else text for text in value]


def take_numbers(name: str, value: Any) -> Any:
    """A column of numbers as an array, a tensor, or a list with one of these for each sequence.

    Raises:
        BatchError: if the value has no numbers, or none in this process.
    """
    if is_tensor(value):
        return _take_tensor(name, value)
    if isinstance(value, (str, bytes, Mapping)):
        raise BatchError(f"{name} is a {type(value).__name__}, expected numbers", hint="give an array [B, T]")
    if not isinstance(value, (np.ndarray, list, tuple)):
        value = _take_foreign(name, value)
    if isinstance(value, np.ndarray) and (value.dtype != object or value.ndim == 0):
        return _check_kind(name, value)
    rows = list(value)
    if not rows:
        return np.zeros((0, 0))
    if all(row is None or np.ndim(row) == 0 for row in rows if not is_tensor(row)) and all(
        row.ndim == 0 for row in rows if is_tensor(row)
    ):
        return _take_list(name, [row.item() if is_tensor(row) else row for row in rows])
    return [_take_row(name, i, row) for i, row in enumerate(rows)]


def _take_row(name: str, i: int, row: Any) -> Any:
    if row is None:
        raise BatchError(f"{name} is None in sequence {i}", hint="leave the sequence out of every column")
    if isinstance(row, (list, tuple)) and all(np.ndim(entry) == 0 and not is_tensor(entry) for entry in row):
        return _take_list(name, row)
    taken = take_numbers(name, row)
    return np.stack([to_numpy(entry) for entry in taken]) if isinstance(taken, list) else taken


def _take_list(name: str, numbers: Sequence[Any]) -> np.ndarray:
    """Numbers as an array; None becomes NaN, which ids may not contain."""
    if any(number is None for number in numbers):
        if name in IDS or name in _MASKS:
            raise BatchError(f"{name} has None among its values", hint="give a whole number at every token")
        numbers = [np.nan if number is None else number for number in numbers]
    try:
        array = np.asarray(numbers)
    except ValueError:
        array = np.asarray(list(numbers), object)
    return _check_kind(name, array if len(numbers) else array.reshape(0))


def _take_foreign(name: str, value: Any) -> Any:
    """Reads columns of pyarrow, pandas, polars and others."""
    for method in ("to_pylist", "to_numpy"):
        if hasattr(value, method):
            return getattr(value, method)()
    if hasattr(value, "__array__"):
        return np.asarray(value)
    if hasattr(value, "__len__") and hasattr(value, "__iter__"):
        return list(value)
    if np.ndim(value) == 0 and isinstance(value, (int, float)):
        return np.asarray(value)
    raise BatchError(f"{name} is a {type(value).__name__}, expected numbers", hint="give an array [B, T]")


def _check_kind(name: str, array: np.ndarray) -> np.ndarray:
    if isinstance(array, np.ma.MaskedArray):
        if array.dtype.kind != "f" and name not in _MASKS and np.ma.is_masked(array):
            raise BatchError(f"{name} is a masked array without some of its values", hint="give .filled(value)")
        array = array.filled(np.nan if array.dtype.kind == "f" else 0)
    if array.dtype.kind in "biuf":
        return array
    # ml_dtypes' bfloat16 and float8, which JAX uses.
    if array.dtype.kind == "V" and "float" in array.dtype.name:
        return array.astype(np.float32)
    raise BatchError(
        f"{name} holds {array.dtype.name}, expected numbers",
        hint="give real numbers: floats for log-probs, whole numbers for ids",
    )


def _take_tensor(name: str, tensor: Any) -> Any:
    if getattr(tensor, "is_nested", False):
        return [_take_tensor(name, row) for row in tensor.unbind()]
    if hasattr(tensor, "placements") and hasattr(tensor, "to_local"):
        if not all(place.is_replicate() for place in tensor.placements):
            raise BatchError(
                f"{name} is a DTensor spread over processes ({', '.join(map(str, tensor.placements))})",
                hint="give .full_tensor(), called by all processes, or the local rows of every column",
            )
        tensor = tensor.to_local()
    if str(getattr(tensor, "layout", "torch.strided")) != "torch.strided":
        raise BatchError(
            f"{name} is a sparse tensor ({tensor.layout})",
            likely="what it leaves out is unknown, and would be read as a probability of 1",
            hint="give .to_dense() if it is 0 there",
        )
    if tensor.device.type == "meta":
        raise BatchError(f"{name} is a tensor on the meta device, which has no values", hint="give the computed tensor")
    kind = str(tensor.dtype)
    if "complex" in kind or kind.startswith("torch.q"):
        raise BatchError(
            f"{name} holds {kind}, expected numbers", hint="give real numbers, nats: .real or .dequantize()"
        )
    if "float8" in kind:
        tensor = tensor.detach().float()
    return tensor.resolve_neg() if tensor.is_neg() else tensor


@dataclass(frozen=True)
class _Batch:
    """The numbers of sequences and tokens in a batch, and the columns that determine them."""

    sequences: int
    #: The column that determines the number of sequences.
    leading: str
    #: The width of the arrays ``[B, T]``, and the first of these; None if all columns are lists.
    width: int | None
    wide: str | None
    #: The lengths in the lists of rows, and the first of these.
    lengths: list[int] | None
    listed: str | None
    #: The width of the prompt, if it is an array.
    prompt: int | None

    @classmethod
    def of(cls, columns: Mapping[str, Any]) -> _Batch:
        leading = next((name for name in LEADING if name in columns), None)
        if leading is None:
            raise BatchError(
                "neither rollout_log_probs, old_log_probs nor responses was given",
                likely="the trainer names them otherwise",
                hint="give both policies' log-probs: rollout_log_probs and old_log_probs, [B, T] each",
            )
        values = {name: columns[name] for name in (*LEADING, "response_mask") if name in columns}
        for name, value in values.items():
            if not isinstance(value, list) and value.ndim != 2:
                _refuse_dimensions(name, value)
        wide = next((name for name, value in values.items() if not isinstance(value, list)), None)
        listed = next((name for name, value in values.items() if isinstance(value, list)), None)
        sequences = len(values[leading])
        if sequences == 0:
            shape = describe_column(values[leading])
            raise EmptyBatchError(
                f"the batch is empty: {leading} has the shape {shape}",
                likely="a filter left no sequence",
                hint="log batches that have one",
                reason="the batch is empty",
            )
        width = None if wide is None else int(values[wide].shape[1])
        return cls(
            sequences,
            leading,
            width,
            wide,
            None if listed is None else [_count_tokens(listed, i, row) for i, row in enumerate(values[listed])],
            listed,
            _find_prompt_width(columns, width),
        )

    def check(self, name: str, value: Any) -> Any:
        """The column, cut to the response if trainers keep it together with the prompt."""
        if name == "top_k":
            for policy, pair in value.items():
                for part, column in zip(("ids", "log-probs"), pair, strict=True):
                    self._check_tokens(f"top_k[{policy!r}] {part}", column, 3)
            return value
        if not isinstance(value, str):
            self._check_sequences(name, value)
        if name in TEXT_COLUMNS:
            return value
        if name in _PROMPT_COLUMNS:
            return self._check_prompts(name, value)
        if name == "attention_mask":
            return self._check_attention(value)
        if name in ROW_COLUMNS or (name == "advantages" and _is_flat(value)):
            return self._check_rows(name, value)
        if name == "position_ids":
            value = self._cut_positions(value)
        self._check_tokens(name, value, 3 if name == "digit_log_probs" else 2)
        return value

    def _check_sequences(self, name: str, value: Any) -> None:
        if not isinstance(value, list) and value.ndim == 0:
            _refuse_dimensions(name, value)
        if len(value) != self.sequences:
            raise BatchError(
                f"{name} has {_count(len(value), 'sequence')} ({describe_column(value)}), "
                f"{self.leading} {self.sequences}",
                likely="they are of different batches",
                hint="give the same B sequences in every column",
                reason=f"{name} has another number of sequences",
            )

    def _check_tokens(self, name: str, value: Any, dimensions: int) -> None:
        self._check_sequences(name, value)
        if isinstance(value, list):
            self._check_lengths(name, value, dimensions)
        elif value.ndim != dimensions:
            _refuse_dimensions(name, value, dimensions)
        elif not self._has_room(int(value.shape[1])):
            self._refuse_width(name, value)

    def _has_room(self, width: int) -> bool:
        return width == self.width if self.width is not None else width >= max(self.lengths or [0])

    def _check_lengths(self, name: str, rows: list[Any], dimensions: int) -> None:
        for i, row in enumerate(rows):
            length = _count_tokens(name, i, row, dimensions - 1)
            if self.lengths is not None and length != self.lengths[i]:
                expected, of = self.lengths[i], self.listed
            elif self.width is not None and length > self.width:
                expected, of = self.width, self.wide
            else:
                continue
            raise BatchError(
                f"{name} has {_count(length, 'token')} in sequence {i}, {of} {expected}",
                likely="one of them also covers the prompt, or lacks the last token",
                hint="give every column the same response tokens",
                reason=f"{name} has another number of tokens",
            )

    def _refuse_width(self, name: str, value: Any) -> None:
        width = self.width if self.width is not None else max(self.lengths or [0])
        with_prompt = self.prompt is not None and value.shape[1] == self.prompt + width
        raise BatchError(
            f"{name} has the shape {describe_shape(value)}, expected [{self.sequences}, {width}"
            f"{', K' if value.ndim == 3 else ''}] as {self.wide or self.listed} has it",
            likely="it also covers the prompt"
            if with_prompt
            else "one of them is shifted by a token, padded to another length, or also covers the prompt",
            hint=f"give its response tokens only: {name}[:, -{width}:]"
            if with_prompt
            else "give the same T response tokens in every column",
            reason=f"{name} has another number of tokens",
        )

    def _check_prompts(self, name: str, value: Any) -> Any:
        if not isinstance(value, list) and value.ndim != 2:
            _refuse_dimensions(name, value, letter="P")
        if isinstance(value, list):
            for i, row in enumerate(value):
                _count_tokens(name, i, row)
        return value

    def _check_attention(self, value: Any) -> Any:
        if isinstance(value, list):
            raise BatchError(
                "attention_mask is a list of rows, expected an array [B, P + T]",
                likely="the batch is not padded",
                hint="leave attention_mask out: rows have no padding",
            )
        if value.ndim != 2:
            _refuse_dimensions("attention_mask", value, letter="P + T")
        width = self.width if self.width is not None else max(self.lengths or [0])
        least = width + (self.prompt or 0)
        if value.shape[1] < least or (self.prompt is not None and self.width is not None and value.shape[1] != least):
            raise BatchError(
                f"attention_mask has the shape {describe_shape(value)}, expected [{self.sequences}, {least}]: "
                "prompt and response",
                likely="it is of another batch, or covers only one of them",
                hint="give one mask of both, or leave it out",
                reason="attention_mask has another number of tokens",
            )
        return value

    def _check_rows(self, name: str, value: Any) -> Any:
        """Checks a column with one value per sequence, or one per token, which are summed."""
        if isinstance(value, list):
            if self.lengths is not None and any(len(row) != 1 for row in value):
                self._check_lengths(name, value, 2)
            return value
        widths = (1,) if self.width is None else (1, self.width)
        if value.ndim == 1 or (value.ndim == 2 and (self.width is None or value.shape[1] in widths)):
            return value
        raise BatchError(
            f"{name} has the shape {describe_shape(value)}, expected [{self.sequences}] or "
            f"[{self.sequences}, {widths[-1]}]",
            hint="give one value for each sequence",
            reason=f"{name} has another shape",
        )

    def _cut_positions(self, value: Any) -> Any:
        """Cuts positions to the response: trainers keep the prompt's positions before them."""
        if isinstance(value, list) or value.ndim != 2 or self.width is None or self.prompt is None:
            return value
        return value[:, self.prompt :] if value.shape[1] == self.prompt + self.width else value


def _find_prompt_width(columns: Mapping[str, Any], width: int | None) -> int | None:
    prompts, attention = columns.get("prompts"), columns.get("attention_mask")
    if getattr(prompts, "ndim", 0) == 2:
        return int(prompts.shape[1])  # type: ignore[union-attr]
    if prompts is None and width is not None and getattr(attention, "ndim", 0) == 2:
        return max(0, int(attention.shape[1]) - width)  # type: ignore[union-attr]
    return None


def describe_column(value: Any) -> str:
    """``[4, 512]``, or ``a list of 4``."""
    return f"a list of {len(value)}" if isinstance(value, list) else describe_shape(value)


def _count_tokens(name: str, i: int, row: Any, dimensions: int = 1) -> int:
    if row.ndim != dimensions:
        raise BatchError(
            f"{name} has the shape {describe_shape(row)} in sequence {i}, expected [T{', K' if dimensions == 2 else ''}]",
            hint="give one value for each token",
            reason=f"{name} has another number of dimensions",
        )
    return len(row)


def _refuse_dimensions(name: str, value: Any, dimensions: int = 2, letter: str = "T") -> None:
    hint = {
        0: "give a batch of sequences",
        1: f"give {name}[None] for a single sequence, or split a pack into a list of sequences",
        3: f"give {name}[0] if the first dimension is 1",
    }.get(value.ndim if dimensions == 2 else -1, "give one row for each sequence")
    raise BatchError(
        f"{name} has the shape {describe_shape(value)}, expected [B, {letter}{', K' if dimensions == 3 else ''}]: "
        "one row for each sequence",
        hint=hint,
        reason=f"{name} has {value.ndim} dimensions",
    )


def _is_flat(value: Any) -> bool:
    return not isinstance(value, list) and value.ndim == 1


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
