"""The neutral correction, compared with plain loops over random batches, in numpy and torch."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from logratio.corrections import apply_correction, compute_rollout_importance_weights, parse_correction

TEXTS = [
    "none",
    "weight:token truncate:..2",
    "weight:token:delta=0.5 truncate:0.5..",
    "weight:sequence:log=2 truncate:0.5..2 normalize:sequence",
    "weight:sequence.mean normalize:every-sequence",
    "weight:turn.mean zero:weight:0.8..1.25 normalize:token",
    "weight:turn:kept mask:token.k2:..0.3",
    "mask:sequence.mean.ratio:0.9..1.1",
    "mask:turn.max.k3:..0.4",
    "mask:sequence.max.k3_reverse:..2",
    "mask:sequence.sum.k1:-1..1:delta=0.3",
    "zero:token.prob_diff:..0.05:positive",
    "mask:token.abs_prob_diff:..0.1:negative",
    "zero:token.binary_kl:..0.02:positive:diverging",
    "mask:token.binary_kl_reverse:..0.05",
    "mask:sequence.mean.binary_kl:..0.04:prob=1e-6",
    "mask:turn.max.binary_kl_reverse:..0.1:shift=1e-8",
    "veto:binary_kl:..0.3:prob=0.001",
    "mask:sequence.mean.error_ratio:..1.4:not-positive",
    "mask:token.ratio_distance:..0.3:diverging",
    "mask:token.k2:..0.2:nan mask:sequence.mean.k2:..0.05:kept",
    "weight:token zero:token.k2:..0.1 mask:weight:0.1..9 veto:ratio:0.2..5",
    "weight:sequence:kept mask:token.k3:..0.05 truncate:..3",
]


def make_batch(seed, rows=5, width=13, nan=False):
    rng = np.random.default_rng(seed)
    rollout = -rng.random((rows, width)) * 2
    old = np.minimum(rollout + rng.normal(0, 0.6, (rows, width)), -1e-6)
    if nan:
        old[0, 1] = np.nan
        old[1, 2] = -np.inf
        rollout[2, 3] = -np.inf
    mask = (rng.random((rows, width)) < 0.7).astype(np.int64)
    mask[-1] = 0
    return rollout, old, mask, rng.normal(size=(rows, width))


def find_segments(mask, level):
    """Lists of ``(row, position)`` of tokens with mask 1."""
    rows, width = mask.shape
    if level == "token":
        return [[(b, t)] for b in range(rows) for t in range(width) if mask[b, t]]
    if level == "sequence":
        return [own for b in range(rows) if (own := [(b, t) for t in range(width) if mask[b, t]])]
    found = []
    for b in range(rows):
        for t in range(width):
            if mask[b, t]:
                if t > 0 and mask[b, t - 1]:
                    found[-1].append((b, t))
                else:
                    found.append([(b, t)])
    return found


def compute_binary_kl(log_p, log_q, measure):
    """Bernoulli(p) against Bernoulli(q), as the formula is written."""
    p, q = (min(max(math.exp(log), measure.prob_bound), 1 - measure.prob_bound) for log in (log_p, log_q))
    shift = measure.rest_shift
    if q == 0 or math.isnan(q):
        return math.inf if q == 0 else math.nan
    same = p * math.log(p / q) if p > 0 else 0.0
    return same + (1 - p) * math.log((1 - p + shift) / (1 - q + shift))


def compute_statistic(name, rollout, old, bound, measure=None):
    delta = old - rollout
    if not math.isnan(delta):
        delta = max(-bound, min(bound, delta))
    table = {
        "ratio": lambda: delta,
        "error_ratio": lambda: math.exp(abs(delta)),
        "ratio_distance": lambda: abs(math.exp(delta) - 1),
        "k1": lambda: -delta,
        "k2": lambda: delta**2 / 2,
        "k3": lambda: math.exp(delta) - 1 - delta,
        "k3_reverse": lambda: math.exp(-delta) - 1 + delta,
        "prob_diff": lambda: math.exp(old) - math.exp(rollout),
        "abs_prob_diff": lambda: abs(math.exp(old) - math.exp(rollout)),
        "binary_kl": lambda: compute_binary_kl(rollout, old, measure),
        "binary_kl_reverse": lambda: compute_binary_kl(old, rollout, measure),
    }
    return table[name]()


def measure_token(measure, rollout, old):
    return compute_statistic(measure.statistic, rollout, old, measure.delta_bound, measure)


def aggregate(values, aggregation):
    if not values:
        return 0.0
    if any(math.isnan(value) for value in values):
        return math.nan
    return {"sum": sum, "mean": lambda own: sum(own) / len(own), "max": max}[aggregation](values)


def apply_plainly(text, rollout, old, mask, advantages):
    """The definitions, token by token."""
    correction = parse_correction(text)
    kept = mask.copy()
    weights = None

    def start():
        if correction.weight is None:
            return mask.astype(float)
        weight, found = correction.weight, np.zeros(mask.shape)
        for segment in find_segments(mask, weight.level):
            own = segment if not weight.kept or weight.level == "token" else [at for at in segment if kept[at]]
            deltas = [compute_statistic("ratio", rollout[at], old[at], weight.delta_bound) for at in own]
            log = aggregate(deltas, weight.aggregation)
            for at in segment:
                found[at] = math.exp(max(-weight.log_bound, min(weight.log_bound, log)))
        return found

    for step in correction.steps:
        kind = type(step).__name__
        if weights is None and (kind in ("Truncate", "Normalize") or getattr(step, "action", "") == "zero"):
            weights = start()
        if kind == "Truncate":
            weights = np.where(mask, np.clip(weights, step.bounds.lower, step.bounds.upper), 0)
        elif kind == "Normalize":
            if step.over == "token":
                mean = weights[mask == 1].mean()
            else:
                own = [np.mean([weights[at] for at in segment]) for segment in find_segments(mask, "sequence")]
                mean = sum(own) / (len(own) if step.over == "sequence" else len(mask))
            weights = weights / mean
        elif kind == "Veto":
            for b, t in np.argwhere(mask):
                value = measure_token(step.measure, rollout[b, t], old[b, t])
                value = math.exp(value) if step.measure.statistic == "ratio" else value
                if value < step.bounds.lower or value > step.bounds.upper:
                    kept[b] = 0
        else:
            if step.measure is None and weights is None:
                weights = start()
            level = step.measure.level if step.measure else correction.weight.level
            before = kept.copy()
            for segment in find_segments(mask, level):
                if step.measure is None:
                    value = weights[segment[0]]
                else:
                    measure = step.measure
                    own = segment if not measure.kept or level == "token" else [at for at in segment if before[at]]
                    values = [measure_token(measure, rollout[at], old[at]) for at in own]
                    value = aggregate(values, measure.aggregation)
                    value = math.exp(value) if measure.statistic == "ratio" else value
                if step.bounds.lower <= value <= step.bounds.upper or (step.nan_kept and math.isnan(value)):
                    continue
                mean = aggregate([advantages[at] for at in segment], "mean")
                signs = {"positive": mean > 0, "negative": mean < 0, "not positive": mean <= 0, None: True}
                if not signs[step.when]:
                    continue
                for at in segment:
                    if step.diverging and not (old[at] - rollout[at]) * advantages[at] > 0:
                        continue
                    (weights if step.action == "zero" else kept)[at] = 0
    if weights is None and correction.weight is not None:
        weights = start()
    return weights, kept


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("text", TEXTS)
def test_what_loops_give(text, seed):
    batch = make_batch(seed)
    weights, kept = apply_plainly(text, *batch)
    *columns, advantages = batch
    applied = apply_correction(text, *columns, advantages=advantages)
    np.testing.assert_array_equal(applied.mask, kept)
    assert (applied.weights is None) == (weights is None)
    if weights is not None:
        np.testing.assert_allclose(applied.weights, weights, rtol=1e-12)


@pytest.mark.parametrize("nan", [False, True])
@pytest.mark.parametrize("text", TEXTS)
def test_torch_as_numpy(text, nan, torch):
    batch = make_batch(3, nan=nan)
    *columns, advantages = batch
    ours = apply_correction(text, *columns, advantages=advantages)
    tensors = [torch.tensor(column) for column in batch]
    tensors[1].requires_grad_()
    applied = apply_correction(text, *tensors[:3], advantages=tensors[3])
    np.testing.assert_array_equal(applied.mask.numpy(), ours.mask)
    assert applied.mask.dtype == torch.int64
    if ours.weights is not None:
        assert not applied.weights.requires_grad
        np.testing.assert_allclose(applied.weights.numpy(), ours.weights, rtol=1e-12)
        np.testing.assert_allclose(applied.raw_weights.numpy(), ours.raw_weights, rtol=1e-12)


@pytest.mark.parametrize("text", TEXTS)
def test_packed_as_padded(text):
    """Sequences without padding, packed one after another: turns end where a sequence ends."""
    rollout, old, mask, advantages = make_batch(5)
    padded = apply_correction(text, rollout, old, mask, advantages=advantages)
    flat = [column.reshape(-1) for column in (rollout, old, mask)]
    packed = apply_correction(text, *flat, advantages=advantages.reshape(-1), num_tokens=[13] * 5)
    np.testing.assert_array_equal(packed.mask, padded.mask.reshape(-1))
    if padded.weights is not None:
        np.testing.assert_allclose(packed.weights, padded.weights.reshape(-1), rtol=1e-12)


@pytest.mark.parametrize("statistic", ["binary_kl", "binary_kl_reverse"])
def test_binary_kl_as_in_60_digits(statistic):
    """The cases of src/trainers/neutral/binary-kl.test.ts."""
    cases = json.loads((Path(__file__).parents[2] / "test/fixtures/binary-kl.json").read_text())
    for case in cases:
        options = "".join(
            f":{name}={case[key]}" for key, name in (("probBound", "prob"), ("restShift", "shift")) if key in case
        )
        rollout, old = np.array([[case["rollout"]]]), np.array([[case["trainer"]]])
        wanted = case[statistic]
        # A shift leaves terms of opposite signs.
        slack = 1e-12 * abs(wanted) + (1e-22 if "restShift" in case else 0)
        for bounds, kept in ((f"{wanted - slack}..{wanted + slack}", 1), (f"..{wanted - slack - 1e-300}", 0)):
            text = f"mask:token.{statistic}:{bounds}{options}".replace("e-0", "e-")
            assert apply_correction(text, rollout, old).mask[0, 0] == kept, case


def test_nan_is_outside_unless_a_rule_keeps_it():
    rollout, old, mask, _ = make_batch(3, nan=True)
    mask[0, 1] = 1
    assert apply_correction("mask:token.k2:..9e9", rollout, old, mask).mask[0, 1] == 0
    assert apply_correction("mask:token.k2:..9e9:nan", rollout, old, mask).mask[0, 1] == 1
    assert apply_correction("veto:ratio:1e-9..1e9", rollout[:1], old[:1], mask[:1]).mask[0, 1] == 1


def test_types_and_shapes_stay(torch):
    rollout, old, mask, _ = make_batch(1)
    for kind in (torch.float32, torch.bfloat16):
        applied = apply_correction(
            "weight:token mask:weight:0.5..2",
            torch.tensor(rollout).to(kind),
            torch.tensor(old).to(kind),
            torch.tensor(mask).bool(),
        )
        assert (applied.weights.dtype, applied.mask.dtype, applied.mask.shape) == (kind, torch.bool, (5, 13))
    assert apply_correction("none", rollout, old).mask.all()


def test_advantages_by_sequence():
    rollout, old, mask, advantages = make_batch(2)
    text = "mask:token.k2:..0.05:positive"
    by_row = apply_correction(text, rollout, old, mask, advantages=advantages[:, 0])
    by_token = apply_correction(text, rollout, old, mask, advantages=np.repeat(advantages[:, :1], 13, 1))
    np.testing.assert_array_equal(by_row.mask, by_token.mask)
    with pytest.raises(ValueError, match="give advantages"):
        apply_correction(text, rollout, old, mask)


@pytest.mark.parametrize(
    ("short", "text"),
    [
        ("tis", "weight:token truncate:..2"),
        ("tis:0.5..3", "weight:token truncate:0.5..3"),
        ("icepop", "weight:token zero:weight:0.5..5"),
        ("mis:..4 veto:ratio:1e-4..", "weight:token mask:weight:..4 veto:ratio:0.0001.."),
    ],
)
def test_short_names(short, text):
    assert parse_correction(short) == parse_correction(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("tis:", "a range is missing after truncate:"),
        ("veto:ratio:1e-4.. tis", "the one weight comes first"),
        ("", 'the correction is empty: "none" does nothing'),
        ("clip:..2", '"clip:..2" is not understood: it must begin with one of weight, truncate, zero, mask'),
        ("truncate:..2 weight:token", "the one weight comes first"),
        ("mask:word.k2:..2", 'there is no level "word"; known: token, turn, sequence'),
        ("mask:sequence.k2:..2", "a measure is token.STATISTIC, or LEVEL.AGGREGATION.STATISTIC"),
        ("mask:token.k2:2", '"2" is not a range: write 0.5..2, 0.5.. or ..2'),
        ("mask:token.k2:..two", '"two" is not a number'),
        ("mask:token.k2:..2:prob=0.1", "step 1 (mask) has a guard that it cannot take"),
        ("mask:token.binary_kl:..2:prob=0.5", "only a binary KL has prob, above 0 and below 0.5"),
        ("mask:token.binary_kl:..2:shift=1", "and shift, below 1"),
        ("mask:token.k2:..", "has no bound"),
        ("mask:token.k2:..2:often", 'there is no option "often" here'),
        ("mask:token.k2:", "a range is missing after mask:"),
        ("weight:token truncate:2..0.5", "lower bound 2 above its upper bound 0.5; likely: the bounds are in another"),
        ("truncate:..2", "has no weight to compare with its bounds"),
        ("normalize:token", "has no weights to normalize"),
        ("veto:ratio:..-1", "ratios are positive"),
        ("weight:sequence.mean.max", "write weight:sequence.mean"),
    ],
)
def test_refused_texts(text, message):
    with pytest.raises(ValueError) as refused:
        parse_correction(text)
    assert message in str(refused.value)


def test_refused_shapes():
    rollout, old, mask, _ = make_batch(0)
    for columns, words in (
        ((rollout[:, :5], old, mask), ("[5, 13]", "[5, 5]", "likely")),
        ((rollout, old, mask[:2]), ("[5, 13]", "[2, 13]", "covers prompt and response")),
        ((rollout[0], old[0], mask[0]), ("[13]", "give num_tokens")),
    ):
        with pytest.raises(ValueError) as refused:
            apply_correction("none", *columns)
        assert all(word in str(refused.value) for word in words)
    with pytest.raises(ValueError, match=r"num_tokens adds up to 12, old_log_probs has the shape \[13\]"):
        apply_correction("none", rollout[0], old[0], num_tokens=[6, 6])


def test_xtuner_refuses_what_it_cannot_mean():
    one = np.array([-1.0, -2.0])
    for settings, message in (
        ({"rollout_is_level": "turn"}, "Invalid rollout_is_level: turn. Must be 'token', 'sequence', or 'geometric'."),
        ({"rollout_is_mode": "clip"}, "Invalid rollout_is_mode: clip. Must be 'truncate', 'mask', or 'both'."),
        ({"rollout_is_threshold": (0.5, 2.0)}, "but got 0.5 and 2.0; likely: rollout_is_threshold is (upper, lower)"),
        (
            {"rollout_is_threshold": (0.5, 0.5)},
            "upper_threshold must be greater than lower_threshold, but got 0.5 and 0.5",
        ),
        ({"rollout_is_veto_threshold": (0.1, 10.0)}, "so write (10.0, 0.1)"),
    ):
        settings = {"rollout_is_threshold": (2.0, 0.5)} | settings
        with pytest.raises(ValueError) as refused:
            compute_rollout_importance_weights(one, one, [2], np.ones(2), **settings)
        assert message in str(refused.value)
    with pytest.raises(ValueError, match=r"old_log_prob has the shape \[2\], rollout_log_prob \[1\]"):
        compute_rollout_importance_weights(one, one[:1], [2], np.ones(2), rollout_is_threshold=(2.0, 0.5))
    with pytest.raises(ValueError, match="num_tokens adds up to 3"):
        compute_rollout_importance_weights(one, one, [3], np.ones(2), rollout_is_threshold=(2.0, 0.5))


def test_xtuners_types(torch):
    """bfloat16 weights for bfloat16 log-probs, a float32 mask for whole numbers, in the given shape, detached."""
    old = torch.tensor([[-1.0, -2.0, -0.5]], dtype=torch.bfloat16, requires_grad=True)
    weights, mask, _ = compute_rollout_importance_weights(
        old, old.detach() - 0.25, torch.tensor([2, 1]), torch.tensor([[1, 1, 0]]), rollout_is_threshold=(2.0, 0.5)
    )
    assert (weights.dtype, mask.dtype, weights.shape) == (torch.bfloat16, torch.float32, (1, 3))
    assert not weights.requires_grad
    assert weights[0, 2] == 0
    weights, mask, metrics = compute_rollout_importance_weights(old, old, torch.tensor([3]), torch.ones(1, 3))
    assert weights is None
    assert metrics == {}
