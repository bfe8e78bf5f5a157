"""Makes a folder of cases: python -m faultlab.make OUT --seed N --count N --checkpoints DIR --recordings DIR."""

from __future__ import annotations

import argparse
import gc
import json
import os
import time
import zlib
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer

from .checkpoints import list_checkpoints, load_checkpoint, load_config, mix
from .faults import FAULTS
from .layouts import WRITERS
from .plan import HEALTHY, Dice, Setting, draw_causes, draw_faulty, draw_healthy
from .produce import Case, make_rows
from .task import Task, read_problems
from .training import train
from .truth import describe

HISTORY_STEPS = 24


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--first", type=int, default=1, help="number of the first case to make (default 1)")
    parser.add_argument("--last", type=int, help="number of the last case to make (default --count)")
    parser.add_argument("--only", nargs="*", help="make only cases of these causes")
    parser.add_argument("--model", choices=["toy", "smollm"], default="toy")
    parser.add_argument("--checkpoints", type=Path, help="of the toy: folder of checkpoints, Hugging Face layout")
    parser.add_argument("--recordings", type=Path, help="of the toy: folder of recorded runs, for their prompts")
    parser.add_argument("--half", type=int, choices=[0, 1], help="of smollm: every second prompt, from this one")
    parser.add_argument("--cache", type=Path, required=True, help="folder that keeps the short training runs")
    parser.add_argument("--runs", type=int, default=4, help="different base runs (default 4)")
    return parser.parse_args()


def prepare_toy(arguments: argparse.Namespace) -> Setting:
    dice = Dice(arguments.seed)
    names = list_checkpoints(arguments.checkpoints)
    checkpoints = {n: load_checkpoint(arguments.checkpoints / n) for n in names}
    config = load_config(arguments.checkpoints / names[0])
    tokenizer = Tokenizer.from_file(str(arguments.checkpoints / names[0] / "tokenizer.json"))
    task = Task(tokenizer, read_problems(arguments.recordings))
    histories = []
    for i in range(arguments.runs):
        origin = dice.pick("sft", "dpo", "rlvr_step_200", "rlvr_step_500", "rlvr_step_800", "mixed")
        lr = float(np.exp(dice.rng.uniform(np.log(1.2e-5), np.log(9e-5))))
        start = mix(checkpoints["dpo"], checkpoints["rlvr_step_500"], 0.5) if origin == "mixed" else checkpoints[origin]
        seed = arguments.seed * 100 + i
        histories.append(
            train(f"{origin}-{seed}", origin, start, config, task, lr, HISTORY_STEPS, seed, arguments.cache)
        )
    return Setting(task, config, checkpoints, histories, draw_layouts(dice), list(FAULTS), HEALTHY)


# A dense model has no router, and its activations are far from float16's largest number.
NOT_REAL = {"moe_routing_flips", "fp16_overflow"}
REAL_STEPS, REAL_GROUPS, REAL_GROUP_SIZE = 6, 4, 6


def prepare_smollm(arguments: argparse.Namespace) -> Setting:
    from .smollm import ChatTask, load_model, make_problems

    dice = Dice(arguments.seed)
    state, config, tokenizer = load_model()
    problems = make_problems(tokenizer)
    # Cases that are judged must have other prompts than those that a fit has seen.
    task = ChatTask(tokenizer, problems[arguments.half :: 2] if arguments.half is not None else problems)
    lr = float(np.exp(dice.rng.uniform(np.log(1e-5), np.log(5e-5))))
    shape = (REAL_GROUPS, REAL_GROUP_SIZE)
    run = lambda name, lr, steps, seed: train(  # noqa: E731
        f"smollm-{name}-{seed}", "instruct", state, config, task, lr, steps, seed, arguments.cache, shape
    )
    history = run("grpo", lr, REAL_STEPS, arguments.seed * 100)
    other = run("other", 1e-4, 2, arguments.seed * 100 + 1)
    checkpoints = {"instruct": state, "other": other.states[-1]}
    causes = [cause for cause in FAULTS if cause not in NOT_REAL]
    healthy = tuple(kind for kind in HEALTHY if kind not in ("moving", "wide-groups", "single-step"))
    return Setting(task, config, checkpoints, [history], draw_layouts(dice), causes, healthy, passes={})


