"""The golden cases of the drop-ins: the repository's own, and those of the reference implementations if present.

Tolerances are those of the cases' own checker: figures must agree with the reference's float64 run to 1e-5 of the
figure, and with its float32 run to 1e-4.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from logratio.corrections import RolloutImportanceSampling, apply_correction
from logratio.digits import digit_log_probs, digit_proxy, number_token_loss, take_digit_tokens
from logratio.divergence import collect_divergent_tokens
from logratio.verl import calculate_debug_metrics

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared" / "golden" / "cases"
OWN = ROOT / "test" / "golden"

KINDS = ("ntl", "verl.debug_metrics", "verl.divergence_log", "verl.per_round", "verl.rollout_corr", "xtuner.rollout_is")


def read_cases(folder: Path) -> list:
    cases = [json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))]
    return [pytest.param(case, id=case["id"]) for case in cases if case["kind"] in KINDS]


SHARED_CASES = read_cases(SHARED) if SHARED.is_dir() else []
needs_shared = pytest.mark.skipif(
    not SHARED_CASES, reason="the golden cases of the reference implementations (../shared/golden/cases) are not there"
)


def decode_array(value, dtype="float64"):
    """An array from nested lists, in which non-finite numbers are texts."""
    return np.array(value, dtype=object).astype(dtype)


class TableTokenizer:
    """Ids are indices into a list of texts; a text is encoded with the longest entries that fit, the first among
    equals."""

    def __init__(self, texts):
        self.texts = texts

    def __len__(self):
        return len(self.texts)

    def decode(self, ids):
        return "".join(self.texts[token] for token in ids)

    def encode(self, text, add_special_tokens):
        assert add_special_tokens is False
        ids = []
        while text:
            fitting = [token for token, entry in enumerate(self.texts) if entry and text.startswith(entry)]
            ids.append(max(fitting, key=lambda token: (len(self.texts[token]), -token)))
            text = text[len(self.texts[ids[-1]]) :]
        return ids


def make_data(inputs, dtype="float64"):
    """The batch of a case in the form of a DataProto."""
    batch = {}
    for name, value in inputs.items():
        if name not in ("vocab", "acc"):
            batch[name] = decode_array(value, dtype if "log_probs" in name else find_type(value))
    return SimpleNamespace(
        batch=batch, non_tensor_batch={"acc": inputs["acc"]} if "acc" in inputs else {}, meta_info={}
    )


def find_type(value):
    while isinstance(value, list):
        value = value[0]
    return "int64" if isinstance(value, int) else "float64"


def run_case(case, xp=np, dtype="float64"):
    """The results of our functions for a case, on arrays of the given module and type."""
    inputs, config, kind = case["inputs"], case.get("config") or {}, case["kind"]
    if kind in ("verl.debug_metrics", "verl.per_round", "verl.divergence_log"):
        data = make_data(inputs, dtype)
        data.batch = {name: xp.asarray(column) for name, column in data.batch.items()}
        if kind == "verl.divergence_log":
            return {"records": collect_divergent_tokens(data, TableTokenizer(inputs["vocab"]), **config)}
        metrics = calculate_debug_metrics(data, log_divergence=False)
        wanted = "per_round/" if kind == "verl.per_round" else "training/"
        return {"metrics": {name: value for name, value in metrics.items() if name.startswith(wanted)}}
    if kind == "xtuner.rollout_is":
        names = ("old_log_prob", "rollout_log_prob", "response_mask")
        old, rollout, mask = (xp.asarray(decode_array(inputs[name], dtype)) for name in names)
        settings = RolloutImportanceSampling(**config)
        weights, modified, mismatch, metrics = settings.compute_rollout_importance_weights_and_metrics(
            old, rollout, xp.asarray(inputs["num_tokens"]), mask
        )
        return {
            "weights": None if weights is None else weights.tolist(),
            "modified_response_mask": modified.tolist(),
            "mismatch_metrics": mismatch,
            "is_metrics": metrics,
        }
    if kind == "verl.rollout_corr":
        data = make_data(inputs, dtype).batch
        applied = apply_correction(
            write_verl_settings(config),
            *(xp.asarray(data[name]) for name in ("rollout_log_probs", "old_log_probs", "response_mask")),
        )
        return {
            "weights": None if applied.weights is None else applied.weights.tolist(),
            "modified_response_mask": applied.mask.tolist(),
        }
    return run_digits(inputs, xp)


def run_digits(inputs, xp):
    logits, ids = xp.asarray(decode_array(inputs["logits"])), np.array(inputs["token_ids"])
    log_probs = np.asarray(logits) - np.logaddexp.reduce(np.asarray(logits), axis=-1, keepdims=True)
    selected = np.take_along_axis(log_probs, ids[..., None], -1)[..., 0]
    proxy = digit_proxy(xp.asarray(ids), xp.asarray(selected), take_digit_tokens(inputs["digit_token_ids"]))
    own = digit_log_probs(logits, inputs["digit_token_ids"])
    targets = (proxy["digit_positions"], proxy["digit_ground_truth"])
    return {
        "digit_log_probs": own.tolist(),
        "digit_positions": targets[0],
        "digit_ground_truth": targets[1],
        "mse": number_token_loss(own, *targets, "mse"),
        "wasserstein": number_token_loss(own, *targets, "wasserstein"),
        "proxy": proxy,
    }


def write_verl_settings(config):
    """verl's settings in the neutral text form: two bounds on weights zero, one clamps; k1 takes ratios."""
    parts = []
    level, threshold = config["rollout_is"], config.get("rollout_is_threshold")
    if level:
        lower, _, upper = str(threshold).rpartition("_")
        parts = [f"weight:{level}:log=20", f"zero:weight:{lower}..{upper}" if lower else f"truncate:..{upper}"]
        if config["rollout_is_batch_normalize"]:
            parts.append(f"normalize:{level}")
    if config["rollout_rs"]:
        options = list(dict.fromkeys(config["rollout_rs"].split(",")))
        specs = str(config["rollout_rs_threshold"]).split(",") * len(options)
        parts += [write_rejection(option.strip(), spec.strip()) for option, spec in zip(options, specs, strict=False)]
    return " ".join(parts) or "none"


