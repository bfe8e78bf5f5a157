"""Attention of the scoring worker, compared with eager transformers and with models that get an explicit mask."""

from __future__ import annotations

import numpy as np
import pytest
from test_worker import Client, make_texts

SPANS = [(4, 7), (1, 4)]
TOKENS = np.array([9, 10, 14, 15], np.int32)


def run_eager(path, ids: np.ndarray, **more):
    import torch
    import transformers

    model = transformers.AutoModelForCausalLM.from_pretrained(path, attn_implementation="eager").eval()
    with torch.inference_mode():
        return model(torch.from_numpy(ids.astype(np.int64))[None], **more)


def open_eager(client: Client, path) -> dict:
    return client.open(path, attention="eager")


def ask(client: Client, op: str, arrays: dict, **header):
    [frame] = client.ask(op, arrays, **header)
    assert frame.header.get("done"), frame.header
    return frame.arrays


@pytest.mark.parametrize("family", ["llama", "gpt2", "gemma2", "cohere"])
def test_shares_are_those_of_eager_transformers(checkpoints, family):
    path = checkpoints[f"{family}-1"]
    client = Client()
    opened = open_eager(client, path)
    assert opened["facts"]["attention_layers"] == {"layers": 2, "heads": 4, "can_hide": True}
    assert "Attention is read from 2 layers with 4 heads." in opened["facts"]["notes"]
    ids, _ = make_texts(5, ((16, 6),))[0]
    ids = ids.astype(np.int32)
    found = ask(
        client, "attention", {"ids": ids, "tokens": TOKENS}, model=opened["model"], spans=[list(span) for span in SPANS]
    )
    layers = np.stack([layer[0].numpy() for layer in run_eager(path, ids, output_attentions=True).attentions])
    for number, (start, end) in enumerate(SPANS):
        wanted = layers[:, :, TOKENS - 1, start:end].astype(np.float64).sum(-1)
        np.testing.assert_allclose(found["shares"][number], wanted.mean((0, 1)), atol=1e-6)
        np.testing.assert_allclose(found["heads"][number], wanted.mean(2), atol=1e-6)
    # Shares of the whole text are below 1.
    assert 0 < found["shares"].min() < found["shares"].max() < 1
    assert client.close() == 0


@pytest.mark.parametrize("family", ["llama", "gpt2", "cohere"])
def test_hidden_tokens_are_seen_by_no_later_one(checkpoints, family):
    import torch

    path = checkpoints[f"{family}-1"]
    client = Client()
    model = open_eager(client, path)["model"]
    ids = make_texts(5, ((16, 6),))[0][0].astype(np.int32)
    start, end = SPANS[0]
    prompt = end + 1
    rows = len(ids) - prompt + 1
    asked = {"model": model, "prompt_length": prompt, "from": 0, "to": rows}
    plain = ask(client, "logits", {"ids": ids}, **asked)["logits"]
    hidden = ask(client, "logits", {"ids": ids}, **asked, hidden=[start, end])["logits"]
    mask = torch.full((len(ids), len(ids)), float("-inf")).triu(1)
    mask[end:, start:end] = float("-inf")
    wanted = run_eager(path, ids, attention_mask=mask[None, None]).logits[0, prompt - 1 :].numpy()
    np.testing.assert_allclose(hidden, wanted, atol=2e-5)
    assert np.abs(hidden - plain).max() > 1e-3
    # Afterwards, nothing is hidden.
    np.testing.assert_array_equal(ask(client, "logits", {"ids": ids}, **asked)["logits"], plain)
    assert client.close() == 0


def test_attention_is_neither_read_nor_hidden_unless_it_was_asked_for(checkpoints):
    client = Client()
    opened = client.open(checkpoints["llama-1"])
    assert opened["facts"]["attention_layers"] is None
    ids = make_texts(5, ((16, 6),))[0][0].astype(np.int32)
    for op, header in (("attention", {"spans": [[1, 2]]}), ("logits", {"prompt_length": 4, "from": 0, "to": 1})):
        [frame] = client.ask(op, {"ids": ids, "tokens": TOKENS}, model=opened["model"], hidden=[1, 2], **header)
        assert "was not opened with readable attention" in frame.header["error"]["what"]
    assert client.close() == 0


def test_heads_that_give_part_of_their_attention_away_are_not_read(torch, checkpoints, monkeypatch):
    from logratio.scoring import models

    watched = models.open_model(str(checkpoints["llama-1"]), {"device": "cpu"})
    assert watched.attention is None
    from transformers.models.llama import modeling_llama

    plain = modeling_llama.eager_attention_forward

    def leak(*arguments, **named):
        output, weights = plain(*arguments, **named)
        return output, weights * 0.9

    monkeypatch.setattr(modeling_llama, "eager_attention_forward", leak)
    model = models.open_model(str(checkpoints["llama-1"]), {"device": "cpu", "attention": "eager"})
    assert model.attention is None
    assert any(
        "its attention cannot be read: its probabilities sum to 1 only within 0.1" in note.lower()
        for note in model.notes
    )
