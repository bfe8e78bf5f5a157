"""Checks of one .npz record against the conventions that the recording's README states."""

from collections import Counter

import numpy as np

from ..engine import MAX_PROMPT as P
from ..engine import MAX_RESPONSE as R
from ..errors import require
from ..record.npz import Arrays
from ..task import calculator, predicted_answer
from ..tokenizer import CALC, END_CALC, END_OUT, EOS, OUT, Tokenizer
from ..train.ppo import GROUP_SIZE

PER_TOKEN = (
    "rollout_log_probs",
    "old_log_probs",
    "ref_log_probs",
    "old_entropy",
    "rollout_entropy",
)


def check_record(a: Arrays, tokenizer: Tokenizer) -> Counter[str]:
    """Raise LabError at the first lie; otherwise counts of what the record holds."""
    real, mask = _check_layout(a)
    _check_masking(a, real, mask)
    for side in ("rollout", "old"):
        _check_alternatives(a, side, mask)
    _check_rewards(a, real, mask)
    counts: Counter[str] = Counter()
    for b in range(len(a["acc"])):
        row = a["responses"][b][real[b]].tolist()
        own = mask[b, : len(row)]
        text = tokenizer.decode(row)
        right = row[-1] == EOS and predicted_answer(text) == int(a["ground_truth"][b])
        require(right == bool(a["acc"][b]), f"row {b}: acc {a['acc'][b]}, re-derived {right}")
        calls = _check_tool_output(row, own, tokenizer, b)
        cut = a["num_turns"][b] - 1 - calls  # 1: cut off right at the call
        require(cut in (0, 1), f"row {b}: num_turns {a['num_turns'][b]}, {calls} tool outputs")
        counts["responses"] += 1
        counts["non_canonical"] += tokenizer.encode(text) != row
        counts["tool_tokens"] += int((~own).sum())
        counts["model_tokens"] += int(own.sum())
        counts["tool_errors"] += "<out>error</out>" in text
        counts["unfinished"] += row[-1] != EOS
    return counts


def _check_layout(a: Arrays) -> tuple[np.ndarray, np.ndarray]:
    """(real [B, R], mask [B, R]): tokens of the response, and the model's own among them."""
    rows = len(a["acc"])
    for name, width in (("prompts", P), ("responses", R)):
        require(a[name].shape == (rows, width), f"{name}: shape {a[name].shape}")
    joined = np.concatenate((a["prompts"], a["responses"]), 1)
    require((a["input_ids"] == joined).all(), "input_ids are not prompts and responses")
    prompt_part, response_part = a["attention_mask"][:, :P], a["attention_mask"][:, P:]
    require((np.diff(prompt_part, axis=1) >= 0).all(), "prompts are not left-padded")
    require((np.diff(response_part, axis=1) <= 0).all(), "responses are not right-padded")
    real, mask = response_part == 1, a["response_mask"] == 1
    require((mask <= real).all(), "response_mask is 1 at padding")
    lengths = a["attention_mask"].sum(1)
    require((a["position_ids"].max(1) + 1 == lengths).all(), "position_ids do not count tokens")
    return real, mask


def _check_masking(a: Arrays, real: np.ndarray, mask: np.ndarray) -> None:
    tool = real & ~mask
    for name in PER_TOKEN:
        require(a[name].dtype == np.float32, f"{name}: {a[name].dtype}")
        require((a[name][~real] == 0).all(), f"{name} is not 0 at padding")
        require(np.isfinite(a[name]).all(), f"{name} is not finite")
    require((a["rollout_log_probs"][tool] == 0).all(), "rollout_log_probs at tool tokens")
    require((a["rollout_top_ids"][tool] == -1).all(), "rollout_top_ids at tool tokens")
    if tool.any():
        share = (a["old_log_probs"][tool] < 0).mean()
        require(share > 0.9, f"old_log_probs are real at {share:.2f} of the tool tokens")


def _check_alternatives(a: Arrays, side: str, mask: np.ndarray) -> None:
    """The top 5 are sorted, and the sampled token's entry among them is its log-prob."""
    ids, top = a[f"{side}_top_ids"][mask], a[f"{side}_top_log_probs"][mask]
    require((np.diff(top, axis=1) <= 0).all() and (top <= 0).all(), f"{side} top 5 not sorted")
    hit = ids == a["responses"][mask][:, None]
    gap = np.abs((top * hit).sum(1) - a[f"{side}_log_probs"][mask])[hit.any(1)].max()
    require(gap < 1e-6, f"{side} top 5 and log-probs differ by {gap:.2e}")


def _check_rewards(a: Arrays, real: np.ndarray, mask: np.ndarray) -> None:
    scores, last = a["token_level_scores"], real.sum(1) - 1
    require((scores.sum(1) == a["acc"]).all(), "scores do not sum to acc")
    at_end = scores[np.arange(len(last)), last]
    require((at_end == a["acc"]).all(), "the score is not at the last token")
    r = a["acc"].reshape(-1, GROUP_SIZE)
    expected = (r - r.mean(1, keepdims=True)) / (r.std(1, ddof=1, keepdims=True) + 1e-6)
    gap = np.abs(expected.reshape(-1, 1) * mask - a["advantages"]).max()
    require(gap < 1e-5, f"advantages differ by {gap:.2e} from those of the rewards")
    groups = a["uid"].reshape(-1, GROUP_SIZE)
    require(all(len(set(g)) == 1 for g in groups), "a group has more than one uid")


def _check_tool_output(row: list[int], own: np.ndarray, tokenizer: Tokenizer, b: int) -> int:
    """Number of tool outputs, each exactly what the calculator says to the call before it."""
    at = calls = 0
    while at < len(row):
        if row[at] == END_CALC and own[at] and at + 1 < len(row) and not own[at + 1]:
            start = max((i for i in range(at) if row[i] == CALC), default=None)
            inside = tokenizer.decode(row[start + 1 : at]) if start is not None else ""
            want = tokenizer.encode(f"<out>{calculator(inside)}</out>")
            got = row[at + 1 : at + 1 + len(want)]
            same = got == want[: len(got)] and not own[at + 1 : at + 1 + len(got)].any()
            require(same, f"row {b}, token {at + 1}: the tool output is {tokenizer.decode(got)!r}")
            at, calls = at + len(got), calls + 1
        forced = own[at] or row[at] in (END_OUT, OUT) or at == len(row) - 1
        require(forced, f"row {b}, token {at}: mask 0 outside tool output")
        at += 1
    return calls
