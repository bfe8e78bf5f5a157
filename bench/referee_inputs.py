"""What bench/referee.py hands to other tools, made of the rows of a record (docs/record-format.md); standard library only.

    referee_inputs.py scalars < ROWS.json      {"rows": [...], "least": N}: the records of `scalar_records`
    referee_inputs.py sequences < ROWS.json    the recordable sequences of `token_sequences`, and how many were refused

A row is a sequence, as `pyarrow.Table.to_pylist` gives it. Delta is the trainer's log-prob of a token minus the rollout's,
in nats; only tokens with mask 1 count.
"""

from __future__ import annotations

import itertools
import json
import math
import statistics
import sys
from collections import defaultdict

#: The clip range of PPO that trainers default to.
CLIP = 0.2
#: Buckets of relative position in the response: rlprobe's own examples have as many.
POSITIONS = 8
#: Largest exponent of a ratio, as trainers clamp it before they log.
LARGEST = 20.0


def kept(row, column):
    """The values of a column at the tokens with mask 1; None if the row lacks the column."""
    values = row.get(column)
    if values is None:
        return None
    return [value for value, keep in zip(values, row["response_mask"], strict=True) if keep]


def is_number(value):
    return value is not None and math.isfinite(value)


def deltas(row):
    """(rollout log-prob, delta, advantage, relative position) of each token that both sides have a finite log-prob of."""
    rollout, trainer = kept(row, "rollout_logprobs"), kept(row, "trainer_logprobs")
    if rollout is None or trainer is None:
        return []
    advantages = kept(row, "advantages") or [None] * len(rollout)
    return [
        (a, b - a, advantage, i / len(rollout))
        for i, (a, b, advantage) in enumerate(zip(rollout, trainer, advantages, strict=True))
        if is_number(a) and is_number(b)
    ]


def k3(delta):
    delta = min(delta, LARGEST)
    return math.exp(delta) - delta - 1


def step_of(row):
    return int(row["step"]) if is_number(row.get("step")) else 0


def by_step(rows):
    steps = defaultdict(list)
    for row in rows:
        steps[step_of(row)].append(row)
    return [(step, steps[step]) for step in sorted(steps)]


def mini_batches(rows, least):
    """Each step in equal parts, so that the run has `least` parts if it has as many sequences: tools of scalars judge no
    short run, and trainers that make several updates of a batch log each of them.
    """
    steps = by_step(rows)
    parts = math.ceil(least / len(steps))
    batches = []
    for _, members in steps:
        count = min(parts, len(members))
        cuts = [round(i * len(members) / count) for i in range(count + 1)]
        batches.extend((members[start:end], members) for start, end in itertools.pairwise(cuts))
    return batches


def mean(values):
    values = [value for value in values if is_number(value)]
    return statistics.fmean(values) if values else None


def deviation(values):
    values = [value for value in values if is_number(value)]
    return statistics.pstdev(values) if len(values) > 1 else None


def group_figures(batch, step):
    """The share of prompt groups whose rewards are all equal, and their size, over the whole groups of a batch."""
    groups = defaultdict(list)
    for row in step:
        if row.get("group_id") is not None and is_number(row.get("reward")):
            groups[row["group_id"]].append(row["reward"])
    touched = [groups[group] for group in {row.get("group_id") for row in batch} & set(groups)]
    sizes = [len(group) for group in touched if len(group) > 1]
    if not sizes:
        return {}
    flat = sum(1 for group in touched if len(group) > 1 and min(group) == max(group))
    return {"zero_variance_groups": flat / len(sizes), "group_size": statistics.median(sizes)}


def clip_figures(tokens):
    """The shares of tokens that PPO would clip below and above; of either sign of advantage where none is recorded."""
    low = sum(1 for _, delta, a, _ in tokens if delta < math.log(1 - CLIP) and (a is None or a < 0))
    high = sum(1 for _, delta, a, _ in tokens if delta > math.log(1 + CLIP) and (a is None or a > 0))
    return {"clip_low": low / len(tokens), "clip_high": high / len(tokens), "clip": (low + high) / len(tokens)}


def token_figures(batch):
    tokens = [token for row in batch for token in deltas(row)]
    if not tokens:
        return {}
    ratios = sorted(math.exp(min(delta, LARGEST)) for _, delta, _, _ in tokens)
    buckets = [[] for _ in range(POSITIONS)]
    for _, delta, _, place in tokens:
        buckets[int(place * POSITIONS)].append(k3(delta))
    return {
        "kl": statistics.fmean(k3(delta) for _, delta, _, _ in tokens),
        "kl_max": max(k3(delta) for _, delta, _, _ in tokens),
        "kl_positional": [statistics.fmean(bucket) if bucket else 0.0 for bucket in buckets],
        "logprob": statistics.fmean(rollout for rollout, _, _, _ in tokens),
        "ratio": statistics.fmean(ratios),
        "ratio_p95": ratios[min(len(ratios) - 1, int(0.95 * len(ratios)))],
        **clip_figures(tokens),
    }


