"""Settings of the tiny random model: each computes the same function, with errors of the size that its arithmetic has."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from test_faultlab import CONFIG, STATE, TASK

from faultlab.arithmetic import Arithmetic, Model, force, sample
from faultlab.rows import Row
from faultlab.settings import FP32, REFERENCE, ROLLOUT, SETTINGS, TRAINER, score_settings
from faultlab.trainer import Trainer, score

PROMPTS = [list(problem.prompt) for problem in TASK.problems]
LONGEST = 24


@pytest.fixture(scope="module")
def rows():
    return score_settings(STATE, CONFIG, PROMPTS, TASK.enders, LONGEST, seed=3)


def find_error(rows: list[dict], name: str) -> float:
    def column(row: dict, of: str) -> list[float]:
        return row[f"{of}_logprobs"] if of in (ROLLOUT, TRAINER) else row["policy_logprobs"][of]

    errors = [np.subtract(column(row, name), column(row, REFERENCE)) for row in rows]
    return float(np.sqrt(np.mean(np.concatenate(errors) ** 2)))


@pytest.mark.parametrize("pad", ["right", "left"])
def test_float32_is_the_trainer_of_the_laboratory(pad):
    rng = torch.Generator().manual_seed(1)
    model = Model(STATE, CONFIG, Arithmetic(FP32, master=True, rows=4, pad=pad))
    found = sample(model, PROMPTS, LONGEST, TASK.enders, rng)
    texts = [(prompt, ids) for prompt, (ids, _) in zip(PROMPTS, found, strict=True)]
    forced = force(model, texts)
    known = [
        Row(problem, np.array(ids), np.ones(len(ids), bool))
        for problem, (ids, _) in zip(TASK.problems, found, strict=True)
    ]
    expected = score(Trainer(STATE), CONFIG, known, details=False)
    for (_, decoded), own, one in zip(found, forced, expected, strict=True):
        np.testing.assert_allclose(own, one["log_prob"], atol=2e-5)
        np.testing.assert_allclose(decoded, own, atol=2e-5)


def test_every_setting_scores_every_token_once(rows):
    assert [row["group_id"] for row in rows] == [f"p{i}" for i in range(len(PROMPTS))]
    for row in rows:
        columns = [row["rollout_logprobs"], row["trainer_logprobs"], *row["policy_logprobs"].values()]
        assert {len(column) for column in columns} == {len(row["response_token_ids"])}
        assert set(row["policy_logprobs"]) == set(SETTINGS)
        assert all(np.isfinite(column).all() for column in columns)


def test_errors_grow_with_coarser_arithmetic(rows):
    assert find_error(rows, REFERENCE) == 0
    order = ["float32_halves", "fp16", "bf16_eager", "bf16_fp8_cache"]
    sizes = [find_error(rows, name) for name in order]
    assert sizes == sorted(sizes) and sizes[0] < 1e-4 < sizes[1] * 10 < sizes[2] * 10


def test_no_setting_is_another_under_a_second_name(rows):
    columns = {name: tuple(v for row in rows for v in row["policy_logprobs"][name]) for name in SETTINGS}
    # Batches and pads move nothing on a processor whose kernels sum each row alike.
    batched = {"bf16_one_row", "bf16_left_pads"}
    rest = [column for name, column in columns.items() if name not in batched]
    assert len(set(rest)) == len(rest)
