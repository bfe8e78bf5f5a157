"""Digests of weights: what changes them, and what does not."""

import numpy as np
import pytest

import logratio
from logratio.weights import _choose_places

RANDOM = np.random.default_rng(7)


def make_model(hidden=8, heads=6, kv=2, vocabulary=700):
    """Tensors of a model with one layer, named as transformers names them."""

    def draw(*shape):
        return RANDOM.normal(size=shape).astype(np.float32)

    layer = "model.layers.0."
    return {
        "model.embed_tokens.weight": draw(vocabulary, hidden),
        f"{layer}self_attn.q_proj.weight": draw(heads, hidden),
        f"{layer}self_attn.k_proj.weight": draw(kv, hidden),
        f"{layer}self_attn.v_proj.weight": draw(kv, hidden),
        f"{layer}self_attn.q_proj.bias": draw(heads),
        f"{layer}self_attn.k_proj.bias": draw(kv),
        f"{layer}self_attn.v_proj.bias": draw(kv),
        f"{layer}self_attn.o_proj.weight": draw(hidden, heads),
        f"{layer}mlp.gate_proj.weight": draw(10, hidden),
        f"{layer}mlp.up_proj.weight": draw(10, hidden),
    }


def fuse(model):
    """The same as vLLM and SGLang hold it."""
    fused = dict(model)
    for into, parts in (("qkv_proj", ("q_proj", "k_proj", "v_proj")), ("gate_up_proj", ("gate_proj", "up_proj"))):
        for leaf in ("weight", "bias"):
            names = [name for part in parts for name in model if name.endswith(f".{part}.{leaf}")]
            if names:
                fused[names[0].replace(f"{parts[0]}.{leaf}", f"{into}.{leaf}")] = np.concatenate(
                    [fused.pop(name) for name in names]
                )
    return fused


def round_to_bfloat16(values):
    bits = values.view(np.uint32).astype(np.uint64)
    bits = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16 << 16
    return bits.astype(np.uint32).view(np.float32)


def parts_of(digest):
    form, dtypes, tensors, names, exact, rounded = str(digest).split(":")
    assert form == "logratio-weights-1"
    return {"dtypes": dtypes, "tensors": int(tensors), "names": names, "exact": exact, "rounded": rounded}


def test_the_form_that_records_hold():
    digest = logratio.weight_digest({"b": np.arange(6.0).reshape(2, 3), "a": np.float32([0.5])})
    # Written down, so that digests of older records stay comparable.
    assert str(digest) == "logratio-weights-1:float32+float64:2:44cda94eb6561c23:509abfb2a89e22ef:1f61d27956c3b4b4"
    large = logratio.weight_digest({"a": np.arange(10_000, dtype=np.float32) / 8})
    assert str(large) == "logratio-weights-1:float32:1:a05f02ff3e8e6952:b9e29b8230f246d7:a5f5e51bee7e7467"


def test_the_same_values_of_another_type_or_layout():
    values = round_to_bfloat16(RANDOM.normal(size=(300, 50)).astype(np.float32))
    digest = parts_of(logratio.weight_digest({"w": values}))
    for same in (values.astype(np.float64), np.ascontiguousarray(values.T).T, np.repeat(values, 2, axis=1)[:, ::2]):
        other = parts_of(logratio.weight_digest({"w": same}))
        assert {**other, "dtypes": digest["dtypes"]} == digest
    signed = parts_of(logratio.weight_digest({"w": np.float32([0.0, np.nan])}))
    assert signed == parts_of(logratio.weight_digest({"w": np.float32([-0.0, -np.nan])}))


def test_rounding_changes_only_the_exact_digest():
    model = make_model()
    digest = logratio.weight_digest(model)
    engine = logratio.weight_digest({name: round_to_bfloat16(values) for name, values in model.items()})
    one, other = parts_of(digest), parts_of(engine)
    assert one["exact"] != other["exact"]
    assert (one["names"], one["rounded"]) == (other["names"], other["rounded"])
    compared = digest.compare(engine)
    assert compared.rounded == sorted(model)
    assert (compared.different, compared.only_first, compared.only_second) == ([], [], [])


def test_fused_projections_are_split():
    model = make_model()
    fused = fuse(model)
    assert len(fused) == len(model) - 5
    assert str(logratio.weight_digest(fused)) == str(logratio.weight_digest(model))
    # Without the output projection nothing says where the queries end.
    alone = {name: fused[name] for name in fused if "qkv_proj.weight" in name}
    assert list(logratio.weight_digest(alone).tensors) == list(alone)


