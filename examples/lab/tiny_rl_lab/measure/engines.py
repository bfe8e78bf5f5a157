"""The stage `engines`: the same dpo weights and problems, three engines -> engines.json."""

import torch

from ..engine import RolloutEngine, generate, prompt_ids
from ..record.text import write_json
from ..task import held_out
from ..train.rescoring import mismatch, trainer_pass
from ..workspace import Workspace

ENGINES = {  # name -> dtype, int8
    "float32": (torch.float32, False),
    "bfloat16": (torch.bfloat16, False),
    "int8 W8A8 in bfloat16": (torch.bfloat16, True),
}
PROBLEMS, SAMPLING_SEED = 512, 3


def compare_engines(workspace: Workspace, problems: int = PROBLEMS) -> None:
    model, tokenizer, table = workspace.model("dpo"), workspace.tokenizer(), {}
    prompts = [prompt_ids(p, tokenizer) for p in held_out()[:problems]]
    for name, (dtype, int8) in ENGINES.items():
        engine = RolloutEngine(model.cfg, dtype, int8)
        engine.sync(model.to_hf_state())
        generator = torch.Generator().manual_seed(SAMPLING_SEED)
        trajectories = generate(engine, prompts, tokenizer, model.rope, generator=generator)
        table[name] = mismatch(trajectories, trainer_pass(model, trajectories))
        print(name, table[name], flush=True)
    write_json(workspace.root / "engines.json", table)
