"""Figures of rows of logits, compared with their textbook formulas in float64."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path

import numpy as np
import pytest
from conftest import exact_figures

EXACT = Path(__file__).parents[2] / "test/fixtures/distribution/exact.json"


@pytest.fixture(autouse=True)
def _needs_torch(torch):
    pass


def compute(p, q, tokens, k=3):
    import torch

    from logratio.scoring.figures import compare_rows, describe_rows

    p, q = (torch.tensor(np.asarray(rows), dtype=torch.float32) for rows in (p, q))
    found = describe_rows(p, torch.tensor(tokens), k) | {
        f"{name}.0": values for name, values in compare_rows(p, q).items()
    }
    return {name: values.numpy() for name, values in found.items()}


@pytest.mark.parametrize("apart", [1e-4, 1e-2, 1.0, 8.0])
def test_figures_of_random_rows(apart):
    random = np.random.default_rng(int(apart * 1e4))
    p = (random.normal(size=(40, 501)) * 4).astype(np.float32)
    q = (p + random.normal(size=p.shape) * apart).astype(np.float32)
    tokens = random.integers(0, 501, 40)
    found = compute(p, q, tokens)
    wanted = exact_figures(p.astype(np.float64), q.astype(np.float64), tokens)
    for name in ("logprobs", "entropies", "forward_kl.0", "reverse_kl.0", "js_divergence.0", "total_variation.0"):
        np.testing.assert_allclose(found[name], wanted[name], rtol=1e-6, atol=1e-12, err_msg=name)
    np.testing.assert_array_equal(found["ranks"], wanted["ranks"])
    np.testing.assert_array_equal(found["top_ids"], wanted["top_ids"][:, :3])
    np.testing.assert_allclose(found["top_logprobs"], wanted["top_logprobs"][:, :3], rtol=1e-6)


def test_a_divergence_far_below_the_rounding_of_log_probs():
    random = np.random.default_rng(5)
    p = np.floor(random.normal(size=(8, 300)) * 2**10) / 2**8
    q = p + random.integers(-3, 4, p.shape) * 2.0**-17  # exact in float32: what is lost is lost by the figures
    assert np.array_equal(q.astype(np.float32), q)
    found, wanted = compute(p, q, [0] * 8), exact_figures(p, q, np.zeros(8, int))
    assert wanted["forward_kl.0"].max() < 1e-9
    np.testing.assert_allclose(found["forward_kl.0"], wanted["forward_kl.0"], rtol=5e-3)
    np.testing.assert_allclose(found["js_divergence.0"], wanted["js_divergence.0"], rtol=5e-3)


@pytest.mark.parametrize("case", json.loads(EXACT.read_text()) if EXACT.exists() else [], ids=lambda case: case["name"])
def test_cases_with_400_digits(case):
    """The same cases that test the kernels of the command line."""
    number = {"Infinity": math.inf, "-Infinity": -math.inf, "NaN": math.nan}
    read = lambda values: [number.get(value, value) for value in values]  # noqa: E731
    p, q = read(case["p"]), read(case["q"])
    names = {
        "forwardKl": "forward_kl.0",
        "reverseKl": "reverse_kl.0",
        "jsDivergence": "js_divergence.0",
        "totalVariation": "total_variation.0",
        "excludedP": "excluded_p.0",
        "excludedQ": "excluded_q.0",
    }
    for token, wanted in enumerate(read(case["logprobsP"])):
        found = compute([p], [q], [token])
        np.testing.assert_allclose(found["logprobs"][0], wanted, rtol=1e-6, atol=1e-30)
        np.testing.assert_allclose(found["entropies"][0], float(case["entropyP"]), rtol=1e-6, atol=1e-30)
        for theirs, ours in names.items():
            wanted_value = read([case[theirs]])[0]
            np.testing.assert_allclose(found[ours][0], float(wanted_value), rtol=1e-6, atol=1e-14, err_msg=theirs)


def test_equal_logits_rank_alike_and_list_the_smaller_id_first():
    rows = [[1.0, 3.0, 2.0, 3.0, 3.0], [0.0, 0.0, 0.0, 0.0, 0.0]]
    found = compute(rows, rows, [4, 2], k=2)
    np.testing.assert_array_equal(found["top_ids"], [[1, 3], [0, 1]])
    np.testing.assert_array_equal(found["ranks"], [1, 1])
    np.testing.assert_array_equal(found["forward_kl.0"], [0, 0])


def test_rows_without_a_distribution_have_no_figures():
    nan, inf = math.nan, math.inf
    rows = [[0.0, nan, 1.0], [0.0, inf, 1.0], [-inf, -inf, -inf], [0.0, 1.0, 2.0]]
    found = compute(rows, rows, [0, 0, 0, -1], k=4)
    assert np.isnan(found["logprobs"]).all()
    np.testing.assert_array_equal(found["ranks"], [-1, -1, -1, -1])
    np.testing.assert_array_equal(np.isnan(found["entropies"]), [True, True, True, False])
    np.testing.assert_array_equal(np.isnan(found["forward_kl.0"]), [True, True, True, False])
    np.testing.assert_array_equal(found["top_ids"], [[-1] * 4, [-1] * 4, [-1] * 4, [2, 1, 0, -1]])


def test_a_token_that_one_policy_excludes():
    p, q = [[0.0, 0.0, -math.inf]], [[0.0, -math.inf, 0.0]]
    found = compute(p, q, [0])
    assert found["forward_kl.0"][0] == math.inf
    assert found["reverse_kl.0"][0] == math.inf
    np.testing.assert_allclose(found["total_variation.0"], [0.5])
    np.testing.assert_allclose(found["js_divergence.0"], [math.log(2) / 2], rtol=1e-6)


def test_columns_that_only_one_policy_has():
    random = np.random.default_rng(3)
    p, q = random.normal(size=(6, 40)), random.normal(size=(6, 33))
    found, wanted = compute(p, q, [0] * 6), exact_figures(p, q, np.zeros(6, int))
    for name in ("forward_kl.0", "reverse_kl.0", "js_divergence.0", "excluded_p.0"):
        np.testing.assert_allclose(found[name], wanted[name], rtol=1e-5, err_msg=name)
    np.testing.assert_array_equal(found["excluded_q.0"], np.zeros(6))


def test_what_is_compiled_gives_the_same(monkeypatch):
    """A GPU's compiler is not available everywhere; the processor's compiles the same functions."""
    from logratio.scoring import figures

    if shutil.which("c++") is None:
        pytest.skip("no C++ compiler: what is compiled is not tested")
    random = np.random.default_rng(9)
    p = (random.normal(size=(7, 1000)) * 4).astype(np.float32)
    q = (p[:, :990] + random.normal(size=(7, 990))).astype(np.float32)
    p[0, 5] = -math.inf
    tokens = random.integers(0, 990, 7)
    plain = compute(p, q, tokens)
    monkeypatch.setattr(figures.Compiled, "devices", ("cuda", "cpu"))
    found = compute(p, q, tokens)
    assert figures.Compiled.failure is None
    for name, values in plain.items():
        np.testing.assert_allclose(found[name], values, rtol=1e-9, err_msg=name)


def test_a_compiler_that_is_wrong_or_missing_is_not_used(monkeypatch):
    import torch

    from logratio.scoring.figures import Compiled

    for wrong in (lambda rows: rows.sum(-1) + 1, None):
        monkeypatch.setattr(Compiled, "devices", ("cpu",))
        monkeypatch.setattr(Compiled, "failure", None)
        monkeypatch.setattr(torch, "compile", lambda plain, dynamic, wrong=wrong: wrong)
        total = Compiled(lambda rows: rows.sum(-1))
        for _ in range(2):
            np.testing.assert_allclose(total(torch.ones(2, 3)), [3, 3])
        assert Compiled.failure is not None