def test_names_of_wrappers_and_a_tied_head_are_left_out():
    model = make_model()
    digest = str(logratio.weight_digest(model))
    wrapped = {f"_orig_mod.module.{name}": values for name, values in model.items()}
    assert str(logratio.weight_digest(wrapped)) == digest
    assert str(logratio.weight_digest({**model, "lm_head.weight": model["model.embed_tokens.weight"]})) == digest
    assert str(logratio.weight_digest({**model, "lm_head.weight": model["model.embed_tokens.weight"] + 1})) != digest
    assert str(logratio.weight_digest({**model, "model.layers.0._extra_state": None})) == digest
    with pytest.raises(ValueError, match=r"two tensors are named w without wrappers"):
        logratio.weight_digest([("w", np.zeros(1)), ("module.w", np.zeros(1))])


def test_a_comparison_names_what_differs():
    model = make_model()
    name = "model.layers.0.self_attn.o_proj.weight"
    other = {**model, name: model[name] * 1.1, "lora_A.weight": np.ones((2, 2), np.float32)}
    del other["model.embed_tokens.weight"]
    compared = logratio.weight_digest(model).compare(logratio.weight_digest(other))
    assert compared.different == [name]
    assert compared.only_first == ["model.embed_tokens.weight"]
    assert compared.only_second == ["lora_A.weight"]
    only = [str(logratio.weight_digest(of, only=lambda each: "mlp" in each)) for of in (model, other)]
    assert only[0] == only[1]


@pytest.mark.parametrize("size", [1, 4096, 4097, 100_003, 3_000_000_000])
def test_places_are_fixed_spread_and_apart(size):
    places = _choose_places(size)
    assert len(places) == min(size, 4096)
    assert places[0] >= 0 and places[-1] < size
    assert (np.diff(places) > 0).all()
    np.testing.assert_array_equal(places, _choose_places(size))


def test_what_is_no_model_is_refused():
    with pytest.raises(TypeError, match="model must be a module, a state dict, or pairs"):
        logratio.weight_digest(3)
    with pytest.raises(TypeError, match="a is a list, expected a tensor"):
        logratio.weight_digest({"a": [1.0]})
    with pytest.raises(ValueError, match="there is no tensor to digest"):
        logratio.weight_digest(make_model(), only=lambda _: False)


def test_tensors_of_torch_have_the_same_digest():
    torch = pytest.importorskip("torch")
    model = make_model()
    tensors = {name: torch.from_numpy(values) for name, values in model.items()}
    assert str(logratio.weight_digest(tensors)) == str(logratio.weight_digest(model))
    narrow = logratio.weight_digest({name: values.bfloat16() for name, values in tensors.items()})
    ours = logratio.weight_digest({name: round_to_bfloat16(values) for name, values in model.items()})
    assert parts_of(narrow) == {**parts_of(ours), "dtypes": "bfloat16"}
    eighth = torch.linspace(-1, 1, 64).to(torch.float8_e4m3fn)
    assert (
        parts_of(logratio.weight_digest({"w": eighth}))["exact"]
        == (parts_of(logratio.weight_digest({"w": eighth.float()}))["exact"])
    )
    module = torch.nn.Linear(3, 2)
    assert str(logratio.weight_digest(module)) == str(logratio.weight_digest(module.state_dict()))
    with pytest.raises(ValueError, match="weight is on the meta device"):
        logratio.weight_digest(torch.nn.Linear(3, 2, device="meta"))
    with pytest.raises(TypeError, match=r"w holds torch\.complex64, expected real numbers"):
        logratio.weight_digest({"w": torch.zeros(1, dtype=torch.complex64)})


def test_a_record_holds_both_sides(tmp_path):
    from logratio.recorder.files import read_safetensors

    digest = logratio.weight_digest(make_model())
    with logratio.init(tmp_path, rank=0) as run:
        run.log(
            step=1,
            rollout_log_probs=np.zeros((1, 2)),
            old_log_probs=np.zeros((1, 2)),
            meta={"rollout_weights": digest, "trainer_weights": digest},
        )
    (path,) = tmp_path.rglob("*.safetensors")
    _, metadata = read_safetensors(path)
    assert metadata["rollout_weights"] == metadata["trainer_weights"] == str(digest)
