"""Hooks of the trainers that do not run on a CPU, on objects shaped as their sources make them.

Every batch has the same sequences in the trainer's layout. The recorded files must contain the same tokens, and
logratio's command line must give numpy's figures.
"""

from __future__ import annotations

import importlib
import itertools
import logging
import sys
from dataclasses import dataclass
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from hooks.truth import figures
from hooks_support import expect_figures, read_arrays, read_column, read_texts

torch = pytest.importorskip("torch", reason="PyTorch is not installed: hooks are not tried on tensors")


@dataclass
class Sequence:
    prompt: list[int]
    response: list[int]
    mask: list[int]
    rollout: np.ndarray
    trainer: np.ndarray
    reward: float

    @property
    def ids(self) -> list[int]:
        return self.prompt + self.response


def make_sequences() -> list[Sequence]:
    """Two prompts with two responses each; one contains tool output."""
    rng = np.random.default_rng(4)
    found = []
    for i, mask in enumerate([[1, 1, 1], [1], [1, 1, 0, 0, 1], [1, 1, 1, 1]]):
        rollout = -rng.exponential(1, len(mask)).astype(np.float32)
        trainer = (rollout + rng.normal(0, 0.1, len(mask))).astype(np.float32)
        prompt = [[5, 6, 7], [8, 9]][i // 2]
        found.append(Sequence(prompt, rng.integers(50, 90, len(mask)).tolist(), mask, rollout, trainer, float(i % 2)))
    return found


SEQUENCES = make_sequences()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where this test's hooks record; each test gets unused hooks."""
    for name in [name for name in sys.modules if name.startswith("logratio.") and hasattr(sys.modules[name], "_HOOK")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setenv("LOGRATIO_DIR", str(tmp_path / "run"))
    monkeypatch.delenv("RANK", raising=False)
    return tmp_path / "run"


def load(name: str) -> ModuleType:
    return importlib.import_module(f"logratio.{name}")


def expect(hook: ModuleType, folder, step: int, trainer: str, rewards: bool = True, ids: bool = True) -> None:
    """Checks that the files hold the sequences."""
    hook._HOOK.flush()
    truth = figures([s.rollout for s in SEQUENCES], [s.trainer for s in SEQUENCES], [s.mask for s in SEQUENCES])
    expect_figures(folder, truth)
    _, metadata = read_arrays(next(iter(folder.glob("*.safetensors"))))
    assert (metadata["trainer"], metadata["step"]) == (trainer, str(step))
    assert read_column(folder, "response_mask") == join(s.mask for s in SEQUENCES)
    if ids:
        assert read_column(folder, "response_token_ids") == join(s.response for s in SEQUENCES)
        assert read_column(folder, "prompt_token_ids") == join(s.prompt for s in SEQUENCES)
    if rewards:
        assert read_column(folder, "reward") == [s.reward for s in SEQUENCES]


def join(rows) -> list:
    return list(itertools.chain.from_iterable(rows))


def pad(rows, width: int, left: bool = False, dtype=torch.float32):
    out = torch.zeros(len(rows), width, dtype=dtype)
    for i, row in enumerate(rows):
        if len(row):
            span = slice(width - len(row), width) if left else slice(0, len(row))
            out[i, span] = torch.as_tensor(np.asarray(row), dtype=dtype)
    return out


def test_trl_reads_what_vllm_was_told_and_sampled_with(folder):
    """Since vLLM needs a GPU: what its run leaves on trainer and options (grpo_trainer.py, _generate_single_turn)."""
    trl = load("trl")
    args = SimpleNamespace(
        temperature=0.7,
        use_vllm=True,
        vllm_mode="colocate",
        vllm_tensor_parallel_size=2,
        generation_kwargs={"min_p": 0.1},
    )
    width, longest = max(len(s.prompt) for s in SEQUENCES), max(len(s.response) for s in SEQUENCES)
    batch = {
        "prompt_ids": pad([s.prompt for s in SEQUENCES], width, left=True, dtype=torch.int64),
        "prompt_mask": pad([[1] * len(s.prompt) for s in SEQUENCES], width, left=True, dtype=torch.int64),
        "completion_ids": pad([s.response for s in SEQUENCES], longest, dtype=torch.int64),
        "completion_mask": pad([[1] * len(s.response) for s in SEQUENCES], longest, dtype=torch.int64),
        "tool_mask": pad([s.mask for s in SEQUENCES], longest, dtype=torch.int64),
        "sampling_per_token_logps": pad([s.rollout for s in SEQUENCES], longest),
        "old_per_token_logps": pad([s.trainer for s in SEQUENCES], longest),
    }
    trainer = SimpleNamespace(
        args=args,
        accelerator=SimpleNamespace(process_index=0),
        state=SimpleNamespace(global_step=6),
        eos_token_ids=[SEQUENCES[0].response[-1]],
        _tokenizer=SimpleNamespace(pad_token_id=0),
        _last_loaded_step=6,
        _buffered_inputs=[batch],
    )
    trl.Callback(trainer).on_substep_end(args, trainer.state, None)
    expect(trl, folder, 6, "trl", rewards=False)
    assert read_column(folder, "weight_versions") == [6] * 13
    assert read_texts(folder, "finish_reason")[0] == "stop"
    assert set(read_texts(folder, "finish_reason")[1:]) <= {"length", "stop"}
    metadata = read_arrays(next(iter(folder.glob("*.safetensors"))))[1]
    names = ("temperature", "min_p", "logprobs_mode", "rollout_topology")
    assert [metadata[name] for name in names] == ["0.7", "0.1", "processed_logprobs", "tp2"]


# slime and miles --------------------------------------------------------------------------------------------------


def make_rollout_data() -> dict:
    """As process_rollout_data and compute_log_prob leave it on one rank."""
    return {
        "partition": [0, 1, 2, 3],
        "tokens": [torch.tensor(s.ids) for s in SEQUENCES],
        "loss_masks": [torch.tensor(s.mask, dtype=torch.int) for s in SEQUENCES],
        "response_lengths": [len(s.response) for s in SEQUENCES],
        "total_lengths": [len(s.ids) for s in SEQUENCES],
        "rollout_log_probs": [torch.tensor(s.rollout) for s in SEQUENCES],
        "log_probs": [torch.tensor(s.trainer) for s in SEQUENCES],
        "advantages": [torch.full((len(s.response),), 0.5) for s in SEQUENCES],
        "raw_reward": [9.0, *(s.reward for s in SEQUENCES)],
        "local_raw_reward": [s.reward for s in SEQUENCES],
        "sample_indices": [4, 5, 6, 7],
        "truncated": [0, 1, 0, 0],
    }


ARGS = SimpleNamespace(
    n_samples_per_prompt=2,
    rollout_temperature=0.8,
    rollout_top_p=1.0,
    rollout_top_k=-1,
    rollout_num_gpus_per_engine=4,
    allgather_cp=False,
)


def test_slime(folder, capsys):
    slime = load("slime")
    slime.record(ARGS, 3, make_rollout_data())
    assert capsys.readouterr().err == f"logratio: slime: records both policies in {folder}\n"
    expect(slime, folder, 3, "slime")
    assert read_texts(folder, "group_id") == ["2", "2", "3", "3"]
    metadata = read_arrays(next(iter(folder.glob("*.safetensors"))))[1]
    assert (metadata["temperature"], metadata["rollout_topology"]) == ("0.8", "tp4")
    # A top-k of -1 means none.
    assert "top_k" not in metadata
    assert read_texts(folder, "finish_reason") == ["", "length", "", ""]


def test_slime_says_which_flag_gives_log_probs(folder, caplog):
    slime = load("slime")
    data = make_rollout_data()
    del data["log_probs"]
    for _ in range(3):
        slime.record(ARGS, 3, data)
    why = "slime computed no log_probs before the update; add --get-mismatch-metrics"
    assert caplog.messages == [f"logratio: slime: nothing is recorded: {why}"]


def test_miles_finds_the_rollout_in_its_caller(folder):
    miles = load("miles")

    def train_actor(rollout_id, rollout_data):
        miles.record(ARGS)

    data = make_rollout_data()
    # One for each generation call: the third sequence has two turns and two calls; the last was resumed in mid-turn.
    data["weight_versions"] = [["4"], [], ["4", "5"], ["5", "6"]]
    train_actor(2, data)
    expect(miles, folder, 2, "miles")
    assert read_column(folder, "weight_versions") == [4, 4, 4, -1, 4, 4, -1, -1, 5, -1, -1, -1, -1]


def test_context_parallel_slices_are_joined(folder, monkeypatch):
    """Two ranks of one context group: each has both ends of its sequences, and the first writes."""
    slime = load("slime")
    halves = make_rollout_data()
    gathered = {"rollout_log_probs": [s.rollout for s in SEQUENCES], "log_probs": [s.trainer for s in SEQUENCES]}
    calls: list[tuple[int, int]] = []

    def all_gather_with_cp(row, total, length):
        calls.append((total, length))
        name = "rollout_log_probs" if len(calls) <= 4 else "log_probs" if len(calls) <= 8 else None
        whole = torch.full((length,), 0.5) if name is None else torch.tensor(gathered[name][(len(calls) - 1) % 4])
        return whole.requires_grad_()

    for name in gathered:
        halves[name] = [row[: len(row) // 2] for row in halves[name]]
    fake = ModuleType("slime.backends.megatron_utils.cp_utils")
    fake.all_gather_with_cp = all_gather_with_cp
    monkeypatch.setitem(sys.modules, fake.__name__, fake)
    for rank in (1, 0):
        calls.clear()
        mpu = SimpleNamespace(
            is_initialized=lambda: True,
            is_pipeline_last_stage=lambda: True,
            get_tensor_model_parallel_rank=lambda: 0,
            get_data_parallel_rank=lambda with_context_parallel: 6,
            get_context_parallel_world_size=lambda: 2,
            get_context_parallel_rank=lambda rank=rank: rank,
        )
        monkeypatch.setitem(sys.modules, "megatron.core.mpu", mpu)
        slime.record(ARGS, 3, halves)
        # Every rank takes part, even the one that does not write.
        assert len(calls) == 12
    expect(slime, folder, 3, "slime")
    assert [path.name for path in folder.glob("*.safetensors")] == ["step_3.rank_6.call_0.safetensors"]


# SkyRL ------------------------------------------------------------------------------------------------------------


class TensorBatch(dict):
    """A dict with metadata, like SkyRL's."""

    metadata: dict


def make_training_input() -> TensorBatch:
    """As padded by convert_prompts_responses_to_batch_tensors, with a row that pads the batch."""
    rows = [*SEQUENCES, SEQUENCES[0]]
    width, total = max(len(s.response) for s in rows), max(len(s.ids) for s in rows)
    batch = TensorBatch(
        sequences=pad([s.ids for s in rows], total, left=True, dtype=torch.int64),
        attention_mask=pad([[1] * len(s.ids) for s in rows], total, left=True, dtype=torch.int64),
        response_mask=pad([[1] * len(s.response) for s in rows], width, left=True, dtype=torch.int64),
        loss_mask=pad([s.mask for s in rows], width, left=True),
        rollout_logprobs=pad([s.rollout for s in rows], width, left=True),
        action_log_probs=pad([s.trainer for s in rows], width, left=True),
        base_action_log_probs=None,
        advantages=pad([[0.5] * len(s.response) for s in rows], width, left=True),
    )
    batch.metadata = {"pad_size": 1, "policy_prompt_boundaries": [(0, 2), (2, 4)]}
    return batch


def test_skyrl(folder):
    skyrl = load("skyrl")
    callback = skyrl.Callback()
    control = SimpleNamespace()
    callback.on_train_start(None, None, control)
    step = SimpleNamespace(global_step=5, batch=make_training_input())
    callback.on_step_end(SimpleNamespace(cfg=None), step, control)
    callback.on_train_end(None, None, control)
    expect(skyrl, folder, 5, "skyrl", rewards=False)
    assert read_texts(folder, "group_id") == ["5.0", "5.0", "5.1", "5.1"]


def test_skyrl_says_when_the_forward_pass_is_skipped(folder, caplog):
    skyrl = load("skyrl")
    batch = make_training_input()
    batch["action_log_probs"] = None
    skyrl.record(batch, 1)
    assert "SkyRL skips the policy's forward pass" in caplog.text


# ms-swift ---------------------------------------------------------------------------------------------------------


def test_swift(folder, monkeypatch):
    maps = {"swift.callbacks": {}, "swift.megatron.callbacks": {}}
    monkeypatch.setitem(sys.modules, "swift", ModuleType("swift"))
    monkeypatch.setitem(sys.modules, "swift.callbacks", SimpleNamespace(callbacks_map=maps["swift.callbacks"]))
    monkeypatch.setitem(sys.modules, "swift.megatron", ModuleType("swift.megatron"))
    megatron = SimpleNamespace(megatron_callbacks_map=maps["swift.megatron.callbacks"])
    monkeypatch.setitem(sys.modules, "swift.megatron.callbacks", megatron)
    swift = load("swift")
    # As its import_external_file does.
    plugin = importlib.import_module("logratio.hooks.catalog").TRAINERS[5].find_plugin()
    monkeypatch.syspath_prepend(str(plugin.parent))
    monkeypatch.delitem(sys.modules, plugin.stem, raising=False)
    importlib.import_module(plugin.stem)
    assert maps["swift.megatron.callbacks"] == maps["swift.callbacks"] == {"logratio": swift.Callback}

    class Trainer:
        state = SimpleNamespace(global_step=7)
        args = SimpleNamespace(temperature=0.9, top_p=1.0, log_rollout_offpolicy_metrics=True)

        def _compute_rollout_offpolicy_metrics(self, old, rollout, mask):
            return {"kl": float((old - rollout)[mask].mean())}

        def loss(self, grpo_batch, inputs):
            old, rollout = grpo_batch.old_per_token_logps, grpo_batch.rollout_per_token_logps
            return self._compute_rollout_offpolicy_metrics(old, rollout, grpo_batch.completion_mask)

    width = max(len(s.response) for s in SEQUENCES)
    batch = SimpleNamespace(
        completion_mask=pad([s.mask for s in SEQUENCES], width).bool(),
        old_per_token_logps=pad([s.trainer for s in SEQUENCES], width),
        rollout_per_token_logps=pad([s.rollout for s in SEQUENCES], width),
        ref_per_token_logps=None,
        advantages=torch.full((4, width), 0.5),
    )
    ids = torch.cat([torch.full((4, 3), 5), pad([s.response for s in SEQUENCES], width, dtype=torch.int64)], 1)
    trainer = Trainer()
    plain = trainer.loss(batch, {"input_ids": ids})
    callback = maps["swift.callbacks"]["logratio"](trainer.args, trainer)
    callback.on_step_end(None, None, None)
    # A second iteration over the same generation is not recorded again.
    assert trainer.loss(batch, {"input_ids": ids}) == trainer.loss(batch, {"input_ids": ids}) == plain
    expect(swift, folder, 7, "ms-swift", rewards=False, ids=False)
    assert read_column(folder, "response_token_ids") == join(s.response for s in SEQUENCES)
    assert len(list(folder.glob("*.safetensors"))) == 1


def test_swift_says_when_nothing_is_compared(folder, caplog):
    swift = load("swift")
    options = SimpleNamespace(log_rollout_offpolicy_metrics=False, rollout_importance_sampling_mode=None)
    swift.attach(SimpleNamespace(args=options, _compute_rollout_offpolicy_metrics=lambda *a: {}))
    assert "add --log_rollout_offpolicy_metrics true" in caplog.text


# AReaL ------------------------------------------------------------------------------------------------------------


def make_trajectories() -> list[dict]:
    """One for each prompt. The engine's log-probs are about their own token, the trainer's about the next."""
    found = []
    for rows in (SEQUENCES[:2], SEQUENCES[2:]):
        width = max(len(s.ids) for s in rows)
        found.append(
            {
                "input_ids": pad([s.ids for s in rows], width, dtype=torch.int64),
                "attention_mask": pad([[1] * len(s.ids) for s in rows], width, dtype=torch.bool),
                "loss_mask": pad([[0] * len(s.prompt) + s.mask for s in rows], width, dtype=torch.int32),
                "logprobs": pad([[0.0] * len(s.prompt) + s.rollout.tolist() for s in rows], width),
                "prox_logp": pad([[-9.0] * (len(s.prompt) - 1) + s.trainer.tolist() for s in rows], width),
                "versions": pad([[-1] * len(s.prompt) + [3] * len(s.mask) for s in rows], width, dtype=torch.int32),
                "rewards": torch.tensor([s.reward for s in rows]),
            }
        )
    return found


def test_areal(folder):
    areal = load("areal")

    def compute_advantages(batch):
        for trajectory in batch:
            # This is what happens without the decoupled loss; recording comes before.
            trajectory["logprobs"] = trajectory["prox_logp"]
        return batch

    trainer = SimpleNamespace(actor=SimpleNamespace(compute_advantages=compute_advantages))
    areal.attach(trainer)

    def train(global_step):
        return trainer.actor.compute_advantages(make_trajectories())

    assert len(train(11)) == 2
    expect(areal, folder, 11, "areal")
    assert read_texts(folder, "group_id") == ["11.0", "11.0", "11.1", "11.1"]
    assert read_column(folder, "weight_versions") == [3] * 13


def test_areal_says_what_to_set(folder, caplog):
    areal = load("areal")
    areal.record([{"logprobs": torch.zeros(1, 2), "prox_logp": None}], 0)
    assert "set actor.recompute_logprob=True" in caplog.text


# OpenRLHF, xtuner, open-instruct, ROLL ---------------------------------------------------------------------------


def test_openrlhf(folder):
    experience_module = pytest.importorskip(
        "openrlhf.trainer.ppo_utils.experience", reason="OpenRLHF is not installed: its Experience is not tried"
    )

    def make_sample(index: int, s: Sequence):
        before = [0.0] * (len(s.prompt) - 1)
        sample = experience_module.Experience(
            sequences=torch.tensor([s.ids]),
            attention_mask=torch.ones(1, len(s.ids), dtype=torch.long),
            action_mask=torch.tensor([[0] * (len(s.prompt) - 1) + s.mask]),
            rollout_log_probs=torch.tensor([before + s.rollout.tolist()]),
            action_log_probs=torch.tensor([before + s.trainer.tolist()]),
            advantages=torch.ones(1, len(s.ids) - 1),
            rewards=torch.tensor([s.reward]),
            truncated=torch.tensor([index == 2]),
            prompts=["p"],
            labels=["l"],
            info={"reward": torch.tensor([s.reward])},
        )
        sample.index = [index]
        return sample

    samples = [make_sample(i, s) for i, s in enumerate(SEQUENCES)]
    concat = experience_module.Experience.concat_experiences
    openrlhf = load("openrlhf")
    args = SimpleNamespace(rollout=SimpleNamespace(n_samples_per_prompt=2))
    openrlhf.record([concat(samples[:2], 0), concat(samples[2:], 0)], 7, args)
    expect(openrlhf, folder, 7, "openrlhf")
    assert read_texts(folder, "group_id") == ["7.0", "7.0", "7.1", "7.1"]
    assert read_texts(folder, "finish_reason") == ["", "", "length", ""]


def make_pack(rows: list[Sequence]):
    """xtuner's pack: labels of the next token, -100 where masked; all as views of a larger buffer."""

    def lay(parts, dtype):
        flat = torch.tensor(np.concatenate([*parts, *parts]), dtype=dtype)
        return flat[None, : sum(len(part) for part in parts)]

    labels, rollout, trainer = [], [], []
    for s in rows:
        after = [-100] * (len(s.prompt) - 1) + [t if m else -100 for t, m in zip(s.response, s.mask, strict=True)]
        labels.append([*after, -100])
        rollout.append([0.0] * (len(s.prompt) - 1) + s.rollout.tolist() + [0.0])
        trainer.append([-3.0] * (len(s.prompt) - 1) + s.trainer.tolist() + [-3.0])
    context = SimpleNamespace(
        input_ids=lay([s.ids for s in rows], torch.int64), seq_lens_q=torch.tensor([len(s.ids) for s in rows])
    )
    kwargs = SimpleNamespace(
        shifted_labels=lay(labels, torch.int64),
        rollout_logprobs=lay(rollout, torch.float32),
        old_logprobs=lay(trainer, torch.float32),
        advantages=torch.ones(1, sum(len(s.ids) for s in rows)),
    )
    return context, SimpleNamespace(loss_kwargs=kwargs)


def test_xtuner(folder):
    xtuner = load("xtuner")
    packs = [make_pack(SEQUENCES[:3]), make_pack(SEQUENCES[3:])]
    worker = SimpleNamespace(sp_mesh=SimpleNamespace(size=lambda: 1), rank=3)
    xtuner.record(worker, [context for context, _ in packs], [loss for _, loss in packs], 4)
    for _, loss in packs:
        # Rejection changes the labels in place after this line.
        loss.loss_kwargs.shifted_labels[:] = -100
    expect(xtuner, folder, 4, "xtuner", rewards=False)
    assert [path.name for path in folder.glob("*.safetensors")] == ["step_4.rank_3.call_0.safetensors"]


def test_open_instruct(folder):
    open_instruct = load("open_instruct")
    truth = {}

    def compare(local_logprobs, vllm_logprobs, response_mask):
        return {"debug/diff": float((local_logprobs - vllm_logprobs)[response_mask].abs().mean())}

    wrapped = open_instruct.wrap(compare)

    def step(rows_of_packs, epochs):
        data_BT = SimpleNamespace(query_responses=[], position_ids=[])
        packs = []
        for rows in rows_of_packs:
            data_BT.query_responses.append(torch.tensor([join(s.ids for s in rows)]))
            data_BT.position_ids.append(torch.tensor([join(range(len(s.ids)) for s in rows)]))

            def lay(pick, rows=rows):
                return torch.tensor([join([0.0] * len(s.prompt) + list(pick(s)) for s in rows)])[:, 1:]

            mask = lay(lambda s: s.mask).bool()
            # Like mask_logprobs, which fills masked entries.
            packs.append(
                [lay(pick).masked_fill(~mask, 1.0) for pick in (lambda s: s.trainer, lambda s: s.rollout)] + [mask]
            )
        for epoch_idx in range(epochs):
            for i in range(len(packs)):
                local, vllm, mask = packs[i]
                drift = epoch_idx * 0.5
                truth[epoch_idx, i] = wrapped(local_logprobs=local + drift, vllm_logprobs=vllm, response_mask=mask)
        return data_BT

    step([SEQUENCES[:3], SEQUENCES[3:]], 2)
    expect(open_instruct, folder, 0, "open-instruct", rewards=False)
    assert truth[0, 0]["debug/diff"] > 0 and len(list(folder.glob("*.safetensors"))) == 2
    step([SEQUENCES], 1)
    open_instruct._HOOK.flush()
    assert sum(path.name.startswith("step_1.") for path in folder.glob("*.safetensors")) == 1


def make_roll_batch():
    width = max(len(s.ids) for s in SEQUENCES) + 2
    batch = {
        "input_ids": pad([s.ids for s in SEQUENCES], width, dtype=torch.int64),
        "attention_mask": pad([[1] * len(s.ids) for s in SEQUENCES], width, dtype=torch.int64),
        "response_mask": pad([[0] * len(s.prompt) + s.mask for s in SEQUENCES], width, dtype=torch.int64),
        "infer_logprobs": pad([[0.0] * (len(s.prompt) - 1) + s.rollout.tolist() for s in SEQUENCES], width - 1),
        "old_log_probs": pad([[-5.0] * (len(s.prompt) - 1) + s.trainer.tolist() for s in SEQUENCES], width - 1),
        "response_level_rewards": torch.tensor([s.reward for s in SEQUENCES]),
        "prompt_id": torch.tensor([0, 0, 1, 1]),
    }
    return SimpleNamespace(
        batch=batch,
        non_tensor_batch={"domain": np.array(["math"] * 4, dtype=object)},
        meta_info={"generation_config": {"temperature": 0.9, "top_k": -1, "num_return_sequences": 2}},
    )


def test_roll(folder):
    roll = load("roll")
    roll.record(make_roll_batch(), 6)
    expect(roll, folder, 6, "roll")
    assert read_texts(folder, "group_id") == ["6.0", "6.0", "6.1", "6.1"]
    assert read_texts(folder, "environment") == ["math"] * 4
    metadata = read_arrays(next(iter(folder.glob("*.safetensors"))))[1]
    assert metadata["temperature"] == "0.9" and "top_k" not in metadata


def test_roll_refuses_zeros(folder, caplog):
    roll = load("roll")
    data = make_roll_batch()
    data.batch["old_log_probs"].zero_()
    roll.record(data, 6)
    assert "old_log_probs are all 0; set enable_old_logprobs_recompute: true" in caplog.text


# What all of them promise -----------------------------------------------------------------------------------------

BROKEN = [
    ("slime", lambda hook: hook.record(ARGS, 1, {"rollout_log_probs": [], "log_probs": []}), "KeyError"),
    ("miles", lambda hook: hook.record(ARGS), "KeyError"),
    ("skyrl", lambda hook: hook.Callback().on_step_end(None, SimpleNamespace(), None), "AttributeError"),
    ("swift", lambda hook: hook.attach(object()), "_compute_rollout_offpolicy_metrics"),
    ("areal", lambda hook: hook.attach(object()), "AttributeError"),
    ("openrlhf", lambda hook: hook.record([object()], 1), "rollout_log_probs"),
    ("xtuner", lambda hook: hook.record(object(), [], [], 1), "AttributeError"),
    ("open_instruct", lambda hook: hook.record(None, None, None), "TypeError"),
    ("roll", lambda hook: hook.record(object(), 1), "AttributeError"),
]


@pytest.mark.parametrize(("name", "call", "reason"), BROKEN, ids=[name for name, *_ in BROKEN])
def test_changed_internals_are_said_once(folder, caplog, name, call, reason):
    hook = load(name)
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            call(hook)
    assert len(caplog.messages) == 1
    said = caplog.messages[0]
    assert said.startswith(f"logratio: {hook._HOOK.trainer}") and "training goes on" in said and reason in said
    assert f"written for {hook._HOOK.trainer} {hook._HOOK.written_for} and expects {hook._HOOK.expects}" in said


def test_the_environment_bounds_what_is_recorded(folder, monkeypatch):
    monkeypatch.setenv("LOGRATIO_EVERY", "3")
    monkeypatch.setenv("LOGRATIO_SAMPLE", "0.5")
    slime = load("slime")
    for rollout_id in range(7):
        slime.record(ARGS, rollout_id, make_rollout_data())
    slime._HOOK.flush()
    assert sorted(path.name[:6] for path in folder.glob("*.safetensors")) == ["step_0", "step_3", "step_6"]
    assert len(read_column(folder, "row")) == 3 * 2


def test_sampling_is_described_in_the_record_s_words():
    from logratio.hooks.base import describe_sampling

    known = SimpleNamespace(temperature=0.7, top_k=0, min_p=0.05, repetition_penalty=1.1, logprobs_mode="raw_logprobs")
    expected = {"temperature": 0.7, "min_p": 0.05, "repetition_penalty": 1.1, "logprobs_mode": "raw_logprobs"}
    assert describe_sampling(known) == expected
    assert describe_sampling(SimpleNamespace(rollout_top_k=20, rollout_top_p=None), "rollout_") == {"top_k": 20}
    assert describe_sampling(None) == {}


def test_the_trainer_and_its_version_are_in_the_record(folder, monkeypatch):
    slime = load("slime")
    monkeypatch.setattr(slime._HOOK, "version", "9.9", raising=False)
    slime.record(ARGS, 3, make_rollout_data())
    slime._HOOK.flush()
    assert read_arrays(next(iter(folder.glob("*.safetensors"))))[1]["trainer_software"] == "slime 9.9"
