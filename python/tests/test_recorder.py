"""The recorder: what it writes, what it leaves out, and what it never does to the loop around it."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest
from hooks_support import read_arrays as read

import logratio
from logratio.recorder import files, recorder
from logratio.recorder.arrays import BufferPool, copy


def written(run: logratio.Recorder) -> list[Path]:
    return sorted(run.path.glob("*.safetensors"))


def make_batch(sequences: int = 3, prompt: int = 4, tokens: int = 5) -> dict[str, np.ndarray]:
    """Left-padded prompts, right-padded responses with lengths 5, 4, 3, … and a tool token at 1."""
    rng = np.random.default_rng(0)
    lengths = np.maximum(tokens - np.arange(sequences), 1)
    at = np.arange(tokens)
    inside = at[None] < lengths[:, None]
    mask = inside & (at[None] != 1)
    prompts_on = np.arange(prompt)[None] >= (np.arange(sequences) % prompt)[:, None]
    return {
        "rollout_log_probs": -rng.random((sequences, tokens)).astype(np.float32),
        "old_log_probs": -rng.random((sequences, tokens)).astype(np.float32),
        "response_mask": mask.astype(np.int64),
        "responses": rng.integers(3, 99, (sequences, tokens)),
        "prompts": rng.integers(3, 99, (sequences, prompt)),
        "attention_mask": np.concatenate([prompts_on, inside], 1).astype(np.int64),
        "advantages": rng.standard_normal((sequences, tokens)).astype(np.float32),
        "rewards": rng.random(sequences),
    }


def test_padding_is_gone_and_names_are_the_record(tmp_path):
    batch = make_batch()
    with logratio.init(tmp_path, "run", rank=2) as run:
        run.log(step=7, uid=["a", "a", "bé"], meta={"temperature": 0.7}, **batch)
    (path,) = written(run)
    assert path == tmp_path / "run" / "step_7.rank_2.call_0.safetensors"
    arrays, metadata = read(path)
    assert metadata["logratio.schema_version"] == "1"
    assert (metadata["step"], metadata["rank"], metadata["temperature"]) == ("7", "2", "0.7")
    assert arrays["response_offsets"].tolist() == [0, 5, 9, 12]
    assert arrays["prompt_offsets"].tolist() == [0, 4, 7, 9]
    for i, (start, end) in enumerate([(0, 5), (5, 9), (9, 12)]):
        n = end - start
        for name, column in [
            ("rollout_log_probs", "rollout_logprobs"),
            ("old_log_probs", "trainer_logprobs"),
            ("responses", "response_token_ids"),
            ("advantages", "advantages"),
            ("response_mask", "response_mask"),
        ]:
            assert np.array_equal(arrays[column][start:end], batch[name][i, :n]), column
    assert np.array_equal(arrays["prompt_token_ids"][4:7], batch["prompts"][1, 1:])
    assert np.array_equal(arrays["reward"], batch["rewards"])
    assert arrays["group_id"].tobytes().decode() == "aabé"
    assert arrays["group_id.offsets"].tolist() == [0, 1, 2, 5]
    assert arrays["rollout_logprobs"].dtype == np.float32 and arrays["response_mask"].dtype == np.uint8


def test_rows_of_different_lengths(tmp_path):
    with logratio.init(tmp_path) as run:
        run.log(
            step=1,
            rollout_log_probs=[[-1.0, -2.0], [-3.0]],
            old_log_probs=[np.array([-1.5, -2.5]), np.array([-3.5])],
            advantages=[0.5, -0.5],
            prompts=[[1, 2], [3]],
        )
    arrays, _ = read(written(run)[0])
    assert arrays["response_offsets"].tolist() == [0, 2, 3]
    assert arrays["trainer_logprobs"].tolist() == [-1.5, -2.5, -3.5]
    assert arrays["advantages"].tolist() == [0.5, 0.5, -0.5]
    assert arrays["response_mask"].tolist() == [1, 1, 1]


def test_token_level_rewards_are_summed_and_top_k_is_kept(tmp_path):
    batch = make_batch()
    scores = np.zeros((3, 5))
    scores[:, 2] = [1, 0.5, 0]
    ids = np.arange(30).reshape(3, 5, 2)
    with logratio.init(tmp_path) as run:
        run.log(step=1, **{**batch, "rewards": scores, "top_k": {"rollout": (ids, -ids / 10)}})
    arrays, _ = read(written(run)[0])
    assert arrays["reward"].tolist() == [1, 0.5, 0]
    assert arrays["topk_ids.rollout"].shape == (12, 2)
    assert arrays["topk_ids.rollout"][5].tolist() == [10, 11]


def test_later_changes_of_the_arrays_are_not_recorded(tmp_path):
    batch = make_batch(64, 8, 512)
    expected = []
    with logratio.init(tmp_path) as run:
        for step in range(5):
            expected.append(batch["rollout_log_probs"].copy())
            run.log(step=step, rollout_log_probs=batch["rollout_log_probs"], old_log_probs=batch["old_log_probs"])
            batch["rollout_log_probs"] += 1
    for step, path in enumerate(written(run)):
        assert np.array_equal(read(path)[0]["rollout_logprobs"].reshape(64, 512), expected[step])


def test_torch_tensors_of_any_type(tmp_path):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: tensors are not tested")
    values = torch.tensor([[-0.5, -1.25, -3.0]])
    with logratio.init(tmp_path) as run:
        for step, dtype in enumerate([torch.float32, torch.bfloat16, torch.float16, torch.float64]):
            run.log(
                step=step,
                rollout_log_probs=values.to(dtype).requires_grad_(),
                old_log_probs=values.to(dtype),
                responses=torch.tensor([[1, 2, 3]]),
                response_mask=torch.tensor([[True, False, True]]),
            )
    for step, path in enumerate(written(run)):
        arrays, _ = read(path)
        assert arrays["rollout_logprobs"].tolist() == [-0.5, -1.25, -3.0], step
        assert arrays["rollout_logprobs"].dtype == (np.float64 if step == 3 else np.float32)
        assert arrays["response_mask"].tolist() == [1, 0, 1]


def test_large_columns_are_copied_in_pieces_and_ids_narrowed(tmp_path):
    """Several pieces per column; int64 as in trainers, a mask of 256 (0 in its lowest byte), reversed memory."""
    random = np.random.default_rng(3)
    shape = (64, 20_000)
    rollout = -random.random(shape, np.float32)
    ids = random.integers(0, 150_000, shape)
    mask = np.where(random.random(shape) < 0.9, 256, 0)
    mask[:, -1] = 1
    with logratio.init(tmp_path) as run:
        given = (rollout.copy(), ids.copy(), mask.copy())
        backwards = np.asfortranarray(rollout)
        run.log(step=1, rollout_log_probs=given[0], old_log_probs=backwards, responses=given[1], response_mask=given[2])
        # What the loop does next must not affect the record.
        for array in given:
            array[:] = 0
    arrays, _ = read(written(run)[0])
    assert np.array_equal(arrays["rollout_logprobs"], rollout.ravel())
    assert np.array_equal(arrays["trainer_logprobs"], rollout.ravel())
    assert np.array_equal(arrays["response_token_ids"], ids.ravel())
    assert np.array_equal(arrays["response_mask"], (mask != 0).ravel())
    assert run.counts.failed == 0


def test_a_queue_holds_ids_and_masks_at_their_width(tmp_path, monkeypatch):
    held = []
    monkeypatch.setattr(recorder, "pack", lambda columns, choose: held.append(columns) or {})
    one = np.ones((2, 3), np.int64)
    with logratio.init(tmp_path) as run:
        run.log(step=1, rollout_log_probs=-one.astype(np.float32), responses=one, response_mask=one, prompts=one)
    types = {name: array.dtype.name for name, array in held[0].items()}
    assert types == {"rollout_log_probs": "float32", "response_mask": "bool", "responses": "int32", "prompts": "int32"}


def test_rows_of_tensors_are_one_copy(tmp_path, monkeypatch):
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: tensors are not tested")
    copies = []
    monkeypatch.setattr(recorder, "copy", lambda value, *rest: copies.append(value) or copy(value, *rest))
    rows = [torch.tensor(row, dtype=torch.bfloat16, requires_grad=True) for row in ([-0.5, -1.0], [], [-3.0])]
    with logratio.init(tmp_path) as run:
        run.log(step=1, rollout_log_probs=rows, old_log_probs=[row.float() for row in rows])
    assert len(copies) == 2
    arrays, _ = read(written(run)[0])
    assert arrays["response_offsets"].tolist() == [0, 2, 2, 3]
    assert arrays["rollout_logprobs"].tolist() == arrays["trainer_logprobs"].tolist() == [-0.5, -1.0, -3.0]


def test_steps_that_are_due(tmp_path):
    run = logratio.init(tmp_path, every=3)
    assert [step for step in range(7) if run.is_due(step)] == [0, 3, 6]


def test_nothing_is_raised_and_each_reason_is_said_once(tmp_path, caplog):
    run = logratio.init(tmp_path)
    with caplog.at_level(logging.WARNING):
        for step in (1, 2, 3):
            run.log(step=step, rollout_log_probs=np.zeros((2, 3)), old_log_probs=np.zeros((2, 2)))
        run.log(step=1)
        run.log(step="x", rollout_log_probs=object())
        counts = run.finish()
    assert counts.failed == 5 and counts.written == 0
    said = [record.getMessage() for record in caplog.records]
    assert said[0].startswith(
        "logratio: a batch could not be recorded: BatchError: old_log_probs has the shape [2, 2], expected [2, 3] as "
        "rollout_log_probs has it; likely: "
    )
    nothing = "neither rollout_log_probs, old_log_probs nor responses was given"
    assert any(
        text.startswith(f"logratio: a batch could not be recorded: BatchError: {nothing}; likely: ") for text in said
    )
    assert said[-1] == f"logratio: 0 batches (0 sequences, 0 tokens) written to {tmp_path}, 5 failed"
    assert len(said) == 4


def test_calls_after_the_end_are_counted(tmp_path):
    run = logratio.init(tmp_path)
    run.finish()
    run.log(step=1, rollout_log_probs=[[-1.0]], old_log_probs=[[-1.0]])
    assert run.counts.failed == 1 and run.finish() is run.counts


def test_files_are_never_replaced(tmp_path):
    for _ in range(2):
        with logratio.init(tmp_path, resume="allow") as run:
            for _ in range(2):
                run.log(step=3, rollout_log_probs=[[-1.0]], old_log_probs=[[-1.0]])
    assert [path.name for path in written(run)] == [f"step_3.rank_0.call_{n}.safetensors" for n in range(4)]
    assert [path for path in tmp_path.iterdir() if path.suffix == ".tmp"] == []


def test_every_sample_and_max_tokens_bound_the_cost(tmp_path):
    batch = {name: make_batch(100, 4, 10)[name] for name in ("rollout_log_probs", "old_log_probs")}
    with logratio.init(tmp_path / "every", every=2) as run:
        for step in range(4):
            run.log(step=step, **batch)
    assert (run.counts.written, run.counts.passed_over) == (2, 2)
    for options, sequences in [({"sample": 0.2}, 20), ({"max_tokens": 55}, 5), ({"max_tokens": 3}, 1)]:
        chosen = []
        for _ in range(2):
            with logratio.init(tmp_path / str(options), **options) as run:
                run.log(step=1, **batch)
            assert run.counts.sequences == sequences
            assert run.counts.sequences_left_out == 100 - sequences
            chosen.append(read(written(run)[-1])[0]["row"].tolist())
        assert chosen[0] == chosen[1] == sorted(chosen[0])


def test_a_slow_disk_drops_and_never_blocks(tmp_path, monkeypatch, caplog):
    monkeypatch.setattr(recorder, "publish", lambda *args: time.sleep(0.2))
    run = logratio.init(tmp_path, max_queue_bytes=3 << 20)
    values = np.zeros((1, 1 << 18), np.float32)
    began = time.monotonic()
    for step in range(40):
        run.log(step=step, rollout_log_probs=values, old_log_probs=values)
    assert time.monotonic() - began < 0.2
    assert run.counts.dropped >= 30
    counts = run.finish()
    assert counts.dropped + counts.written == 40
    assert "dropped because the disk was too slow" in caplog.text


def test_calls_of_a_step_count_their_rows_on(tmp_path):
    with logratio.init(tmp_path) as run:
        for step in (1, 2, 1):
            run.log(step=step, rollout_log_probs=[[-1.0], [-1.0]], old_log_probs=[[-1.0], [-1.0]])
    rows = {path.name: read(path)[0]["row"].tolist() for path in written(run)}
    assert rows == {
        "step_1.rank_0.call_0.safetensors": [0, 1],
        "step_1.rank_0.call_1.safetensors": [2, 3],
        "step_2.rank_0.call_0.safetensors": [0, 1],
    }


@pytest.mark.parametrize("wrong", [{"every": 0}, {"sample": 0}, {"sample": 1.5}])
def test_arguments_out_of_range(tmp_path, wrong):
    with pytest.raises(ValueError, match="must be"):
        logratio.init(tmp_path, **wrong)


def test_the_directory_comes_from_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("LOGRATIO_DIR", str(tmp_path / "here"))
    monkeypatch.setenv("RANK", "5")
    with logratio.init(name="run") as run:
        run.log(step=1, rollout_log_probs=[[-1.0]], old_log_probs=[[-1.0]])
    assert written(run) == [tmp_path / "here" / "run" / "step_1.rank_5.call_0.safetensors"]


def test_a_child_process_writes_its_own(tmp_path):
    run = logratio.init(tmp_path)
    run.log(step=1, rollout_log_probs=[[-1.0]], old_log_probs=[[-1.0]])
    assert run.flush(10)
    child = os.fork()
    if child == 0:
        run.log(step=2, rollout_log_probs=[[-2.0]], old_log_probs=[[-2.0]])
        os._exit(0 if run.flush(10) else 1)
    assert os.waitpid(child, 0)[1] == 0
    run.finish()
    assert [path.name for path in written(run)] == [
        "step_1.rank_0.call_0.safetensors",
        "step_2.rank_0.call_0.safetensors",
    ]


def test_killed_at_any_time_it_leaves_whole_files(tmp_path):
    program = textwrap.dedent(
        """
        import sys, numpy as np, logratio
        run = logratio.init(sys.argv[1])
        values = np.zeros((64, 4096), np.float32)
        print("ready", flush=True)
        step = 0
        while True:
            run.log(step=step, rollout_log_probs=values, old_log_probs=values)
            run.flush()
            step += 1
        """
    )
    for i in range(6):
        folder = tmp_path / str(i)
        process = subprocess.Popen([sys.executable, "-c", program, str(folder)], stdout=subprocess.PIPE)
        assert process.stdout is not None and process.stdout.readline()
        time.sleep(0.05 + 0.037 * i)
        process.send_signal(signal.SIGKILL)
        process.wait()
        for path in folder.glob("*.safetensors"):
            assert read(path)[0]["rollout_logprobs"].shape == (64 * 4096,)


def test_memory_is_used_again():
    pool = BufferPool()
    array = np.arange(10.0)
    first = copy(array, pool)
    memory = first.load().__array_interface__["data"][0]
    first.free()
    second = copy(array + 1, pool)
    assert second.load().__array_interface__["data"][0] == memory
    assert second.load().tolist() == (array + 1).tolist()


def test_a_file_system_without_links(tmp_path, monkeypatch):
    def refuse(*_args):
        raise OSError("no links here")

    monkeypatch.setattr(files.os, "link", refuse)
    for _ in range(2):
        with logratio.init(tmp_path, resume="allow") as run:
            run.log(step=3, rollout_log_probs=[[-1.0]], old_log_probs=[[-1.0]])
    assert [path.name for path in written(run)] == [f"step_3.rank_0.call_{n}.safetensors" for n in range(2)]


def test_facts_that_decide_causes(tmp_path):
    batch = make_batch()
    with logratio.init(tmp_path, rank=0) as run:
        run.log(
            step=1,
            finish_reason=["stop", None, "length"],
            engine_id=["a", "b", "a"],
            cached_tokens=[2, np.nan, 0],
            kept_mass=np.full((3, 5), 0.9, np.float32),
            route_agreement=np.full((3, 5), 1.0, np.float32),
            trainer_prompts=[np.array([7]), np.array([], np.int64), np.array([8, 9])],
            meta={"min_p": 0.05, "rollout_software": "vllm 0.11.0"},
            **batch,
        )
    (path,) = written(run)
    arrays, metadata = read(path)
    # An unknown reason is an empty text, not "None".
    assert arrays["finish_reason"].tobytes() == b"stoplength"
    assert arrays["finish_reason.offsets"].tolist() == [0, 4, 4, 10]
    assert arrays["engine_id"].tobytes() == b"aba"
    np.testing.assert_array_equal(arrays["cached_tokens"], [2, np.nan, 0])
    assert arrays["kept_mass"].tolist() == [np.float32(0.9)] * 12
    assert len(arrays["route_agreement"]) == 12
    assert arrays["trainer_prompt_token_ids"].tolist() == [7, 8, 9]
    assert arrays["trainer_prompt_offsets"].tolist() == [0, 1, 1, 3]
    assert (metadata["min_p"], metadata["rollout_software"]) == ("0.05", "vllm 0.11.0")


def test_too_few_trainer_prompts_are_refused(tmp_path, caplog):
    with caplog.at_level(logging.WARNING, "logratio"), logratio.init(tmp_path, rank=0) as run:
        run.log(step=1, trainer_prompts=[np.array([7])], **make_batch())
    assert run.counts.failed == 1
    assert "trainer_prompts has 1 sequence (a list of 1), rollout_log_probs 3" in caplog.text
