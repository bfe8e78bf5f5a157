"""The checks of columns that every entry point shares: names, kinds, shapes; needs only numpy."""

from __future__ import annotations

import logging
from types import SimpleNamespace

import numpy as np
import pytest

import logratio
from logratio.recorder import BatchError
from logratio.recorder.columns import MASK_ALIASES, check_columns
from logratio.recorder.files import read_safetensors
from logratio.recorder.record import pack

R = -np.arange(1.0, 13.0).reshape(3, 4) / 10
OLD = R - 0.01
M = np.array([[1, 1, 1, 1], [1, 1, 1, 0], [1, 1, 0, 0]])
PAIR = {"rollout_log_probs": R, "old_log_probs": OLD}


@pytest.mark.parametrize("alias", MASK_ALIASES)
def test_the_mask_of_other_trainers_is_the_mask_in_every_door(alias, tmp_path):
    batch = {**PAIR, alias: M}
    with logratio.init(tmp_path) as run:
        run.log(step=1, **batch)
    assert run.counts.tokens == 9 and run.scalars(1)["logratio/tokens"] == 9
    assert logratio.scalars(batch)["logratio/tokens"] == 9
    assert logratio.compare_policies(batch, tol=1).tokens == 9
    metrics = logratio.calculate_debug_metrics(batch, log_divergence=False)
    assert metrics["per_round/round_0_token_count"] == 9
    # A mask that is given twice must be equal.
    assert pack({**batch, "response_mask": M.astype(bool)})["response_mask"].sum() == 9
    with pytest.raises(BatchError, match=f"response_mask and {alias} are both given and differ"):
        pack({**batch, "response_mask": np.ones((3, 4))})


def test_unknown_names_are_refused_in_every_door_and_once_by_log(tmp_path, caplog):
    batch = {**PAIR, "msk": M}
    for refuse in (
        lambda: logratio.scalars(batch),
        lambda: logratio.scalars(**batch),
        lambda: logratio.report(batch),
        lambda: logratio.compare_policies(batch, tol=1),
        lambda: logratio.calculate_debug_metrics({**PAIR, "msk_mask": M}),
    ):
        with pytest.raises((ValueError, logratio.LogratioError), match="msk"):
            refuse()
    run = logratio.init(tmp_path)
    with caplog.at_level(logging.WARNING, "logratio"):
        for step in range(3):
            run.log(step=step, **batch)
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == 1 and "unknown column: msk; likely: mask under another name" in said[0]
    assert run.finish().failed == 3 and not list(tmp_path.glob("*.safetensors"))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"old_log_probs": np.concatenate([OLD, OLD])}, r"old_log_probs has 6 sequences \(\[6, 4\]\), rollout_log_probs 3"),
        ({"old_log_probs": OLD[:2]}, "old_log_probs has 2 sequences"),
        ({"old_log_probs": OLD[:, :3]}, r"old_log_probs has the shape \[3, 3\], expected \[3, 4\]"),
        ({"old_log_probs": np.zeros((3, 5))}, r"old_log_probs has the shape \[3, 5\], expected \[3, 4\]"),
        ({"response_mask": np.ones((3, 6))}, r"response_mask has the shape \[3, 6\], expected \[3, 4\]"),
        ({"response_mask": np.ones((6, 4))}, "response_mask has 6 sequences"),
        ({"advantages": np.ones((3, 5))}, r"advantages has the shape \[3, 5\]"),
        ({"prompts": np.ones((4, 2))}, "prompts has 4 sequences"),
        ({"uid": ["a"]}, "uid has 1 sequence"),
        ({"uid": list("abcd")}, "uid has 4 sequences"),
        ({"rewards": [1.0, 2.0, 3.0, 4.0]}, "rewards has 4 sequences"),
        ({"rewards": np.ones((3, 3))}, r"rewards has the shape \[3, 3\]"),
        ({"position_ids": np.ones((3, 7))}, r"position_ids has the shape \[3, 7\]"),
        ({"attention_mask": np.ones((3, 3))}, r"attention_mask has the shape \[3, 3\]"),
        ({"prompts": np.ones((3, 2)), "attention_mask": np.ones((3, 5))}, r"attention_mask has the shape \[3, 5\]"),
        ({"digit_log_probs": np.ones((3, 5, 10))}, r"digit_log_probs has the shape \[3, 5, 10\]"),
        ({"top_k": {"rollout": (np.ones((3, 4, 2)), np.ones((3, 5, 2)))}}, r"top_k\['rollout'\] log-probs"),
        ({"rollout_log_probs": R[0], "old_log_probs": OLD[0]}, r"has the shape \[4\], expected \[B, T\]"),
        ({"rollout_log_probs": R[None], "old_log_probs": OLD[None]}, r"has the shape \[1, 3, 4\], expected \[B, T\]"),
        ({"rollout_log_probs": np.float32(-1.0)}, r"has the shape \[\]"),
        ({"rollout_log_probs": "x"}, "rollout_log_probs is a str"),
        ({"rollout_log_probs": R + 0j}, "rollout_log_probs holds complex128"),
        ({"rollout_log_probs": [[-1.0, -2.0], [-1.0]], "old_log_probs": [[-1.0, -2.0], [-1.0, -2.0]]}, "has 2 tokens in sequence 1, rollout_log_probs 1"),
        ({"rollout_log_probs": [[-1.0] * 5, [-1.0], [-1.0]]}, "rollout_log_probs has 5 tokens in sequence 0, old_log_probs 4"),
        ({"responses": [[1, 2, 3, None]] * 3}, "responses has None"),
        ({"rollout_log_probs": [[-1.0] * 4, None, [-1.0] * 4]}, "rollout_log_probs is None in sequence 1"),
    ],
)  # fmt: skip
def test_columns_that_do_not_fit_are_refused_with_both_shapes(columns, message, tmp_path, caplog):
    batch = {**PAIR, **columns}
    with pytest.raises(BatchError, match=message):
        pack(batch)
    with caplog.at_level(logging.WARNING, "logratio"):
        run = logratio.init(tmp_path)
        run.log(step=1, **batch)
    assert run.counts.failed == 1 and len(caplog.records) == 1
    assert run.finish().written == 0


