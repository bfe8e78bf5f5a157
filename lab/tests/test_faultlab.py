"""The laboratory on a tiny random model: checks that the injected faults are what they claim to be."""

from __future__ import annotations

import dataclasses
import gzip
import io
import json

import numpy as np
import pytest
import tokenizers
import torch

from faultlab.checkpoints import read_onnx_weights
from faultlab.engine import Engine, generate
from faultlab.faults import CAUSES, FAULTS, LEVELS, Draw, World
from faultlab.faults.context import count_by_turn
from faultlab.layouts import WRITERS
from faultlab.network import Network, View
from faultlab.produce import Case, make_rows
from faultlab.rounding import round_weights
from faultlab.sampling import Sampling
from faultlab.task import Problem, Task, calculate
from faultlab.trainer import Trainer, fill_packs, score
from faultlab.training import History
from faultlab.truth import describe, find_deltas

CONFIG = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "rms_norm_eps": 1e-6, "vocab_size": 263}
SPECIAL = ["<pad>", "<bos>", "<eos>", "<calc>", "</calc>", "<out>", "</out>"]
RANDOM_MLP = 64


def make_state(seed: int) -> dict:
    rng = torch.Generator().manual_seed(seed)
    random = lambda *shape: torch.randn(shape, generator=rng) * 2 / shape[-1] ** 0.5  # noqa: E731
    d = CONFIG["hidden_size"]
    state = {"model.embed_tokens.weight": random(CONFIG["vocab_size"], d) * 2, "model.norm.weight": torch.ones(d)}
    for i in range(CONFIG["num_hidden_layers"]):
        p = f"model.layers.{i}."
        state |= {p + f"self_attn.{n}_proj.weight": random(d, d) for n in "qkvo"}
        state |= {p + f"mlp.{n}_proj.weight": random(RANDOM_MLP, d) for n in ("gate", "up")}
        state[p + "mlp.down_proj.weight"] = random(d, RANDOM_MLP)
        state |= {p + f"{n}_layernorm.weight": torch.ones(d) for n in ("input", "post_attention")}
    # Ends and tool calls happen, but not immediately.
    state["model.embed_tokens.weight"][2:5] *= 0.6
    return state


def make_task() -> Task:
    alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {t: i for i, t in enumerate([*SPECIAL, *alphabet])}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    kinds = ["shop", "vars", "compute"]
    problems = [Problem((1, *range(10 + i, 16 + 2 * i)), str(i), kinds[i % 3]) for i in range(9)]
    return Task(tokenizer, problems)


TASK, STATE = make_task(), make_state(1)


def make_world(steps: int = 2, noise: str = "fp32/fp32") -> World:
    near = [{n: t + 0.01 * k * torch.sign(t) for n, t in STATE.items()} for k in range(20)]
    names = ["sft", "dpo", "rlvr_step_200", "rlvr_step_1000"]
    return World(
        task=TASK, config=CONFIG, checkpoints={n: make_state(5 + i) for i, n in enumerate(names)},
        history=History("test", "dpo", 1e-4, near), at=17 - steps, steps=steps, moving=True, ranks=2, group_size=2,
        noise=noise, rows_per_step=4,
    )  # fmt: skip


def compare(engine: Engine, trainer: Trainer, rows: int = 24, seed: int = 3) -> np.ndarray:
    rng = torch.Generator().manual_seed(seed)
    problems = [TASK.problems[i % len(TASK.problems)] for i in range(rows)]
    found = generate(engine, CONFIG, problems, TASK, rng, details=False)
    for row, one in zip(found, score(trainer, CONFIG, found, rng, details=False), strict=True):
        row.columns["trainer"] = one["log_prob"]
    return find_deltas(found)


def test_decode_and_prefill_agree_in_float32():
    assert np.abs(compare(Engine(STATE), Trainer(STATE))).max() < 1e-4


def test_bfloat16_differs_by_its_rounding_only():
    delta = np.abs(compare(Engine(STATE, View(torch.bfloat16)), Trainer(STATE)))
    assert 1e-4 < delta.mean() < 0.2


@pytest.mark.parametrize(
    "engine", [Engine(round_weights(STATE, "int4")), Engine(STATE, View(softcap=4.0)), Engine(STATE, View(theta=300.0))]
)
def test_a_real_other_policy_keeps_the_mean_ratio_at_one(engine):
    delta = compare(engine, Trainer(STATE), rows=60)
    ratio = np.exp(delta)
    assert np.abs(delta).mean() > 1e-3
    assert abs(ratio.mean() - 1) < 6 * ratio.std() / np.sqrt(len(ratio))


