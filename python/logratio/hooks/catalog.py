"""Which hook fits which trainer, and what to type for it."""

from __future__ import annotations

import importlib.metadata
from dataclasses import dataclass
from pathlib import Path

#: What stands in the lines for the path of a plug-in file.
PLUGIN = "{plugin}"


@dataclass(frozen=True)
class Trainer:
    """One trainer's way to be recorded."""

    name: str
    #: Its name on PyPI.
    distribution: str
    #: The version or commit that the hook was written for.
    written_for: str
    #: Where the lines go.
    place: str
    lines: tuple[str, ...]
    #: What the run needs besides, so that both log-probs are there.
    needs: str = ""
    plugin: str | None = None

    def find_version(self) -> str | None:
        """The installed version, or None."""
        try:
            return importlib.metadata.version(self.distribution)
        except importlib.metadata.PackageNotFoundError:
            return None

    def find_plugin(self) -> Path | None:
        """The file that the trainer is given, where it takes one."""
        return None if self.plugin is None else Path(__file__).parent / "plugins" / self.plugin

    def show_lines(self) -> list[str]:
        return [line.replace(PLUGIN, str(self.find_plugin())) for line in self.lines]


TRAINERS = (
    Trainer(
        "verl",
        "verl",
        "0.9.1",
        "shell; both loops, nothing to edit",
        (
            "export LOGRATIO_DIR=$PWD/logratio",
            "python3 -m verl.trainer.main_ppo actor_rollout_ref.rollout.calculate_log_probs=True …",
        ),
        "algorithm.rollout_correction.bypass_mode=False: bypass mode computes one policy only",
    ),
    Trainer(
        "TRL",
        "trl",
        "1.16.0",
        "Python, before trainer.train()",
        ("import logratio.trl", "trainer.add_callback(logratio.trl.Callback(trainer))"),
        "GRPOConfig(use_vllm=True), or a rollout_func that returns logprobs",
    ),
    Trainer(
        "slime",
        "slime",
        "624b824a",
        "command line",
        ("--rollout-data-postprocess-path logratio.slime.record --get-mismatch-metrics",),
    ),
    Trainer("miles", "miles", "31f1ca961", "command line", ("--rollout-data-postprocess-path logratio.miles.record",)),
    Trainer(
        "SkyRL",
        "skyrl",
        "a9564572e",
        "Python, in get_trainer of your BasePPOExp, behind super().get_trainer(…)",
        ("import logratio.skyrl", "trainer.add_callback(logratio.skyrl.Callback())"),
        "generator.sampling_params.logprobs=1 (the default); the fully asynchronous trainer has no callbacks",
    ),
    Trainer(
        "ms-swift",
        "ms-swift",
        "3602360a5",
        "command line of swift rlhf --rlhf_type grpo",
        ("--log_rollout_offpolicy_metrics true", f"--external_plugins {PLUGIN} --callbacks logratio"),
        "--use_vllm true",
        "logratio_swift_plugin.py",
    ),
    Trainer(
        "OpenRLHF",
        "openrlhf",
        "0.11.2",
        "openrlhf/trainer/ppo_trainer.py (train_step), behind make_experience_batch(…)",
        ("import logratio.openrlhf; logratio.openrlhf.record(experiences, global_step, self.args)",),
        "--algo.advantage.is_correction_enable",
    ),
    Trainer(
        "AReaL",
        "areal",
        "4aef98d8d",
        "your entry script, before trainer.train(…)",
        ("import logratio.areal; logratio.areal.attach(trainer)",),
        "actor.recompute_logprob=True",
    ),
    Trainer(
        "xtuner",
        "xtuner",
        "b934f462",
        "xtuner/v1/rl/trainer/worker.py (fit), behind the loop that sets old_logprobs",
        ("import logratio.xtuner; logratio.xtuner.record(self, seq_ctx_list, loss_ctx_list, rollout_idx)",),
    ),
    Trainer(
        "open-instruct",
        "open-instruct",
        "e6c3044aa",
        "the end of open_instruct/grpo_utils.py",
        (
            "import logratio.open_instruct",
            "compute_vllm_local_debug_metrics = logratio.open_instruct.wrap(compute_vllm_local_debug_metrics)",
        ),
    ),
    Trainer(
        "ROLL",
        "roll",
        "8eb27cc2",
        'rlvr_pipeline.py or agentic_pipeline.py, behind batch.batch["old_log_probs"] = …',
        ("import logratio.roll; logratio.roll.record(batch, global_step)",),
        "enable_old_logprobs_recompute: true",
    ),
    Trainer(
        "prime-rl",
        "prime-rl",
        "559b44772",
        "nothing to add: it writes both itself, and logratio follows the files",
        ("logratio view OUTPUT_DIR/token_exports --follow",),
        "trainer.enable_token_export = true",
    ),
    Trainer(
        "NeMo-RL",
        "nemo-rl",
        "7ea279abf",
        "nothing to add: it writes both itself, and logratio follows the files",
        ("logratio view LOG_DIR --follow",),
    ),
)
