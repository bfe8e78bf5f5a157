"""Whatever holds log-probs is a run: tables, tuples, nested and spread tensors; and what is refused, with what words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import logratio
from logratio import LogratioError
from logratio.runs.open import find_batches, open_run

LENGTHS = (3, 5, 2, 4)


def rows(seed: int) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [(-0.1 - rng.random(length)).astype(np.float32) for length in LENGTHS]


ROLLOUT, TRAINER = rows(0), rows(1)
IDS = [np.arange(length) for length in LENGTHS]
COLUMNS = {
    "rollout_log_probs": [row.tolist() for row in ROLLOUT],
    "old_log_probs": [row.tolist() for row in TRAINER],
    "responses": [row.tolist() for row in IDS],
    "uid": ["a", "a", "b", "b"],
    "step": [7, 7, 8, 8],
    "question": ["?", "?", "?", "?"],
}


def make_table(kind: str):
    library = pytest.importorskip(kind.split(".")[0], reason=f"{kind} is not installed: its tables are not tested")
    if kind == "pandas":
        return library.DataFrame(COLUMNS)
    if kind == "polars.lazy":
        return library.DataFrame(COLUMNS).lazy()
    if kind == "polars":
        return library.DataFrame(COLUMNS)
    if kind == "pyarrow":
        return library.table(COLUMNS)
    if kind == "pyarrow.batch":
        return library.RecordBatch.from_pydict(COLUMNS)
    return library.Dataset.from_dict(COLUMNS)


KINDS = ("pandas", "polars", "polars.lazy", "pyarrow", "pyarrow.batch", "datasets")


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_is_batches_by_step(kind):
    batches = find_batches(make_table(kind))
    assert [batch["step"] for batch in batches] == [7, 8]
    for batch, first in zip(batches, (0, 2), strict=True):
        assert sorted(batch) == ["old_log_probs", "responses", "rollout_log_probs", "step", "uid"]
        for name, expected in (("rollout_log_probs", ROLLOUT), ("old_log_probs", TRAINER), ("responses", IDS)):
            for found, row in zip(batch[name], expected[first : first + 2], strict=True):
                np.testing.assert_allclose(found, row)
        assert list(batch["uid"]) == COLUMNS["uid"][first : first + 2]


@pytest.mark.parametrize("kind", KINDS)
def test_a_table_has_the_figures_of_its_lists(kind):
    lists = {name: COLUMNS[name] for name in ("rollout_log_probs", "old_log_probs")}
    assert logratio.scalars(make_table(kind)) == pytest.approx(logratio.scalars(lists))


def test_chosen_and_shuffled_rows_of_a_data_set():
    datasets = pytest.importorskip("datasets", reason="datasets is not installed: its tables are not tested")
    chosen = datasets.Dataset.from_dict(COLUMNS).select([3, 0])
    batches = find_batches(chosen)
    assert [batch["step"] for batch in batches] == [7, 8]
    np.testing.assert_allclose(np.asarray(batches[0]["rollout_log_probs"][0]), ROLLOUT[0])
    np.testing.assert_allclose(np.asarray(batches[1]["rollout_log_probs"][0]), ROLLOUT[3])
    with pytest.raises(LogratioError, match="a DatasetDict is not a table") as caught:
        open_run(datasets.DatasetDict(train=chosen))
    assert caught.value.hint == 'give one of its splits, such as dataset["train"]'
    with pytest.raises(LogratioError, match=r"an? IterableDataset is not a table"):
        open_run(chosen.to_iterable_dataset())


def test_columns_of_a_recorded_file_are_known():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed: its tables are not tested")
    names = {"rollout_log_probs": "rollout_logprobs", "old_log_probs": "trainer_logprobs", "uid": "group_id"}
    (first, second) = find_batches(pandas.DataFrame(COLUMNS).rename(columns=names))
    assert {"rollout_log_probs", "old_log_probs", "uid"} <= set(first) and second["step"] == 8


def test_a_padded_table_is_a_padded_batch():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed: its tables are not tested")
    padded = np.full((2, 4), -1.0)
    mask = np.array([[1, 1, 1, 0], [1, 1, 1, 1]])
    table = pandas.DataFrame(
        {"rollout_log_probs": list(padded), "old_log_probs": list(padded), "attention_mask": list(mask)}
    )
    assert logratio.scalars(table)["logratio/tokens"] == 7


@pytest.mark.parametrize(
    ("change", "message", "advice"),
    [
        ({"rollout_logprob": None}, "the table has neither", "rename the columns"),
        ({"drop": "both"}, "its columns are responses, uid, step, question", "rename the columns"),
        ({"rollout_log_probs": [-0.1] * 4}, "rollout_log_probs holds one number in each row", "groupby"),
        ({"rollout_log_probs": ["[-0.1]"] * 4}, "rollout_log_probs holds texts", "json.loads"),
        ({"rollout_log_probs": [[-0.1], None, [-0.2], [-0.3]]}, "is null in 1 of 4 rows", "leave these rows out"),
        ({"step": [1, 2, None, 3]}, "step is nan, expected a whole number in every row", "leave the column step out"),
        ({"step": [1, 2, 2.5, 3]}, "step is 2.5, expected a whole number", "leave the column step out"),
        ({"empty": True}, "the table has no rows", "give a table with a row"),
        ({"completion_masks": [[1]] * 4}, "unknown column: completion_masks", "use the names of Recorder.log"),
    ],
)
def test_tables_that_are_refused(change, message, advice):
    pandas = pytest.importorskip("pandas", reason="pandas is not installed: its tables are not tested")
    table = pandas.DataFrame(COLUMNS)
    if "drop" in change:
        table = table.drop(columns=["rollout_log_probs", "old_log_probs"])
    elif "rollout_logprob" in change:
        table = table.rename(columns={"rollout_log_probs": "rollout_lp", "old_log_probs": "old_lp"})
    elif "empty" in change:
        table = table[table["step"] > 100]
    else:
        for name, values in change.items():
            table[name] = values
    with pytest.raises(LogratioError) as caught:
        open_run(table)
    assert message in caught.value.message and advice in caught.value.hint


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ({"rollout_log_probs": np.zeros((2, 3)), "old_log_probs": np.zeros((3, 3))}, "old_log_probs has 3 sequences"),
        ({"rollout_log_probs": [[-1.0], [-1.0, -2.0]], "old_log_probs": [[-1.0], [-1.0]]}, "1 token in sequence 1"),
        ({"rollout_log_probs": np.zeros((0, 3)), "old_log_probs": np.zeros((0, 3))}, "the batch is empty"),
        ({"rollout_log_probs": np.array([["a"]]), "old_log_probs": np.zeros((1, 1))}, "rollout_log_probs holds"),
        ((np.zeros((2, 3)), np.zeros((2, 4))), "old_log_probs has the shape [2, 4], expected [2, 3]"),
        ([np.zeros((2, 3)), np.zeros((2, 3))], "not a list of ndarray"),
        ((), "not an empty tuple"),
        (3, "a run is paths, a recorder, arrays or a table, not int"),
    ],
)
def test_arrays_that_are_refused(run, message):
    with pytest.raises(LogratioError) as caught:
        open_run(run)
    assert message in caught.value.message


def test_a_tuple_is_both_sides_and_a_mask():
    pair = (np.full((2, 3), -1.0), np.full((2, 3), -1.5))
    assert logratio.scalars(pair)["logratio/delta_abs_mean"] == 0.5
    assert logratio.scalars((*pair, np.eye(2, 3)))["logratio/tokens"] == 2
    assert logratio.scalars(([[-1.0], [-1.0, -1.0]], [[-1.0], [-1.0, -2.0]]))["logratio/tokens"] == 3


def test_files_of_arrays_go_with_their_last_user():
    opened = open_run((np.full((2, 3), -1.0), np.full((2, 3), -1.5)), "mine")
    folder = opened.folder.name
    assert opened.words[0].endswith("/mine")
    again = open_run(opened)
    del opened
    assert again.folder.name == folder
    again.remove_files()
    for name in ("../mine", "/mine", "", ".."):
        with pytest.raises(LogratioError, match="the name of arrays is"):
            open_run((np.zeros((1, 1)), np.zeros((1, 1))), name)
    assert not Path(folder).exists()


def test_nested_and_spread_tensors():
    torch = pytest.importorskip("torch", reason="torch is not installed: its tensors are not tested")
    nested = [
        torch.nested.nested_tensor([torch.from_numpy(row) for row in side], layout=torch.jagged)
        for side in (ROLLOUT, TRAINER)
    ]
    expected = logratio.scalars((ROLLOUT, TRAINER))
    assert logratio.scalars(tuple(nested)) == pytest.approx(expected)
    tensordict = pytest.importorskip("tensordict", reason="tensordict is not installed: it is not tested")
    batch = tensordict.TensorDict({"rollout_log_probs": nested[0], "old_log_probs": nested[1]}, batch_size=[4])
    assert logratio.scalars(batch) == pytest.approx(expected)


def test_a_tensor_spread_over_one_process(tmp_path):
    torch = pytest.importorskip("torch", reason="torch is not installed: its tensors are not tested")
    import torch.distributed as dist
    from torch.distributed.tensor import Shard, distribute_tensor, init_device_mesh

    dist.init_process_group("gloo", init_method=f"file://{tmp_path}/store", rank=0, world_size=1)
    try:
        mesh = init_device_mesh("cpu", (1,))
        sides = [torch.full((2, 3), value) for value in (-1.0, -1.5)]
        spread = tuple(distribute_tensor(side, mesh, [Shard(0)]) for side in sides)
        assert logratio.scalars(spread) == logratio.scalars(tuple(sides))
    finally:
        dist.destroy_process_group()


def test_a_data_proto_of_verl():
    torch = pytest.importorskip("torch", reason="torch is not installed: verl is not tested")
    protocol = pytest.importorskip("verl.protocol", reason="verl is not installed: its batches are not tested")
    columns = {"rollout_log_probs": torch.full((2, 3), -1.0), "old_log_probs": torch.full((2, 3), -1.5)}
    proto = protocol.DataProto.from_dict(tensors=columns, non_tensors={"uid": np.array(["a", "b"], object)})
    (batch,) = find_batches(proto)
    assert set(batch) == {"rollout_log_probs", "old_log_probs", "uid"}
