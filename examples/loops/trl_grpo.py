"""TRL's GRPOTrainer on a tiny random model: two lines, marked below, record both policies and show them while it runs.

python trl_grpo.py [STEPS]: without a GPU, a function takes vLLM's place. It samples with the trainer's own model in
bfloat16, which is the whole mismatch.
"""

import os
import sys
import tempfile
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")
import torch
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from trl import GRPOConfig, GRPOTrainer

import logratio
import logratio.trl

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 5
WORDS = ["<pad>", "<eos>", "<unk>", *(f"w{i}" for i in range(29))]


def make_tokenizer() -> PreTrainedTokenizerFast:
    core = Tokenizer(models.WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="<unk>"))
    core.pre_tokenizer = pre_tokenizers.Whitespace()
    return PreTrainedTokenizerFast(
        tokenizer_object=core, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>", padding_side="left"
    )


@torch.no_grad()
def generate(prompts: list[str], trainer: GRPOTrainer) -> dict[str, Any]:
    """Takes vLLM's place: six tokens for each prompt, with their log-probs."""
    out: dict[str, Any] = {"prompt_ids": [], "completion_ids": [], "logprobs": []}
    for prompt in prompts:
        ids = trainer.processing_class(prompt)["input_ids"]
        tokens, logprobs = [], []
        for _ in range(6):
            with torch.autocast("cpu", torch.bfloat16):
                logits = trainer.model(torch.tensor([ids + tokens])).logits[0, -1]
            row = torch.log_softmax(logits.float(), -1)
            tokens.append(int(torch.multinomial(row.exp(), 1)))
            logprobs.append(float(row[tokens[-1]]))
        for name, value in (("prompt_ids", ids), ("completion_ids", tokens), ("logprobs", logprobs)):
            out[name].append(value)
    return out


torch.manual_seed(1)
config = LlamaConfig(
    vocab_size=len(WORDS), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
    max_position_embeddings=64, pad_token_id=0, eos_token_id=1, bos_token_id=None,
)  # fmt: skip
with tempfile.TemporaryDirectory() as out:
    trainer = GRPOTrainer(
        model=LlamaForCausalLM(config),
        reward_funcs=lambda completions, **_: [float("w7" in text) for text in completions],
        args=GRPOConfig(
            output_dir=out, max_steps=STEPS, per_device_train_batch_size=8, num_generations=4, max_completion_length=8,
            logging_steps=1, save_strategy="no", report_to=[], use_cpu=True, bf16=False, disable_tqdm=True,
        ),
        train_dataset=Dataset.from_dict({"prompt": [f"w{i} w{i + 1}" for i in range(16)]}),
        processing_class=make_tokenizer(),
        rollout_func=generate,
    )  # fmt: skip
    trainer.add_callback(logratio.trl.Callback(trainer, dir="logratio", name="trl-grpo"))  # line 1: the record
    print("page", logratio.view("logratio/trl-grpo", follow=True).url, flush=True)  # line 2: the live page
    trainer.train()
