"""The size of the model, and its config.json."""

from dataclasses import asdict, dataclass


@dataclass
class Config:
    vocab_size: int = 400
    hidden_size: int = 128
    num_hidden_layers: int = 4
    num_attention_heads: int = 4
    intermediate_size: int = 352
    max_position_embeddings: int = 192
    rope_theta: float = 10000.0
    rms_norm_eps: float = 1e-6

    @property
    def head_dim(self) -> int:
        return self.hidden_size // self.num_attention_heads

    def to_hf(self) -> dict:
        """config.json as Hugging Face's LlamaForCausalLM reads it."""
        return {
            "architectures": ["LlamaForCausalLM"],
            "model_type": "llama",
            "torch_dtype": "float32",
            **asdict(self),
            "num_key_value_heads": self.num_attention_heads,
            "head_dim": self.head_dim,
            "hidden_act": "silu",
            "attention_bias": False,
            "mlp_bias": False,
            "attention_dropout": 0.0,
            "tie_word_embeddings": True,
            "rope_scaling": None,
            "initializer_range": 0.02,
            "pad_token_id": 0,
            "bos_token_id": 1,
            "eos_token_id": 2,
            "use_cache": False,
        }

    @classmethod
    def from_hf(cls, hf: dict) -> "Config":
        return cls(**{name: hf[name] for name in cls.__dataclass_fields__})
