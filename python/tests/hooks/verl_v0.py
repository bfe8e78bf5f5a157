"""
verl's older loop (v0) with its own code: RayPPOTrainer.fit, from the reward to the update. Only generation and the
workers with GPUs are replaced by ones that return known tensors; these are read-only views, like tensors that came
through Ray.
"""

import contextlib
from types import SimpleNamespace

import numpy as np
import torch
import verl  # imports its plug-ins
from omegaconf import OmegaConf
from truth import figures, say
from verl.protocol import DataProto
from verl.trainer.ppo import ray_trainer
from verl.utils import tracking
from verl_batches import LENGTHS, TEMPERATURE, sequences, unwritable

STEPS = (1, 2, 3)
WIDTH, PROMPT_WIDTH = max(LENGTHS), 4
CONFIG = OmegaConf.create(
    {
        "actor_rollout_ref": {
            "rollout": {"temperature": TEMPERATURE, "top_p": 1.0, "n": 2, "response_length": WIDTH},
            "actor": {"loss_agg_mode": "token-mean", "loss_scale_factor": None},
        },
        "algorithm": {
            "adv_estimator": "grpo",
            "gamma": 1.0,
            "lam": 1.0,
            "use_kl_in_reward": False,
            "rollout_correction": {"rollout_rs": "token_k1", "rollout_rs_threshold": "0.9_1.1"},
        },
        "trainer": {
            "critic_warmup": 2,
            "balance_batch": False,
            "project_name": "p",
            "experiment_name": "e",
            "logger": [],
            "val_before_train": False,
            "total_epochs": 9,
            "save_freq": -1,
            "esi_redundant_time": 0,
            "test_freq": -1,
            "rollout_data_dir": None,
        },
        "global_profiler": {"steps": None, "profile_continuous_steps": False},
    }
)


def pad(rows, width, left=False):
    padded = np.zeros((len(rows), width), np.asarray(rows[0]).dtype)
    for i, row in enumerate(rows):
        if left:
            padded[i, width - len(row) :] = row
        else:
            padded[i, : len(row)] = row
    return torch.from_numpy(padded)


class Stop(Exception):
    pass


class Trainer(ray_trainer.RayPPOTrainer):
    updates = 0

    def _start_profiling(self, *_):
        pass

    def _stop_profiling(self, *_, **__):
        raise Stop

    def _compute_old_log_prob(self, batch):
        rows = sequences(self.global_steps)
        tensors = {
            "old_log_probs": unwritable(pad([r["trainer"] for r in rows], WIDTH)),
            "entropys": torch.zeros(len(rows), WIDTH),
        }
        return DataProto.from_single_dict(tensors), 0.1

    def _update_actor(self, batch):
        assert "advantages" in batch.batch
        self.updates += 1
        raise Stop


def generate(step):
    rows = sequences(step)
    prompts = pad([r["prompt"] for r in rows], PROMPT_WIDTH, left=True)
    responses = pad([r["response"] for r in rows], WIDTH)
    filled = torch.cat([prompts != 0, responses != 0], 1).long()
    scores = pad([np.eye(len(r["response"]), dtype=np.float32)[-1] * r["score"] for r in rows], WIDTH)
    tensors = {
        "prompts": unwritable(prompts),
        "responses": unwritable(responses),
        "attention_mask": unwritable(filled),
        "response_mask": unwritable(pad([r["mask"] for r in rows], WIDTH)),
        "rollout_log_probs": unwritable(pad([r["rollout"] for r in rows], WIDTH)),
        "rm_scores": scores,
    }
    # As from _agent_loop_postprocess; in step 3, one trajectory continued after the weights had changed.
    began = [step - (2 if step == 3 and i == 1 else 1) for i in range(len(rows))]
    others = {
        "acc": np.array([r["acc"] for r in rows]),
        "multi_modal_inputs": np.array([{}] * len(rows), dtype=object),
        "min_global_steps": np.array(began, dtype=object),
        "max_global_steps": np.array([step - 1] * len(rows), dtype=object),
    }
    return DataProto.from_dict(
        tensors=tensors,
        non_tensors=others,
        meta_info={"timing": {}, "reward_extra_keys": ["acc"], "global_steps": step},
    )


def run(step):
    """One step of fit, up to the update of the actor; in critic warm-up, the whole step."""
    trainer = object.__new__(Trainer)
    trainer.config = CONFIG
    trainer._dump_executor = SimpleNamespace(_shutdown=False)
    trainer.total_training_steps = 3
    trainer.use_rm = trainer.use_critic = trainer.use_reference_policy = False
    nothing = SimpleNamespace(update_weights=lambda _: None, sleep_replicas=lambda: None)
    trainer.checkpoint_manager = nothing
    trainer.actor_rollout_wg = SimpleNamespace()
    trainer.async_rollout_manager = SimpleNamespace(generate_sequences=lambda _: generate(step))
    rows = sequences(step)[::2]
    prompt = {
        "raw_prompt_ids": torch.zeros(len(rows), 1, dtype=torch.long),
        "data_source": np.array([r["source"] for r in rows], dtype=object),
        "raw_prompt": np.array(["?"] * len(rows), dtype=object),
    }
    trainer.train_dataloader = [prompt]
    # fit begins at step 1; a resumed run begins after its checkpoint.
    trainer._load_checkpoint = lambda: setattr(trainer, "global_steps", step - 1)
    trainer.total_training_steps = step
    with contextlib.suppress(Stop):
        trainer.fit()
    return trainer.updates


def main():
    ray_trainer.SkipManager.init = ray_trainer.SkipManager.set_step = lambda *_: None
    tracking.Tracking = lambda **_: SimpleNamespace(log=lambda **_: None)
    updates = [run(step) for step in (1, 2, 2, 3)]
    assert updates[1:] == [1, 1, 1] and updates[0] == 0, updates
    rows = [row for step in (1, 2, 2, 3) for row in sequences(step)]
    say(
        **figures([r["rollout"] for r in rows], [r["trainer"] for r in rows], [r["mask"] for r in rows]),
        correct=sum(r["acc"] for r in rows),
        version=verl.__version__,
    )


main()
