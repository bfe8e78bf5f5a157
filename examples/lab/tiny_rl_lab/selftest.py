"""The stage `selftest`: almost every stage on a small scale, with the checks that this allows.

The models learn next to nothing here. What is tested is that the parts fit together, that every
container reads back, and that a run can be repeated to the last byte. The stage `probe` needs
trained checkpoints, so only its arithmetic is tested.
"""

import copy
import math
import shutil
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import numpy as np
import torch

from .engine import Trajectory, prompt_ids
from .errors import require
from .export.stage import check, export, has_packages
from .measure.accuracy import measure_accuracy
from .measure.engines import compare_engines
from .model import TinyLlama
from .probe.forcing import Forced, float64_gap, force
from .record.npz import load_npz, take_rows
from .record.pack import pack
from .report.readme import write_readme
from .slices import copy_run, write_formats
from .task import Problem, held_out, problem_stream, reward
from .task.demonstrations import Segments, demonstration
from .tokenizer import EOS, Tokenizer
from .train import dpo, grpo, sft
from .train.optimiser import AdamW
from .train.ppo import GROUP_SIZE, group_advantages, update
from .train.rescoring import trainer_pass
from .train.runs import RUNS
from .verify.stage import verify
from .workspace import RUN_NAMES, Workspace

SFT_STEPS, RL_STEPS, PAIRS, EVALUATED, SEED = 50, 3, 32, 16, 11


def selftest(workspace: Workspace) -> None:
    """Fill ROOT/selftest (emptied first); raises LabError where something does not hold."""
    shutil.rmtree(workspace.root / "selftest", ignore_errors=True)
    small = Workspace(workspace.root / "selftest")
    some = held_out()[:EVALUATED]
    sft.train(small, SFT_STEPS, some)
    dpo.train(small, demonstrated_pairs(small.tokenizer()), some)
    for name in RUN_NAMES:
        train_run(small, name)
    check_repeat(small)
    pack(small, tensor_steps=(1,))
    verify(small)
    check_slices(small)
    check_forcing(small, check_update(small))
    measure_accuracy(small, some)
    compare_engines(small, EVALUATED)
    if has_packages():
        export(small)
        check(small)
    else:
        print("export and check: skipped, onnx, onnxruntime or tokenizers is not installed")
    write_readme(small)
    print("selftest passed")


def train_run(workspace: Workspace, name: str, steps: int = RL_STEPS) -> None:
    """A few steps of a run, all recorded; main keeps its last checkpoint."""
    every = RL_STEPS if name == "main" else 0
    run = replace(RUNS[name], steps=steps, record_every=1, checkpoint_every=every)
    grpo.train(workspace, run, held_out()[:EVALUATED])


def demonstrations() -> Iterator[tuple[Problem, Segments, bool]]:
    """Problems, noisy solutions, and whether they are right."""
    rng = Random(SEED)
    for problem in problem_stream(SEED):
        segments = demonstration(problem, rng)
        text = "".join(text for _, text in segments)
        yield problem, segments, reward(problem, text, True) == 1.0


def demonstrated_pairs(tokenizer: Tokenizer) -> list[dpo.Pair]:
    """Right and wrong demonstrations: a model this young gets nothing right by itself."""
    sides: dict[bool, list[Trajectory]] = {True: [], False: []}
    for problem, segments, right in demonstrations():
        sides[right].append(as_trajectory(problem, segments, tokenizer))
        if min(map(len, sides.values())) == PAIRS:
            break
    return list(zip(sides[True][:PAIRS], sides[False][:PAIRS]))


def as_trajectory(problem: Problem, segments: Segments, tokenizer: Tokenizer) -> Trajectory:
    ids, mask = sft.encode_demonstration(problem, segments, tokenizer)
    n = len(prompt_ids(problem, tokenizer))
    return Trajectory(ids[:n], ids[n:], mask[n:], stop="eos")


