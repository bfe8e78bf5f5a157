"""
verl's older loop (v0) with its own code: RayPPOTrainer.fit, from the reward to the update. Only generation and the
workers with GPUs are replaced by ones that return known tensors; these are read-only views, like tensors that came
through Ray. argv: `bypass` for bypass mode. Runs with verl 0.6.1 to 0.9.1.
"""

import contextlib
import sys
from types import SimpleNamespace

import numpy as np
import torch

# Before verl, which imports from it.
import transformers_names  # noqa: F401
import verl  # imports its plug-ins
from omegaconf import OmegaConf
from truth import figures, say
from verl.protocol import DataProto
from verl.trainer.ppo import ray_trainer
from verl.utils import tracking
from verl_batches import LENGTHS, TEMPERATURE, sequences, unwritable

from logratio.hooks.base import find_caller

STEPS = (1, 2, 3)
IS_BYPASS = sys.argv[1:] == ["bypass"]
WIDTH, PROMPT_WIDTH = max(LENGTHS), 4
IS_OLDEST = not hasattr(ray_trainer.RayPPOTrainer, "_update_actor")
# verl 0.6 has other names for it.
REJECTION = (
    {"rollout_rs": "token", "rollout_rs_threshold": 1.1, "rollout_rs_threshold_lower": 0.9}
    if IS_OLDEST
    else {"rollout_rs": "token_k1", "rollout_rs_threshold": "0.9_1.1"}
)
CONFIG = OmegaConf.create(
    {
        "actor_rollout_ref": {
            "rollout": {
                "temperature": TEMPERATURE,
                "top_p": 1.0,
                "n": 2,
                "response_length": WIDTH,
                "multi_turn": {"enable": False},
                "skip": {},
            },
            "actor": {"loss_agg_mode": "token-mean", "loss_scale_factor": None, "policy_loss": {}},
        },
        "reward_model": {"launch_reward_fn_async": False},
        "algorithm": {
            "adv_estimator": "grpo",
            "gamma": 1.0,
            "lam": 1.0,
            "use_kl_in_reward": False,
            "rollout_correction": {"bypass_mode": True} if IS_BYPASS else REJECTION,
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


#: The sequences that the actor scored, in the order of its calls; k3 among each step's metrics at its update.
scored, logged = [], []


def compute_log_prob(batch):
    """The actor: knows a sequence by its tokens."""
    known = {tuple(row["response"]): row for step in STEPS for row in sequences(step)}
    rows = [known[tuple(ids[ids != 0].tolist())] for ids in batch.batch["responses"]]
    scored.extend(rows)
    tensors = {
        "old_log_probs": unwritable(pad([row["trainer"] for row in rows], WIDTH)),
        "entropys": torch.zeros(len(rows), WIDTH),
    }
    return DataProto.from_single_dict(tensors)


def update_actor(trainer, batch):
    assert "advantages" in batch.batch
    if IS_BYPASS:
        assert torch.equal(batch.batch["old_log_probs"], batch.batch["rollout_log_probs"])
    logged.append(find_caller("metrics", "timing_raw")["metrics"].get("logratio/k3"))
    trainer.updates += 1
    raise Stop


if not IS_OLDEST:
    Trainer._compute_old_log_prob = lambda self, batch: (compute_log_prob(batch), 0.1)
    Trainer._update_actor = update_actor


def reward(data, return_dict):
    acc = data.non_tensor_batch["acc"].tolist()
    return {"reward_tensor": data.batch["rm_scores"].clone(), "reward_extra_info": {"acc": acc}}


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
    # Before 0.8, rewards were a function's, and generation had two modes.
    trainer.async_rollout_mode, trainer.val_reward_fn, trainer.reward_fn = True, None, reward
    trainer.use_rm = trainer.use_critic = trainer.use_reference_policy = False
    nothing = SimpleNamespace(update_weights=lambda _: None, sleep_replicas=lambda: None)
    trainer.checkpoint_manager = nothing
    # verl 0.6 calls its workers itself.
    trainer.actor_rollout_wg = SimpleNamespace(
        compute_log_prob=compute_log_prob, update_actor=lambda batch: update_actor(trainer, batch), world_size=2
    )
    trainer.async_rollout_manager = SimpleNamespace(generate_sequences=lambda _: generate(step))
    rows = sequences(step)[::2]
    prompt = {
        "raw_prompt_ids": torch.zeros(len(rows), 1, dtype=torch.long),
        "data_source": np.array([r["source"] for r in rows], dtype=object),
        "raw_prompt": np.array(["?"] * len(rows), dtype=object),
    }
    if IS_OLDEST:
        # verl 0.6 takes these out of every batch.
        prompt |= {name: torch.ones(len(rows), 1) for name in ("input_ids", "attention_mask", "position_ids")}
    trainer.train_dataloader = [prompt]
    # fit begins at step 1; a resumed run begins after its checkpoint.
    trainer._load_checkpoint = lambda: setattr(trainer, "global_steps", step - 1)
    trainer.total_training_steps = step
    with contextlib.suppress(Stop):
        trainer.fit()
    return trainer.updates


def main():
    if hasattr(ray_trainer, "SkipManager"):
        ray_trainer.SkipManager.init = ray_trainer.SkipManager.set_step = lambda *_: None
    tracking.Tracking = lambda **_: SimpleNamespace(log=lambda **_: None)
    updates = [run(step) for step in (1, 2, 2, 3)]
    assert updates[1:] == [1, 1, 1] and updates[0] == 0, updates
    assert IS_BYPASS or len(scored) == 24, len(scored)
    rows = scored
    # In bypass mode, perhaps none.
    truth = figures(*([row[name] for row in rows] for name in ("rollout", "trainer", "mask"))) if rows else {}
    say(
        **truth,
        correct=sum(r["acc"] for r in rows),
        version=verl.__version__,
        logged=logged,
    )


main()
