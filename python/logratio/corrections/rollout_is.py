"""xtuner's rollout importance sampling, for any trainer.

Definitions: InternLM/xtuner xtuner/v1/rl/rollout_is.py and xtuner/v1/data_proto/utils.py @ b934f462. Everything is
computed in the type of the inputs, as there, so that float32 inputs give xtuner's float32 results; pass float64 for
figures without that rounding.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arguments import ArgumentError, read_number
from ..tensors import check_shapes, describe_shape, is_tensor, module_of, read_lengths, take_array

#: Log-ratios are clamped to this many nats on either side before exp.
SAFETY_BOUND = 20.0
#: Masked means divide by the sum of the mask plus this.
EPSILON = 1e-8

#: ``(upper, lower)``, xtuner's order.
Thresholds = tuple[float, float]


@dataclass(kw_only=True)
class RolloutImportanceSampling:
    """xtuner's configuration object under xtuner's names: thresholds are ``(upper, lower)``.

    Attributes:
        rollout_is_level: ``token``; ``sequence`` (product of the ratios); ``geometric`` (their geometric mean).
        rollout_is_mode: ``truncate`` clamps weights on both sides, ``mask`` removes tokens outside from the response
            mask, ``both`` does both.
        rollout_is_threshold: bounds on the weight; None switches everything off, including the veto.
        rollout_is_mask_threshold: bounds for ``mask`` and ``both``; None: ``rollout_is_threshold``.
        rollout_is_veto_threshold: bounds on the ratio of a single token; a sequence with any token outside is masked.
    """

    rollout_is_level: str = "token"
    rollout_is_mode: str = "truncate"
    rollout_is_threshold: Thresholds | None = None
    rollout_is_mask_threshold: Thresholds | None = None
    rollout_is_veto_threshold: Thresholds | None = None

    def compute_rollout_importance_weights_and_metrics(
        self, old_log_prob: Any, rollout_log_prob: Any, num_tokens: Any, response_mask: Any
    ) -> tuple[Any, Any, dict[str, Any], dict[str, Any]]:
        """Computes the weights, the remaining mask, and both groups of metrics of one pack.

        Args:
            old_log_prob: ``[N]`` or ``[1, N]``, nats, under the trainer's policy; array or tensor.
            rollout_log_prob: the same under the rollout policy.
            num_tokens: ``[B]``, number of tokens of each sequence; they add up to N.
            response_mask: in the shape of the log-probs; 1 for tokens that the policy sampled.

        Returns:
            ``(weights, modified_response_mask, mismatch_metrics, is_metrics)``: ratios and mask in the shape of the
            log-probs, detached (weights are None without a threshold); figures by xtuner's keys, KLs in nats.

        Raises:
            ValueError: for a setting that xtuner does not have, and where shapes differ.
        """
        old, rollout, mask = _take_pack(old_log_prob, rollout_log_prob, response_mask)
        mismatch = {f"mismatch/{name}": value for name, value in compute_mismatch_metrics(old, rollout, mask).items()}
        weights, modified, metrics = compute_rollout_importance_weights(
            old,
            rollout,
            num_tokens,
            mask,
            rollout_is_level=self.rollout_is_level,
            rollout_is_mode=self.rollout_is_mode,
            rollout_is_threshold=self.rollout_is_threshold,
            rollout_is_mask_threshold=self.rollout_is_mask_threshold,
            rollout_is_veto_threshold=self.rollout_is_veto_threshold,
        )
        return weights, modified, mismatch, metrics


def compute_rollout_importance_weights(
    old_log_prob: Any,
    rollout_log_prob: Any,
    num_tokens: Any,
    response_mask: Any,
    rollout_is_level: str = "token",
    rollout_is_mode: str = "truncate",
    rollout_is_threshold: Thresholds | None = None,
    rollout_is_mask_threshold: Thresholds | None = None,
    rollout_is_veto_threshold: Thresholds | None = None,
) -> tuple[Any, Any, dict[str, Any]]:
    """Computes importance weights and the remaining mask of one pack, with xtuner's metrics of both.

    With Δ = old - rollout, a weight is exp of Δ, of its sum or of its mean over the sequence, clamped to ±20 nats. The
    mask is based on weights before they are clamped to the thresholds, the veto comes last, and weights are 0 where the
    mask is 0.

    Args:
        old_log_prob: ``[N]`` or ``[1, N]``, nats.
        rollout_log_prob: the same shape, nats.
        num_tokens: ``[B]``, number of tokens of each sequence.
        response_mask: the same shape as the log-probs.
        rollout_is_level: see `RolloutImportanceSampling`, like all that follow.
        rollout_is_mode: see there.
        rollout_is_threshold: see there.
        rollout_is_mask_threshold: see there.
        rollout_is_veto_threshold: see there.

    Returns:
        ``(weights, modified_response_mask, metrics)`` in the given shape; ``(None, response_mask, {})`` without a
        threshold.

    Raises:
        ValueError: for a setting that xtuner does not have, and where shapes differ.
    """
    old, rollout, mask = _take_pack(old_log_prob, rollout_log_prob, response_mask)
    if rollout_is_threshold is None:
        return None, mask, {}
    if rollout_is_mode not in ("truncate", "mask", "both"):
        raise ValueError(f"Invalid rollout_is_mode: {rollout_is_mode}. Must be 'truncate', 'mask', or 'both'.")
    if rollout_is_level not in ("token", "sequence", "geometric"):
        raise ValueError(f"Invalid rollout_is_level: {rollout_is_level}. Must be 'token', 'sequence', or 'geometric'.")
    upper, lower = _read_thresholds("threshold", rollout_is_threshold)
    mask_upper, mask_lower = _read_thresholds("mask_threshold", rollout_is_mask_threshold or rollout_is_threshold)
    veto = rollout_is_veto_threshold and _read_thresholds("veto_threshold", rollout_is_veto_threshold)

    shape = old.shape
    place = _Places(read_lengths(num_tokens), old)
    old, rollout, mask = (place.pad(column) for column in (old, rollout, mask))
    xp = module_of(old)
    with _no_gradients(old), _quiet(old):
        delta = old - rollout
        logs = delta
        if rollout_is_level == "sequence":
            logs = _sum(delta, mask, -1)[:, None]
        elif rollout_is_level == "geometric":
            logs = _mean(delta, mask, -1)[:, None]
        raw = xp.exp(xp.clip(logs, -SAFETY_BOUND, SAFETY_BOUND))
        raw = xp.broadcast_to(raw, delta.shape)
        vetoed = xp.zeros_like(mask, dtype=xp.bool if is_tensor(mask) else bool)
        if veto:
            vetoed = ((delta < _log(veto[1])) | (delta > _log(veto[0]))) & (mask != 0)
        rows = vetoed.any(-1)
        metrics = compute_is_metrics(
            raw, logs, mask, rollout_is_level, upper, lower, _log(upper), _log(lower), rows[:, None], vetoed
        )

        weights, modified = raw, mask
        if rollout_is_mode != "truncate":
            kept = _to_float((raw >= mask_lower) & (raw <= mask_upper))
            metrics["rollout_is_masked_fraction"] = _mean(1 - kept, mask)
            outside = 1 - kept[:, 0] if rollout_is_level != "token" else _to_float(_sum(1 - kept, mask, -1) > 0)
            metrics["rollout_is_seq_masked_fraction"] = outside.mean()
            modified = modified * kept
        if rollout_is_mode != "mask":
            weights = xp.clip(weights, lower, upper)
        modified = modified * _to_float(~rows)[:, None]
        weights = weights * mask
        scalars = {f"mismatch/{name}": _to_scalar(value) for name, value in metrics.items()}
        return place.pack(weights).reshape(shape), place.pack(modified).reshape(shape), scalars


def compute_mismatch_metrics(old_log_prob: Any, rollout_log_prob: Any | None, response_mask: Any) -> dict[str, Any]:
    """Computes xtuner's figures of the mismatch, without the prefix ``mismatch/`` that its loop adds.

    Args:
        old_log_prob: ``[B, T]``, nats, under the trainer's policy; a pack ``[N]`` or ``[1, N]`` counts as one sequence,
            as in xtuner's own loop.
        rollout_log_prob: the same under the rollout policy; None gives only the trainer's perplexity.
        response_mask: the same shape; 1 for tokens that the policy sampled.

    Returns:
        ``valid``, and under xtuner's keys KLs and log-perplexities in nats and perplexities as plain numbers.
        Perplexities and their differences are computed for each row, then averaged over rows.

    Raises:
        ValueError: where shapes differ.
    """
    given = old_log_prob if rollout_log_prob is None else rollout_log_prob
    old, rollout, mask = (
        column.reshape(1, -1) if column.ndim < 2 else column
        for column in _take_pack(old_log_prob, given, response_mask)
    )
    xp = module_of(old)
    with _no_gradients(old), _quiet(old):
        trainer_mean = _mean(old, mask, -1)
        figures = {"training_ppl": xp.exp(-trainer_mean).mean(), "training_log_ppl": (-trainer_mean).mean()}
        if rollout_log_prob is not None:
            figures |= _compare_with_rollout(old, rollout, mask, trainer_mean)
        valid = {"valid": bool((mask != 0).any())}
        return valid | {f"mismatch_{name}": _to_scalar(value) for name, value in figures.items()}


def _compare_with_rollout(old: Any, rollout: Any, mask: Any, trainer_mean: Any) -> dict[str, Any]:
    xp = module_of(old)
    delta = old - rollout
    rollout_mean = _mean(rollout, mask, -1)
    difference = rollout_mean - trainer_mean
    return {
        "kl": _mean(-delta, mask),
        "k3_kl": _mean(xp.exp(delta) - delta - 1, mask),
        "rollout_ppl": xp.exp(-rollout_mean).mean(),
        "rollout_log_ppl": (-rollout_mean).mean(),
        "log_ppl_diff": difference.mean(),
        "log_ppl_abs_diff": abs(difference).mean(),
        "log_ppl_diff_max": difference.max(),
        "log_ppl_diff_min": difference.min(),
        "ppl_ratio": xp.exp(difference).mean(),
        "logprob_abs_diff": _mean(abs(delta), mask),
    }


def compute_is_metrics(
    rollout_is_weights: Any,
    log_ratio_for_metrics: Any,
    response_mask: Any,
    rollout_is_level: str,
    rollout_is_threshold_upper: float,
    rollout_is_threshold_lower: float,
    log_threshold_upper: Any,
    log_threshold_lower: Any,
    has_catastrophic: Any,
    catastrophic_tokens: Any,
    SAFETY_BOUND: float = SAFETY_BOUND,
) -> dict[str, Any]:
    """Computes xtuner's figures of importance weights, without the prefix ``mismatch/``.

    Maximum, minimum and fractions are of the weights before the thresholds, spread and sample size of the clamped
    weights.

    Args:
        rollout_is_weights: ``[B, T]`` ratios, clamped only to the safety bound.
        log_ratio_for_metrics: their unclamped logarithms, ``[B, T]``, or ``[B, 1]`` for whole sequences; nats.
        response_mask: ``[B, T]``.
        rollout_is_level: ``token``, ``sequence`` or ``geometric``.
        rollout_is_threshold_upper: upper bound of a weight.
        rollout_is_threshold_lower: lower bound of a weight.
        log_threshold_upper: logarithm of the upper bound.
        log_threshold_lower: logarithm of the lower bound.
        has_catastrophic: ``[B, 1]``, whether the sequence is vetoed.
        catastrophic_tokens: ``[B, T]``, the tokens that cause the veto.
        SAFETY_BOUND: bound on a sequence's log-ratio, nats.

    Returns:
        Ratios and fractions under xtuner's keys, scalars of the inputs' own kind.
    """
    weights, mask, logs = (take_array(value) for value in (rollout_is_weights, response_mask, log_ratio_for_metrics))
    vetoed, rows = take_array(catastrophic_tokens), take_array(has_catastrophic).reshape(-1)
    mask = _as_factor(mask)
    xp = module_of(weights)
    upper, lower = rollout_is_threshold_upper, rollout_is_threshold_lower
    counts = mask.sum(-1)
    metrics: dict[str, Any] = {
        "valid": bool((mask != 0).any()),
        "rollout_is_veto_fraction": _mean(_to_float(rows), _to_float(counts > 0)),
        "rollout_is_catastrophic_token_fraction": _mean(_to_float(vetoed), mask),
    }
    if rollout_is_level == "token":
        inside = mask != 0
        infinity = float("inf")
        high, low = _mean(_to_float(weights > upper), mask), _mean(_to_float(weights < lower), mask)
        most = xp.where(inside, weights, -infinity).max()
        least = xp.where(inside, weights, infinity).min()
    else:
        over, under = _to_float(logs > log_threshold_upper), _to_float(logs < log_threshold_lower)
        most = xp.exp(xp.clip(logs.max(), None, SAFETY_BOUND))
        least = xp.exp(logs.min())
        if rollout_is_level == "sequence":
            high, low = over.mean(), under.mean()
        else:
            high, low = (_mean(xp.broadcast_to(each, mask.shape), mask) for each in (over, under))
    clamped = xp.clip(weights, lower, upper)
    mean = _mean(clamped, mask)
    spread = xp.sqrt(xp.clip(_mean(clamped * clamped, mask) - mean * mean, 0.0, None)) if mask.sum() > 1 else 0.0
    metrics |= {
        "rollout_is_max": most,
        "rollout_is_min": least,
        "rollout_is_mean": _mean(weights, mask),
        "rollout_is_ratio_fraction_high": high,
        "rollout_is_ratio_fraction_low": low,
        "rollout_is_std": spread,
        "rollout_is_eff_sample_size": 1.0 / _mean((clamped / (mean + EPSILON)) ** 2, mask),
    }
    return metrics | _measure_sequences(_mean(weights, mask, -1)[counts > 0], (upper, lower))


def merge_rollout_is_metrics(rollout_is_metrics: Sequence[Mapping[str, Any]], device: Any = None) -> dict[str, float]:
    """Merges xtuner's metrics of all packs into one dict: the maximum if the key contains ``max``, the minimum if it
    contains ``min``, else the mean with equal weights. Packs whose ``mismatch/valid`` is not set do not count; figures
    are 0 if none counts.

    If ``torch.distributed`` runs, the packs of all processes count, and all processes must call this, as in xtuner.
    Sums are in float64, xtuner's in float32.

    Args:
        rollout_is_metrics: one dict for each pack, with xtuner's keys.
        device: only there for xtuner's signature; unused, since processes exchange objects.

    Raises:
        ValueError: if a pack lacks a key that another has.
    """
    packs = _gather_packs([dict(pack) for pack in rollout_is_metrics])
    if not packs:
        return {}
    valid = [pack for pack in packs if pack.get("mismatch/valid", True)]
    merged = {}
    for key in (key for key in packs[0] if key != "mismatch/valid"):
        lacking = next((i for i, pack in enumerate(valid) if key not in pack), None)
        if lacking is not None:
            raise ValueError(
                f"pack {lacking} has no {key}, which others have; likely: its metrics were made with other settings"
            )
        values = np.array([float(pack[key]) for pack in valid], np.float64)
        if len(values) == 0:
            merged[key] = 0.0
        else:
            merge = np.max if "max" in key else np.min if "min" in key else np.mean
            merged[key] = float(merge(values))
    return merged


def _gather_packs(own: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The packs of all processes, in the order of ranks."""
    # Only if the loop itself has imported it, because importing torch takes seconds.
    distributed = getattr(sys.modules.get("torch"), "distributed", None)
    if distributed is None or not distributed.is_available() or not distributed.is_initialized():
        return own
    own = [{key: value.item() if hasattr(value, "item") else value for key, value in pack.items()} for pack in own]
    gathered: list[Any] = [None] * distributed.get_world_size()
    distributed.all_gather_object(gathered, own)
    return [pack for packs in gathered for pack in packs]


