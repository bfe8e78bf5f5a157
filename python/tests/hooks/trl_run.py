"""
A real GRPOTrainer on a tiny random model, without network or GPU. argv: the lines to paste, and how generations relate
to optimizer steps: `several` (three generations per step), `aligned` (TRL itself computes no `old_per_token_logps`),
`outlives` (a generation is used for several steps).
"""

import os
import sys
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"
import torch
import trl
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from trl import GRPOConfig, GRPOTrainer
from truth import figures, say

WAYS = {
    # Optimizer steps of 6 micro-batches, with a generation for every 2.
    "several": {"gradient_accumulation_steps": 6, "steps_per_generation": 2, "num_iterations": 1, "max_steps": 4},
    "aligned": {"gradient_accumulation_steps": 2, "steps_per_generation": 2, "num_iterations": 1, "max_steps": 3},
    "outlives": {"gradient_accumulation_steps": 1, "steps_per_generation": 2, "num_iterations": 2, "max_steps": 8},
}
NOISE = torch.Generator().manual_seed(5)
seen = {"rollout": [], "trainer": [], "mask": [], "reward": [], "ended": []}


def make_tokenizer():
    words = ["<pad>", "<eos>", "<unk>"] + [f"w{i}" for i in range(29)]
    core = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="<unk>"))
    core.pre_tokenizer = pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(
        tokenizer_object=core, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>", padding_side="left"
    )


@torch.no_grad()
def sample(prompts, trainer):
    """A substitute engine: samples token by token in float32, and reports log-probs with some noise."""
    model, tokenizer = trainer.model, trainer.processing_class
    result = {"prompt_ids": [], "completion_ids": [], "logprobs": [], "env_mask": []}
    for prompt in prompts:
        ids = tokenizer(prompt)["input_ids"]
        completion, logprobs = [], []
        length = int(torch.randint(2, 7, (1,), generator=NOISE))
        for _ in range(length):
            rows = torch.log_softmax(model(torch.tensor([ids + completion])).logits[0, -1].float(), -1)
            token = int(torch.multinomial(rows.exp(), 1, generator=NOISE))
            completion.append(token)
            logprobs.append(float(rows[token]) + 0.1 * float(torch.randn(1, generator=NOISE)))
        mask = [1] * length
        # A token that the environment inserted; the engine has no log-prob for it.
        if length > 3:
            mask[2], logprobs[2] = 0, 0.0
        result["prompt_ids"].append(ids)
        result["completion_ids"].append(completion)
        result["logprobs"].append(logprobs)
        result["env_mask"].append(mask)
        exact = torch.log_softmax(model(torch.tensor([ids + completion])).logits[0].float(), -1)
        seen["trainer"].append([float(exact[len(ids) + t - 1, completion[t]]) for t in range(length)])
        seen["ended"].append(completion[-1] in (tokenizer.eos_token_id, tokenizer.pad_token_id))
        seen["rollout"].append(logprobs)
        seen["mask"].append(mask)
    return result


def reward(completions, **_):
    values = [float(len(text.split()) % 2) for text in completions]
    seen["reward"] += values
    return values


def main(snippet, way):
    torch.manual_seed(1)
    config = LlamaConfig(
        vocab_size=32,
        hidden_size=16,
        intermediate_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=2,
        max_position_embeddings=64,
        pad_token_id=0,
        eos_token_id=1,
        bos_token_id=None,
    )
    with tempfile.TemporaryDirectory() as out:
        args = GRPOConfig(
            output_dir=out,
            per_device_train_batch_size=2,
            num_generations=2,
            max_completion_length=8,
            report_to=[],
            save_strategy="no",
            logging_steps=1,
            use_cpu=True,
            disable_tqdm=True,
            bf16=False,
            learning_rate=1e-2,
            temperature=1.0,
            **WAYS[way],
        )
        trainer = GRPOTrainer(
            model=LlamaForCausalLM(config),
            reward_funcs=reward,
            args=args,
            train_dataset=Dataset.from_dict({"prompt": [f"w{i} w{i + 1}" for i in range(16)]}),
            processing_class=make_tokenizer(),
            rollout_func=sample,
        )
        exec(compile(snippet, "snippet", "exec"), {"trainer": trainer})
        trainer.train()
        assert trainer.state.global_step == WAYS[way]["max_steps"]
    logged = [
        {name: value for name, value in row.items() if name.startswith("logratio/")}
        for row in trainer.state.log_history
        if "loss" in row
    ]
    say(
        **figures(seen["rollout"], seen["trainer"], seen["mask"]),
        correct=sum(seen["reward"]),
        ended=sum(seen["ended"]),
        logged=logged,
        version=trl.__version__,
    )


main(sys.argv[1], sys.argv[2])
