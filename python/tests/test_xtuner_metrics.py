"""xtuner's metric functions: by rows, as in its definitions, and merged over packs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from logratio.xtuner import (
    RolloutImportanceSampling,
    compute_is_metrics,
    compute_mismatch_metrics,
    compute_rollout_importance_weights,
    merge_rollout_is_metrics,
)

OLD = np.array([[-1.0, -2.0, -9.0], [-3.0, -0.5, -1.5]])
ROLLOUT = OLD + np.array([[0.1, 0.1, 5.0], [-0.4, -0.4, 0.2]])
MASK = np.array([[1, 1, 0], [1, 1, 1]])


def test_perplexities_are_of_rows():
    found = compute_mismatch_metrics(OLD, ROLLOUT, MASK)
    trainer = [(-1 - 2) / 2, (-3 - 0.5 - 1.5) / 3]
    difference = [0.1, (-0.4 - 0.4 + 0.2) / 3]
    expected = {
        "valid": True,
        "mismatch_training_ppl": np.mean(np.exp(-np.array(trainer))),
        "mismatch_training_log_ppl": -np.mean(trainer),
        "mismatch_kl": (0.2 - 0.6) / 5,
        "mismatch_log_ppl_diff": np.mean(difference),
        "mismatch_log_ppl_abs_diff": np.mean(np.abs(difference)),
        "mismatch_log_ppl_diff_max": 0.1,
        "mismatch_log_ppl_diff_min": -0.2,
        "mismatch_ppl_ratio": np.mean(np.exp(difference)),
        "mismatch_logprob_abs_diff": 1.2 / 5,
        "mismatch_rollout_log_ppl": -np.mean(np.add(trainer, difference)),
    }
    assert len(found) == 13
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=1e-7), name


def test_a_pack_is_one_row_and_the_class_puts_its_prefix_before():
    flat = [each.reshape(-1) for each in (OLD, ROLLOUT, MASK)]
    packed = compute_mismatch_metrics(*flat)
    assert packed == compute_mismatch_metrics(*(each[None] for each in flat))
    assert packed["mismatch_log_ppl_diff_max"] == packed["mismatch_log_ppl_diff_min"] == pytest.approx(-0.08)
    _, _, mismatch, _ = RolloutImportanceSampling().compute_rollout_importance_weights_and_metrics(
        flat[0], flat[1], [3, 3], flat[2]
    )
    assert mismatch == {f"mismatch/{name}": value for name, value in packed.items()}


def test_without_rollout_log_probs_the_trainers_perplexity_is_left():
    found = compute_mismatch_metrics(OLD, None, MASK)
    whole = compute_mismatch_metrics(OLD, ROLLOUT, MASK)
    assert found == {name: whole[name] for name in ("valid", "mismatch_training_ppl", "mismatch_training_log_ppl")}


def test_tensors_as_arrays(torch):
    given = [torch.tensor(each, requires_grad=each.dtype == np.float64) for each in (OLD, ROLLOUT, MASK)]
    whole = compute_mismatch_metrics(OLD, ROLLOUT, MASK)
    assert compute_mismatch_metrics(*given) == pytest.approx(whole, rel=1e-12)


@pytest.mark.parametrize("level", ["token", "sequence", "geometric"])
def test_figures_of_weights_are_those_of_the_whole_call(level):
    upper, lower = 1.2, 0.8
    veto = (1.45, 0.5)
    packs = [each.reshape(-1) for each in (OLD, ROLLOUT)]
    _, _, whole = compute_rollout_importance_weights(
        packs[0], packs[1], [3, 3], MASK.reshape(-1), level, "truncate", (upper, lower), None, veto
    )
    delta = OLD - ROLLOUT
    sums = (delta * MASK).sum(1, keepdims=True)
    # Masked means divide by the count plus 1e-8, as xtuner's do.
    means = sums / (MASK.sum(1, keepdims=True) + 1e-8)
    logs = {"token": delta, "sequence": sums, "geometric": means}[level]
    weights = np.broadcast_to(np.exp(logs), delta.shape)
    far = ((delta > math.log(veto[0])) | (delta < math.log(veto[1]))) & (MASK != 0)
    assert far.any()
    bounds = (upper, lower, math.log(upper), math.log(lower))
    found = compute_is_metrics(weights, logs, MASK, level, *bounds, far.any(1, keepdims=True), far, SAFETY_BOUND=20.0)
    assert found.pop("valid") is whole.pop("mismatch/valid") is True
    assert {f"mismatch/{name}": float(value) for name, value in found.items()} == pytest.approx(whole)
    assert found["rollout_is_veto_fraction"] == pytest.approx(0.5)


PACKS = [
    {"mismatch/valid": True, "mismatch/a": 1.0, "mismatch/b_max": 2.0, "mismatch/b_min": -1.0},
    {"mismatch/valid": True, "mismatch/a": 4.0, "mismatch/b_max": 1.0, "mismatch/b_min": -3.0},
    {"mismatch/valid": False, "mismatch/a": 99.0, "mismatch/b_max": 99.0, "mismatch/b_min": -99.0},
]


def test_packs_are_merged_and_those_without_a_token_do_not_count():
    assert merge_rollout_is_metrics(PACKS) == {"mismatch/a": 2.5, "mismatch/b_max": 2.0, "mismatch/b_min": -3.0}
    assert set(merge_rollout_is_metrics(PACKS[2:], device="cpu").values()) == {0.0}
    assert merge_rollout_is_metrics([]) == {}
    assert math.isnan(merge_rollout_is_metrics([PACKS[0], {**PACKS[1], "mismatch/b_max": math.nan}])["mismatch/b_max"])
    with pytest.raises(ValueError, match="pack 1 has no mismatch/a"):
        merge_rollout_is_metrics([PACKS[0], {"mismatch/valid": True}])


def _merge_on(rank, path, results):
    import torch.distributed as dist

    dist.init_process_group("gloo", init_method=f"file://{path}", rank=rank, world_size=2)
    results[rank] = merge_rollout_is_metrics(PACKS[rank : rank + 1])
    dist.destroy_process_group()


def test_packs_of_all_processes_are_merged(torch, tmp_path):
    manager = torch.multiprocessing.get_context("spawn").Manager()
    results = manager.dict()
    torch.multiprocessing.spawn(_merge_on, args=(tmp_path / "meet", results), nprocs=2)
    assert results[0] == results[1] == merge_rollout_is_metrics(PACKS[:2])
