"""Loads checkpoints, and splits them into body and head.

A model runs in two parts, so that logits never exist for more than a block of positions: its body once over a batch of
texts, and its head over a few hundred rows of the body's output at a time. The head is the model's own ``forward`` with
the body replaced by its result, so that everything a family does between the last hidden state and the logits (a bias,
a scale, a cap) is included. A test with four tokens shows at first whether both parts give what the whole gives.
"""

from __future__ import annotations

import gc
import importlib.metadata
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from .errors import WorkerError, first_line

if TYPE_CHECKING:
    from .attention import AttentionLayers

DTYPES = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}
# Names of the longest text's length in model families' configs.
CONTEXT = ("max_position_embeddings", "n_positions", "n_ctx", "max_seq_len", "seq_length", "max_sequence_length")
# Largest difference between logits computed in two ways, as a share of the largest of them.
AGREES = {torch.float32: 1e-4, torch.float16: 2e-2, torch.bfloat16: 5e-2}


class Model:
    """A loaded checkpoint, and what is known about it."""

    def __init__(self, path: str, module: nn.Module, device: torch.device) -> None:
        self.path = path
        self.module = module
        self.device = device
        self.notes: list[str] = []
        self.config = _text_config(module)
        self.dtype = next(module.parameters()).dtype
        self.parameters = sum(parameter.numel() for parameter in module.parameters())
        self.head_device = _device_of(module.get_output_embeddings(), device)
        self._decoder: nn.Module | None = _find_decoder(module)
        self._forward: Any = None
        self._answer_type: Any = None
        self._substitute: torch.Tensor | None = None
        self.head_is_wide = _widen_head(module)
        if self._decoder is not None:
            self._forward = self._decoder.forward
            self._decoder.forward = self._body_or_substitute
        self.vocabulary = 0
        # Set if attention was asked for and can be read.
        self.attention: AttentionLayers | None = None

    @property
    def splits(self) -> bool:
        """Whether head and body run separately."""
        return self._decoder is not None

    @property
    def context_length(self) -> int | None:
        for name in CONTEXT:
            value = getattr(self.config, name, None)
            if isinstance(value, int) and value > 0:
                return value
        return None

    @property
    def stop_ids(self) -> list[int]:
        generation = getattr(self.module, "generation_config", None)
        for config in (generation, self.config):
            ids = getattr(config, "eos_token_id", None)
            ids = ids if isinstance(ids, list) else [ids]
            if found := [i for i in ids if isinstance(i, int) and i >= 0]:
                return found
        return []

    def _body_or_substitute(self, *args: Any, **kwargs: Any) -> Any:
        if self._substitute is None:
            return self._forward(*args, **kwargs)
        return self._answer_type(last_hidden_state=self._substitute)

    def run_body(self, ids: torch.Tensor, **more: Any) -> torch.Tensor:
        """The last hidden states ``[batch, tokens, width]`` of token ids ``[batch, tokens]``.

        Texts may be padded on the right, since what follows a position never changes it.
        """
        assert self._decoder is not None
        answer = self._decoder(input_ids=ids.to(self.device), use_cache=False, **more)
        self._answer_type = type(answer)
        return answer[0]

    def run_head(self, hidden: torch.Tensor) -> torch.Tensor:
        """Logits ``[rows, vocabulary]`` in float32 of hidden states ``[rows, width]``."""
        rows = hidden.shape[0]
        self._substitute = hidden.to(self.head_device).unsqueeze(0)
        try:
            # The ids do not matter, because the body that would embed them does not run.
            ids = torch.zeros((1, rows), dtype=torch.int64, device=self.head_device)
            logits = self.module(input_ids=ids, use_cache=False).logits[0]
        finally:
            self._substitute = None
        return logits.to(device=self.head_device, dtype=torch.float32)

    def run_whole(self, ids: torch.Tensor) -> torch.Tensor:
        """Logits ``[tokens, vocabulary]`` of one text's ids ``[tokens]``, all at once."""
        logits = self.module(input_ids=ids.to(self.device).unsqueeze(0), use_cache=False).logits[0]
        return logits.to(torch.float32)

    @contextmanager
    def plain_head(self) -> Iterator[None]:
        """Within this context, the head is the model's own, because a wide product has no gradient."""
        head = self.module.get_output_embeddings()
        wide = head.__dict__.pop("forward", None) if self.head_is_wide else None
        try:
            yield
        finally:
            if wide is not None:
                head.forward = wide

    def keep_whole(self, why: str) -> None:
        """From now on, computes the logits of a whole text at once."""
        if self._decoder is not None:
            self._decoder.forward = self._forward
            self._decoder = None
        self.notes.append(f"its head cannot run separately ({why}): the logits of a whole text are held at once")

    def release(self) -> None:
        """Drops the weights."""
        if self._decoder is not None:
            self._decoder.forward = self._forward
        del self.module
        self._decoder = self._forward = None
        # The head's wide product and the hooks of device maps form reference cycles with their modules.
        gc.collect()
        if self.device.type == "cuda":
            torch.cuda.empty_cache()