def _measure_sequences(means: Any, bounds: Thresholds) -> dict[str, Any]:
    """Figures of the mean weights of sequences that have a token; 0 if none has."""
    names = ("mean", "std", "max", "min", "max_deviation", "fraction_high", "fraction_low")
    figures: tuple[Any, ...] = (0.0,) * len(names)
    if len(means) > 0:
        # torch divides by n - 1 by default, numpy if asked to.
        spread = 0.0 if len(means) == 1 else means.std(**({} if is_tensor(means) else {"ddof": 1}))
        high, low = _to_float(means > bounds[0]).mean(), _to_float(means < bounds[1]).mean()
        figures = (means.mean(), spread, means.max(), means.min(), abs(means - 1.0).max(), high, low)
    return {f"rollout_is_seq_{name}": figure for name, figure in zip(names, figures, strict=True)}


class _Places:
    """The places of a pack's tokens in the padded batch ``[sequences, longest]``."""

    def __init__(self, lengths: list[int], like: Any) -> None:
        if sum(lengths) != math.prod(like.shape):
            raise ValueError(
                f"cannot unpack the batch: num_tokens adds up to {sum(lengths)}, old_log_prob has the shape "
                f"{describe_shape(like)}; likely: padding at the pack's end is not in num_tokens"
            )
        self._size = (len(lengths), max(lengths, default=0))
        rows = np.arange(len(lengths)) * self._size[1]
        starts = np.cumsum([0, *lengths[:-1]]) if lengths else rows
        # The index of each token's place, row after row.
        places = np.arange(sum(lengths)) + np.repeat(rows - starts, lengths)
        self._index = take_array(places, like)

    def pad(self, packed: Any) -> Any:
        xp = module_of(packed)
        flat = packed.reshape(-1)
        extra = {"device": flat.device} if is_tensor(flat) else {}
        padded = xp.zeros(self._size[0] * self._size[1], dtype=flat.dtype, **extra)
        padded[self._index] = flat
        return padded.reshape(self._size)

    def pack(self, padded: Any) -> Any:
        return padded.reshape(-1)[self._index]


