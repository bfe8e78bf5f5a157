"""The model as an ONNX graph, written out by hand: input_ids, attention_mask -> logits."""

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from ..model import TinyLlama

MASKED = -1e9  # additive; as in the torch model, a query always sees itself
OPSET, IR_VERSION = 14, 7


class Graph:
    """Nodes and constants in the order in which they were added."""

    def __init__(self):
        self.nodes, self.weights, self.count = [], [], 0

    def const(self, name: str, array: np.ndarray) -> str:
        self.weights.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def ints(self, name: str, *values: int) -> str:
        return self.const(name, np.array(values, dtype=np.int64))

    def scalar(self, name: str, value: float, dtype=np.float32) -> str:
        return self.const(name, np.array(value, dtype))

    def op(self, kind: str, *inputs: str, output: str | None = None, **attributes) -> str:
        self.count += 1
        output = output or f"t{self.count}_{kind}"
        name = f"n{self.count}_{kind}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], name=name, **attributes))
        return output


class LlamaGraph(Graph):
    """The decoder's pieces; every method returns the name of what it computes."""

    def __init__(self, model: TinyLlama):
        super().__init__()
        self.cfg, cfg = model.cfg, model.cfg
        self.w = {k: v.float().numpy() for k, v in model.to_hf_state().items()}
        self.zero = self.scalar("zero", 0, np.int64)
        self.one = self.scalar("one", 1, np.int64)
        self.axis1 = self.ints("axis1", 1)
        self.axes_head, self.axes_batch = self.ints("axes_head", 1), self.ints("axes_batch", 0)
        self.eps = self.scalar("eps", cfg.rms_norm_eps)
        self.scale = self.scalar("scale", cfg.head_dim**-0.5)
        self.masked, self.f_zero = self.scalar("masked", MASKED), self.scalar("f_zero", 0.0)
        heads = (0, 0, cfg.num_attention_heads, cfg.head_dim)
        self.split_shape = self.ints("split_shape", *heads)
        self.merge_shape = self.ints("merge_shape", 0, 0, cfg.hidden_size)
        self.lo, self.mid = self.ints("lo", 0), self.ints("mid", cfg.head_dim // 2)
        self.hi, self.last = self.ints("hi", cfg.head_dim), self.ints("last_axis", 3)
        self.cos, self.sin = self._rotary_tables(model)
        self.bias = self._bias()

    def _rotary_tables(self, model: TinyLlama) -> list[str]:
        """cos and sin at the positions: cumulative sum of the mask minus one, not below zero."""
        counted = self.op("Sub", self.op("CumSum", "attention_mask", self.one), self.one)
        position = self.op("Max", counted, self.zero)
        gathered = []
        for name, table in (("rope_cos", model.cos), ("rope_sin", model.sin)):
            rows = self.op("Gather", self.const(name, table.float().numpy()), position, axis=0)
            gathered.append(self.op("Unsqueeze", rows, self.axes_head))
        return gathered

    def _bias(self) -> str:
        """bias[b, 0, q, k] = 0 where k == q, or k < q and key k is a real token; else MASKED."""
        length = self.op("Gather", self.op("Shape", "input_ids"), self.one, axis=0)
        steps = self.op("Range", self.zero, length, self.one)
        query = self.op("Unsqueeze", steps, self.axis1)
        key = self.op("Unsqueeze", steps, self.axes_batch)
        real = self.op("Equal", "attention_mask", self.one)
        real_key = self.op("Unsqueeze", real, self.ints("axes_key", 1, 2))
        earlier = self.op("And", self.op("Less", key, query), real_key)
        visible = self.op("Or", earlier, self.op("Equal", key, query))
        return self.op("Where", visible, self.f_zero, self.masked)

    def norm(self, x: str, name: str) -> str:
        mean = self.op("ReduceMean", self.op("Mul", x, x), axes=[-1], keepdims=1)
        scaled = self.op("Div", x, self.op("Sqrt", self.op("Add", mean, self.eps)))
        return self.op("Mul", scaled, self.const(name, self.w[name]))

    def matmul(self, x: str, name: str) -> str:
        return self.op("MatMul", x, self.const(name + "_T", self.w[name].T))

    def heads(self, x: str) -> str:
        return self.op("Transpose", self.op("Reshape", x, self.split_shape), perm=[0, 2, 1, 3])

    def rope(self, x: str) -> str:
        a = self.op("Slice", x, self.lo, self.mid, self.last)
        b = self.op("Slice", x, self.mid, self.hi, self.last)
        turned = self.op("Concat", self.op("Neg", b), a, axis=-1)
        return self.op("Add", self.op("Mul", x, self.cos), self.op("Mul", turned, self.sin))

    def attention(self, h: str, prefix: str) -> str:
        q = self.rope(self.heads(self.matmul(h, prefix + "q_proj.weight")))
        k = self.rope(self.heads(self.matmul(h, prefix + "k_proj.weight")))
        v = self.heads(self.matmul(h, prefix + "v_proj.weight"))
        product = self.op("MatMul", q, self.op("Transpose", k, perm=[0, 1, 3, 2]))
        score = self.op("Mul", product, self.scale)
        weight = self.op("Softmax", self.op("Add", score, self.bias), axis=-1)
        a = self.op("Transpose", self.op("MatMul", weight, v), perm=[0, 2, 1, 3])
        return self.matmul(self.op("Reshape", a, self.merge_shape), prefix + "o_proj.weight")

    def mlp(self, h: str, prefix: str) -> str:
        gate = self.matmul(h, prefix + "gate_proj.weight")
        silu = self.op("Mul", gate, self.op("Sigmoid", gate))
        gated = self.op("Mul", silu, self.matmul(h, prefix + "up_proj.weight"))
        return self.matmul(gated, prefix + "down_proj.weight")

    def decoder(self) -> None:
        """The whole model; its output is called logits."""
        name = "model.embed_tokens.weight"
        embedding = self.const(name, self.w[name])
        x = self.op("Gather", embedding, "input_ids", axis=0)
        for i in range(self.cfg.num_hidden_layers):
            p = f"model.layers.{i}."
            h = self.norm(x, p + "input_layernorm.weight")
            x = self.op("Add", x, self.attention(h, p + "self_attn."))
            h = self.norm(x, p + "post_attention_layernorm.weight")
            x = self.op("Add", x, self.mlp(h, p + "mlp."))
        last = self.norm(x, "model.norm.weight")
        # Tied head: one copy of the embedding in the file.
        head = self.op("Transpose", embedding, perm=[1, 0])
        self.op("MatMul", last, head, output="logits")


def export_onnx(model: TinyLlama, path: Path) -> None:
    """Write a self-contained float32 model; batch and sequence length are free."""
    g = LlamaGraph(model)
    g.decoder()
    ids, mask = (
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "sequence"])
        for name in ("input_ids", "attention_mask")
    )
    shape = ["batch", "sequence", model.cfg.vocab_size]
    logits = helper.make_tensor_value_info("logits", TensorProto.FLOAT, shape)
    graph = helper.make_graph(g.nodes, "tiny_llama", [ids, mask], [logits], g.weights)
    opset = [helper.make_opsetid("", OPSET)]
    proto = helper.make_model(graph, opset_imports=opset, producer_name="tiny-rl-lab")
    proto.ir_version = IR_VERSION
    onnx.checker.check_model(proto)
    onnx.save(proto, str(path))