def open_model(path: str, options: dict[str, Any]) -> Model:
    """Loads a directory. Raises ``WorkerError``."""
    transformers = _import_transformers()
    device = choose_device(options.get("device"))
    dtype = _choose_dtype(options.get("dtype"), device)
    # A map spreads a model over GPUs; on the CPU there is nothing to spread, and accelerate is not needed.
    device_map = None if device.type == "cpu" else options.get("device_map")
    if not os.path.isdir(path):
        raise WorkerError(
            f"{path} is not a directory",
            kind="not-found",
            where=path,
            likely="the path is misspelled, or the model is named as on the Hub",
            hint="give the directory of the downloaded model",
        )
    arguments: dict[str, Any] = {"local_files_only": True, _dtype_argument(): dtype}
    if options.get("revision"):
        arguments["revision"] = options["revision"]
    if options.get("attention"):
        arguments["attn_implementation"] = options["attention"]
    if device_map is not None or (device.type == "cuda" and _has("accelerate")):
        if not _has("accelerate"):
            raise WorkerError(
                f"a device map ({device_map}) needs the package accelerate, which is not installed",
                hint="pip install accelerate",
            )
        arguments["device_map"] = device_map if device_map is not None else {"": str(device)}
    try:
        module = transformers.AutoModelForCausalLM.from_pretrained(path, **arguments)
        if "device_map" not in arguments:
            module.to(device)
    except torch.OutOfMemoryError as cause:
        raise out_of_memory(f"{path} does not fit", path, device, "load it with --dtype bfloat16") from cause
    except Exception as cause:
        raise _cannot_load(path, cause) from cause
    module.eval()
    for parameter in module.parameters():
        parameter.requires_grad_(False)
    # With a map, ids go to the first layer's device.
    first = next(module.parameters()).device if device_map is not None else device
    model = Model(path, module, first)
    with torch.inference_mode():
        _check(model)
    if options.get("attention") == "eager":
        from .attention import find_attention

        model.attention = find_attention(model)
    return model


def choose_device(asked: str | None) -> torch.device:
    """``cuda``, ``mps`` or ``cpu``: what was asked for, or the best available. Raises ``WorkerError``."""
    if asked is None:
        if torch.cuda.is_available():
            return torch.device("cuda:0")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    device = torch.device("cuda:0" if asked == "cuda" else asked)
    if device.type == "cuda" and not torch.cuda.is_available():
        raise WorkerError(
            "PyTorch sees no GPU",
            likely=f"there is no such GPU, its driver is too old, or torch {torch.__version__} was built without CUDA",
            hint="check nvidia-smi, or run on the CPU: --gpu none",
        )
    return device


