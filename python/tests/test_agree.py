"""Whether two policies agree: error rates by simulation, messages as they are read, bits."""

from __future__ import annotations

import numpy as np
import pytest

from logratio import LogratioError, assert_policies_agree, compare_policies
from logratio.agree.statistics import bound_mean, student_quantile


def make(sequences: int, tokens: int = 30, noise: float = 0.01, seed: int = 0):
    rng = np.random.default_rng(seed)
    a = -np.abs(rng.standard_normal((sequences, tokens))) - 0.5
    return a, a + noise * rng.standard_normal((sequences, tokens))


@pytest.mark.parametrize(
    ("probability", "degrees", "expected"),
    # Student's t in published tables.
    [(0.95, 1, 6.313752), (0.95, 9, 1.833113), (0.975, 30, 2.042272), (0.995, 4, 4.604095), (0.95, 1000, 1.646379)],
)
def test_quantiles_are_those_of_tables(probability, degrees, expected):
    assert student_quantile(probability, degrees) == pytest.approx(expected, abs=1e-6)


def draw_log_normal(rng, clusters, sigma):
    counts = rng.integers(20, 400, clusters).astype(float)
    return np.exp(sigma * rng.standard_normal(clusters) - sigma**2 / 2) * counts, counts


def draw_normal(rng, clusters, sigma):
    counts = rng.integers(20, 400, clusters).astype(float)
    return (1 + sigma * rng.standard_normal(clusters)) * counts, counts


@pytest.mark.parametrize(
    ("draw", "sigma", "clusters", "most"),
    # Policies that differ by exactly the tolerance may be certified in at most this many of 600 draws; nominal is 0.05.
    [
        (draw_normal, 0.3, 10, 0.05),
        (draw_normal, 0.3, 50, 0.05),
        (draw_log_normal, 0.5, 10, 0.10),
        (draw_log_normal, 1.0, 10, 0.11),
        (draw_log_normal, 1.0, 50, 0.08),
        (draw_log_normal, 1.5, 50, 0.08),
    ],
)
def test_what_differs_by_the_tolerance_is_seldom_certified(draw, sigma, clusters, most):
    rng = np.random.default_rng(7)
    certified = sum(bound_mean(*draw(rng, clusters, sigma), 0.05).high < 1 for _ in range(600))
    assert certified / 600 <= most


def test_certifies_what_is_well_within_the_tolerance():
    rng = np.random.default_rng(8)
    held = sum(bound_mean(*draw_log_normal(rng, 30, 0.5), 0.05).high < 2 for _ in range(300))
    assert held / 300 > 0.95


def test_tokens_of_one_sequence_are_not_independent():
    # Each sequence has its own offset, so an interval by token would be ten times too narrow.
    rng = np.random.default_rng(9)
    outside = 0
    for _ in range(300):
        offsets = 0.01 * rng.standard_normal((20, 1))
        a = np.full((20, 100), -1.0)
        found = compare_policies(a, a + offsets, tol=1e-4, statistic="mean")
        outside += found.interval.low > 0 or found.interval.high < 0
    # Two ends with 0.05 each.
    assert 0.05 < outside / 300 < 0.16