@pytest.mark.parametrize("none", [R[:0], [], [np.zeros(0)][:0]], ids=["array", "list", "rows"])
def test_an_empty_batch_is_counted_apart_and_no_failure(none, tmp_path, caplog, capsys):
    with pytest.raises(
        BatchError, match=r"the batch is empty: rollout_log_probs has the shape \[0, .*a filter left no"
    ):
        pack({"rollout_log_probs": none, "old_log_probs": none})
    with caplog.at_level(logging.WARNING, "logratio"), logratio.init(tmp_path) as run:
        run.log(step=1, **PAIR)
        run.log(step=1, rollout_log_probs=none, old_log_probs=none)
    assert (run.counts.written, run.counts.empty, run.counts.failed, caplog.records) == (1, 1, 0, [])
    assert f"1 batch (3 sequences, 12 tokens) written to {tmp_path}, 1 empty" in capsys.readouterr().err


def test_each_fault_is_said_once_whatever_its_numbers(tmp_path, caplog):
    run = logratio.init(tmp_path)
    with caplog.at_level(logging.WARNING, "logratio"):
        for tokens in range(2, 9):
            run.log(step=tokens, rollout_log_probs=np.zeros((2, tokens)), old_log_probs=np.zeros((2, tokens + 1)))
    assert len(caplog.records) == 1 and run.finish().failed == 7


def test_none_among_numbers_is_unknown():
    packed = pack({**PAIR, "rewards": [1.0, None, 0.0], "acc": np.array([True, None, False], object)})
    assert np.array_equal(packed["reward"], [1, np.nan, 0], equal_nan=True)
    assert np.array_equal(packed["correctness"], [1, np.nan, 0], equal_nan=True)
    rows = pack({"rollout_log_probs": [[-1.0, None], [-3.0]], "old_log_probs": [[-1.0, -2.0], [-3.0]]})
    assert np.array_equal(rows["rollout_logprobs"], np.float32([-1, np.nan, -3]), equal_nan=True)


def test_rows_beside_padded_arrays_and_sequences_without_tokens():
    rows = [R[0], R[1, :3], R[2, :2]]
    packed = pack({"rollout_log_probs": rows, "old_log_probs": OLD, "response_mask": M})
    assert packed["response_offsets"].tolist() == [0, 4, 7, 9]
    assert packed["trainer_logprobs"].tolist() == OLD[M == 1].tolist()
    # The mask has one token more than its row.
    with pytest.raises(BatchError, match="rollout_log_probs has 2 tokens in sequence 1, the mask 3"):
        pack({"rollout_log_probs": [R[0], R[1, :2], R[2, :2]], "old_log_probs": OLD, "response_mask": M})
    none = pack({"rollout_log_probs": R[:, :0], "old_log_probs": OLD[:, :0], "response_mask": M[:, :0]})
    assert none["response_offsets"].tolist() == [0, 0, 0, 0]
    assert pack({"rollout_log_probs": np.array([R[0], R[1, :3]], object)})["response_offsets"].tolist() == [0, 4, 7]


