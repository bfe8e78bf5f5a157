"""The worker: ``python -m logratio.scoring.worker``.

Reads requests from stdin and answers on stdout, as docs/formats/scoring-worker.md describes; logs go to stderr. It ends
with stdin, so it never outlives the process that started it.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
import traceback
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from .errors import Cancelled, WorkerError, first_line
from .frames import Frame, encode_frame, read_frame

if TYPE_CHECKING:
    from .models import Model
    from .score import Scorer

PROTOCOL = 1
DEFAULT_CACHE_BYTES = 1 << 30
DEFAULT_BLOCK_BYTES = {"cpu": 1 << 26, "cuda": 1 << 31, "mps": 1 << 28}


class Requests:
    """Incoming requests, read in parallel to the work so that a running request can be canceled."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._queue: queue.SimpleQueue[Frame] = queue.SimpleQueue()
        self._cancelled: set[int] = set()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        try:
            while (frame := read_frame(self._stream)) is not None:
                if frame.header.get("op") == "cancel":
                    self._cancelled.add(frame.header["request"])
                else:
                    self._queue.put(frame)
        except (ValueError, EOFError) as error:
            print(f"the request cannot be read: {first_line(error)}", file=sys.stderr, flush=True)
            os._exit(3)
        # The program that asked is gone, and nothing needs what is still running.
        os._exit(0)

    def next(self) -> Frame:
        return self._queue.get()

    def check(self, request: int) -> None:
        """Raises ``Cancelled`` if the request was canceled."""
        if request in self._cancelled:
            raise Cancelled