def test_clusters_widen_the_interval_where_prompts_are_alike():
    rng = np.random.default_rng(10)
    a = np.full((40, 50), -1.0)
    b = a + np.repeat(0.01 * np.abs(rng.standard_normal((10, 1))), 4, axis=0)
    alone = compare_policies(a, b, tol=0.1).interval
    uid = [f"p{i // 4}" for i in range(40)]
    grouped = compare_policies({"log_probs": a, "uid": uid}, b, tol=1e-3)
    named = compare_policies(a, b, tol=1e-3, clusters=np.arange(40) // 4)
    assert (alone.clusters, grouped.interval.clusters) == (40, 10)
    assert grouped.interval == named.interval
    assert grouped.interval.high - grouped.interval.mean > 1.8 * (alone.high - alone.mean)
    assert "40 sequences, 10 independent by prompt or group" in grouped.message


def test_one_token_does_not_decide_unless_asked():
    a, b = make(200, noise=0.001)
    b[3, 4] -= 0.5
    found = assert_policies_agree(a, b, tol=0.01)
    assert (found.decision, found.max_abs > 0.49) == ("equivalent", True)
    with pytest.raises(AssertionError, match=r"max \|Δ\| is 0\.4992, above max_tol 0\.1"):
        assert_policies_agree(a, b, tol=0.01, max_tol=0.1)


def test_says_what_differs():
    a = np.tile([-1.0, -2.0, -0.5], (12, 1))
    b = a.copy()
    b[:, 0] -= np.linspace(0.03, 0.06, 12)
    b[7, 2] = -0.75
    ids = np.arange(36).reshape(12, 3)
    with pytest.raises(AssertionError) as caught:
        assert_policies_agree(
            {"rollout_log_probs": a, "responses": ids, "step": 5}, b, tol=0.005, names=("vllm", "hf"), worst=2
        )
    assert str(caught.value).splitlines() == [
        "vllm and hf do not agree within 0.005 nats: the whole 90 % interval of mean |Δ| is beyond it",
        "  compared   36 tokens in 12 sequences, 12 independent by sequence",
        "  mean |Δ|   0.02194, 90 % interval 0.009139 to 0.06531; max |Δ| 0.25",
        "  worst tokens (nats, Δ = hf - vllm)",
        "    s5.q7.t2   id 23  vllm -0.5  hf -0.75  Δ -0.25",
        "    s5.q11.t0  id 33  vllm -1  hf -1.06  Δ -0.06",
    ]


def test_not_finding_a_difference_is_no_agreement():
    a, b = make(12, noise=0.01)
    interval = compare_policies(a, b, tol=1).interval
    # Half of the tolerance needs four times as many sequences.
    tol = (interval.mean + interval.high) / 2
    found = compare_policies(a, b, tol=tol)
    assert (found.agree, found.decision) == (False, "undecided")
    assert f"not shown to agree within {tol:g} nats: the 90 % interval of mean |Δ| reaches {interval.high:.4g}" in (
        found.message
    )
    assert f"  try        about 48 independent sequences, where the mean would be told from {tol:g}" in found.message


def test_few_sequences_fall_back_on_the_maximum():
    a, b = make(3)
    assert assert_policies_agree(a, b, tol=0.1).decision == "within"
    with pytest.raises(
        AssertionError,
        match=r"are not shown to agree .* too few to judge the mean by an interval \(3 of at least 10\), and max",
    ):
        assert_policies_agree(a, b, tol=0.01)


def test_mean_lets_noise_cancel_but_not_bias():
    a, b = make(100, noise=0.05)
    assert not compare_policies(a, b, tol=0.01).agree
    assert compare_policies(a, b, tol=0.01, statistic="mean").agree
    assert compare_policies(a, b - 0.02, tol=0.01, statistic="mean").decision == "different"
    assert compare_policies(a, b + 0.02, tol=0.01, statistic="mean").decision == "different"


def test_missing_on_one_side_is_a_difference():
    a, b = make(12, noise=1e-4)
    a[0, 0] = b[0, 0] = np.nan
    found = compare_policies(a, b, tol=0.01)
    assert found.agree and found.tokens == 359 and "1 token left out, NaN on both sides" in found.message
    b[2, 1] = np.nan
    found = compare_policies(a, b, tol=0.01)
    assert found.decision == "incomparable" and "1 token NaN or infinite on one side only" in found.message
    assert "    q2.t1 " in found.message
    a[2, 1] = b[2, 1] = -np.inf
    assert compare_policies(a, b, tol=0.01).agree


def test_masks_are_joined_and_nothing_is_not_agreement():
    a, b = make(12, noise=0)
    b[:, 5] = -9
    mask = np.ones_like(a)
    mask[:, 5] = 0
    assert compare_policies({"log_probs": a, "response_mask": mask}, b, tol=0.01).agree
    assert compare_policies(a, b, tol=0.01, mask=mask).tokens == 12 * 29
    for bitwise in (False, True):
        nothing = compare_policies(a, b, tol=0.01, mask=mask * 0, bitwise=bitwise)
        assert not nothing.agree and "there are no tokens to compare" in nothing.message


def test_takes_a_batch_with_both_sides_and_lists():
    batch = {"rollout_log_probs": [[-1.0, -2.0], [-3]], "old_log_probs": [[-1.0, -2.0], [-3]]}
    assert compare_policies(batch, tol=0.1).tokens == 3
    assert compare_policies([-1.0, None], [-1.0, None], tol=0.1).tokens == 1


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ([[-1.0, -2.0]], [[-1.0]], "a has 2 tokens in sequence 0, b 1"),
        (np.zeros((2, 3)), np.zeros((3, 3)), "a has 2 sequences, b 3"),
        ({"response_mask": [[1]]}, [[-1.0]], "a has no log-probs"),
        (np.zeros((2, 3), np.int64), np.zeros((2, 3)), "a has int64, expected floating-point log-probs"),
        (np.zeros((1, 2, 3)), np.zeros((1, 2, 3)), "a has 3 dimensions"),
        (
            {"log_probs": [[-1.0, -2.0]], "responses": [[4, 5]]},
            {"log_probs": [[-1.0, -2.0]], "responses": [[4, 6]]},
            "the sides scored different tokens at 1 place, the first: q0.t1, a 5, b 6",
        ),
    ],
)
def test_refuses_what_is_not_aligned(a, b, message):
    with pytest.raises(LogratioError) as caught:
        compare_policies(a, b, tol=0.1)
    assert caught.value.message == message


