"""The stage `probe`: problems that dpo gets wrong and the last RLVR checkpoint right, both models'
greedy answers, and reference figures when every checkpoint is forced along dpo's wrong answers."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch

from ..errors import require
from ..model import TinyLlama
from ..record.safetensors import save_safetensors
from ..record.text import write_json
from ..task import held_out
from ..tokenizer import Tokenizer
from ..train.evaluate import generate_all
from ..workspace import Workspace
from .answers import Answers, answers, forced_answer, problem_rows, spread
from .forcing import Forced, ForcedFigures, float64_gap, force

REFERENCE_PROBLEMS, LOGIT_SEQUENCES = 20, 4
KEPT_LOGITS = ("dpo", "rlvr_step_100")  # and the last checkpoint, as rlvr_final

META = {
    "q": "dpo",
    "p": "each checkpoint",
    "log": "natural",
    "dtype": "float64 on float32 logits (temperature 1)",
    "alignment": "logits at position t predict token t+1; entry i of every array is about "
    "response_ids[i], from the logits at position len(prompt_ids)-1+i of prompt_ids+response_ids",
    "forward_kl": "sum p (log p - log q) = D(checkpoint||dpo)",
    "reverse_kl": "sum q (log q - log p) = D(dpo||checkpoint)",
    "js_divergence": "0.5 KL(p||m) + 0.5 KL(q||m), m = (p+q)/2",
    "entropy_normalised": "entropy / ln(V)",
}


def probe(workspace: Workspace) -> None:
    """Write the files of ROOT/probe."""
    names = workspace.checkpoint_names()
    require("dpo" in names and names[-1] != "dpo", f"probe needs dpo and RLVR, here are {names}")
    models, final = {name: workspace.model(name) for name in names}, names[-1]
    folder, tokenizer, problems = workspace.folder("probe"), workspace.tokenizer(), held_out()
    given = {
        name: answers(problems, generate_all(models[name], problems, tokenizer), tokenizer)
        for name in ("dpo", final)
    }
    write_json(folder / "dpo_responses.json", given["dpo"])
    write_json(folder / "rlvr_responses.json", given[final])
    right = {name: {uid for uid, x in a.items() if x["correct"]} for name, a in given.items()}
    chosen = [p for p in problems if p.uid in right[final] - right["dpo"]]
    write_json(folder / "filtered_problems.json", problem_rows(chosen))
    print(f"{len(chosen)} of {len(problems)} kept; right:", {n: len(r) for n, r in right.items()})
    require(chosen, f"no problem is wrong in dpo and right in {final}")
    picks = spread(chosen, REFERENCE_PROBLEMS)
    sequences = [forced_answer(p, given["dpo"], tokenizer) for p in picks]
    figures = [force(models, s) for s in sequences]
    exact = [workspace.model(n).double_precision() for n in (final, "dpo")]
    worst = max(float64_gap(*exact, s, f.others[final]) for s, f in zip(sequences, figures))
    result = reference(sequences, figures, given["dpo"], tokenizer, models["dpo"], worst)
    write_json(folder / "reference_kl.json", result, indent=None)
    write_logits(folder, sequences, figures, {n: n for n in KEPT_LOGITS} | {final: "rlvr_final"})
    print_means(result["checkpoints"])
    print("a float64 forward pass differs by", worst)


def reference(
    sequences: list[Forced],
    figures: list[ForcedFigures],
    given: Answers,
    tokenizer: Tokenizer,
    dpo: TinyLlama,
    worst: float,
) -> dict:
    """The content of reference_kl.json."""
    uids = [s.problem.uid for s in sequences]
    return {
        "meta": META
        | {
            "vocab_size": dpo.cfg.vocab_size,
            "teacher_forced": "dpo greedy (wrong) responses, tool output and final <eos> included",
            "response_mask": "1 = the model's own token, 0 = tool output",
            "max_abs_difference_from_an_all_float64_forward": worst,
            "logit_sequences": uids[:LOGIT_SEQUENCES],
        },
        "problems": [
            {
                "unique_id": s.problem.uid,
                "prompt": s.problem.prompt,
                "response": given[s.problem.uid]["response"],
                "prompt_ids": s.prompt,
                "response_ids": s.response,
                "response_mask": given[s.problem.uid]["response_mask"],
                "tokens": [tokenizer.decode([i]) for i in s.response],
            }
            for s in sequences
        ],
        "dpo": {uid: f.reference for uid, f in zip(uids, figures)},
        "checkpoints": {
            name: {uid: f.others[name] for uid, f in zip(uids, figures)}
            for name in figures[0].others
        },
    }


def write_logits(
    folder: Path,
    sequences: list[Forced],
    figures: list[ForcedFigures],
    kept: Mapping[str, str],
) -> None:
    """Raw logits of the first sequences as K.NAME; `kept`: checkpoint -> NAME."""
    logits = {}
    for k, (s, f) in enumerate(zip(sequences[:LOGIT_SEQUENCES], figures)):
        for name, short in kept.items():
            if name in f.logits:
                logits[f"{k}.{short}"] = torch.from_numpy(f.logits[name])
        logits[f"{k}.input_ids"] = torch.tensor(s.ids)
        logits[f"{k}.prompt_length"] = torch.tensor(len(s.prompt))
    note = {"unique_ids": ",".join(s.problem.uid for s in sequences[:LOGIT_SEQUENCES])}
    half = {k: v.bfloat16() if v.is_floating_point() else v for k, v in logits.items()}
    np.savez_compressed(folder / "logits_f32.npz", **{k: v.numpy() for k, v in logits.items()})
    save_safetensors(folder / "logits_f32.safetensors", logits, note)
    save_safetensors(folder / "logits_bf16.safetensors", half, note)


def print_means(checkpoints: dict[str, dict]) -> None:
    keys = ("forward_kl", "reverse_kl", "js_divergence", "entropy")
    for name, rows in checkpoints.items():
        pooled = {k: np.concatenate([r[k] for r in rows.values()]) for k in keys}
        print(name, {k: round(float(v.mean()), 5) for k, v in pooled.items()})