def out_of_memory(what: str, path: str, device: torch.device, hint: str) -> WorkerError:
    """The error that says how much memory the device has and how much is in use."""
    detail = ""
    if device.type == "cuda":
        free, total = torch.cuda.mem_get_info(device)
        detail = f": {free / 2**30:.1f} of {total / 2**30:.1f} GiB are free"
    return WorkerError(
        f"{what} in the memory of {device}{detail}",
        where=path,
        likely="the model, or the batch of texts, is too large, or another process uses the device",
        hint=hint,
    )


def _import_transformers() -> Any:
    try:
        import transformers
    except ImportError as cause:
        raise WorkerError(
            f"hf: policies need the package transformers: {first_line(cause)}",
            hint="pip install transformers",
        ) from cause
    transformers.utils.logging.disable_progress_bar()
    return transformers


def _choose_dtype(asked: str | None, device: torch.device) -> torch.dtype | str:
    if asked is None or asked == "auto":
        # Most CPUs emulate half precision, and it would round what the figures are computed from.
        return torch.float32 if device.type == "cpu" and asked is None else "auto"
    if asked not in DTYPES:
        raise WorkerError(f"the dtype is {asked}, not auto, {', '.join(DTYPES)}", kind="usage", hint="--dtype bfloat16")
    return DTYPES[asked]


def _dtype_argument() -> str:
    version = importlib.metadata.version("transformers").split(".")
    return "dtype" if (int(version[0]), int(version[1])) >= (4, 56) else "torch_dtype"


def _has(package: str) -> bool:
    try:
        importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def _cannot_load(path: str, cause: Exception) -> WorkerError:
    message = first_line(cause)
    names = os.listdir(path)
    if "config.json" not in names:
        adapter = "adapter_config.json" in names
        return WorkerError(
            f"{path} has no config.json",
            kind="not-found",
            where=path,
            likely="it holds an adapter (LoRA), not a model" if adapter else "it is not a Hugging Face model",
            hint="merge the adapter first: peft's merge_and_unload, then save_pretrained"
            if adapter
            else "give the directory that save_pretrained wrote",
        )
    if "trust_remote_code" in message:
        return WorkerError(
            f"{path} brings its own Python code, which is not run",
            where=path,
            likely="its architecture is not part of transformers",
            hint="serve it with vLLM or SGLang, and score it there",
        )
    if not any(name.endswith((".safetensors", ".bin", ".index.json")) for name in names):
        return WorkerError(
            f"{path} has no weights",
            kind="not-found",
            where=path,
            likely="only configuration files were copied, or the trainer saved shards of its own form",
            hint="convert the checkpoint to the Hugging Face form with the trainer's own script",
        )
    return WorkerError(
        f"transformers {importlib.metadata.version('transformers')} cannot load {path}: {message}",
        kind="format",
        where=path,
        likely="a file was cut off, is a Git LFS pointer, or the architecture is newer than this transformers",
        hint="copy the checkpoint again, or pip install --upgrade transformers",
    )


def _text_config(module: nn.Module) -> Any:
    config = module.config
    return config.get_text_config() if hasattr(config, "get_text_config") else config


def _device_of(module: nn.Module | None, otherwise: torch.device) -> torch.device:
    parameter = next(module.parameters(), None) if module is not None else None
    return otherwise if parameter is None or parameter.device.type == "meta" else parameter.device


def _find_decoder(module: nn.Module) -> nn.Module | None:
    """The body, which computes the hidden states that the head takes."""
    if module.get_output_embeddings() is None:
        return None
    found = module.get_decoder() if hasattr(module, "get_decoder") else None
    if found is None or found is module:
        found = module.base_model
    return None if found is module else found


def _widen_head(module: nn.Module) -> bool:
    """Makes a plain half-precision head return float32 logits; returns whether that was possible.

    Its products are summed in float32 anyway; rounding the sums to 8 bits afterwards would add noise of about 0.03 to
    every logit, and so to every KL.
    """
    head = module.get_output_embeddings()
    if type(head) is not nn.Linear or head.bias is not None or hasattr(head, "_hf_hook"):
        return False
    if head.weight.device.type != "cuda" or head.weight.dtype == torch.float32:
        return False
    multiply = _find_wide_product(head)
    if multiply is None:
        return False
    head.forward = multiply
    return True


