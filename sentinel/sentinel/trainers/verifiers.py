"""verifiers has no correction: prime-rl trains on its traces. Its own classes write an episode here as they write each one
(`Episode.to_record`, `write_episode`), and the adapter's fields are held against `MessageNode`. Stubbed are its clients,
sandboxes and renderers."""

from __future__ import annotations

import json
from pathlib import Path

from ..contract import Found, Key
from ..packages import skip_init
from ..syntax import evaluate, list_fields, list_texts, parse, select

PACKAGES = ["verifiers"]
STUBS = [
    "renderers",
    "prime_sandboxes",
    "prime_tunnel",
    "loguru",
    "openai",
    "anthropic",
    "httpx",
    "mcp",
    "tenacity",
    "rich",
    "h11",
]

BESIDE = {
    "nodes.loss_weights": "a weight of the loss, not of the ratio",
    "nodes.routed_experts": "routes, kept off the disk by prime-rl",
    "nodes.sampling_mask": "which tokens the sampler kept; raw bytes, kept off the disk by prime-rl",
}

GRAPH = "verifiers/v1/graph.py"
# What the adapter reads of a node, a trace and an episode.
FIELDS = {
    GRAPH: {
        "MessageNode": [
            *["parent", "message", "token_ids", "mask", "logprobs", "advantages", "reference_logprobs"],
            *["trainer_logprobs", "entropies"],
        ],
    },
    "verifiers/v1/trace.py": {"Trace": ["id", "nodes", "rewards"]},
    "verifiers/v1/episode.py": {"Episode": ["group", "env", "run", "traces"]},
}
SAMPLING = "verifiers/v1/types.py"


def keys() -> list[Key]:
    """The streams of a node that the adapter does not read: what a record may hold about a token."""
    fields = list_fields(parse(GRAPH), "MessageNode")
    words = [
        "logprobs",
        "entropies",
        "advantages",
        "loss_weights",
        "sampling_mask",
        "routed_experts",
        "weight_versions",
    ]
    names = [name for name in select(fields, words) if name not in FIELDS[GRAPH]["MessageNode"]]
    found = [Key(f"nodes.{name}", default=evaluate(fields[name]), file=GRAPH) for name in names]
    for file in (SAMPLING, "verifiers/v1/configs/sampling.py"):
        names = select(list_fields(parse(file), "Sampling"), ["temperature", "top_", "min_p", "penalty", "logprobs"])
        found += [Key(f"sampling.{name}", file=file) for name in names]
    return found


def hooks() -> list[Found]:
    found = [
        Found(f"{file} {name} has {field}", field in list_fields(parse(file), name))
        for file, classes in FIELDS.items()
        for name, fields in classes.items()
        for field in fields
    ]
    writes = list_texts(parse("verifiers/v1/utils/trace_store.py"))
    return [*found, Found("verifiers/v1/utils/trace_store.py writes traces.jsonl", "traces.jsonl" in writes)]


def dumps(folder: Path) -> list[str]:
    """An episode with the trainer's log-probs in its nodes, as prime-rl's orchestrator and as an evaluation write it."""
    import verifiers  # noqa: F401, its own __init__ has the version

    skip_init("verifiers.v1", "verifiers.v1.harnesses", "verifiers.v1.utils", "verifiers.v1.configs")
    from verifiers.v1.episode import WireEpisode
    from verifiers.v1.utils import trace_store

    episodes = [WireEpisode.model_validate(_episode(number)) for number in range(4)]
    record = folder / "record" / "traces.jsonl"
    record.parent.mkdir(parents=True)
    record.write_text("".join(json.dumps(episode.to_record()) + "\n" for episode in episodes), encoding="utf-8")
    stored = folder / "stored"
    stored.mkdir()
    for episode in episodes:
        trace_store.write_episode(stored, episode)
    return ["record", "stored"]


def _episode(number: int) -> dict[str, object]:
    logprobs = [-0.25 - 0.01 * number, -1.5, -0.125]
    question = {
        "message": {"role": "user", "content": "2 + 2?"},
        **{"token_ids": [5, 6, 7], "mask": [False] * 3},
    }
    answer = {
        "parent": 0,
        "message": {"role": "assistant", "content": "4"},
        **{"sampled": True, "token_ids": [8, 9, 10], "mask": [True] * 3, "logprobs": logprobs},
        **{"trainer_logprobs": [value - 0.01 for value in logprobs], "advantages": [0.5] * 3},
    }
    task = {"type": "task", "data": {"idx": number, "prompt": "2 + 2?"}}
    agent = {"name": "agent", "config": {}, "model": "model"}
    trace = {
        **{"task": task, "agent": agent, "nodes": [question, answer], "is_completed": True, "ok": True},
        "rewards": {"correct": {"score": 1.0, "weight": 1.0}},
    }
    return {"task": task, "group": {"id": f"g{number % 2}"}, "traces": [trace], "ok": True}