def test_refuses_a_tolerance_of_nothing():
    for tol in (None, 0, float("nan")):
        with pytest.raises(ValueError, match=r"tol must be (above 0 nats|a number)"):
            compare_policies([-1.0], [-1.0], tol=tol)


def test_bits():
    a = np.array([[-1.0, 0.0, np.nan, -2.0, -0.5, -0.25]], np.float32)
    b = a.copy()
    b[0, 1] = -0.0
    same = assert_policies_agree(a, b, bitwise=True)
    assert same.message == (
        "all 6 tokens are equal bit for bit: fewer than 0.5 of all are unequal (95 %); "
        "1 token 0 on one side and -0 on the other"
    )
    b[0, 3] = np.nextafter(b[0, 3], np.float32(0))
    for _ in range(3):
        b[0, 4] = np.nextafter(b[0, 4], np.float32(-9))
    b[0, 5] = np.nan
    found = compare_policies(a, b, bitwise=True)
    assert (found.bitwise.unequal, found.bitwise.first, found.bitwise.incomparable) == (3, 3, 1)
    assert found.bitwise.histogram == ((1, 1, 1), (3, 4, 1))
    lines = found.message.splitlines()
    assert lines[0] == "a and b are not equal bit for bit: 3 of 6 tokens differ, the first at q0.t3"
    assert lines[1].startswith(
        "  units in the last place (float32)  1: 1, 3-4: 1, NaN or infinity on one side: 1; 1 token"
    )


def test_bits_across_zero_and_the_whole_range():
    tiny = np.array([np.finfo(np.float64).smallest_subnormal])
    assert compare_policies(tiny, -tiny, bitwise=True).bitwise.histogram == ((2, 2, 1),)
    huge = np.array([np.finfo(np.float64).max])
    ((low, high, count),) = compare_policies(huge, -huge, bitwise=True).bitwise.histogram
    # 2 · (2⁶³ - 2⁵² - 1) representable numbers lie between.
    assert low <= 2 * (2**63 - 2**52 - 1) <= high and count == 1


def test_bits_of_different_types_are_refused():
    with pytest.raises(LogratioError, match="a is float32, b float64: their bits cannot be equal"):
        compare_policies(np.zeros((1, 2), np.float32), np.zeros((1, 2)), bitwise=True)


def test_bits_of_bfloat16():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: bfloat16 tensors are not compared")
    a = torch.tensor([[-1.0, -2.0]], dtype=torch.bfloat16, requires_grad=True)
    b = torch.tensor([[-1.0, -2.015625]], dtype=torch.bfloat16)
    found = compare_policies(a, b, bitwise=True)
    assert found.bitwise.histogram == ((1, 1, 1),) and "(bfloat16)  1: 1" in found.message
    assert compare_policies(a, b, tol=0.02).decision == "within"