def _take_pack(old: Any, rollout: Any, mask: Any) -> tuple[Any, Any, Any]:
    old = take_array(old)
    rollout, mask = take_array(rollout, old), take_array(mask, old)
    check_shapes(
        "old_log_prob", old, "rollout_log_prob", rollout, "one of them also covers the prompt, or is shifted by a token"
    )
    check_shapes("old_log_prob", old, "response_mask", mask, "the mask covers prompt and response, or is not packed")
    return old, rollout, _as_factor(mask)


def _as_factor(mask: Any) -> Any:
    """A mask in a type that keeps products in float32: numpy would multiply float32 with whole numbers in float64."""
    return mask.astype(np.float32) if not is_tensor(mask) and mask.dtype.kind in "biu" else mask


def _read_thresholds(name: str, bounds: Thresholds) -> Thresholds:
    if not isinstance(bounds, (tuple, list)) or len(bounds) != 2:
        raise ArgumentError(f"rollout_is_{name}", "(upper, lower)", bounds)
    upper, lower = bounds
    for bound in bounds:
        read_number(f"rollout_is_{name}", bound)
    if not upper > lower:
        hint = "" if lower <= upper else f"; likely: rollout_is_{name} is (upper, lower), so write ({lower}, {upper})"
        raise ValueError(f"upper_{name} must be greater than lower_{name}, but got {upper} and {lower}{hint}")
    return upper, lower


def _sum(values: Any, mask: Any, axis: int | None = None) -> Any:
    xp = module_of(values)
    return (xp.where(mask != 0, values, xp.zeros_like(values)) * mask).sum(axis)


def _mean(values: Any, mask: Any, axis: int | None = None) -> Any:
    return _sum(values, mask, axis) / (mask.sum(axis) + EPSILON)


def _to_float(flags: Any) -> Any:
    """Flags as float32 ones and zeros, as xtuner has them."""
    return flags.float() if is_tensor(flags) else flags.astype("float32")


def _log(bound: float) -> float:
    if bound > 0:
        return math.log(bound)
    return -math.inf if bound == 0 else math.nan


def _to_scalar(value: Any) -> Any:
    return value if isinstance(value, (bool, float)) else float(value)


def _no_gradients(like: Any) -> Any:
    return module_of(like).no_grad() if is_tensor(like) else nullcontext()


def _quiet(like: Any) -> Any:
    """Silences numpy's warnings about infinities and NaN, which are valid figures here, as in torch."""
    return nullcontext() if is_tensor(like) else np.errstate(all="ignore")