def check_repeat(workspace: Workspace) -> None:
    """The first step of main, run again elsewhere, writes the same bytes."""
    again = Workspace(workspace.root / "again")
    shutil.copytree(workspace.root / "ckpt", again.root / "ckpt")
    train_run(again, "main", steps=1)
    first, second = (w.records("main")[0].read_bytes() for w in (workspace, again))
    require(first == second, "the first step of main was not reproduced")
    print("repeat: the first step of main was reproduced byte for byte")


def check_slices(workspace: Workspace) -> None:
    """What the stage `slice` does, on the group that is there."""
    folder = workspace.root / "slices"
    copied = copy_run(workspace, "stale", folder / "stale")
    same = all(a.read_bytes() == b.read_bytes() for a, b in zip(copied, workspace.records("stale")))
    require(same, "a copied record differs from its original")
    source = workspace.records("main")[0]
    rows = take_rows(load_npz(source), slice(0, GROUP_SIZE))
    written = write_formats(folder / "formats", source.stem, rows, workspace.tokenizer())
    print(f"slices: {len(copied)} records copied, {len(written)} containers of {GROUP_SIZE} rows")


def check_update(workspace: Workspace) -> TinyLlama:
    """One PPO update at ratio 1, on right and wrong demonstrations; returns the updated model.

    The runs above hardly update: where no response is right, no group has an advantage.
    """
    model, pairs = workspace.model("dpo"), demonstrated_pairs(workspace.tokenizer())
    half = GROUP_SIZE // 2
    right, wrong = (list(side) for side in zip(*pairs[:half]))
    group, advantages = right + wrong, group_advantages([1.0] * half + [0.0] * half)
    own = [sum(t.mask) for t in group]
    expected = -sum(a * n for a, n in zip(advantages, own)) / sum(own)
    with torch.no_grad():
        before = dpo.sequence_log_probs(model, group)
    old, optimiser = trainer_pass(model, group), AdamW(model.parameters(), lr=1e-4)
    loss, clipped, norm = update(model, optimiser, group, old, advantages)
    require(abs(loss - expected) < 1e-4, f"ppo loss {loss}, expected {expected}")
    require(clipped == 0 and norm > 0, f"ppo: clip fraction {clipped}, gradient norm {norm}")
    with torch.no_grad():
        gain = dpo.sequence_log_probs(model, group) - before
    up, down = gain[:half].mean().item(), gain[half:].mean().item()
    require(up > down, f"ppo: right responses gained {up:.3f} nats, wrong ones {down:.3f}")
    print(f"update: right responses gained {up:.3f} nats, wrong ones {down:.3f}")
    return model


def check_forcing(workspace: Workspace, updated: TinyLlama) -> None:
    """Bounds that hold for any two models, and equality of a model with itself."""
    dpo_model = workspace.model("dpo")
    models = {"dpo": dpo_model, "sft": workspace.model("sft"), "updated": updated}
    twins = {"dpo": dpo_model, "twin": dpo_model}
    exact = [copy.deepcopy(models[name]).double_precision() for name in ("updated", "dpo")]
    tokenizer, vocab, worst = workspace.tokenizer(), dpo_model.cfg.vocab_size, 0.0
    for (problem, segments, _), _ in zip(demonstrations(), range(3)):
        t = as_trajectory(problem, segments, tokenizer)
        require(t.response[-1] == EOS, "a demonstration does not end in <eos>")
        forced = Forced(problem, t.prompt, t.response)
        found = force(models, forced).others
        for name, f in found.items():
            require(min(f["forward_kl"].min(), f["reverse_kl"].min()) > -1e-12, f"{name}: KL < 0")
            require(f["js_divergence"].max() <= math.log(2), f"{name}: JS > ln 2")
            require(f["entropy"].max() <= math.log(vocab) + 1e-9, f"{name}: entropy > ln V")
        own = force(twins, forced).others["twin"]
        require(not np.any(own["forward_kl"]), "a model differs from itself")
        worst = max(worst, float64_gap(*exact, forced, found["updated"]))
    require(worst < 1e-4, f"float32 and float64 divergences differ by {worst:.2e}")
    mean = found["updated"]["forward_kl"].mean()
    print(f"forcing: bounds hold, KL(updated||dpo) {mean:.4f}, float64 differs by {worst:.1e}")