def _find_wide_product(head: nn.Linear) -> Callable[[torch.Tensor], torch.Tensor] | None:
    def multiply(hidden: torch.Tensor) -> torch.Tensor:
        flat = hidden.reshape(-1, hidden.shape[-1])
        logits = torch.mm(flat, head.weight.t(), out_dtype=torch.float32)
        return logits.reshape(*hidden.shape[:-1], logits.shape[-1])

    try:
        multiply(torch.zeros((1, head.in_features), dtype=head.weight.dtype, device=head.weight.device))
    except (RuntimeError, TypeError, NotImplementedError):
        return None  # before torch 2.8, and on devices that have no such product
    return multiply


def _check(model: Model) -> None:
    """Checks with four tokens that the model only looks back and that its parts give what the whole gives. Raises
    ``WorkerError``."""
    size = getattr(model.config, "vocab_size", 0) or 0
    if size < 2:
        raise WorkerError(f"the config of {model.path} names no vocabulary", kind="format", where=model.path)
    ids = torch.tensor([i % size for i in (1, 2, 3, 4)])
    changed = torch.tensor([i % size for i in (1, 2, 3, 5)])
    try:
        whole = model.run_whole(ids)
        other = model.run_whole(changed)
        model.vocabulary = whole.shape[1]
        if model.splits:
            _check_parts(model, ids, whole)
    except torch.OutOfMemoryError as cause:
        raise out_of_memory(f"{model.path} does not run", model.path, model.device, "take a smaller --dtype") from cause
    except (RuntimeError, TypeError, AttributeError, ValueError) as cause:
        raise WorkerError(
            f"{model.path} does not run on four tokens: {first_line(cause)}",
            kind="format",
            where=model.path,
            likely="it is not a decoder of text, or its weights do not fit its config",
        ) from cause
    if not agree(whole[:3], other[:3], model.dtype):
        raise WorkerError(
            f"{model.path} looks ahead: its logits at a token change with the token that follows",
            kind="unsupported",
            where=model.path,
            likely="it was trained to fill in masked tokens",
            hint="only decoders that read left to right can be scored",
        )


def _check_parts(model: Model, ids: torch.Tensor, whole: torch.Tensor) -> None:
    try:
        parts = model.run_head(model.run_body(ids.unsqueeze(0))[0])
    except (RuntimeError, TypeError, AttributeError, IndexError) as cause:
        model.keep_whole(first_line(cause))
        return
    if parts.shape != whole.shape or not agree(parts, whole, model.dtype):
        model.keep_whole("its parts give other logits than the whole")


def agree(a: torch.Tensor, b: torch.Tensor, dtype: torch.dtype) -> bool:
    a, b = a.to("cpu"), b.to("cpu")
    finite = torch.isfinite(a) & torch.isfinite(b)
    scale = b[finite].abs().max().item() if finite.any() else 0.0
    difference = (a - b)[finite].abs().max().item() if finite.any() else 0.0
    return difference <= AGREES.get(dtype, 5e-2) * max(scale, 1e-3)


def describe_model(model: Model) -> dict[str, Any]:
    """What the other end stores with the scores."""
    attention = getattr(model.config, "_attn_implementation", None)
    dtype = str(model.dtype).removeprefix("torch.")
    wide = dtype == "float32" or model.head_is_wide
    notes = [
        f"{model.parameters:,} parameters in {dtype} on {model.device}, logits "
        + ("in float32." if wide else f"rounded to {dtype} by the model."),
        *(f"{note}." for note in model.notes),
    ]
    return {
        "vocabulary": model.vocabulary,
        "context": model.context_length,
        "stop_ids": model.stop_ids,
        "parameters": model.parameters,
        "dtype": dtype,
        "device": str(model.device),
        "architecture": type(model.module).__name__,
        "attention": attention,
        "attention_layers": None if model.attention is None else model.attention.describe(),
        "notes": notes,
    }
