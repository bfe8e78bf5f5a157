"""calculate_debug_metrics: the guide's own code, and its metrics, console form and file."""

from __future__ import annotations

import json
import logging
import math
import re
import struct
import subprocess
import sys
import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from logratio.command import CommandError, find_node, find_program
from logratio.divergence import collect_divergent_tokens, measure_rounds
from logratio.divergence.console import render_records
from logratio.verl import calculate_debug_metrics

GUIDE = Path(__file__).parents[3] / "shared" / "seeds" / "000-high-divergence-token-logging.md"

#: What the guide shows, in our words, for clones without a copy of it.
EXAMPLES = """
```python
from verl.utils.debug.metrics import calculate_debug_metrics

metrics = calculate_debug_metrics(
    data=data_proto,
    tokenizer=tokenizer,
    log_divergence=True,
    divergence_threshold=0.8,
    divergence_top_k=5,
    divergence_jsonl_path="./logs/divergence.jsonl",
    iteration=current_iteration,
)
```

```python
data.meta_info['tokenizer'] = self.tokenizer
tokenizer = data.meta_info.get('tokenizer', None)
metrics = calculate_debug_metrics(data, tokenizer=tokenizer, ...)
```

```python
from verl.utils.debug.metrics import calculate_debug_metrics

class RayPPOTrainer:
    def train_step(self, iteration: int):
        if self.config.log_divergence and iteration % 10 == 0:
            debug_metrics = calculate_debug_metrics(
                data=training_data,
                tokenizer=self.tokenizer,
                divergence_top_k=10,
                divergence_jsonl_path=f"{self.log_dir}/divergence_iter{iteration}.jsonl",
                iteration=iteration
            )
            self.logger.log_metrics(debug_metrics)
```

```python
import pandas as pd
import json

with open('./logs/divergence.jsonl', 'r') as f:
    df = pd.DataFrame([json.loads(line) for line in f])
digit_tokens = df[df['token_text'].str.strip().str.match(r'^[\\d\\.]+$')]
print(df[df['is_correct'] == True]['prob_divergence'].mean(), len(digit_tokens))
print(df.groupby('iteration')['prob_divergence'].agg(['mean', 'max', 'count']))
```
"""


class Tokenizer:
    """Ids are indices into a list of words."""

    words = ("<pad>", "<eos>", " hello", " world", " of", " coding", "7", "3", "Write", " this", "'s")

    def __len__(self):
        return len(self.words)

    def decode(self, ids):
        return "".join(self.words[token] for token in ids)

    def encode(self, text, add_special_tokens):
        return [self.words.index(text)] if text in self.words else [2, 3]


