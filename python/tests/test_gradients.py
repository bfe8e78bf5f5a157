"""Gradient times input of the KL, compared with finite differences of the models themselves in float64."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from conftest import VOCABULARY, exact_figures
from test_worker import Client, make_texts

# Some norms compute in float32 whatever the model's dtype, so the step is wide and the formula has fourth order.
STEP = 0.03
OFFSETS = {-2: 1 / 12, -1: -8 / 12, 1: 8 / 12, 2: -1 / 12}


def scaled_kl(paths: list[Path], ids: np.ndarray, row: int, scales: np.ndarray) -> np.ndarray:
    """D(P‖Q) at a position, ``[variants]``, where token i's embedding is multiplied by ``scales[variant, i]``, under both."""
    import torch
    import transformers

    factors = torch.from_numpy(scales).unsqueeze(2)
    logits = []
    for path in paths:
        model = transformers.AutoModelForCausalLM.from_pretrained(path).double().eval()
        model.get_input_embeddings().register_forward_hook(lambda m, i, output: output * factors)
        with torch.inference_mode():
            batch = torch.from_numpy(ids.astype(np.int64)).expand(len(scales), -1)
            logits.append(model(batch).logits[:, row].numpy())
    return exact_figures(*logits, np.full(len(scales), -1))["forward_kl.0"]


def finite_differences(paths: list[Path], ids: np.ndarray, row: int) -> np.ndarray:
    """The rate at which the KL changes with each token's scale, ``[row + 1]``."""
    scales = np.ones((len(OFFSETS), row + 1, len(ids)))
    for at, offset in enumerate(OFFSETS):
        scales[at, np.arange(row + 1), np.arange(row + 1)] += offset * STEP
    kl = scaled_kl(paths, ids, row, scales.reshape(-1, len(ids))).reshape(len(OFFSETS), row + 1)
    return np.array(list(OFFSETS.values())) @ kl / STEP


@pytest.mark.parametrize("family", ["llama", "gpt2", "gemma2", "cohere"])
def test_gradients_are_those_of_finite_differences(checkpoints, family):
    paths = [checkpoints[f"{family}-{seed}"] for seed in (1, 2)]
    client = Client()
    p, q = (client.open(path)["model"] for path in paths)
    ids, prompt = make_texts(5, ((12, 4),))[0]
    positions = [6, 1]
    [frame] = client.ask(
        "gradients",
        {"ids": ids.astype(np.int32)},
        model=p,
        reference=q,
        prompt_length=prompt,
        positions=positions,
    )
    assert frame.header.get("done"), frame.header
    found = np.split(frame.arrays["gradient_times_input"], [prompt + positions[0]])
    assert [len(values) for values in found] == [prompt + t for t in positions]
    for at, (t, values) in enumerate(zip(positions, found, strict=True)):
        row = prompt + t - 1
        wanted = finite_differences(paths, ids, row)
        largest = np.abs(wanted).max()
        assert largest > 1e-4
        np.testing.assert_allclose(values, wanted, rtol=2e-3, atol=5e-3 * largest)
        exact = scaled_kl(paths, ids, row, np.ones((1, len(ids))))[0]
        np.testing.assert_allclose(frame.arrays["forward_kl"][at], exact, rtol=1e-4)
    # Scores afterwards are the same as before: nothing of the graph remains.
    assert client.score("compare", p, make_texts(1)[:1], references=[q])[0].arrays["forward_kl.0"].shape == (28,)
    assert client.close() == 0


def test_a_head_that_does_not_run_apart_gives_the_same_gradients(torch, checkpoints, monkeypatch):
    from logratio.scoring import models
    from logratio.scoring.gradients import kl_gradients
    from logratio.scoring.score import HiddenCache, Scorer, Text

    (ids, prompt), *_ = make_texts(8)
    text = Text(ids.astype(np.int32), prompt)

    def compute():
        pair = [models.open_model(str(checkpoints[f"gemma2-{seed}"]), {"device": "cpu"}) for seed in (1, 2)]
        return pair[0].splits, kl_gradients(Scorer(1 << 20, HiddenCache(0), lambda: None), *pair, text, [9])[1][0]

    splits, apart = compute()
    assert splits
    monkeypatch.setattr(models, "_find_decoder", lambda module: None)
    splits, whole = compute()
    assert not splits
    np.testing.assert_allclose(whole, apart, rtol=1e-4, atol=1e-7)


def test_a_wide_head_is_put_aside_and_back(torch, checkpoints, monkeypatch):
    """On a GPU, a half-precision head multiplies into float32, which has no gradient."""
    from logratio.scoring import models
    from logratio.scoring.gradients import kl_gradients
    from logratio.scoring.score import HiddenCache, Scorer, Text

    def widen(module) -> bool:
        head = module.get_output_embeddings()
        head.forward = lambda hidden: (hidden @ head.weight.t()).detach()
        return True

    monkeypatch.setattr(models, "_widen_head", widen)
    p, q = (models.open_model(str(checkpoints[f"llama-{seed}"]), {"device": "cpu"}) for seed in (1, 2))
    (ids, prompt), *_ = make_texts(8)
    scorer = Scorer(1 << 20, HiddenCache(0), lambda: None)
    _, [values] = kl_gradients(scorer, p, q, Text(ids.astype(np.int32), prompt), [3])
    assert np.abs(values).max() > 1e-4
    assert "forward" in p.module.get_output_embeddings().__dict__


def test_vocabularies_of_unequal_size(torch):
    """Columns that one policy lacks affect neither the KL nor its gradient."""
    from logratio.scoring.gradients import differentiate_kl

    random = torch.Generator().manual_seed(3)
    p = torch.randn((2, VOCABULARY), generator=random, dtype=torch.float64, requires_grad=True)
    q = torch.randn((2, VOCABULARY + 7), generator=random, dtype=torch.float64, requires_grad=True)
    wanted = torch.nn.functional.kl_div(
        q[:, :VOCABULARY].log_softmax(-1), p.log_softmax(-1), log_target=True, reduction="none"
    )
    by_p, by_q = torch.autograd.grad(wanted.sum(), (p, q))
    kl, (found_p, found_q) = differentiate_kl(p.detach(), q.detach())
    torch.testing.assert_close(kl, wanted.sum(-1).detach())
    torch.testing.assert_close(found_p, by_p)
    torch.testing.assert_close(found_q, by_q)


def test_what_cannot_be_asked(torch, checkpoints, monkeypatch):
    client = Client()
    model = client.open(checkpoints["llama-1"])["model"]
    ids = {"ids": np.arange(3, 10, dtype=np.int32)}
    for positions in ([], [5], [-1]):
        [frame] = client.ask("gradients", ids, model=model, reference=model, prompt_length=2, positions=positions)
        assert frame.header["error"]["kind"] == "usage"
    assert client.close() == 0


def test_gradients_that_do_not_fit_refuse_the_text(torch, checkpoints, monkeypatch):
    from logratio.scoring import gradients
    from logratio.scoring.errors import WorkerError
    from logratio.scoring.models import open_model
    from logratio.scoring.score import HiddenCache, Scorer, Text

    def run(*_):
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(gradients, "run_with_graph", run)
    model = open_model(str(checkpoints["llama-1"]), {"device": "cpu"})
    (ids, prompt), *_ = make_texts(8)
    text = Text(ids.astype(np.int32), prompt)
    with pytest.raises(WorkerError, match="gradients of a text of 31 tokens do not fit") as error:
        gradients.kl_gradients(Scorer(1 << 20, HiddenCache(0), lambda: None), model, model, text, [1])
    assert error.value.kind == "refused"