def test_raw_log_probs_of_tempered_samples_do_not():
    sampling = Sampling(temperature=0.7, report="raw")
    ratio = np.exp(compare(Engine(STATE, sampling=sampling), Trainer(STATE, temperature=0.7), rows=60))
    assert ratio.mean() - 1 > 6 * ratio.std() / np.sqrt(len(ratio))


def test_renormalized_filters_have_one_sign():
    delta = compare(Engine(STATE, sampling=Sampling(top_p=0.8)), Trainer(STATE))
    assert delta.max() < 1e-4
    assert delta.min() >= np.log(0.8) - 1e-4


def test_the_calculator_answers_one_operation():
    assert [calculate(t) for t in ("17*3", "7/2", "8/2", "1+1+1", "4/0")] == ["51", "error", "4", "error", "error"]


def test_scores_put_values_at_their_own_token():
    rows = make_rows(Case("x", make_world(1), [], 4, seed=1))[0]
    row = rows[0]
    text = torch.tensor([row.prompt + row.response.tolist()])
    n = text.shape[1]
    logits, _ = Network(make_world(1).state(0), CONFIG, View()).logits(
        text, torch.arange(n)[None], torch.ones(1, 1, n, n, dtype=torch.bool).tril()
    )
    at = len(row.prompt) + 3
    expected = torch.log_softmax(logits[0, at - 1], -1)[text[0, at]]
    assert row.columns["trainer"][3] == pytest.approx(float(expected), abs=1e-4)


@pytest.mark.parametrize("cause", FAULTS)
def test_every_cause_can_be_injected_and_described(cause):
    steps = 5 if cause in ("growing_staleness", "sudden_onset", "one_bad_step") else 1
    world = make_world(steps)
    fault = FAULTS[cause](Draw(np.random.default_rng(4), "high", world))
    case = Case("x", world, [fault], 4, seed=2, reference="reference" in fault.needs)
    made = make_rows(case)
    truth = describe(case, made, "high", {})
    assert truth["cause"] == fault.cause == cause
    assert set(truth["acceptable"]) <= {*CAUSES, "healthy", "cannot_tell"}
    assert cause not in truth["acceptable"]
    assert all(len(v) == r.size for s in made for r in s for v in r.columns.values())


def draw_until(cause: str, is_wanted, world: World | None = None):
    """The first of many draws of a fault that is as wanted."""
    draws = (FAULTS[cause](Draw(np.random.default_rng(k), "high", world or make_world(1))) for k in range(60))
    return next(f for f in draws if is_wanted(f.params))


def make_both(fault, rows: int = 4) -> tuple[list, list]:
    """Rows of a fault, and the same rows without it."""
    world = make_world(1)
    return tuple(make_rows(Case("x", world, faults, rows, seed=2))[0] for faults in ([fault], []))


@pytest.mark.parametrize("kind", ["likeliest", "entropy"])
def test_another_statistic_is_not_about_the_sampled_token(kind):
    faulty, sound = make_both(draw_until("other_statistic", lambda p: p["kind"] == kind))
    side = draw_until("other_statistic", lambda p: p["kind"] == kind).side
    for row, plain in zip(faulty, sound, strict=True):
        expected = plain.columns[f"{side}_top"][:, 0] if kind == "likeliest" else -plain.columns[f"{side}_entropy"]
        assert np.array_equal(row.columns[side][row.own], expected[row.own].astype(np.float32))
        other = {"rollout": "trainer", "trainer": "rollout"}[side]
        assert np.array_equal(row.columns[other], plain.columns[other])
    if kind == "likeliest":
        gain = [r.columns[side][r.own] - p.columns[side][r.own] for r, p in zip(faulty, sound, strict=True)]
        assert np.concatenate(gain).min() > -1e-6
        assert np.concatenate(gain).max() > 0.1


def test_swapped_columns_are_those_of_older_weights_in_each_others_place():
    draw = lambda cause: FAULTS[cause](Draw(np.random.default_rng(4), "low", make_world(1)))  # noqa: E731
    swapped, _ = make_both(draw("columns_swapped"))
    plain, _ = make_both(draw("stale_weights"))
    for row, other in zip(swapped, plain, strict=True):
        assert np.array_equal(row.response, other.response)
        for one, two in (("rollout", "trainer"), ("trainer", "rollout")):
            assert np.array_equal(row.columns[one][row.own], other.columns[two][row.own])
    assert np.abs(find_deltas(swapped)).max() > 0.01


