"""tokenizer.json and tokenizer_config.json as Hugging Face's libraries read them."""

import json
from pathlib import Path

from .alphabet import BOS, EOS, HF_REGEX, SPECIALS
from .bpe import Tokenizer

CONFIG = {
    "tokenizer_class": "PreTrainedTokenizerFast",
    "model_max_length": 192,
    "bos_token": "<bos>",
    "eos_token": "<eos>",
    "pad_token": "<pad>",
    "unk_token": None,
    "add_bos_token": True,
    "padding_side": "left",
    "clean_up_tokenization_spaces": False,
}


def load_tokenizer(path: Path | str) -> Tokenizer:
    """The tokenizer in a tokenizer.json that `save_tokenizer` wrote."""
    model = json.loads(Path(path).read_text(encoding="utf-8"))["model"]
    return Tokenizer(m if isinstance(m, list) else m.split(" ") for m in model["merges"])


def save_tokenizer(tokenizer: Tokenizer, folder: Path | str) -> None:
    """Write both files into `folder`."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(tokenizer_json(tokenizer), ensure_ascii=False, indent=1)
    (folder / "tokenizer.json").write_text(text, encoding="utf-8")
    (folder / "tokenizer_config.json").write_text(json.dumps(CONFIG, indent=1), encoding="utf-8")


def tokenizer_json(tokenizer: Tokenizer) -> dict:
    """The content of tokenizer.json."""
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        # As Qwen does for <tool_call>: the tool tags are added tokens but not 'special', so
        # skip_special_tokens leaves them in the text.
        "added_tokens": [_added_token(i, s, i <= EOS) for i, s in enumerate(SPECIALS)],
        "normalizer": None,
        "pre_tokenizer": _pre_tokenizer(),
        "post_processor": _post_processor(),
        "decoder": {
            "type": "ByteLevel",
            "add_prefix_space": True,
            "trim_offsets": True,
            "use_regex": True,
        },
        "model": {
            "type": "BPE",
            "dropout": None,
            "unk_token": None,
            "continuing_subword_prefix": None,
            "end_of_word_suffix": None,
            "fuse_unk": False,
            "byte_fallback": False,
            "ignore_merges": False,
            "vocab": tokenizer.id,
            "merges": [f"{a} {b}" for a, b in tokenizer.merges],
        },
    }


def _added_token(token_id: int, content: str, special: bool) -> dict:
    return {
        "id": token_id,
        "content": content,
        "single_word": False,
        "lstrip": False,
        "rstrip": False,
        "normalized": False,
        "special": special,
    }


def _pre_tokenizer() -> dict:
    return {
        "type": "Sequence",
        "pretokenizers": [
            {
                "type": "Split",
                "pattern": {"Regex": HF_REGEX},
                "behavior": "Isolated",
                "invert": False,
            },
            {
                "type": "ByteLevel",
                "add_prefix_space": False,
                "trim_offsets": False,
                "use_regex": False,
            },
        ],
    }


def _post_processor() -> dict:
    bos = {"SpecialToken": {"id": "<bos>", "type_id": 0}}
    first, second = ({"Sequence": {"id": name, "type_id": 0}} for name in "AB")
    return {
        "type": "TemplateProcessing",
        "single": [bos, first],
        "pair": [bos, first, second],
        "special_tokens": {"<bos>": {"id": "<bos>", "ids": [BOS], "tokens": ["<bos>"]}},
    }