def draw_layouts(dice: Dice) -> dict[str, float]:
    return {k: float(w) for k, w in zip(WRITERS, dice.rng.dirichlet(np.full(len(WRITERS), 3.0)), strict=True)}


def write_case(folder: Path, case: Case, steps: list, level: str, form: dict, extra: dict, seed: int) -> dict:
    dice = Dice(seed + 1)
    first, spacing = int(dice.rng.integers(5, 700)), dice.pick(1, 1, 5, 10)
    truth = describe(case, steps, level, extra)
    if truth["onset_step"] is not None:
        truth["onset_step"] = first + spacing * truth["onset_step"]
    truth["setup"] = {
        "base_run": f"{case.world.history.name} lr {case.world.history.lr:.2g}",
        "numerics": case.world.noise,
        "format": form["layout"],
        "fields": form["fields"],
        "steps": case.world.steps,
        "sequences": sum(len(s) for s in steps),
        "rescored": case.rescored,
        "faults": [[f.cause, f.params] for f in case.faults],
        "sampling": {k: v for k, v in vars(case.sampling).items() if v != getattr(type(case.sampling)(), k)},
        "seed": seed,
    }
    for k, rows in enumerate(steps):
        WRITERS[form["layout"]](folder / "data", first + spacing * k, rows, form["fields"])
    (folder / "truth.json").write_text(json.dumps(truth, indent=1, default=to_plain))
    return truth


def to_plain(value):
    return value.item() if hasattr(value, "item") else str(value)


def make_case(
    folder: Path, number: int, kind: str, causes: list[str], three: bool, setting: Setting, seed: int
) -> dict:
    dice = Dice(seed)
    if kind == "healthy":
        case, level, form, extra = draw_healthy(dice, folder.name, causes[0], setting)
    else:
        case, level, form = draw_faulty(dice, folder.name, causes, setting, three)
        extra = {}
    steps = make_rows(case)
    form["fields"] = drop_missing(form["fields"], steps)
    return write_case(folder, case, steps, level, form, extra, seed)


def drop_missing(fields: dict, steps: list) -> dict:
    """Drops columns that no row has."""
    have = set.intersection(*(set(r.columns) for s in steps for r in s))
    entropy = fields["entropy"] and {"rollout_entropy", "trainer_entropy"} <= have
    topk = fields["topk"] and {"rollout_top", "trainer_top"} <= have
    return fields | {"entropy": entropy, "topk": topk}


def main() -> None:
    torch.set_num_threads(1)
    arguments = read_arguments()
    setting = prepare_smollm(arguments) if arguments.model == "smollm" else prepare_toy(arguments)
    plan = draw_causes(Dice(arguments.seed + 1), arguments.count, setting.causes, setting.healthy)
    for number, (kind, causes, three) in enumerate(plan, 1):
        folder = arguments.out / f"case-{number:03d}"
        wanted = arguments.first <= number <= (arguments.last or arguments.count)
        if not wanted or (folder / "truth.json").exists() or (arguments.only and not set(causes) & set(arguments.only)):
            continue
        start = time.perf_counter()
        seed = zlib.crc32(f"{arguments.seed}/{number}/{causes}".encode())
        truth = make_case(folder, number, kind, causes, three, setting, seed)
        size = truth["measured"]["mean_abs_delta"]
        print(folder.name, kind, *causes, truth["severity"], truth["setup"]["format"], "three" if three else "",
              "-" if size is None else f"{size:.2e}", "" if truth["identifiable"] else "hidden", f"{time.perf_counter() - start:.1f} s", flush=True)  # fmt: skip
        gc.collect()


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