def test_a_kernel_changes_nothing_before_its_boundary():
    fault = draw_until("kernel_boundary", lambda p: p["at"] <= 56)
    at = 22  # The tiny model's texts are short.
    engine = fault.change_engine(Engine(STATE, View(torch.bfloat16)), 0)
    text = torch.randint(10, 200, (2, 40), generator=torch.Generator().manual_seed(1))
    places, visible = torch.arange(40)[None], torch.ones(1, 1, 40, 40, dtype=torch.bool).tril()
    read = lambda view: Network(STATE, CONFIG, view).logits(text, places, visible)[0]  # noqa: E731
    plain, changed = read(View(torch.bfloat16)), read(dataclasses.replace(engine.view, split_from=at))
    assert torch.equal(plain[:, :at], changed[:, :at])
    assert not torch.equal(plain[:, at:], changed[:, at:])


def test_updates_below_precision_leave_the_engine_what_it_was():
    world = make_world(1)
    base = {n: t.bfloat16().float() for n, t in STATE.items()}
    # Each update adds a quarter of half a step of bfloat16 to every weight.
    nudge = lambda k: {n: t * (1 + k * 2.0**-11) for n, t in base.items()}  # noqa: E731
    world.history = dataclasses.replace(world.history, states=[nudge(k) for k in range(6)])
    world.at = 5
    fault = FAULTS["update_below_precision"](Draw(np.random.default_rng(1), "low", world))
    engine = fault.change_engine(Engine(world.state(0), View(torch.bfloat16)), 0)
    trainer = fault.change_trainer(Trainer(world.state(0), View()), 0)
    matrices = [n for n, t in STATE.items() if t.dim() == 2]
    same = [float((engine.state[n] == base[n]).float().mean()) for n in matrices]
    assert min(same) > 0.4 and all(torch.equal(engine.state[n], trainer.state[n].bfloat16().float()) for n in matrices)
    assert not any(torch.equal(trainer.state[n], base[n]) for n in matrices)


def test_half_of_the_engines_with_old_weights_report_their_version(tmp_path):
    draws = [FAULTS["stale_weights"](Draw(np.random.default_rng(k), "high", make_world(1))) for k in range(40)]
    reported = [f for f in draws if f.staleness(0) == f.params["lag"]]
    assert 10 < len(reported) < 30 and all(f in reported or f.staleness(0) == 0 for f in draws)
    (rows,) = make_rows(Case("x", make_world(1), [reported[0]], 4, seed=2))
    fields = {"ref": False, "entropy": False, "versions": True}
    WRITERS["slime"](tmp_path, 30, rows, fields)
    (path,) = (tmp_path / "train_data").iterdir()
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    samples = torch.load(io.BytesIO(content), weights_only=False)["samples"]
    assert {v for s in samples for v in s["weight_versions"]} == {str(30 - reported[0].params["lag"])}


def test_packs_by_budget_hold_what_fits_in_order():
    assert fill_packs([4, 5, 3, 9, 12, 1], 10) == [[0, 1], [2], [3], [4], [5]]
    assert fill_packs([4, 3, 3, 1], 10) == [[0, 1, 2], [3]]


def test_only_the_first_row_of_a_pack_by_budget_is_sound():
    fault = draw_until("packing_leak", lambda p: p["budget"])
    faulty, sound = make_both(fault, 12)
    packs = fill_packs([len(r.prompt) + r.size for r in faulty], fault.params["budget"])
    assert max(map(len, packs)) > 1
    size = lambda i: np.abs(faulty[i].columns["trainer"] - sound[i].columns["trainer"])[faulty[i].own].max()  # noqa: E731
    for first, *others in packs:
        assert size(first) < 1e-4
        assert all(size(i) > 1e-3 for i in others)


def test_positions_by_turn_restart_where_a_turn_begins_and_move_the_trainer():
    fault = draw_until("position_ids_wrong", lambda p: p["kind"] == "turn_reset")
    faulty, sound = make_both(fault, 18)
    later = [r for r in faulty if len(r.turns()) > 1]
    assert later
    for row in later:
        start, size = row.turns()[1][0], len(row.prompt)
        assert np.array_equal(row.positions, count_by_turn(row))
        assert np.array_equal(row.positions[: size + start], np.arange(size + start))
        assert row.positions[size + start] == 0
    moved = [
        np.abs(r.columns["trainer"] - p.columns["trainer"])[r.turns()[1][0] :].max() > 1e-3
        for r, p in zip(faulty, sound, strict=True)
        if len(r.turns()) > 1
    ]
    assert all(moved)