class Worker:
    """Holds models by number, and answers requests about them."""

    def __init__(self, requests: Requests, out: BinaryIO) -> None:
        self._requests = requests
        self._out = out
        self._models: dict[int, Model] = {}
        self._scorer: Scorer | None = None
        self._next_model = 1
        self._request = 0

    def send(self, header: dict[str, Any], arrays: dict[str, np.ndarray] | None = None) -> None:
        self._out.write(encode_frame(header, arrays))
        self._out.flush()

    def serve(self) -> None:
        """Answers requests until there are no more."""
        while True:
            frame = self._requests.next()
            header = frame.header
            self._request = header.get("request", 0)
            try:
                self._requests.check(self._request)
                operation = getattr(self, f"do_{header.get('op')}", None)
                if operation is None:
                    raise WorkerError(f"there is no operation {header.get('op')}", kind="usage")
                answer, arrays = operation(header, frame.arrays)
                self.send({"request": self._request, "done": True, **answer}, arrays)
            except WorkerError as error:
                self.send({"request": self._request, "error": error.describe()})
            except Exception as error:  # an unforeseen error ends the request, not the worker
                traceback.print_exc()
                what = f"{type(error).__name__}: {first_line(error)}"
                self.send({"request": self._request, "error": {"what": what, "kind": "unexpected"}})

    def do_open(self, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> tuple[dict[str, Any], None]:
        from .models import describe_model, open_model
        from .score import HiddenCache, Scorer

        model = open_model(header["path"], header)
        if self._scorer is None:
            block = header.get("block_bytes") or DEFAULT_BLOCK_BYTES.get(model.device.type, 1 << 26)
            cache = header.get("cache_bytes")
            self._scorer = Scorer(
                block,
                HiddenCache(DEFAULT_CACHE_BYTES if cache is None else cache),
                lambda: self._requests.check(self._request),
            )
        number = self._next_model
        self._next_model += 1
        self._models[number] = model
        return {"model": number, "facts": describe_model(model)}, None

    def do_score(self, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> tuple[dict[str, Any], None]:
        """Scores texts; with ``references``, also compares policies."""
        import torch

        from .score import Failure, Text

        model = self._model(header["model"])
        references = [self._model(number) for number in header.get("references", [])]
        texts: list[Text] = []
        start = 0
        for prompt_length, length in header["texts"]:
            texts.append(Text(arrays["ids"][start : start + length], prompt_length))
            start += length
        with torch.inference_mode():
            answers = self._scores().score(model, references, texts, header.get("top_k", 0), header.get("keep", False))
            for place, found in answers:
                if isinstance(found, Failure):
                    self.send({"request": self._request, "text": place, "error": found.error.describe()})
                else:
                    self.send({"request": self._request, "text": place}, found)
        return {}, None

    do_compare = do_score

    def do_gradients(
        self, header: dict[str, Any], arrays: dict[str, np.ndarray]
    ) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        from .gradients import kl_gradients
        from .score import Text

        model, reference = (self._model(header[name]) for name in ("model", "reference"))
        text = Text(arrays["ids"], header["prompt_length"])
        kl, values = kl_gradients(self._scores(), model, reference, text, header["positions"])
        return {}, {
            "forward_kl": kl.astype(np.float64),
            "gradient_times_input": np.concatenate(values, dtype=np.float64),
        }

    def do_logits(
        self, header: dict[str, Any], arrays: dict[str, np.ndarray]
    ) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        """Rows ``[from, to)`` of a text's logits, for policies that run elsewhere and for ``hidden`` tokens."""
        import torch

        from .score import Text, logits_of

        model = self._model(header["model"])
        hiding = header.get("hidden")
        text = Text(arrays["ids"], header["prompt_length"], None if hiding is None else (hiding[0], hiding[1]))
        with torch.inference_mode():
            hidden = self._scores().hidden_rows(model, [text], keep=True)
            rows = logits_of(model, hidden, slice(header["from"], header["to"]))
            return {}, {"logits": rows.to("cpu").numpy()}

    def do_attention(
        self, header: dict[str, Any], arrays: dict[str, np.ndarray]
    ) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        from .attention import measure_attention

        model = self._model(header["model"])
        spans = [(start, end) for start, end in header["spans"]]
        shares, heads = measure_attention(
            model, arrays["ids"], spans, arrays["tokens"], lambda: self._requests.check(self._request)
        )
        return {}, {"shares": shares.astype(np.float32), "heads": heads.astype(np.float32)}

    def do_sample(
        self, header: dict[str, Any], arrays: dict[str, np.ndarray]
    ) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        import torch

        from .sample import SampleOptions, sample_texts

        model = self._model(header["model"])
        names = ("n", "temperature", "top_p", "max_tokens", "seed", "stop_ids")
        options = SampleOptions(**{name: header[name] for name in names})
        with torch.inference_mode():
            found = sample_texts(model, arrays["ids"], options, lambda: self._requests.check(self._request))
        return {"lengths": [len(one.ids) for one in found], "stopped": [one.stopped for one in found]}, {
            "ids": np.concatenate([one.ids for one in found]),
            "logprobs": np.concatenate([one.logprobs for one in found]),
        }

    def do_close(self, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> tuple[dict[str, Any], None]:
        model = self._models.pop(header["model"], None)
        if model is not None:
            if self._scorer is not None:
                self._scorer.cache.forget(model)
            model.release()
        return {}, None

    def _model(self, number: int) -> Model:
        if number not in self._models:
            raise WorkerError(f"there is no open model {number}", kind="usage")
        return self._models[number]

    def _scores(self) -> Scorer:
        assert self._scorer is not None
        return self._scorer


def introduce() -> dict[str, Any]:
    """The first frame: the protocol, and what the worker runs on."""
    hello: dict[str, Any] = {
        "hello": "logratio-scoring-worker",
        "protocol": PROTOCOL,
        "python": sys.version.split()[0],
        "executable": sys.executable,
    }
    for package in ("torch", "transformers"):
        try:
            hello[package] = __import__(package).__version__
        except ImportError as error:
            missing = getattr(error, "name", None) == package
            hello["error"] = {
                "what": f"hf: policies need the Python package {package}, which {sys.executable} does not have"
                if missing
                else f"{sys.executable} cannot import {package}: {first_line(error)}",
                "kind": "unsupported",
                "likely": "another Python has it" if missing else f"{package} does not fit this Python or this system",
                "hint": f"{sys.executable} -m pip install torch transformers, or name the right Python with --python",
            }
            break
    return hello


def main() -> None:
    # An interrupt at the terminal reaches the whole process group; the program that asked cancels what should stop
    # here.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Output printed by libraries must not get between the frames.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    worker = Worker(Requests(sys.stdin.buffer), out)
    worker.send(introduce())
    worker.serve()


if __name__ == "__main__":
    main()
