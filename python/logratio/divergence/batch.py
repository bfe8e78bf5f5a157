"""A verl batch as numpy arrays: verl's ``DataProto``, or anything with the same parts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..arguments import ArgumentError
from ..recorder.columns import KNOWN, MASK_ALIASES, join_masks
from ..tensors import check_numbers, check_shapes, describe_shape, to_numpy


class DebugBatch:
    """The columns of a batch that the log needs, each read when it is first needed.

    Attributes:
        rollout: ``[B, T]`` log-probs of the rollout policy, nats.
        old: the same of the trainer's policy.
        mask: ``[B, T]``, True where the policy sampled the token.
    """

    def __init__(self, data: Any) -> None:
        self._batch = getattr(data, "batch", data)
        if not callable(getattr(self._batch, "keys", None)):
            raise ArgumentError("data", "a DataProto or a dict of columns", data)
        self._others: Mapping[str, Any] = getattr(data, "non_tensor_batch", None) or {}
        self._names = set(self._batch.keys())
        self._found: dict[Any, np.ndarray | None] = {}
        self.meta: Mapping[str, Any] = getattr(data, "meta_info", None) or {}
        self.rollout = self._require("rollout_log_probs")
        self.old = self._require("old_log_probs")
        check_shapes(
            "old_log_probs",
            self.old,
            "rollout_log_probs",
            self.rollout,
            "one of them also covers the prompt, or is padded to another length",
        )
        if self.old.ndim != 2:
            raise ValueError(
                f"expected log-probs of the shape [B, T], got {describe_shape(self.old)}; "
                "likely: the batch is packed; pad it first"
            )
        if "responses" in self._names:
            responses = self._batch["responses"]
            if not hasattr(responses, "shape"):
                responses = self.find("responses")
            check_shapes("responses", responses, "old_log_probs", self.old, "responses also hold the prompt")
        self.mask = self._read_mask()
        own = self.mask
        #: Number of tokens with mask 1 in each row, ``[B]``.
        self.tokens: np.ndarray = own.sum(1)
        #: Both log-probs of the tokens with mask 1, row after row, in float64. Padding is not worth the conversion.
        self.own = self.rollout[own].astype(np.float64), self.old[own].astype(np.float64)
        #: For the same tokens: both probabilities, and then the distance between them, fractions.
        self.probabilities = np.exp(self.own[0]), np.exp(self.own[1])
        with np.errstate(invalid="ignore"):
            self.gaps: np.ndarray = abs(self.probabilities[1] - self.probabilities[0])

    def find(self, *names: str) -> np.ndarray | None:
        """The first of these columns that the batch has; converted once."""
        for name in names:
            if name in self._names:
                if name not in self._found:
                    self._found[name] = to_numpy(self._batch[name])
                return self._found[name]
        return None

    def find_row(self, row: int, *names: str) -> np.ndarray | None:
        """A row of the first of these columns that the batch has, which is all that a record needs."""
        for name in names:
            if name in self._names:
                if self._found.get(name) is None and (name, row) not in self._found:
                    self._found[name, row] = to_numpy(self._batch[name][row])
                whole = self._found.get(name)
                return self._found[name, row] if whole is None else whole[row]
        return None

    def find_sums(self, name: str) -> np.ndarray | None:
        """The sum of each row of a column, ``[B]``, float64."""
        column = self.find(name)
        if column is None:
            return None
        if ("sums", name) not in self._found:
            self._found["sums", name] = column.sum(1, dtype=np.float64)
        return self._found["sums", name]

    def find_per_sequence(self, name: str) -> Any:
        """A non-tensor column, ``[B]``; None if there is none."""
        return self._others.get(name) if name in self._others else self.find(name)

    def _require(self, name: str) -> np.ndarray:
        column = self.find(name)
        if column is None:
            raise ValueError(
                f"the batch has no {name}, only {', '.join(sorted(self._names))}; likely: "
                + (
                    "rollout log-probs are not asked for; set actor_rollout_ref.rollout.calculate_log_probs=True"
                    if name == "rollout_log_probs"
                    else "the trainer has not computed its log-probs yet, or runs in bypass mode"
                )
            )
        return check_numbers(name, column)

    def _read_mask(self) -> np.ndarray:
        """The last T columns of ``response_mask``, else of ``attention_mask``; without either, every token."""
        masks = {name: self.find(name) for name in ("response_mask", *MASK_ALIASES)}
        masks = join_masks({name: mask for name, mask in masks.items() if mask is not None})
        for name in ("response_mask", "attention_mask"):
            mask = masks.get(name) if name in masks else self.find(name)
            if mask is None:
                continue
            width = self.old.shape[1]
            if mask.ndim != 2 or mask.shape[0] != self.old.shape[0] or mask.shape[1] < width:
                raise ValueError(
                    f"cannot mask the log-probs: {name} has the shape {describe_shape(mask)}, old_log_probs "
                    f"{describe_shape(self.old)}; likely: the mask belongs to another batch"
                )
            return np.asarray(mask[:, mask.shape[1] - width :] != 0)
        odd = sorted(name for name in self._names if "mask" in str(name) and name not in KNOWN)
        if odd:
            raise ValueError(
                f"the batch has no response_mask, but {odd[0]}; likely: it is the mask under another name, and without it "
                f"padding would be counted; give it as response_mask"
            )
        return np.ones(self.old.shape, bool)