@pytest.mark.parametrize("digits", [2, 3])
def test_rounding_to_decimals_keeps_so_many(digits):
    fault = draw_until("logprob_storage_rounding", lambda p: p["dtype"] == f"{digits} decimals")
    faulty, sound = make_both(fault)
    for side in fault.params["sides"]:
        stored = np.concatenate([r.columns[side][r.own] for r in faulty]).astype(np.float64)
        plain = np.concatenate([r.columns[side][r.own] for r in sound])
        assert np.abs(stored * 10**digits - np.round(stored * 10**digits)).max() < 1e-3
        assert 0 < np.abs(stored - plain).max() <= 0.5001 * 10**-digits


def test_grouped_queries_equal_repeated_keys():
    config = CONFIG | {"num_attention_heads": 4, "num_key_value_heads": 2}
    width = CONFIG["hidden_size"] // 4
    grouped = dict(STATE)
    for name, weight in STATE.items():
        if "k_proj" in name or "v_proj" in name:
            grouped[name] = weight[: 2 * width]
    repeated = {
        n: w.view(2, width, -1).repeat_interleave(2, 0).reshape(4 * width, -1) if "k_proj" in n or "v_proj" in n else w
        for n, w in grouped.items()
    }
    text, places = torch.arange(10, 30)[None], torch.arange(20)[None]
    visible = torch.ones(1, 1, 20, 20, dtype=torch.bool).tril()
    one, _ = Network(grouped, config, View()).logits(text, places, visible)
    other, _ = Network(repeated, config | {"num_key_value_heads": 4}, View()).logits(text, places, visible)
    assert torch.allclose(one, other, atol=1e-5)


@pytest.mark.parametrize("level", LEVELS)
def test_levels_of_one_cause_differ(level):
    fault = FAULTS["softcap_mismatch"](Draw(np.random.default_rng(1), level, make_world()))
    low, high = {"low": (20, 28), "medium": (14, 19), "high": (9, 13)}[level]
    assert low <= fault.params["cap"] <= high


def test_equal_columns_are_not_identifiable_and_said_so():
    case = Case("x", make_world(1), [], 4, seed=2, bitwise=True)
    rows = make_rows(case)
    assert all((r.columns["trainer"] == r.columns["rollout"])[r.own].all() for r in rows[0])
    truth = describe(case, rows, "bitwise", {"why_not": "bitwise equal", "acceptable": ["copied_column"]})
    assert (truth["healthy"], truth["identifiable"], truth["acceptable"]) == (True, False, ["copied_column"])


def test_a_fault_under_ordinary_noise_is_not_identifiable():
    world = make_world(1)
    fault = FAULTS["dropout_on"](Draw(np.random.default_rng(1), "low", world))
    fault.change_trainer = lambda t, k: t
    case = Case("x", world, [fault], 4, seed=2)
    truth = describe(case, make_rows(case), "low", {})
    assert not truth["identifiable"]
    assert "healthy" in truth["acceptable"]


@pytest.mark.parametrize("layout", sorted(WRITERS))
def test_every_layout_writes_the_same_rows(layout, tmp_path):
    case = Case("x", make_world(1), [], 4, seed=2, reference=True)
    fields = {"entropy": False, "topk": False, "ref": True, "per_rank": False, "rescored": False, "ranks": 2,
              "versions": True}  # fmt: skip
    WRITERS[layout](tmp_path, 7, make_rows(case)[0], fields)
    assert [p for p in tmp_path.rglob("*") if p.is_file() and p.stat().st_size > 100]


def test_json_has_null_where_a_value_is_missing(tmp_path):
    rows = make_rows(Case("x", make_world(1), [], 4, seed=2))[0]
    rows[0].columns["rollout"][2] = np.nan
    fields = {"entropy": False, "topk": False, "ref": False, "per_rank": False, "rescored": False, "ranks": 1,
              "versions": False}  # fmt: skip
    WRITERS["verl_jsonl"](tmp_path, 7, rows, fields)
    first = json.loads(gzip.decompress((tmp_path / "step_0007.jsonl.gz").read_bytes()).splitlines()[0])
    assert first["rollout_log_probs"][2] is None
    assert first["rollout_log_probs"][1] == pytest.approx(float(rows[0].columns["rollout"][1]))


def test_weights_of_an_onnx_file_are_read(tmp_path):
    def field(number: int, body: bytes) -> bytes:
        return bytes([number << 3 | 2, len(body)]) + body

    values = np.arange(6, dtype=np.float32).reshape(2, 3)
    tensor = b"\x08\x02\x08\x03\x10\x01" + field(8, b"model.a_T") + field(9, values.tobytes())
    (tmp_path / "model.onnx").write_bytes(b"\x08\x07" + field(7, field(5, tensor)))
    state = read_onnx_weights(tmp_path / "model.onnx")
    assert list(state) == ["model.a"]
    assert np.array_equal(state["model.a"].numpy(), values.T)
