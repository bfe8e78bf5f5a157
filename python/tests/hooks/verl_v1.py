"""
verl's default loop (v1) with its own code: PPOTrainer._step_once over a real TransferQueue and Ray. Only the workers
with GPUs are replaced by ones that return known log-probs. argv: `bypass` for bypass mode.
"""

import sys
from types import SimpleNamespace

import numpy as np
import ray
import torch
import transfer_queue as tq
import verl  # imports its plug-ins
from omegaconf import OmegaConf
from tensordict import TensorDict
from transfer_queue import KVBatchMeta
from truth import figures, say
from verl.trainer.ppo.v1 import trainer_base
from verl.utils import tensordict_utils as tu
from verl_batches import LENGTHS, TEMPERATURE, sequences

IS_BYPASS = sys.argv[1:] == ["bypass"]
CONFIG = OmegaConf.create(
    {
        "actor_rollout_ref": {
            "rollout": {
                "calculate_log_probs": True,
                "temperature": TEMPERATURE,
                "top_p": 1.0,
                "n": 2,
                "response_length": max(LENGTHS),
            },
            "actor": {
                "loss_agg_mode": "token-mean",
                "loss_scale_factor": None,
                "ppo_mini_batch_size": 4,
                "calculate_entropy": False,
                "entropy_coeff": 0.0,
                "ppo_epochs": 1,
                "data_loader_seed": 1,
                "shuffle": False,
            },
        },
        "algorithm": {
            "adv_estimator": "grpo",
            "gamma": 1.0,
            "lam": 1.0,
            "use_kl_in_reward": False,
            "rollout_correction": {"bypass_mode": True}
            if IS_BYPASS
            else {"rollout_rs": "token_k1", "rollout_rs_threshold": "0.9_1.1"},
        },
        "trainer": {"critic_warmup": 2},
    }
)


def nested(rows, dtype):
    return torch.nested.as_nested_tensor(
        [torch.as_tensor(np.asarray(row), dtype=dtype) for row in rows], layout=torch.jagged
    )


class Workers:
    """Replaces the workers with GPUs: one data-parallel rank."""

    def __init__(self):
        self._dispatch_info = {"actor": [0]}
        self.truth = {}
        self.scored = []
        self.updates = 0

    def compute_log_prob(self, batch):
        ids = tq.kv_batch_get(keys=batch.keys, partition_id=batch.partition_id, select_fields=["input_ids"])[
            "input_ids"
        ]
        # verl pads the batch to a multiple with its own rows, which are in no figure.
        filler = [{"prompt": row[:-1].tolist(), "trainer": np.full(1, -7, np.float32)} for row in ids.unbind()]
        rows = [self.truth.get(key, fill) for key, fill in zip(batch.keys, filler, strict=True)]
        self.scored += [self.truth[key] for key in batch.keys if key in self.truth]
        # Over prompt and response, with entry t about token t + 1, as the engines return it.
        whole = [np.concatenate([np.zeros(len(r["prompt"]) - 1, np.float32), r["trainer"], [0]]) for r in rows]
        fields = TensorDict(
            {
                "log_probs": nested(whole, torch.float32),
                "entropy": nested([np.abs(row) for row in whole], torch.float32),
            },
            batch_size=len(rows),
        )
        return tq.kv_batch_put(keys=batch.keys, partition_id=batch.partition_id, fields=fields)

    def update_actor(self, batch):
        self.updates += 1
        return {"metrics": {"mfu": [0.1]}}


class Buffer:
    """Puts a step's rollouts into the queue, as agent_loop_tq.py does."""

    def __init__(self, workers):
        self.workers = workers

    def sample(self, global_steps, partition_id, batch_size):
        rows = sequences(global_steps)
        keys, tags = [], []
        for i, row in enumerate(rows):
            key = f"{row['uid']}_{i % 2}_0"
            self.workers.truth[key] = row
            keys.append(key)
            length = len(row["prompt"]) + len(row["response"])
            tags.append(
                {
                    "status": "success",
                    "prompt_len": len(row["prompt"]),
                    "response_len": len(row["response"]),
                    "seq_len": length,
                    "global_steps": global_steps,
                    # In step 3, one trajectory continued after the weights had changed.
                    "min_global_steps": global_steps - (2 if global_steps == 3 and i == 1 else 1),
                    "max_global_steps": global_steps - 1,
                }
            )
        scores = [np.eye(len(row["response"]))[-1] * row["score"] for row in rows]
        fields = tu.get_tensordict(
            {
                "uid": np.array([row["uid"] for row in rows], dtype=object),
                "data_source": np.array([row["source"] for row in rows], dtype=object),
                "extra_fields": np.array([{"reward_extra_info": {"acc": row["acc"]}} for row in rows], dtype=object),
                "prompts": nested([row["prompt"] for row in rows], torch.int64),
                "responses": nested([row["response"] for row in rows], torch.int64),
                "input_ids": nested([row["prompt"] + row["response"] for row in rows], torch.int64),
                "response_mask": nested([row["mask"] for row in rows], torch.int64),
                "rollout_log_probs": nested([row["rollout"] for row in rows], torch.float32),
                "rm_scores": nested(scores, torch.float32),
            }
        )
        tq.kv_batch_put(keys=keys, partition_id=partition_id, fields=fields, tags=tags)
        return KVBatchMeta(keys=keys, partition_id=partition_id, tags=tags), {}


class Trainer(trainer_base.PPOTrainer):
    on_sample_begin = on_sample_end = lambda self: None


Trainer.__abstractmethods__ = frozenset()


def main():
    # Its own cluster, even if another one is running.
    ray.init("local", num_cpus=16, include_dashboard=False, log_to_driver=False)
    tq.init(OmegaConf.create({"backend": {"SimpleStorage": {"num_data_storage_units": 1}}}))
    trainer = object.__new__(Trainer)
    workers = Workers()
    trainer.config = CONFIG
    trainer.actor_rollout_wg = workers
    trainer.replay_buffer = Buffer(workers)
    trainer.reward_loop_manager = SimpleNamespace(reward_loop_worker_handles=[1])
    trainer.tokenizer = SimpleNamespace(eos_token_id=2, pad_token_id=0)
    trainer.use_critic = trainer.use_reference_policy = False
    # Step 1 is critic warm-up: the actor is not updated. Step 2 is sampled twice.
    logged = []
    for step in (1, 2, 2, 3):
        trainer.global_steps = step
        metrics = {}
        trainer._step_once(metrics, {}, 6)
        logged.append(metrics.get("logratio/k3"))
        assert IS_BYPASS or metrics["training/rollout_probs_diff_valid"] == 1, metrics
    assert workers.updates == 3, workers.updates
    rows = workers.scored
    assert IS_BYPASS or len(rows) == 24, len(rows)
    say(
        **figures([r["rollout"] for r in rows], [r["trainer"] for r in rows], [r["mask"] for r in rows]),
        correct=sum(r["acc"] for r in rows),
        version=verl.__version__,
        logged=logged,
    )


main()
sys.exit(0)
