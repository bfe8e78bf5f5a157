"""The same figures on a GPU, compiled and uncompiled. Skipped without a GPU."""

from __future__ import annotations

import numpy as np
import pytest
from conftest import VOCABULARY, exact_figures, exact_logits

NAMES = ("logprobs", "entropies", "forward_kl.0", "reverse_kl.0", "js_divergence.0", "total_variation.0")


@pytest.fixture(autouse=True)
def _needs_gpu(torch, transformers):
    if not torch.cuda.is_available():
        pytest.skip("no GPU: what is compiled for one is not tested")


@pytest.mark.parametrize("compiled", [True, False])
def test_figures_of_a_large_vocabulary(torch, monkeypatch, compiled):
    from logratio.scoring import figures

    monkeypatch.setattr(figures.Compiled, "failure", None if compiled else "not wanted here")
    random = np.random.default_rng(1)
    p = (random.normal(size=(33, 151_936)) * 4).astype(np.float32)
    q = (p[:, :151_000] + random.normal(size=(33, 151_000)) * 0.1).astype(np.float32)
    tokens = random.integers(0, 151_000, 33)
    on = lambda array: torch.from_numpy(array).cuda()  # noqa: E731
    found = figures.describe_rows(on(p), on(tokens), 5)
    found |= {f"{name}.0": values for name, values in figures.compare_rows(on(p), on(q)).items()}
    assert figures.Compiled.failure == (None if compiled else "not wanted here")
    wanted = exact_figures(p.astype(np.float64), q.astype(np.float64), tokens)
    for name in (*NAMES, "excluded_p.0"):
        np.testing.assert_allclose(found[name].cpu().numpy(), wanted[name], rtol=1e-6, atol=1e-12, err_msg=name)
    np.testing.assert_array_equal(found["top_ids"].cpu().numpy(), wanted["top_ids"][:, :5])
    np.testing.assert_array_equal(found["ranks"].cpu().numpy(), wanted["ranks"])


@pytest.mark.parametrize("family", ["llama", "gpt2", "gemma2", "cohere"])
@pytest.mark.parametrize(("dtype", "tolerance"), [("float32", 1e-4), ("bfloat16", 0.3)])
def test_models(torch, checkpoints, family, dtype, tolerance):
    from logratio.scoring.models import open_model
    from logratio.scoring.score import HiddenCache, Scorer, Text

    paths = [checkpoints[f"{family}-{seed}"] for seed in (1, 2)]
    p, q = (open_model(str(path), {"device": "cuda", "dtype": dtype}) for path in paths)
    random = np.random.default_rng(2)
    texts = [Text(random.integers(3, VOCABULARY, length).astype(np.int32), 3) for length in (20, 61, 33)]
    scorer = Scorer(1 << 16, HiddenCache(1 << 20), lambda: None)
    with torch.inference_mode():
        found = dict(scorer.score(p, [q], texts, 3))
    for place, text in enumerate(texts):
        logits = [exact_logits(path, text.ids)[2:] for path in paths]
        wanted = exact_figures(*logits, np.append(text.ids[3:], -1))
        for name in NAMES:
            error = np.nanmax(np.abs(found[place][name] - wanted[name]))
            assert error <= tolerance, f"{name}: {error}"