def write_rejection(option, spec):
    aggregation, statistic = option.rsplit("_", 1)
    level = "token" if aggregation == "token" else f"sequence.{aggregation.removeprefix('seq_')}"
    lower, _, upper = spec.rpartition("_")
    if statistic == "k1":
        bounds = (math.log(float(lower or 1 / float(upper))), math.log(float(upper)))
        lower, upper = (f"{bound:.17f}" for bound in bounds)
    return f"mask:{level}.{statistic}:{lower}..{upper}:delta=20"


def compare(expected, actual, rtol, atol, path=""):
    """Compares like the cases' checker: expected keys, lists of equal length, numbers within the tolerance."""
    if isinstance(expected, dict):
        for key, value in expected.items():
            compare(value, None if actual is None else actual.get(key), rtol, atol, f"{path}.{key}")
    elif isinstance(expected, list):
        assert isinstance(actual, list) and len(actual) == len(expected), path
        for at, (value, own) in enumerate(zip(expected, actual, strict=True)):
            compare(value, own, rtol, atol, f"{path}[{at}]")
    elif isinstance(expected, bool) or expected is None:
        assert actual == expected, f"{path}: want {expected}, got {actual}"
    elif isinstance(expected, (int, float)) or expected in ("NaN", "Infinity", "-Infinity"):
        want = float(expected)
        same = actual is not None and (actual == want or (math.isnan(want) and math.isnan(actual)))
        close = actual is not None and abs(actual - want) <= atol + rtol * abs(want)
        assert same or close, f"{path}: want {expected}, got {actual}"
    else:
        assert actual == expected, f"{path}: want {expected}, got {actual}"


def check_case(case, xp=np):
    # Only weights and mask are the correction's; verl's metrics of them are computed elsewhere.
    wanted = case.get("expected_float64", case["expected"])
    if case["kind"] == "verl.rollout_corr":
        if "error" in wanted:
            pytest.skip("refused by verl's own settings, which are not the neutral form's")
        wanted = {name: wanted[name] for name in ("weights", "modified_response_mask")}
    rtol, atol = (1e-4, 1e-7) if case["kind"] == "ntl" else (1e-5, 1e-9)
    if "expected_float64" not in case and case["kind"] != "ntl":
        rtol, atol = 1e-4, 1e-6
    compare(wanted, run_case(case, xp), rtol, atol, case["id"])


@pytest.mark.parametrize("case", read_cases(OWN))
def test_own_cases(case):
    check_case(case)


@needs_shared
@pytest.mark.parametrize("case", SHARED_CASES)
def test_reference_cases(case):
    check_case(case)


@needs_shared
@pytest.mark.parametrize("case", SHARED_CASES)
def test_reference_cases_of_tensors(case, torch):
    check_case(case, torch)


@needs_shared
@pytest.mark.parametrize("case", [each for each in SHARED_CASES if each.values[0]["kind"] == "xtuner.rollout_is"])
def test_float32_in_gives_the_references_float32_out(case, torch):
    for xp in (np, torch):
        actual = run_case(case, xp, "float32")
        for name in ("weights", "modified_response_mask"):
            compare(case["expected"][name], actual[name], 2e-6, 0, name)


@pytest.mark.parametrize("cases", [pytest.param(SHARED_CASES, marks=needs_shared), read_cases(OWN)])
def test_every_kind_is_there(cases):
    assert sorted({each.values[0]["kind"] for each in cases}) == sorted(KINDS)


@pytest.mark.parametrize("case", read_cases(OWN))
def test_a_wrong_figure_fails(case):
    """Tests the comparison itself: it notices if every case's first number is changed by a thousandth."""
    with pytest.raises(AssertionError):
        compare(move_number(case["expected"])[0], run_case(case), 1e-5, 1e-9)


def move_number(value):
    """The value with its first nonzero number changed, and whether there was one."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value, False
    if isinstance(value, (int, float)):
        return (value * 1.001, True) if value else (value, False)
    moved = dict(value) if isinstance(value, dict) else list(value)
    for key in moved if isinstance(value, dict) else range(len(moved)):
        moved[key], done = move_number(moved[key])
        if done:
            return moved, True
    return moved, False
