"""The stages `export` (model.onnx of every checkpoint) and `check` (do other libraries agree?)."""

from importlib import import_module
from pathlib import Path
from random import Random
from types import ModuleType

import numpy as np
import torch

from ..errors import LabError, require
from ..model import TinyLlama
from ..record.text import write_json
from ..tokenizer import Tokenizer
from ..workspace import Workspace
from .cases import ONNX_ROWS, onnx_case, tokenizer_texts

CASES_SEED = 5
TOLERANCE = 1e-4  # largest |onnx - torch| of a logit that passes
PACKAGES = ("onnx", "onnxruntime", "tokenizers")


def has_packages() -> bool:
    """Whether both stages can run here."""
    try:
        return bool([_package(name) for name in PACKAGES])
    except LabError:
        return False


def export(workspace: Workspace) -> None:
    """Write ckpt/NAME/model.onnx for every checkpoint."""
    _package("onnx")
    from .onnx_graph import export_onnx  # noqa: PLC0415  onnx is an optional dependency

    names = workspace.checkpoint_names()
    require(names, f"no checkpoints under {workspace.root}")
    for name in names:
        export_onnx(workspace.model(name), workspace.checkpoint_folder(name) / "model.onnx")
    print("exported", ", ".join(names))


def check(workspace: Workspace) -> None:
    """Run every model.onnx in onnxruntime and tokenizer.json in Hugging Face's tokenizers."""
    rng, tokenizer = Random(CASES_SEED), workspace.tokenizer()
    folder = workspace.folder("checks")
    cases, worst = _check_models(workspace, rng, tokenizer)
    require(worst < TOLERANCE, f"onnx and torch logits differ by {worst:.2e}")
    write_json(folder / "onnx_cases.json", cases, indent=None)
    note = (
        f"Checked with onnxruntime {_package('onnxruntime').__version__} on {len(cases)} "
        f"checkpoints x {ONNX_ROWS} sequences (random ids, left and right padding): "
        f"largest |onnx - torch| at real positions {worst:.2e}."
    )
    (folder / "onnx_result.txt").write_text(note + "\n", encoding="utf-8")
    print(note)
    texts = _tokenizer_cases(rng, tokenizer)
    write_json(folder / "tokenizer_cases.json", texts, indent=None)
    _check_tokenizer(workspace.checkpoint_folder("tokenizer") / "tokenizer.json", texts)


def _check_models(workspace: Workspace, rng: Random, tokenizer: Tokenizer) -> tuple[dict, float]:
    """(inputs by checkpoint, largest gap of a logit at a real position)."""
    cases, worst = {}, 0.0
    for name in workspace.checkpoint_names():
        ids, mask = onnx_case(rng, tokenizer)
        path = workspace.checkpoint_folder(name) / "model.onnx"
        require(path.exists(), f"no {path}: run the stage export first")
        expected, got = (
            _torch_logits(workspace.model(name), ids, mask),
            _onnx_logits(path, ids, mask),
        )
        gap = float(np.abs(got - expected)[mask == 1].max())
        print(f"{name}: logits {got.shape}, largest |onnx - torch| {gap:.2e}", flush=True)
        worst = max(worst, gap)
        inputs = {"input_ids": ids.tolist(), "attention_mask": mask.tolist()}
        cases[name] = inputs | {"shape": list(expected.shape)}
    return cases, worst


@torch.no_grad()
def _torch_logits(model: TinyLlama, ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
    return model(torch.from_numpy(ids), torch.from_numpy(mask)).numpy()


def _onnx_logits(path: Path, ids: np.ndarray, mask: np.ndarray) -> np.ndarray:
    runtime = _package("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = runtime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    return session.run(["logits"], {"input_ids": ids, "attention_mask": mask})[0]


def _tokenizer_cases(rng: Random, tokenizer: Tokenizer) -> list[dict]:
    cases = []
    for text in tokenizer_texts(rng):
        ids = tokenizer.encode(text)
        cases.append({"text": text, "ids": ids, "decoded": tokenizer.decode(ids, skip=())})
    return cases


def _check_tokenizer(path: Path, cases: list[dict]) -> None:
    library = _package("tokenizers")
    theirs = library.Tokenizer.from_file(str(path))
    for case in cases:
        ids = theirs.encode(case["text"], add_special_tokens=False).ids
        require(ids == case["ids"], f"{case['text']!r}: ids {ids}, ours are {case['ids']}")
        text = theirs.decode(ids, skip_special_tokens=False)
        require(text == case["decoded"], f"{ids}: text {text!r}, ours is {case['decoded']!r}")
    print(f"tokenizers {library.__version__} agrees on all {len(cases)} texts")


def _package(name: str) -> ModuleType:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        message = f"this stage needs the package {name}: pip install -e '.[export]'"
        raise LabError(message) from error
