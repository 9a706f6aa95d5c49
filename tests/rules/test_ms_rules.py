from __future__ import annotations

from typing import Any

import onnx.parser
import pytest
from onnx import TensorProto, helper

import shapeinfer
from shapeinfer import registry, schema
from shapeinfer.diagnostics import type_text
from shapeinfer.engine import analyse
from shapeinfer.loader import load_own_rules
from tests.support import errors, node_model, requirements

MS = "com.microsoft"
load_own_rules()


def model(op: str, *inputs: str | None, outputs: int = 1, opset: int = 17, domain: str = MS, **attributes: Any) -> Any:
    """One node whose inputs are written ``"float B S 8"``; ``"float ?"`` is of unknown rank."""
    return node_model(
        op, [None if each is None else declared(each) for each in inputs], opset, outputs, domain, **attributes
    )


def declared(text: str) -> tuple[int, list[int | str] | None]:
    elem, *shape = text.split()
    dims = None if shape == ["?"] else [int(dim) if dim.isdigit() else dim for dim in shape]
    return getattr(TensorProto, elem.upper()), dims


def types(op: str, *inputs: str | None, outputs: int = 1, **options: Any) -> str:
    """The types of all outputs in a row."""
    found = analyse(model(op, *inputs, outputs=outputs, **options)).values
    return " ".join(type_text(found[f"y{i}"].type).replace(", ", ",") for i in range(outputs))


def names(op: str, *inputs: str | None, **options: Any) -> list[str]:
    return errors(model(op, *inputs, **options))


def test_every_registered_operator_has_a_rule() -> None:
    added = [
        key for key in schema.all_operators() if key[0] == MS or key[1] in ("SimplifiedLayerNormalization", "Crop")
    ]
    assert len(added) > 100
    assert not [key for key in added if registry.find_rule(key) is None]


def test_unknown_operator_is_a_note_and_unknown_attribute_is_nothing() -> None:
    report = shapeinfer.check(model("NoSuchOperator", "float N"))
    assert [(each.name, str(each.severity)) for each in report.diagnostics] == [("unknown-domain", "note")]
    assert names("Gelu", "float N", brand_new=1) == []


def test_missing_operator_set_is_an_error() -> None:
    proto = model("Gelu", "float N")
    del proto.opset_import[1]
    assert len(errors(proto)) == 1


def test_early_experiments_end_with_opset_10() -> None:
    assert types("ImageScaler", "float 1 3 H W", opset=9, domain="", bias=[0.0, 0.0, 0.0]) == "float[1,3,H,W]"
    assert names("ImageScaler", "float 1 3 H W", opset=10, domain="") == ["deprecated-operator"]
    assert names("ImageScaler", "float 1 3 H W", opset=9, domain="", bias=[0.0]) == ["sizes-differ"]


@pytest.mark.parametrize(
    ("op", "inputs", "attributes", "expected"),
    [
        ("MultiHeadAttention", ("float B S 2 3 4",), {"num_heads": 2}, "float[B,S,8]"),
        ("MultiHeadAttention", ("float B S 8", "float B L 2 2 4"), {"num_heads": 2}, "float[B,S,8]"),
        (
            "PackedAttention",
            ("float T 6", "float 6 24", "float 24", "int32 B S", "int32 C"),
            {"num_heads": 2},
            "float[T,8]",
        ),
        (
            "PackedMultiHeadAttention",
            ("float T 2 3 4", None, None, None, "int32 B S", "int32 C"),
            {"num_heads": 2},
            "float[T,8]",
        ),
        ("RelativePositionBias", ("float 32 12", "int64 1", "int64 1"), {"max_distance": 9}, "float[1,12,u0,u1]"),
        ("RestorePadding", ("float T C", "int32 B S"), {}, "float[B,S,C]"),
        ("BiasSplitGelu", ("float N S D", "float D"), {}, "float[N,S,D//2]"),
        ("Rfft", ("float B N",), {}, "float[B,N//2 + 1,2]"),
        ("Irfft", ("float B N 2",), {"signal_ndim": 1}, "float[B,2*N - 2]"),
        ("NhwcConv", ("float N H W 4", "float 8 4 3 3"), {}, "float[N,H - 2,W - 2,8]"),
        ("GroupNorm", ("float N H W 8", "float 8", "float 8"), {"groups": 4, "activation": 0}, "float[N,H,W,8]"),
        ("TorchEmbedding", ("float V D", "int64 B S"), {}, "float[B,S,D]"),
        ("ReduceSumInteger", ("uint8 B S",), {"axes": [1], "keepdims": 0}, "uint32[B]"),
        ("MatMulBlockQuantizedFp4Weight", ("float16 B 64", "uint8 N 32", "uint8 N 4", "float"), {}, "float16[B,N]"),
        ("SwiGLU", ("float B 8",), {}, "float[B,4]"),
        ("GemmFloat8", ("float M K", "float K N"), {"dtype": 10}, "float16[M,N]"),
        ("DequantizeWithOrder", ("int8 M N", "float"), {"order_input": 1, "order_output": 1, "to": 10}, "float16[M,N]"),
        ("Tokenizer", ("string N C",), {"mark": 0, "mincharnum": 1, "pad_value": ""}, "string[N,C,u0]"),
        ("MatMulNBits", ("float ?", "uint8 5 2 16", "float 10"), {"K": 64, "N": 5, "block_size": 32}, "float[...]"),
        ("BitmaskDropout", ("float N 4",), {}, "float[N,4]"),
    ],
)
def test_shape(op: str, inputs: tuple[str | None, ...], attributes: dict[str, Any], expected: str) -> None:
    assert types(op, *inputs, **attributes) == expected