def make_data(seed=0, rows=4, prompt=3, width=8, far=True):
    """A batch as verl pads it: prompts on the left, responses on the right."""
    rng = np.random.default_rng(seed)
    rollout = -rng.random((rows, width)) * 0.2
    old = rollout - rng.random((rows, width)) * 0.1
    if far:
        for row in range(rows):
            old[row, row] = -5.0 - row
    lengths = rng.integers(width - 3, width + 1, rows)
    mask = (np.arange(width)[None] < lengths[:, None]).astype(np.int64)
    padding = (np.arange(prompt)[None] >= rng.integers(0, prompt, rows)[:, None]).astype(np.int64)
    responses = rng.integers(2, 10, (rows, width)) * mask
    scores = np.zeros((rows, width))
    scores[: rows // 2, -1] = 1.0
    batch = {
        "rollout_log_probs": rollout,
        "old_log_probs": old,
        "response_mask": mask,
        "responses": responses,
        "input_ids": np.concatenate([rng.integers(2, 10, (rows, prompt)) * padding, responses], 1),
        "attention_mask": np.concatenate([padding, mask], 1),
        "position_ids": np.tile(np.arange(prompt + width), (rows, 1)),
        "token_level_scores": scores,
    }
    acc = np.array([True] * (rows // 2) + [False] * (rows - rows // 2), dtype=object)
    return SimpleNamespace(batch=batch, non_tensor_batch={"acc": acc}, meta_info={})


def read_blocks(text):
    """The Python blocks, unchanged except for the import and the author's own elisions."""
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    code = [block.replace("from verl.utils.debug.metrics import", "from logratio.verl import") for block in blocks]
    return [block.replace(", ...)", ")") for block in code]


def run_blocks(text, data):
    """Runs every block of the guide that calls us, and its classes' methods; returns what they logged."""
    logged = []
    trainer = SimpleNamespace(
        tokenizer=Tokenizer(),
        config=SimpleNamespace(log_divergence=True, tis_imp_ratio_cap=2, get=lambda name, default: default),
        log_dir="./logs",
        logger=SimpleNamespace(log_metrics=logged.append),
        divergence_log_path="./logs/divergence.jsonl",
        current_iteration=30,
    )
    names = {"data_proto": data, "data": data, "training_data": data, "self": trainer, "tokenizer": Tokenizer()}
    names |= {"current_iteration": 10, "calculate_debug_metrics": calculate_debug_metrics, "DataProto": object}
    names |= {"BasePPOActor": object, "ActorConfig": object, "nn": SimpleNamespace(Module=object), "metrics": {}}
    for block in read_blocks(text):
        if "calculate_debug_metrics" not in block:
            continue
        names.pop("RayPPOTrainer", None)
        exec(compile("from __future__ import annotations\n" + block, "the guide", "exec"), names)
        if "def update_actor" in block:
            names["update_actor"](trainer, data)
        if "class DataParallelPPOActor" in block:
            logged.append(names["DataParallelPPOActor"].update_policy(trainer, data))
        if "class RayPPOTrainer" in block:
            for iteration in (19, 20):
                names["RayPPOTrainer"].train_step(trainer, iteration)
    return names["metrics"], logged


def read_lines(path):
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            GUIDE.read_text() if GUIDE.exists() else "",
            id="guide",
            marks=pytest.mark.skipif(not GUIDE.exists(), reason="the guide (../shared/seeds) is not there"),
        ),
        pytest.param(EXAMPLES, id="in our words"),
    ],
)
class TestGuide:
    def test_its_training_code_runs(self, text, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        metrics, logged = run_blocks(text, make_data())
        assert metrics["training/rollout_probs_diff_max"] > 0.8
        assert logged[-1] == calculate_debug_metrics(make_data(), log_divergence=False)
        lines = read_lines("logs/divergence.jsonl")
        assert lines[0]["iteration"] == 10
        assert [line["rank"] for line in lines[:5]] == list(range(5))
        assert len(read_lines("logs/divergence_iter20.jsonl")) == 10
        assert not Path("logs/divergence_iter19.jsonl").exists()

    def test_its_analysis_runs_on_what_is_written(self, text, tmp_path, monkeypatch, capsys):
        pytest.importorskip("pandas", reason="pandas is not installed: the guide's analysis is not run")
        if "matplotlib" in text:
            pytest.importorskip("matplotlib", reason="matplotlib is not installed: the guide's analysis is not run")
            pytest.importorskip("scipy", reason="scipy is not installed: the guide's analysis is not run")
        monkeypatch.setenv("MPLBACKEND", "Agg")
        monkeypatch.chdir(tmp_path)
        for iteration in range(3):
            data = make_data(iteration)
            data.batch["responses"] = np.full_like(data.batch["responses"], 6)
            path = "./logs/divergence.jsonl"
            calculate_debug_metrics(data, Tokenizer(), divergence_jsonl_path=path, iteration=iteration)
        blocks = "\n".join(block for block in read_blocks(text) if "df[" in block)
        if "matplotlib" in text:
            # The log's texts are reprs, and the guide's pattern for digits does not expect their quotes, so it finds
            # none and divides by zero.
            with pytest.raises(ZeroDivisionError):
                exec(compile(blocks, "the guide", "exec"), {})
            made = "df = pd.DataFrame(logs)\n"
            assert made in blocks
            # With the column of plain texts, the rest runs unchanged.
            blocks = blocks.replace(made, made + "df['token_text'] = df['token_plain']\n")
        names: dict = {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            exec(compile(blocks, "the guide", "exec"), names)
        assert len(names["df"]) == 15
        assert set(names["df"].groupby("iteration").groups) == {0, 1, 2}
        assert len(names["digit_tokens"]) == (15 if "matplotlib" in text else 0)
        assert capsys.readouterr().out.strip()


def test_the_documented_record(tmp_path, caplog):
    """Every field that the guide documents, in its order, and its console form."""
    data = make_data(rows=1)
    data.batch["rollout_log_probs"][0] = math.log(0.5)
    data.batch["old_log_probs"][0] = math.log(0.5)
    data.batch["rollout_log_probs"][0, 2] = math.log(0.9234)
    data.batch["old_log_probs"][0, 2] = math.log(0.000123)
    data.batch["responses"][0] = data.batch["input_ids"][0, 3:] = [2, 3, 3, 4, 5, 1, 0, 0]
    data.batch["input_ids"][0, :3] = [0, 8, 9]
    data.batch["attention_mask"][0] = [0, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0]
    data.batch["response_mask"][0] = [1, 1, 1, 1, 1, 1, 0, 0]
    data.non_tensor_batch["acc"] = [True]
    data.batch["token_level_scores"][0] = [0, 0, 0, 0, 0, 1, 0, 0]
    path = tmp_path / "new" / "log_{iteration}.jsonl"
    with caplog.at_level(logging.INFO, "logratio.divergence"):
        calculate_debug_metrics(data, Tokenizer(), divergence_top_k=1, divergence_jsonl_path=str(path), iteration=100)
    (record,) = read_lines(tmp_path / "new" / "log_100.jsonl")
    wanted = {
        "iteration": 100,
        "rank": 0,
        "batch_idx": 0,
        "position": 2,
        "position_from_end": 5,
        "sequence_length": 8,
        "token_id": 3,
        "token_text": "' world'",
        "token_plain": " world",
        "prob_divergence": pytest.approx(0.923277),
        "rollout_prob": pytest.approx(0.9234),
        "actor_prob": pytest.approx(0.000123),
        "rollout_logprob": pytest.approx(math.log(0.9234)),
        "actor_logprob": pytest.approx(math.log(0.000123)),
        "logprob_diff": pytest.approx(math.log(0.9234 / 0.000123)),
        "flip_type": "rollout_confident_actor_rejects",
        "is_correct": True,
        "total_score": 1.0,
        "position_id": 5,
        "attention_mask_value": 1,
        "num_prompt_padding_tokens": 1,
        "prompt_length_with_padding": 3,
        "prompt_length_without_padding": 2,
        "reencodes_to_same_id": True,
        "input_ids_token_id": 3,
        "tokens_match": True,
        "context_text": "' hello world world of coding<eos><pad><pad>'",
        "context_start_pos": 0,
        "context_end_pos": 8,
        "prompt_text": "'Write this'",
        "prompt_num_tokens": 2,
        "full_response": "' hello world world of coding<eos>'",
        "response_num_tokens": 6,
        "rollout_entropy": None,
        "actor_entropy": None,
        "rollout_top5": None,
        "actor_top5": None,
        "advantage": None,
        "reward": 0.0,
        "handle": "s100.q0.t2",
        "file": None,
        "iteration_responses": 1,
        "iteration_accuracy": 1.0,
        "iteration_correct_tokens": 1.0,
        "record_id": "s100.q0.t2:3:"
        + "".join(
            struct.pack(">d", float(data.batch[name][0, 2])).hex() + end
            for name, end in (("rollout_log_probs", ":"), ("old_log_probs", ""))
        ),
    }
    assert record == wanted
    assert list(record) == list(wanted)
    rule = "=" * 80
    (message,) = caplog.messages
    assert (
        message
        == f"""{rule}
High Divergence Tokens (Top 1):
{rule}

[Rank 0] Divergence: 0.9233
  Token: ' world' (ID: 3)
  Position: 2/8 (from end: 5)
  Batch Index: 0
  Answer Correctness: ✓ CORRECT
  Total Score: 1.0000
  Rollout: prob=0.923400, logprob=-0.0797
  Actor:   prob=0.000123, logprob=-9.0033
  LogProb Diff: 8.9236
  Flip Type: rollout_confident_actor_rejects
  Token Alignment: ✓ MATCH (response token matches input_ids)
  Position ID: 5
  Attention Mask: 1
  Prompt Padding: 1 padding tokens (prompt length: 2 → 3 with padding)
  Token Reward: 0.0000
  Context [0:8]: ' hello world world of coding<eos><pad><pad>'
  Prompt (2 tokens): 'Write this'
  Response (6 tokens): ' hello world world of coding<eos>'
{rule}"""
    )
    assert caplog.records[0].levelno == logging.INFO


def test_nothing_is_logged_below_the_threshold(tmp_path, caplog):
    path = tmp_path / "log.jsonl"
    with caplog.at_level(logging.INFO, "logratio.divergence"):
        calculate_debug_metrics(make_data(far=False), Tokenizer(), divergence_jsonl_path=path)
        calculate_debug_metrics(make_data(), Tokenizer(), log_divergence=False, divergence_jsonl_path=path)
    assert not path.exists()
    assert not caplog.messages


def test_only_the_two_log_probs():
    """Without ids, masks or a tokenizer, there are figures, and unknown values are None."""
    data = make_data()
    data.batch = {name: data.batch[name] for name in ("rollout_log_probs", "old_log_probs")}
    data.non_tensor_batch = {}
    (record, *_) = collect_divergent_tokens(data)
    known = {name for name, value in record.items() if value is not None}
    assert known == {
        *("rank", "batch_idx", "position", "position_from_end", "sequence_length", "prob_divergence", "rollout_prob"),
        *("actor_prob", "rollout_logprob", "actor_logprob", "logprob_diff", "flip_type", "context_start_pos"),
        *("context_end_pos", "response_num_tokens", "handle", "record_id"),
    }
    data.batch["responses"] = np.full((4, 8), 9)
    assert collect_divergent_tokens(data)[0]["token_text"] == "<no_tokenizer:9>"


def test_another_token_seen_by_the_trainer_is_a_warning(caplog):
    data = make_data(rows=1)
    data.batch["input_ids"][0, 3] = 10
    data.batch["responses"][0, 0] = 3
    data.meta_info["tokenizer"] = Tokenizer()
    with caplog.at_level(logging.INFO, "logratio.divergence"):
        calculate_debug_metrics(data, divergence_top_k=1)
    (record,) = collect_divergent_tokens(data, top_k=1)
    assert record["tokens_match"] is False
    assert record["WARNING"] == "MISMATCH! response has 3 but input_ids has 10"
    assert record["input_ids_token_text"] == '"\'s"'
    assert caplog.records[0].levelno == logging.WARNING
    assert "  Token Alignment: ✗ MISMATCH!\n    Response token: ' world' (ID: 3)" in caplog.messages[0]


def test_what_cannot_be_decoded_leaves_the_rest():
    data = make_data(rows=1)
    data.batch["responses"][0, 0] = 500
    (record,) = collect_divergent_tokens(data, Tokenizer(), top_k=1)
    assert record["token_text"] == "<decode_error:500>"
    assert record["decode_error"] == "token 500 is not among the 11 of the tokenizer; likely: it is another model's"
    assert record["prompt_text"] is not None


def test_long_texts_are_cut_and_not_decoded_whole():
    data = make_data(rows=1, width=600)
    data.batch["response_mask"][0] = 1
    data.batch["responses"][0] = 6
    tokenizer, seen = Tokenizer(), []
    tokenizer.decode = lambda ids: seen.append(len(ids)) or "7" * len(ids)
    (record,) = collect_divergent_tokens(data, tokenizer, top_k=1)
    assert record["full_response"] == repr("7" * 200 + "...")
    assert max(seen) < 300


def test_columns_of_later_guides():
    """Entropies, alternatives, advantages and token rewards, and positions of several dimensions."""
    data = make_data(rows=1)
    shape = data.batch["old_log_probs"].shape
    data.batch |= {
        "rollout_entropy": np.full(shape, 0.25),
        "entropys": np.full(shape, 0.5),
        "advantages": np.full(shape, -1.5),
        "token_level_rewards": np.full(shape, 2.0),
        "old_top_ids": np.tile([3, 4, -1], (*shape, 1)),
        "old_top_log_probs": np.tile([math.log(0.5), -math.inf, 0.0], (*shape, 1)),
        "position_ids": np.arange(3 * 11).reshape(1, 3, 11),
    }
    (record,) = collect_divergent_tokens(data, Tokenizer(), top_k=1)
    assert (record["rollout_entropy"], record["actor_entropy"]) == (0.25, 0.5)
    assert (record["advantage"], record["reward"]) == (-1.5, 2.0)
    assert record["actor_top5"] == [
        {"token_id": 3, "token_text": "' world'", "prob": pytest.approx(0.5), "logprob": math.log(0.5)},
        {"token_id": 4, "token_text": "' of'", "prob": 0.0, "logprob": -math.inf},
    ]
    assert record["position_ids"] == [3, 14, 25]
    assert record["position_id"] is None


def test_infinities_are_null_in_the_file(tmp_path):
    data = make_data(rows=1)
    data.batch["old_log_probs"][0, 0] = -math.inf
    path = tmp_path / "log.jsonl"
    calculate_debug_metrics(data, divergence_top_k=1, divergence_jsonl_path=path)
    (record,) = read_lines(path)
    assert record["actor_logprob"] is None
    assert record["logprob_diff"] is None
    assert record["actor_prob"] == 0.0


def test_a_line_that_was_cut_off_gets_its_end(tmp_path):
    path = tmp_path / "log.jsonl"
    path.write_text('{"rank": 0, "batc')
    calculate_debug_metrics(make_data(), divergence_jsonl_path=path, divergence_top_k=2)
    first, *rest = path.read_text().splitlines()
    assert first == '{"rank": 0, "batc'
    assert [json.loads(line)["rank"] for line in rest] == [0, 1]


def test_nan_does_not_silence_the_log():
    data = make_data()
    data.batch["old_log_probs"][3, 3] = math.nan
    metrics = calculate_debug_metrics(data)
    assert math.isnan(metrics["training/rollout_probs_diff_max"])
    found = [(record["batch_idx"], record["position"]) for record in collect_divergent_tokens(data, threshold=0.8)]
    assert sorted(found[:3]) == [(0, 0), (1, 1), (2, 2)]
    assert (3, 3) not in found


@pytest.mark.parametrize("seed", range(5))
def test_the_furthest_tokens_in_order(seed):
    """Compared with a full sort; the earlier row, then token, wins a tie."""
    data = make_data(seed)
    for name in ("rollout_log_probs", "old_log_probs"):
        data.batch[name] = np.log(np.round(np.exp(data.batch[name]), 1) + 0.01)
    gaps = abs(np.exp(data.batch["old_log_probs"]) - np.exp(data.batch["rollout_log_probs"]))
    places = [tuple(at) for at in np.argwhere(data.batch["response_mask"])]
    wanted = sorted(places, key=lambda at: (-gaps[at], at))[:7]
    found = collect_divergent_tokens(data, top_k=7)
    assert [(record["batch_idx"], record["position"]) for record in found] == wanted


def test_the_furthest_tokens_of_many_blocks():
    """Rows of thousands of tokens, some unknown, some at equal distances; compared with a full sort."""
    rng = np.random.default_rng(5)
    data = make_data(rows=3, width=2000, far=False)
    data.batch["old_log_probs"] = np.log(np.round(np.exp(data.batch["old_log_probs"]), 3) + 0.001)
    data.batch["old_log_probs"][:, 300:700] = math.nan
    data.batch["response_mask"] = (rng.random((3, 2000)) < 0.6).astype(np.int64)
    data.batch["response_mask"][1] = 0
    gaps = abs(np.exp(data.batch["old_log_probs"]) - np.exp(data.batch["rollout_log_probs"]))
    known = np.argwhere((data.batch["response_mask"] == 1) & ~np.isnan(gaps))
    for top_k in (1, 7, 300, 5000):
        wanted = sorted(map(tuple, known), key=lambda at: (-gaps[at], at))[:top_k]
        found = collect_divergent_tokens(data, top_k=top_k)
        assert [(record["batch_idx"], record["position"]) for record in found] == wanted
    assert collect_divergent_tokens(data, threshold=float(gaps[tuple(known.T)].max()), top_k=1)
    assert collect_divergent_tokens(data, threshold=0.9) == []


class Counted(Tokenizer):
    """Counts its calls."""

    def __init__(self):
        self.sizes = self.decoded = 0

    def __len__(self):
        self.sizes += 1
        return len(self.words)

    def decode(self, ids):
        self.decoded += 1
        return super().decode(ids)


def test_a_tokenizer_is_asked_for_no_more_than_the_log_shows():
    tokenizer, data = Counted(), make_data()
    for _ in range(3):
        assert collect_divergent_tokens(data, tokenizer, threshold=1.0) == []
    assert (tokenizer.sizes, tokenizer.decoded) == (0, 0)
    for _ in range(3):
        records = collect_divergent_tokens(data, tokenizer, threshold=0.8)
    # Token and context of each record, prompt and response of each sequence.
    assert tokenizer.decoded == 3 * (2 * len(records) + 2 * len({record["batch_idx"] for record in records}))
    assert tokenizer.sizes == 1
    tokenizer.words = (*tokenizer.words, " added")
    data.batch["responses"][0, 0] = len(tokenizer.words) - 1
    texts = {record["token_plain"] for record in collect_divergent_tokens(data, tokenizer, top_k=4)}
    assert " added" in texts and tokenizer.sizes == 2
    data.batch["responses"][:] = 500
    assert all("500" in record["decode_error"] for record in collect_divergent_tokens(data, tokenizer))
    assert tokenizer.sizes == 3


def test_plain_texts_are_the_tokens_as_they_are(tmp_path):
    data = make_data(rows=1)
    data.batch["responses"][0] = [6, 7, 10, 3, 11, 500, 2, 12]
    data.batch["response_mask"][0] = 1
    tokenizer = Tokenizer()
    tokenizer.words = (*tokenizer.words, "\ud800", "\n'\"")
    path = tmp_path / "log.jsonl"
    calculate_debug_metrics(
        data, tokenizer, divergence_threshold=0.0, divergence_top_k=8, divergence_jsonl_path=path, lean=False
    )
    found = {line["position"]: line["token_plain"] for line in read_lines(path)}
    assert found == {0: "7", 1: "3", 2: "'s", 3: " world", 4: "\ud800", 5: None, 6: " hello", 7: "\n'\""}
    assert all(record["token_plain"] is None for record in collect_divergent_tokens(data))


def test_a_round_with_nan_counts_its_tokens():
    """As in pull request 5229: the mean is NaN, the count is not, and another round is the worst."""
    old = np.array([[-1.0, math.nan, 0, -1.0, -2.0]])
    rollout = np.array([[-1.0, -1.0, 0, -1.5, -2.5]])
    metrics = measure_rounds(rollout, old, np.array([[1, 1, 0, 1, 1]]))
    assert math.isnan(metrics.pop("per_round/round_0_abs_diff_mean"))
    assert metrics == {
        "per_round/total_rounds": 2,
        "per_round/round_0_token_count": 2,
        "per_round/round_1_abs_diff_mean": 0.5,
        "per_round/round_1_token_count": 2,
        "per_round/max_round_diff": 1,
        "per_round/max_diff_value": 0.5,
    }
    only = measure_rounds(rollout[:, :2], old[:, :2], np.ones((1, 2)))
    assert only["per_round/max_round_diff"] == -1
    assert "per_round/max_diff_value" not in only
    zero = measure_rounds(rollout[:, :1], np.array([[-math.inf]]), np.ones((1, 1)))
    assert zero["per_round/max_diff_value"] == math.inf


def test_masks_as_verl_chooses_them():
    data = make_data()
    whole = data.batch["attention_mask"]
    metrics = calculate_debug_metrics(data, log_divergence=False)
    del data.batch["response_mask"]
    assert calculate_debug_metrics(data, log_divergence=False) == metrics
    data.batch["response_mask"] = whole
    assert calculate_debug_metrics(data, log_divergence=False) == metrics


def test_refused_batches():
    def refuse(match, **changes):
        data = make_data()
        data.batch |= changes
        data.batch = {name: column for name, column in data.batch.items() if column is not None}
        with pytest.raises(ValueError, match=match):
            calculate_debug_metrics(data)

    refuse(
        r"old_log_probs has the shape \[4, 8\], rollout_log_probs \[4, 11\]; likely",
        rollout_log_probs=np.zeros((4, 11)),
    )
    refuse(r"response_mask has the shape \[4, 5\], old_log_probs \[4, 8\]; likely", response_mask=np.ones((4, 5)))
    refuse(r"responses has the shape \[4, 11\].*responses also hold the prompt", responses=np.ones((4, 11), int))
    refuse("the batch has no rollout_log_probs.*calculate_log_probs=True", rollout_log_probs=None)
    refuse("the batch has no old_log_probs.*bypass mode", old_log_probs=None)
    refuse("rows of equal length", old_log_probs=[[-1.0], [-1.0, -2.0]])
    with pytest.raises(ValueError, match="from 0 to 1, not 80"):
        calculate_debug_metrics(make_data(), divergence_threshold=80)
    with pytest.raises(ValueError, match="at least 1, not 0"):
        calculate_debug_metrics(make_data(), divergence_top_k=0)


def test_a_folder_that_cannot_be_written_raises(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError):
        calculate_debug_metrics(make_data(), divergence_jsonl_path=tmp_path / "file" / "log.jsonl")


def test_tensors_in_a_graph_and_in_bfloat16(torch):
    data = make_data()
    ours = calculate_debug_metrics(data, log_divergence=False)
    data.batch = {name: torch.tensor(column) for name, column in data.batch.items()}
    data.batch["old_log_probs"].requires_grad_()
    assert calculate_debug_metrics(data, log_divergence=False) == ours
    for name in ("rollout_log_probs", "old_log_probs"):
        data.batch[name] = data.batch[name].detach().bfloat16()
    assert calculate_debug_metrics(data)["per_round/total_rounds"] == 1
    data.batch["old_log_probs"] = torch.nested.nested_tensor([torch.zeros(2), torch.zeros(3)])
    with pytest.raises(ValueError, match="expected a padded tensor, got a nested one"):
        calculate_debug_metrics(data)


def test_verls_own_batch(torch, tmp_path):
    """A real DataProto, and verl's own figures if its function runs."""
    protocol = pytest.importorskip("verl.protocol", reason="verl is not installed: its DataProto is not tried")
    from verl.utils.debug.metrics import calculate_debug_metrics as of_verl

    data = make_data()
    tensors = {name: torch.tensor(column) for name, column in data.batch.items()}
    proto = protocol.DataProto.from_dict(tensors, non_tensors=data.non_tensor_batch)
    metrics = calculate_debug_metrics(proto, Tokenizer(), divergence_jsonl_path=tmp_path / "log.jsonl", iteration=1)
    for name, value in of_verl(proto).items():
        assert metrics[name] == pytest.approx(value, rel=1e-9), name
    assert len(read_lines(tmp_path / "log.jsonl")) == 5


def test_importing_brings_no_torch():
    code = "import sys, logratio.verl, logratio.xtuner, logratio.digits; print('torch' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=Path(__file__).parents[1])
    assert found.stdout.strip() == "False", found.stderr


def make_part(seed, rows=slice(None), meta=None):
    data = make_data(seed, rows=16, width=20)
    batch = {name: column[rows] for name, column in data.batch.items()}
    return SimpleNamespace(batch=batch, non_tensor_batch={}, meta_info=meta or {})


@pytest.fixture(scope="module")
def analyze():
    try:
        program = [find_node(), str(find_program())]
    except CommandError as error:
        pytest.skip(f"the program cannot be run, so no log is analyzed: {error}")

    def run(*paths):
        command = [*program, "analyze", *map(str, paths), "--json"]
        done = subprocess.run(command, capture_output=True, encoding="utf-8", check=False)
        if "is not built here" in done.stderr:
            pytest.skip("the program is not built, so no log is analyzed: npm run build")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run


def test_ranks_and_mini_batches_of_one_log_are_different_responses(tmp_path, analyze, monkeypatch):
    monkeypatch.delenv("RANK", raising=False)
    log = {"log_divergence": True, "divergence_threshold": 0.0, "divergence_top_k": 400, "iteration": 7}
    halves = (slice(0, 8), slice(8, 16))
    for path, places in (
        (tmp_path / "meta.jsonl", [({"rank": 0}, {}), ({"rank": 1}, {})]),
        (tmp_path / "env.jsonl", [({}, {"RANK": "0"}), ({}, {"RANK": "1"})]),
        (tmp_path / "mini.jsonl", [({}, {}), ({}, {})]),
    ):
        for rows, (meta, variables) in zip(halves, places, strict=True):
            with monkeypatch.context() as own:
                for name, value in variables.items():
                    own.setenv(name, value)
                calculate_debug_metrics(make_part(3, rows, meta), divergence_jsonl_path=path, **log)
        lines = read_lines(path)
        responses = {line["handle"].rsplit(".", 1)[0] for line in lines}
        assert len(responses) == 16 and len({line["record_id"] for line in lines}) == len(lines)
        assert analyze(path)["metrics"]["sequences"] == 16


def test_an_iteration_that_is_logged_again_counts_once(tmp_path, analyze):
    path = tmp_path / "log.jsonl"
    for iteration in (8, 9, 9):
        part = make_part(iteration)
        calculate_debug_metrics(part, divergence_threshold=0.0, divergence_jsonl_path=path, iteration=iteration)
    assert len(read_lines(path)) == 15
    assert analyze(path)["metrics"]["records"] == 10


def test_the_log_says_how_many_of_all_responses_were_correct(tmp_path, analyze):
    data = make_part(4)
    acc = np.array([True, False, None, True] * 4, object)
    data.non_tensor_batch["acc"] = acc
    del data.batch["token_level_scores"]
    path = tmp_path / "log.jsonl"
    calculate_debug_metrics(data, divergence_threshold=0.0, divergence_jsonl_path=path, iteration=1)
    record = read_lines(path)[0]
    tokens = (data.batch["response_mask"] != 0).sum(1)
    assert record["iteration_responses"] == 12 and record["iteration_accuracy"] == 8 / 12
    known, right = [each is not None for each in acc], [each is True for each in acc]
    assert record["iteration_correct_tokens"] == pytest.approx(tokens[right].sum() / tokens[known].sum())
    assert list(record)[-4:] == ["iteration_responses", "iteration_accuracy", "iteration_correct_tokens", "record_id"]
    words = json.dumps(analyze(path))
    assert "does not say how many of all responses" not in words


def test_lean_lines_have_the_fields_of_the_command_line(tmp_path):
    source = (Path(__file__).parents[2] / "src" / "analyses" / "divergence" / "line.ts").read_text(encoding="utf-8")
    fields = re.findall(r'"(\w+)"', source[source.index("LEAN_FIELDS") :].split("];")[0])
    for lean in (False, True):
        path = tmp_path / f"{lean}.jsonl"
        calculate_debug_metrics(make_data(), Tokenizer(), divergence_jsonl_path=path, iteration=1, lean=lean)
    whole, short = (read_lines(tmp_path / f"{lean}.jsonl")[0] for lean in (False, True))
    assert short == {name: whole[name] for name in fields if whole.get(name) is not None}
    assert list(short) == [name for name in fields if name in short] and len(fields) == 32


def test_texts_are_whole_unless_told_otherwise(tmp_path):
    data = make_data(rows=1, width=600)
    data.batch["response_mask"][0] = 1
    path = tmp_path / "log.jsonl"
    for most in (None, 20):
        calculate_debug_metrics(data, Tokenizer(), divergence_jsonl_path=path, max_response_chars=most)
    whole, cut = (read_lines(path)[i]["full_response"] for i in (0, 5))
    assert len(whole) > 600 and cut == repr(eval(whole)[:20] + "...")
    assert len(render_records(read_lines(path)[:1])) < 3000


def test_columns_are_read_once_and_only_where_tokens_are_logged():
    class Batch(dict):
        def __getitem__(self, name):
            read.append(name)
            return super().__getitem__(name)

    read: list = []
    data = make_data()
    data.batch = Batch(data.batch)
    calculate_debug_metrics(data, divergence_threshold=1.0)
    assert sorted(read) == ["old_log_probs", "response_mask", "responses", "rollout_log_probs"]


@pytest.mark.parametrize("tokens", [1, 255, 256, 257, 3000])
def test_ranking_by_blocks_is_ranking_all(tokens):
    rng = np.random.default_rng(tokens)
    rollout, old = -rng.random((2, tokens)), -rng.random((2, tokens))
    old[1, ::7] = rollout[1, ::7] - 0.25
    old[0, 0] = np.nan
    gaps = np.abs(np.exp(old) - np.exp(rollout)).reshape(-1)
    batch = {"rollout_log_probs": rollout, "old_log_probs": old}
    for count in (1, 5, 40):
        records = collect_divergent_tokens(batch, top_k=count)
        order = np.argsort(np.where(np.isnan(gaps), 1, -gaps), kind="stable")[: min(count, 2 * tokens - 1)]
        assert [record["batch_idx"] * tokens + record["position"] for record in records] == order.tolist()