def test_attention_without_a_response_mask_is_the_mask_of_the_response():
    attention = np.concatenate([np.ones((3, 2), int), M], 1)
    for prompts in ({}, {"prompts": np.ones((3, 2), int)}):
        packed = pack({**PAIR, **prompts, "attention_mask": attention})
        assert packed["response_mask"].tolist() == [1] * 9
    # Tokens in the response mask are kept, whatever the attention mask says.
    packed = pack({**PAIR, "attention_mask": attention, "response_mask": np.ones((3, 4))})
    assert packed["response_mask"].tolist() == [1] * 12


def test_positions_of_the_prompt_are_left_out():
    positions = np.arange(6)[None].repeat(3, 0)
    packed = pack({**PAIR, "prompts": np.ones((3, 2), int), "position_ids": positions})
    assert packed["position_ids"].tolist() == [2, 3, 4, 5] * 3
    with pytest.raises(BatchError, match=r"position_ids has the shape \[3, 6\]"):
        pack({**PAIR, "position_ids": positions})


def test_columns_of_data_frames():
    frame = SimpleNamespace(to_pylist=lambda: [[-0.1, None], [-0.3]])
    packed = pack({"rollout_log_probs": frame, "old_log_probs": [[-0.1, -0.2], [-0.3]]})
    assert packed["response_offsets"].tolist() == [0, 2, 3] and np.isnan(packed["rollout_logprobs"][1])
    pandas = pytest.importorskip("pandas", reason="pandas is not installed: its columns are not tested")
    rows = pandas.Series([R[0], R[1, :3]])
    assert pack({"rollout_log_probs": rows})["response_offsets"].tolist() == [0, 4, 7]
    assert pack({"rollout_log_probs": pandas.DataFrame(R)})["rollout_logprobs"].tolist() == R.ravel().tolist()
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed: its columns are not tested")
    packed = pack({"rollout_log_probs": arrow.array([[-1.0, None], [-3.0]]), "uid": arrow.array(["a", "b"])})
    assert packed["response_offsets"].tolist() == [0, 2, 3] and packed["group_id"].tobytes() == b"ab"


def test_tensors_that_numpy_does_not_take(tmp_path):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: tensors are not tested")
    old = torch.tensor(OLD)
    nested = {
        name: torch.nested.nested_tensor([value[0], value[1, :2]], layout=torch.jagged)
        for name, value in (("rollout_log_probs", torch.tensor(R)), ("old_log_probs", old))
    }
    with logratio.init(tmp_path) as run:
        run.log(step=1, uid=torch.tensor([7, 8]), **nested)
        run.log(step=2, rollout_log_probs=old.to(torch.float8_e5m2), old_log_probs=torch._neg_view(-old))
    assert run.counts.failed == 0 and run.counts.tokens == 6 + 12
    for broken, message in [
        (old.to_sparse(), "is a sparse tensor"),
        (old.to("meta"), "on the meta device"),
        (old.to(torch.complex64), "complex64"),
    ]:
        with pytest.raises(BatchError, match=message):
            check_columns({"rollout_log_probs": broken, "old_log_probs": old})


@pytest.mark.parametrize("wide", [2**31, 2**33 + 5, -(2**40)])
def test_an_id_beyond_32_bits_is_missing_and_not_another_tokens(tmp_path, wide):
    batch = dict(
        rollout_log_probs=np.full((2, 3), -1.0, np.float32),
        old_log_probs=np.full((2, 3), -1.5, np.float32),
        response_mask=np.ones((2, 3), np.int64),
    )
    ids = np.array([[7, wide, 9], [1, 2, 3]], np.int64)
    for name, responses in {"array": ids, "rows": [row.copy() for row in ids]}.items():
        run = logratio.init(dir=tmp_path / name)
        run.log(step=1, responses=responses, **batch)
        assert run.finish().written == 1
        columns = read_safetensors(next((tmp_path / name).glob("*.safetensors")))[0]
        assert columns["response_token_ids"].tolist() == [7, -1, 9, 1, 2, 3]
