"""Digit proxy, number-token loss and rewards, compared with plain formulas."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import pytest

from logratio.digits import (
    compute_bonus_reward,
    compute_confidence_reward,
    compute_full_ntl_reward,
    compute_loss_reward,
    digit_log_probs,
    digit_losses,
    digit_proxy,
    find_digit_tokens,
    number_token_loss,
    read_digit_log_probs,
    take_digit_tokens,
)

ENTRIES = ["<pad>", *"0123456789", " 7", "12", "The", " answer", " is", " ", "٣"]
TOKENIZER = type(
    "Table",
    (),
    {"__len__": lambda self: len(ENTRIES), "decode": lambda self, ids: "".join(ENTRIES[token] for token in ids)},
)()


def test_the_documents_example():
    """The example "The answer is 186"."""
    digits = find_digit_tokens(TOKENIZER)
    ids = [13, 14, 15, 2, 9, 7]
    info = digit_proxy([ids], [[-1.0, -1.0, -1.0, -0.05, -0.1, -0.2]], digits)
    assert info == {
        "digit_positions": [[3, 4, 5]],
        "digit_ground_truth": [[1, 8, 6]],
        "digit_log_probs_selected": [[-0.05, -0.1, -0.2]],
        "ntl_loss": pytest.approx(0.35 / 3),
        "avg_digit_log_prob": pytest.approx(-0.35 / 3),
        "total_digits": 3,
        "method": "simplified_from_rollout_log_probs",
    }


def test_digit_tokens():
    assert find_digit_tokens(TOKENIZER) == {digit + 1: digit for digit in range(10)} | {11: 7}
    assert take_digit_tokens(range(20, 30))[27] == 7
    with pytest.raises(ValueError, match="ten different token ids"):
        take_digit_tokens([1] * 10)
    with pytest.raises(ValueError, match="none of the 1 entries of the vocabulary is a single digit"):
        find_digit_tokens(type("Words", (), {"__len__": lambda self: 1, "decode": lambda self, ids: "a"})())


def test_masked_and_unknown_digits_are_left_out(torch):
    ids, values = [[1, 2, 3], [4, 0, 5]], [[-1.0, math.nan, -2.0], [-math.inf, -1.0, -3.0]]
    for xp in (np, torch):
        info = digit_proxy(
            xp.asarray(ids), xp.asarray(values), take_digit_tokens(range(1, 11)), xp.asarray([[1, 1, 0], [1, 1, 1]])
        )
        assert info["digit_positions"] == [[0], [2]]
        assert info["digit_ground_truth"] == [[0], [4]]
        assert info["avg_digit_log_prob"] == -2.0
    empty = digit_proxy([[0]], [[-1.0]], take_digit_tokens(range(1, 11)))
    assert (empty["avg_digit_log_prob"], empty["ntl_loss"], empty["total_digits"]) == (None, None, 0)
    with pytest.raises(ValueError, match=r"token_ids\[0\] has the shape \[2\], log_probs\[0\] \[1\]"):
        digit_proxy([[1, 2]], [[-1.0]], {})


@pytest.mark.parametrize("seed", range(5))
def test_losses_against_their_formulas(seed, torch):
    rng = np.random.default_rng(seed)
    logits = rng.normal(0, 3, (2, 6, 30))
    ids = rng.permutation(30)[:10].tolist()
    positions, truths = [[0, 3], [5]], rng.integers(0, 10, 3).tolist()
    truths = [truths[:2], truths[2:]]
    losses = {"mse": [], "wasserstein": [], "mae": []}
    hits = 0
    for row, (places, own) in enumerate(zip(positions, truths, strict=True)):
        for place, truth in zip(places, own, strict=True):
            masses = np.exp(logits[row, place, ids]) / np.exp(logits[row, place, ids]).sum()
            expected = sum(digit * mass for digit, mass in enumerate(masses))
            # Wasserstein-1 as the distance of the cumulative sums.
            steps = np.cumsum(masses) - (np.arange(10) >= truth)
            for name, value in (
                ("mse", (expected - truth) ** 2),
                ("wasserstein", abs(steps).sum()),
                ("mae", abs(expected - truth)),
            ):
                losses[name].append(value)
            hits += masses.argmax() == truth
    for xp in (np, torch):
        log_probs = digit_log_probs(xp.asarray(logits), ids)
        for method, values in losses.items():
            found = number_token_loss(log_probs, positions, truths, method)
            assert found["ntl_loss"] == pytest.approx(np.mean(values), rel=1e-12)
            assert found["ntl_reward"] == pytest.approx(math.exp(-np.mean(values)))
            assert (found["correct_digits"], found["total_digits"], found["method"]) == (hits, 3, method)
    leaf = torch.tensor(logits, dtype=torch.bfloat16, requires_grad=True)
    assert digit_log_probs(leaf, ids).dtype == torch.float32
    assert not digit_log_probs(leaf, ids).requires_grad


def test_nothing_to_judge_and_refusals():
    found = number_token_loss([np.zeros((2, 10))], [[]], [[]])
    assert (found["ntl_loss"], found["ntl_reward"], found["digit_accuracy"]) == (0.0, 1.0, 0.0)
    with pytest.raises(ValueError, match="digit position 2 of sequence 0 is outside its 2 tokens"):
        number_token_loss([np.zeros((2, 10))], [[2]], [[1]])
    with pytest.raises(ValueError, match="1 digit positions and 2 true digits"):
        number_token_loss([np.zeros((2, 10))], [[1]], [[1, 2]])
    with pytest.raises(ValueError, match='no method "l1"; known: mse, wasserstein, mae'):
        number_token_loss([], [], [], "l1")
    with pytest.raises(ValueError, match=r"ten digits, got the shape \[3\]"):
        digit_losses([0.1, 0.2, 0.7], 1)
    with pytest.raises(ValueError, match="0 to 9, not 10"):
        digit_losses([0.1] * 10, 10)
    assert digit_losses([0.5, 0.5, *[0.0] * 8], 9).argmax == 0


def test_what_a_server_lists():
    listed = {5: SimpleNamespace(logprob=math.log(0.6)), 6: math.log(0.2), 99: math.log(0.1)}
    found = np.exp(read_digit_log_probs(listed, range(5, 15)))
    np.testing.assert_allclose(found, [0.75, 0.25, *[0.0] * 8])
    assert np.isneginf(read_digit_log_probs({}, range(10))).all()


def test_rewards():
    sure = {"avg_digit_log_prob": math.log(0.8), "total_digits": 4}
    assert compute_confidence_reward(sure, 1.0) == pytest.approx(0.9)
    assert compute_bonus_reward(sure, 10.0) == pytest.approx(11.0)
    assert compute_bonus_reward({"avg_digit_log_prob": -0.5, "total_digits": 1}, 10.0) == 10.0
    for nothing in (None, {}, {"avg_digit_log_prob": None, "total_digits": 0}):
        assert compute_confidence_reward(nothing, 3.0) == 3.0
        assert compute_bonus_reward(nothing, 3.0) == 3.0
    half = [0.0, 0.0, 0.0, 0.5, 0.5, *[0.0] * 5]
    assert compute_full_ntl_reward([half, half], [3, 4]) == pytest.approx(math.exp(-0.25))
    assert compute_full_ntl_reward([], []) == 1.0
    assert compute_loss_reward(0.0) == 1.0
    with pytest.raises(ValueError, match="1 digit distributions, 2 true digits"):
        compute_full_ntl_reward([half], [1, 2])
