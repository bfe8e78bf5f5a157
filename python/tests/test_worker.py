"""The worker as a process, compared with the models themselves in float64."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import VOCABULARY, exact_figures, exact_logits

from logratio.scoring.frames import Frame, encode_frame, read_frame

PYTHON = Path(__file__).parents[1]
EXACT = ("logprobs", "entropies", "forward_kl.0", "reverse_kl.0", "js_divergence.0", "total_variation.0")


class Client:
    """The other end of the pipe."""

    def __init__(self, *command: str, env: dict[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *(command or ("-m", "logratio.scoring.worker"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(PYTHON), "CUDA_VISIBLE_DEVICES": "", **(env or {})},
        )
        self.requests = 0
        self.hello = self.read().header

    def read(self) -> Frame:
        frame = read_frame(self.process.stdout)
        assert frame is not None, self.process.stderr.read().decode()
        return frame

    def send(self, op: str, arrays: dict[str, np.ndarray] | None = None, **header) -> int:
        self.requests += 1
        self.process.stdin.write(encode_frame({"request": self.requests, "op": op, **header}, arrays))
        self.process.stdin.flush()
        return self.requests

    def ask(self, op: str, arrays: dict[str, np.ndarray] | None = None, **header) -> list[Frame]:
        request = self.send(op, arrays, **header)
        frames = [self.read()]
        while "text" in frames[-1].header:
            frames.append(self.read())
        assert all(frame.header["request"] == request for frame in frames)
        return frames

    def open(self, path: Path, **options) -> dict:
        [frame] = self.ask("open", path=str(path), device="cpu", **options)
        return frame.header

    def score(self, op: str, model: int, texts: list[tuple[np.ndarray, int]], **more) -> list[Frame]:
        ids = np.concatenate([ids for ids, _ in texts]).astype(np.int32)
        *frames, last = self.ask(
            op, {"ids": ids}, model=model, texts=[[prompt, len(one)] for one, prompt in texts], top_k=5, **more
        )
        assert last.header.get("done"), last.header
        return sorted(frames, key=lambda frame: frame.header["text"])

    def close(self) -> int:
        self.process.stdin.close()
        return self.process.wait(20)


@pytest.fixture(scope="module")
def client(checkpoints):
    one = Client()
    yield one
    assert one.close() == 0


def make_texts(seed: int, lengths=((31, 4), (9, 1), (57, 20), (31, 31))) -> list[tuple[np.ndarray, int]]:
    random = np.random.default_rng(seed)
    return [(random.integers(3, VOCABULARY, length), prompt) for length, prompt in lengths]


@pytest.mark.parametrize("family", ["llama", "gpt2", "gemma2", "cohere"])
def test_figures_of_a_batch_are_those_of_float64(client, checkpoints, family):
    paths = [checkpoints[f"{family}-{seed}"] for seed in (1, 2)]
    opened = [client.open(path, block_bytes=1 << 16, cache_bytes=1 << 20) for path in paths]
    assert "separately" not in str(opened)
    (p, q), texts = [one["model"] for one in opened], make_texts(7)
    # Twice, because the second time the reference's hidden states come from the cache.
    for frames in (client.score("compare", p, texts, references=[q]) for _ in range(2)):
        for (ids, prompt), frame in zip(texts, frames, strict=True):
            tokens = np.append(ids[prompt:], -1)
            logits = [exact_logits(path, ids)[prompt - 1 :] for path in paths]
            wanted = exact_figures(*logits, tokens)
            for name in EXACT:
                np.testing.assert_allclose(frame.arrays[name], wanted[name], rtol=1e-4, atol=1e-5, err_msg=name)
            np.testing.assert_array_equal(frame.arrays["ranks"], wanted["ranks"])
            np.testing.assert_array_equal(frame.arrays["top_ids"], wanted["top_ids"][:, :5])
            assert wanted["forward_kl.0"].mean() > 0.01
    alone = client.score("score", p, texts)
    assert set(alone[0].arrays) == {"logprobs", "entropies", "ranks", "top_ids", "top_logprobs"}
    for one, both in zip(alone, frames, strict=True):
        np.testing.assert_allclose(one.arrays["logprobs"], both.arrays["logprobs"], atol=1e-6)
    for model in (p, q):
        client.ask("close", model=model)


def test_facts_and_rows_of_logits(client, checkpoints):
    opened = client.open(checkpoints["llama-1"])
    facts = opened["facts"]
    assert (facts["vocabulary"], facts["context"], facts["stop_ids"]) == (VOCABULARY, 128, [2])
    assert (facts["dtype"], facts["device"], facts["architecture"]) == ("float32", "cpu", "LlamaForCausalLM")
    ids = make_texts(3)[0][0]
    [frame] = client.ask(
        "logits", {"ids": ids.astype(np.int32)}, model=opened["model"], prompt_length=4, **{"from": 2, "to": 9}
    )
    wanted = exact_logits(checkpoints["llama-1"], ids)[3:][2:9]
    np.testing.assert_allclose(frame.arrays["logits"], wanted, atol=1e-4)


def test_samples_are_seeded_and_their_log_probs_are_forced_ones(client, checkpoints):
    model = client.open(checkpoints["llama-1"])["model"]
    prompt = np.array([5, 6, 7], np.int32)
    options = {"temperature": 1.0, "top_p": 1.0, "max_tokens": 12, "seed": 3, "stop_ids": [2]}

    def sample(n: int, **more):
        [frame] = client.ask("sample", {"ids": prompt}, model=model, n=n, **{**options, **more})
        starts = np.cumsum([0, *frame.header["lengths"]])
        cut = lambda name: [frame.arrays[name][a:b] for a, b in itertools.pairwise(starts)]  # noqa: E731
        return cut("ids"), cut("logprobs")

    ids, logprobs = sample(3)
    again, _ = sample(2)
    assert [list(one) for one in again] == [list(one) for one in ids[:2]]
    assert list(ids[0]) != list(ids[1])
    for tokens, given in zip(ids, logprobs, strict=True):
        assert len(tokens) == 12 or tokens[-1] == 2
        text = np.concatenate([prompt, tokens])
        wanted = exact_figures(exact_logits(checkpoints["llama-1"], text)[2:-1], None, tokens)["logprobs"]
        np.testing.assert_allclose(given, wanted, atol=1e-4)
    greedy, _ = sample(2, temperature=0)
    assert list(greedy[0]) == list(greedy[1])
    first = exact_logits(checkpoints["llama-1"], prompt)[-1].argmax()
    assert greedy[0][0] == first
    nucleus, _ = sample(1, top_p=1e-6)
    assert list(nucleus[0]) == list(greedy[0])


def test_a_head_that_does_not_run_apart(torch, checkpoints, monkeypatch):
    """If the body cannot be found, the logits of a whole text are held, and the figures are the same."""
    from logratio.scoring import models
    from logratio.scoring.score import HiddenCache, Scorer, Text

    monkeypatch.setattr(models, "_find_decoder", lambda module: None)
    model = models.open_model(str(checkpoints["gemma2-1"]), {"device": "cpu"})
    assert not model.splits
    (ids, prompt), *_ = make_texts(4)
    with torch.inference_mode():
        scorer = Scorer(1 << 14, HiddenCache(0), lambda: None)
        [(_, found)] = scorer.score(model, [], [Text(ids.astype(np.int32), prompt)], 2)
    wanted = exact_figures(exact_logits(checkpoints["gemma2-1"], ids)[prompt - 1 :], None, np.append(ids[prompt:], -1))
    np.testing.assert_allclose(found["logprobs"], wanted["logprobs"], atol=1e-5)


def test_a_device_map_on_the_cpu_needs_no_accelerate(torch, checkpoints, monkeypatch):
    from logratio.scoring import models

    monkeypatch.setattr(models, "_has", lambda name: False)
    model = models.open_model(str(checkpoints["llama-1"]), {"device": "cpu", "device_map": "balanced"})
    assert model.device.type == "cpu"


def test_parts_that_give_other_logits_than_the_whole(torch, checkpoints, monkeypatch):
    """The initial check finds a cut in the wrong place, and the model runs whole."""
    from logratio.scoring import models

    monkeypatch.setattr(models, "_find_decoder", lambda module: module.model.layers[-1].mlp)
    model = models.open_model(str(checkpoints["llama-1"]), {"device": "cpu"})
    assert not model.splits
    assert "head cannot run separately" in model.notes[0]


@pytest.mark.parametrize(
    ("make", "what", "hint"),
    [
        (lambda path: path / "missing", "is not a directory", "downloaded"),
        (lambda path: path, "has no config.json", "save_pretrained"),
    ],
)
def test_directories_that_hold_no_model(client, tmp_path, make, what, hint):
    error = client.open(make(tmp_path))["error"]
    assert what in error["what"]
    assert hint in error["hint"]
    assert error["kind"] == "not-found"
    assert error["where"].startswith(str(tmp_path))


def test_weights_that_are_cut_off(client, checkpoints, tmp_path):
    for name in ("config.json", "model.safetensors"):
        (tmp_path / name).write_bytes((checkpoints["llama-1"] / name).read_bytes()[: 700 if name[0] == "m" else None])
    error = client.open(tmp_path)["error"]
    assert error["kind"] == "format"
    assert "cannot load" in error["what"]
    (tmp_path / "model.safetensors").unlink()
    assert "has no weights" in client.open(tmp_path)["error"]["what"]


def test_a_model_that_looks_ahead(client, tmp_path, transformers):
    sizes = {"vocab_size": 50, "hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1}
    config = transformers.BertConfig(**sizes, num_attention_heads=2, is_decoder=False)
    transformers.BertLMHeadModel(config).save_pretrained(tmp_path)
    error = client.open(tmp_path)["error"]
    assert "looks ahead" in error["what"]


def test_requests_that_make_no_sense(client):
    assert "no operation dance" in client.ask("dance")[0].header["error"]["what"]
    [frame] = client.ask("score", {"ids": np.zeros(2, np.int32)}, model=99, texts=[[1, 2]])
    assert "no open model 99" in frame.header["error"]["what"]
    assert client.ask("open", path=str(PYTHON), device="cpu", dtype="int3")[0].header["error"]["kind"] == "usage"


def test_a_request_that_is_cancelled(client, checkpoints):
    model = client.open(checkpoints["llama-1"])["model"]
    ids = {"ids": np.full(20, 5, np.int32)}
    first = client.send("sample", ids, model=model, n=1, temperature=1, top_p=1, max_tokens=100, seed=1, stop_ids=[])
    client.process.stdin.write(encode_frame({"op": "cancel", "request": first}))
    client.process.stdin.flush()
    frame = client.read()
    assert frame.header["request"] == first
    assert frame.header["error"]["kind"] == "cancelled"
    # It continues with the next request.
    assert client.score("score", model, make_texts(1)[:1])[0].arrays["logprobs"].shape == (28,)


def test_a_worker_without_its_parent_ends(checkpoints):
    one = Client()
    one.send("open", path=str(checkpoints["llama-1"]), device="cpu")
    assert one.close() == 0


def test_an_interrupt_at_the_terminal_is_for_whoever_asked(torch):
    one = Client()
    one.process.send_signal(signal.SIGINT)
    assert "no operation dance" in one.ask("dance")[0].header["error"]["what"]
    assert one.close() == 0


def test_a_stream_that_is_not_the_protocol(torch):
    one = Client()
    one.process.stdin.write(b"GET / HTTP/1.1\r\n\r\n")
    one.process.stdin.flush()
    assert one.process.wait(20) == 3
    assert b"cannot be read" in one.process.stderr.read()


def test_what_libraries_print_does_not_reach_the_frames(checkpoints):
    one = Client(
        "-c",
        "import os\nfrom logratio.scoring import worker\nimport logratio.scoring.models as m\n"
        "plain = m.open_model\n"
        "def loud(*a):\n    print('to stdout')\n    os.write(1, b'to descriptor 1')\n    return plain(*a)\n"
        "m.open_model = loud\nworker.main()",
    )
    assert one.open(checkpoints["llama-1"])["model"] == 1
    one.process.stdin.close()
    assert b"to descriptor 1" in one.process.stderr.read()


def test_a_python_without_torch(tmp_path):
    (tmp_path / "torch.py").write_text("raise ImportError(\"No module named 'torch'\", name='torch')")
    one = Client(env={"PYTHONPATH": f"{tmp_path}{os.pathsep}{PYTHON}"})
    assert "does not have" in one.hello["error"]["what"]
    assert "pip install torch transformers" in one.hello["error"]["hint"]
    one.close()


def test_memory_that_runs_out_halves_the_batch(torch, checkpoints):
    """The device refuses more than two texts, then any: the first batch is halved, the second refused."""
    from logratio.scoring import score as module
    from logratio.scoring.models import open_model

    model = open_model(str(checkpoints["llama-1"]), {"device": "cpu"})
    texts = [module.Text(ids.astype(np.int32), prompt) for ids, prompt in make_texts(2)]
    scorer = module.Scorer(1 << 20, module.HiddenCache(0), lambda: None)
    with torch.inference_mode():
        wanted = dict(scorer.score(model, [], texts, 2))
        plain, most = scorer._run, 2

        def run(model, batch):
            if len(batch) > most:
                raise torch.OutOfMemoryError("CUDA out of memory")
            return plain(model, batch)

        scorer._run = run
        found = dict(scorer.score(model, [], texts, 2))
        for place in range(4):
            np.testing.assert_allclose(found[place]["logprobs"], wanted[place]["logprobs"], atol=1e-6)
        most = 0
        failures = dict(scorer.score(model, [], texts, 2))
    assert len(failures) == 4
    assert all("does not fit" in failure.error.what for failure in failures.values())
    assert {failure.error.kind for failure in failures.values()} == {"refused"}


def test_a_killed_worker_ends_its_stream(checkpoints):
    one = Client()
    one.process.send_signal(signal.SIGKILL)
    assert read_frame(one.process.stdout) is None
    assert one.process.wait(20) == -signal.SIGKILL


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no /proc: the worker's memory cannot be read")
def test_logits_are_never_whole(client, checkpoints, tmp_path, transformers):
    """Two policies with 131,072 columns and 202 rows: the whole logits of both would take 212 MB; a block takes 8."""
    from conftest import make_model

    make_model("llama", 5, vocabulary=1 << 17).save_pretrained(tmp_path)
    one = Client()
    p, q = (one.open(tmp_path, block_bytes=1 << 23, cache_bytes=1 << 20)["model"] for _ in range(2))

    def most() -> int:
        status = Path(f"/proc/{one.process.pid}/status").read_text()
        return int(status.split("VmHWM:")[1].split()[0]) * 1024

    one.score("compare", p, make_texts(1, ((12, 4),)), references=[q])
    before = most()
    text = (np.full(104, 3), 4), (np.arange(3, 103), 1)
    one.score("compare", p, list(text), references=[q])
    assert most() - before < 100e6
    assert one.close() == 0


def test_a_reference_that_was_scored_does_not_run_again(torch, checkpoints, monkeypatch):
    from logratio.scoring import score as module
    from logratio.scoring.models import open_model

    p, q = (open_model(str(checkpoints[f"llama-{seed}"]), {"device": "cpu"}) for seed in (1, 2))
    texts = [module.Text(ids.astype(np.int32), prompt) for ids, prompt in make_texts(6)]
    scorer = module.Scorer(1 << 20, module.HiddenCache(1 << 20), lambda: None)
    ran = []
    monkeypatch.setattr(
        type(q), "run_body", lambda self, ids, plain=type(q).run_body: ran.append(self) or plain(self, ids)
    )
    with torch.inference_mode():
        first = dict(scorer.score(q, [], texts, 1, keep=True))
        again = dict(scorer.score(p, [q], texts, 1))
        assert ran == [q, p]
        back = dict(scorer.score(q, [p], texts, 1))
        assert ran == [q, p, p]
    np.testing.assert_array_equal(back[2]["logprobs"], first[2]["logprobs"])
    np.testing.assert_allclose(back[2]["forward_kl.0"], again[2]["reverse_kl.0"], rtol=1e-6)
    # Forgetting a model makes room.
    scorer.cache.forget(q)
    scorer.cache.forget(p)
    assert scorer.cache.bytes == 0