@pytest.mark.parametrize(
    ("op", "inputs", "attributes", "expected"),
    [
        ("FusedMatMul", ("float 2 3 4", "float 2 4 5"), {"transA": 1}, "sizes-differ"),
        ("FusedMatMul", ("float 3 4", "float 4 5"), {"transBatchA": 1}, "rank"),
        (
            "MatMulNBits",
            ("float B 63", "uint8 5 2 16", "float 10"),
            {"K": 64, "N": 5, "block_size": 32},
            "sizes-differ",
        ),
        (
            "MatMulNBits",
            ("float B 64", "uint8 5 2 15", "float 10"),
            {"K": 64, "N": 5, "block_size": 32},
            "sizes-differ",
        ),
        ("MatMulNBits", ("float B 64", "uint8 5 2 16", "float 9"), {"K": 64, "N": 5, "block_size": 32}, "sizes-differ"),
        (
            "MatMulNBits",
            ("float B 64", "uint8 5 2 16", "float 10"),
            {"K": 64, "N": 5, "block_size": 24},
            "attribute-value",
        ),
        ("MatMulNBits", ("float B 64", "uint8 5 2 16", "float 10"), {"N": 5, "block_size": 32}, "attribute-missing"),
        (
            "MatMulNBits",
            ("float B 64", "uint8 5 2 16", "float 10", "uint8 5 2"),
            {"K": 64, "N": 5, "block_size": 32},
            "sizes-differ",
        ),
        (
            "MatMulBnb4",
            ("float B 32", "uint8 47", "float 6"),
            {"K": 32, "N": 3, "block_size": 16, "quant_type": 1},
            "sizes-differ",
        ),
        ("Attention", ("float B S 6", "float 7 24", "float 24"), {"num_heads": 2}, "sizes-differ"),
        ("Attention", ("float B S 6", "float 6 25"), {"num_heads": 2}, "not-divisible"),
        ("Attention", ("float B S 6", "float 6 24"), {"num_heads": 2, "qkv_hidden_sizes": [8, 8, 12]}, "sizes-differ"),
        (
            "GroupQueryAttention",
            ("float B S 64", None, None, None, None, "int32 B", "int32"),
            {"num_heads": 3, "kv_num_heads": 2},
            "not-divisible",
        ),
        ("BiasGelu", ("float B 4", "float 5"), {}, "sizes-differ"),
        ("FastGelu", ("float B 4", "float16 4"), {}, "type-mismatch"),
        ("SkipLayerNormalization", ("float B", "float B", "float B"), {}, "rank"),
        ("QLinearAdd", ("uint8 2", "float", "uint8", "uint8 3", "float", "uint8", "float"), {}, "broadcast"),
        ("QLinearSigmoid", ("uint8 2", "float 2", "uint8", "float"), {}, "sizes-differ"),
        ("QLinearConcat", ("float", "uint8", "uint8 2 3", "float"), {"axis": 0}, "not-divisible"),
        ("GroupNorm", ("float N H W 8", "float 8", "float 8"), {"groups": 3, "activation": 0}, "not-divisible"),
        ("FusedConv", ("float N 3 H W", "float 8 4 3 3"), {}, "sizes-differ"),
        ("NhwcMaxPool", ("uint8 1 2 2 1",), {"kernel_shape": [3, 3]}, "too-small"),
        ("Inverse", ("float B 3 4",), {}, "sizes-differ"),
    ],
)
def test_error(op: str, inputs: tuple[str | None, ...], attributes: dict[str, Any], expected: str) -> None:
    assert names(op, *inputs, **attributes) == [expected]


def test_requirements_are_recorded() -> None:
    assert requirements(model("FusedMatMul", "float B K M", "float B L N", transA=1)) == ["K == L"]
    assert requirements(model("MatMulNBits", "float B D", "uint8 5 2 16", "float 10", K=64, N=5, block_size=32)) == [
        "D == 64"
    ]


def test_total_length_of_grouped_queries_is_followed() -> None:
    """The longest sequence so far is often computed from the mask, ``(B, total)``."""
    text = """
    <ir_version: 9, opset_import: ["" : 17, "com.microsoft" : 1]>
    g (float[B, 1, 32] q, float[B, 1, 16] k, float[B, 1, 16] v, float[B, 2, P, 8] past_k, float[B, 2, P, 8] past_v,
       int32[B] lengths, int64[B, T] mask) => (y, present) {
      s = Shape <start = 1, end = 2> (mask)
      axes = Constant <value_ints = [0]> ()
      n = Squeeze (s, axes)
      total = Cast <to = 6> (n)
      y, present, other = com.microsoft.GroupQueryAttention <num_heads = 4, kv_num_heads = 2>
        (q, k, v, past_k, past_v, lengths, total)
    }"""
    found = analyse(onnx.parser.parse_model(text)).values
    assert type_text(found["y"].type) == "float[B, 1, 32]"
    assert type_text(found["present"].type) == "float[B, 2, max(P, T), 8]"


def test_generation_has_the_stated_length() -> None:
    graph = helper.make_graph([], "decoder", [], [])
    proto = model("GreedySearch", "int32 B S", "int32 1", decoder=graph, eos_token_id=0, pad_token_id=0)
    assert type_text(analyse(proto).values["y0"].type).startswith("int32[B, ")