def entropy_of(batch):
    """The mean recorded entropy; without one, mean surprisal, which is its estimate from the samples."""
    for column in ("entropy.trainer", "entropy.rollout"):
        recorded = mean([value for row in batch for value in kept(row, column) or []])
        if recorded is not None:
            return recorded
    surprisal = mean([value for row in batch for value in kept(row, "rollout_logprobs") or []])
    return None if surprisal is None else -surprisal


def non_finite(batch):
    values = [v for row in batch for name in ("rollout_logprobs", "trainer_logprobs") for v in kept(row, name) or []]
    return sum(1 for value in values if not is_number(value))


def figures(batch, step):
    """All per-batch scalars that the record supports; what it lacks is absent."""
    rewards = [row.get("reward") for row in batch if is_number(row.get("reward"))]
    advantages = [value for row in batch for value in kept(row, "advantages") or []]
    lengths = [len(row["response_token_ids"]) for row in batch]
    found = {
        "reward": mean(rewards),
        "reward_std": deviation(rewards),
        "reward_min": min(rewards, default=None),
        "reward_max": max(rewards, default=None),
        "entropy": entropy_of(batch),
        "advantage": mean(advantages),
        "advantage_std": deviation(advantages),
        "length": mean(lengths),
        "length_max": max(lengths),
        "prompt_length": mean([len(row.get("prompt_token_ids") or []) for row in batch]),
        "non_finite": non_finite(batch),
        **group_figures(batch, step),
        **token_figures(batch),
    }
    return {name: value for name, value in found.items() if value is not None}


def scalar_records(rows, least):
    """One record of scalars for each mini-batch, in time order; `update` counts them."""
    return [
        {"update": update, **figures(batch, step)} for update, (batch, step) in enumerate(mini_batches(rows, least))
    ]


#: rldoctor's door is a log of a trainer. These are TRL's names, and verl's where TRL logs none; its `kl` is that of trainer
#: and rollout, which verl logs as `actor/ppo_kl` when the rollout's log-probs serve as the old ones.
RLDOCTOR_KEYS = {
    "reward": "reward",
    "reward_std": "reward_std",
    "reward_min": "critic/score/min",
    "reward_max": "critic/score/max",
    "entropy": "entropy",
    "kl": "kl",
    "clip": "clip_ratio/region_mean",
    "clip_low": "clip_ratio/low_mean",
    "clip_high": "clip_ratio/high_mean",
    "advantage": "critic/advantages/mean",
    "advantage_std": "critic/advantages/std",
    "length": "completions/mean_length",
    "length_max": "completions/max_length",
    "prompt_length": "prompt_length/mean",
    "zero_variance_groups": "frac_reward_zero_std",
    "group_size": "group_size",
}

#: rlprobe's door is its recorder: fields of its StepRecord.
RLPROBE_FIELDS = {
    "reward": "reward_mean",
    "reward_std": "reward_std",
    "reward_min": "reward_min",
    "reward_max": "reward_max",
    "entropy": "entropy_mean",
    "kl": "kl_mean",
    "kl_max": "kl_max",
    "kl_positional": "kl_positional",
    "logprob": "logprob_mean",
    "ratio": "ratio_mean",
    "ratio_p95": "ratio_p95",
    "clip": "clip_fraction",
    "advantage": "adv_mean",
    "advantage_std": "adv_std",
    "length": "completion_len_mean",
    "length_max": "completion_len_max",
    "zero_variance_groups": "zero_variance_group_frac",
    "non_finite": "nan_count",
}


def rename(record, names):
    return {names[name]: value for name, value in record.items() if name in names}


def token_sequences(rows):
    """The sequences that martingale's recorder takes, in time order, and the number that it refuses.

    Its adapters refuse a row with a value that is not finite. They also refuse a response with tool tokens inside; here
    the tokens with mask 1 are recorded one after another instead, so that runs of several turns are judged as well.
    """
    sequences, refused = [], 0
    for step, members in by_step(rows):
        for row in members:
            sequence = token_sequence(row, step)
            if sequence is None:
                refused += 1
            elif sequence["ids"]:
                sequences.append(sequence)
    return sequences, refused


def token_sequence(row, step):
    columns = {name: kept(row, f"{name}_logprobs") for name in ("rollout", "trainer")}
    if any(column is None or not all(map(is_number, column)) for column in columns.values()):
        return None
    reference = kept(row, "policy_logprobs.reference")
    versions = kept(row, "weight_versions")
    return {
        "step": step,
        "prompt": row.get("prompt_token_ids") or [],
        "ids": kept(row, "response_token_ids"),
        **columns,
        "reference": reference if reference is not None and all(map(is_number, reference)) else None,
        # The trainer's step stands for the version where the record has none: its hooks assume so too.
        "versions": [int(version) for version in versions] if versions else None,
        "reward": row.get("reward") if is_number(row.get("reward")) else None,
        "temperature": row.get("temperature"),
        "top_p": row.get("top_p"),
        "top_k": row.get("top_k"),
        "logprobs_mode": row.get("logprobs_mode"),
    }


def main():
    given = json.load(sys.stdin)
    if sys.argv[1] == "scalars":
        answer = scalar_records(given["rows"], given["least"])
    else:
        sequences, refused = token_sequences(given["rows"])
        answer = {"sequences": sequences, "refused": refused}
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
