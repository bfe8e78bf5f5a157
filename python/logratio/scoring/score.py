"""Scores texts under a model, and compares it with others: bodies run by batch, heads by blocks of rows.

Only the last hidden states of the positions that predict response tokens are kept of a batch. Logits exist for one
block of rows of two models at a time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch

from .attention import hidden_span
from .errors import WorkerError
from .figures import compare_rows, compute_softmax, describe_rows, settle_compiler
from .models import Model, out_of_memory

Figures = dict[str, np.ndarray]


@dataclass(frozen=True)
class Text:
    """Token ids, prompt first; ``prompt_length`` is at least 1."""

    ids: np.ndarray
    prompt_length: int
    # The span of tokens that no later token attends to.
    hidden: tuple[int, int] | None = None

    @property
    def rows(self) -> int:
        """The number of predicting positions: one for each response token, and one that predicts what would follow."""
        return len(self.ids) - self.prompt_length + 1


@dataclass(frozen=True)
class Failure:
    """A text without figures."""

    error: WorkerError


class HiddenCache:
    """Last hidden states of models that will be needed again, up to a limit, so that a study's reference runs once.

    A row takes the model's width, not its vocabulary: 8 KiB in bfloat16, where logits would take 500.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.bytes = 0
        self._kept: dict[tuple[int, bytes], torch.Tensor] = {}

    def key(self, model: Model, text: Text) -> tuple[int, bytes]:
        digest = hashlib.sha256(text.ids.tobytes() + repr((text.prompt_length, text.hidden)).encode()).digest()
        return (id(model), digest)

    def get(self, model: Model, text: Text) -> torch.Tensor | None:
        return self._kept.get(self.key(model, text))

    def put(self, model: Model, text: Text, hidden: torch.Tensor) -> None:
        """Keeps what came first, because a study asks for its texts in the same order each time."""
        size = hidden.numel() * hidden.element_size()
        if self.bytes + size > self.limit:
            return
        self._kept[self.key(model, text)] = hidden.to("cpu", copy=True)
        self.bytes += size

    def forget(self, model: Model) -> None:
        for key in [key for key in self._kept if key[0] == id(model)]:
            kept = self._kept.pop(key)
            self.bytes -= kept.numel() * kept.element_size()


class Scorer:
    """Runs requests. ``check`` raises if the request is no longer wanted."""

    def __init__(self, block_bytes: int, cache: HiddenCache, check: Callable[[], None]) -> None:
        self.block_bytes = block_bytes
        self.cache = cache
        self.check = check
        self._arrays: dict[torch.device, int] = {}

    def score(
        self, model: Model, references: list[Model], texts: list[Text], k: int, keep: bool = False
    ) -> Iterator[tuple[int, Figures | Failure]]:
        """Figures of each text by its index, in any order. A batch that does not fit into memory is halved.

        ``keep`` says that the model will be a reference for the same texts.
        """
        work = [list(range(len(texts)))]
        while work:
            places = work.pop()
            self.check()
            try:
                yield from self._score_batch(model, references, [(place, texts[place]) for place in places], k, keep)
                continue
            except torch.OutOfMemoryError as cause:
                error = out_of_memory(
                    f"a text of {len(texts[places[0]].ids)} tokens does not fit",
                    model.path,
                    model.device,
                    "lower --memory, or leave the text out",
                )
                error.kind, error.reason = "refused", "other"
                error.__cause__ = cause.with_traceback(None)
            if model.device.type == "cuda":
                torch.cuda.empty_cache()
            if len(places) == 1:
                yield places[0], Failure(error)
            else:
                half = len(places) // 2
                work += [places[half:], places[:half]]

    def _score_batch(
        self, model: Model, references: list[Model], batch: list[tuple[int, Text]], k: int, keep: bool
    ) -> Iterator[tuple[int, Figures]]:
        texts = [text for _, text in batch]
        hidden = [self.hidden_rows(each, texts, keep or each is not model) for each in [model, *references]]
        # Filled in place: small arrays kept from each block would lie between the large ones that come and go, and the
        # process would grow by a block of logits per block.
        found: dict[str, np.ndarray] = {}
        rows = sum(text.rows for text in texts)
        tokens = torch.from_numpy(np.concatenate([predicted_tokens(text) for text in texts])).to(model.head_device)
        size = self.block_rows(model.head_device, max(each.vocabulary for each in [model, *references]))
        for start in range(0, rows, size):
            self.check()
            cut = slice(start, min(start + size, rows))
            p = logits_of(model, hidden[0], cut)
            softmax = compute_softmax(p)
            columns = describe_rows(p, tokens[cut], k, softmax)
            for number, reference in enumerate(references):
                q = logits_of(reference, hidden[1 + number], cut).to(p.device)
                columns |= {f"{name}.{number}": values for name, values in compare_rows(p, q, softmax).items()}
            for name, values in columns.items():
                if name not in found:
                    kind = np.int32 if values.dtype == torch.int32 else np.float64
                    found[name] = np.empty((rows, *values.shape[1:]), kind)
                found[name][cut] = values.to("cpu").numpy()
        start = 0
        for place, text in batch:
            yield place, {name: values[start : start + text.rows] for name, values in found.items()}
            start += text.rows

    def block_rows(self, device: torch.device, vocabulary: int) -> int:
        """The number of rows of logits to process at once."""
        if device not in self._arrays:
            self._arrays[device] = settle_compiler(device, vocabulary)
        return max(1, self.block_bytes // (4 * vocabulary * self._arrays[device]))

    def hidden_rows(self, model: Model, texts: list[Text], keep: bool) -> torch.Tensor:
        """Last hidden states ``[rows, width]`` of the predicting positions of all texts, one text after another.

        If the model's head does not run separately, its logits instead.
        """
        kept = [self.cache.get(model, text) for text in texts]
        missing = [text for text, one in zip(texts, kept, strict=True) if one is None]
        fresh = iter(self._run(model, missing) if missing else [])
        parts: list[torch.Tensor] = []
        for text, one in zip(texts, kept, strict=True):
            if one is None:
                one = next(fresh)
                if keep:
                    self.cache.put(model, text, one)
            parts.append(one.to(model.head_device))
        return torch.cat(parts) if len(parts) > 1 else parts[0]

    def _run(self, model: Model, texts: list[Text]) -> list[torch.Tensor]:
        self.check()
        if len(texts) == 1 and texts[0].hidden is not None:
            with hidden_span(model, texts[0].hidden):
                return self._run_bodies(model, texts)
        if any(text.hidden is not None for text in texts):
            return [row for text in texts for row in self._run(model, [text])]
        return self._run_bodies(model, texts)

    def _run_bodies(self, model: Model, texts: list[Text]) -> list[torch.Tensor]:
        if not model.splits:
            return [model.run_whole(torch.from_numpy(text.ids).long())[text.prompt_length - 1 :] for text in texts]
        longest = max(len(text.ids) for text in texts)
        ids = torch.zeros((len(texts), longest), dtype=torch.int64)
        for row, text in enumerate(texts):
            ids[row, : len(text.ids)] = torch.from_numpy(text.ids)
        hidden = model.run_body(ids)
        return [hidden[row, text.prompt_length - 1 : len(text.ids)] for row, text in enumerate(texts)]


def logits_of(model: Model, hidden: torch.Tensor, cut: slice) -> torch.Tensor:
    """Logits of some rows, in float32."""
    return model.run_head(hidden[cut]) if model.splits else hidden[cut]


def predicted_tokens(text: Text) -> np.ndarray:
    """The token that each row predicts; −1 for the last."""
    return np.append(text.ids[text.prompt_length :], -1).astype(np.int64)
