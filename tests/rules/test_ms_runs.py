"""Claims about com.microsoft nodes with symbolic dims, held against runs of ONNX Runtime at actual sizes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest
from onnx import TensorProto, helper

from tests.support import Array, assert_rule_agrees, node_model

MS = "com.microsoft"
SIZES = {"B": 2, "S": 3, "L": 5, "P": 4, "C": 4, "H": 8, "W": 7, "M": 3, "K": 4, "N": 6, "V": 10, "T": 6}


class Given(NamedTuple):
    """An input with symbolic dims, and what is fed to it."""

    elem: int
    shape: tuple[int | str, ...]
    low: int = 0
    high: int = 2


def f(*shape: int | str) -> Given:
    return Given(TensorProto.FLOAT, shape)


def i32(*shape: int | str, high: int = 2, low: int = 0) -> Given:
    return Given(TensorProto.INT32, shape, low, high)


def i64(*shape: int | str, high: int = 2) -> Given:
    return Given(TensorProto.INT64, shape, 0, high)


def u8(*shape: int | str) -> Given:
    return Given(TensorProto.UINT8, shape, 0, 200)


SCALE = np.array(0.5, np.float32)
ZERO = np.array(3, np.uint8)


def values(given: Given) -> Array:
    rng = np.random.default_rng(0)
    shape = [SIZES[dim] if isinstance(dim, str) else dim for dim in given.shape]
    dtype = helper.tensor_dtype_to_np_dtype(given.elem)
    if dtype.kind == "f":
        return rng.standard_normal(shape).astype(dtype)
    return rng.integers(given.low, given.high, shape).astype(dtype)


def case(op: str, *inputs: Given | Array | None, outputs: int = 1, **attributes: Any) -> Any:
    return pytest.param(op, inputs, outputs, attributes, id=f"{op}-{len(inputs)}-{'-'.join(attributes)}")


CASES = [
    case("FusedMatMul", f("B", "M", "K"), f("B", "K", "N")),
    case("FusedMatMul", f("B", "K", "M"), f("B", "N", "K"), transA=1, transB=1),
    case("FusedMatMul", f("M", "B", "C", "K"), f("B", "C", "K", "N"), transBatchA=1),
    case("FusedMatMul", f("K", "B", "C", "M"), f("N", "B", "C", "K"), transA=1, transBatchA=1, transB=1, transBatchB=1),
    case("FusedMatMul", f("K"), f("B", "K", "N"), transA=1),
    case("TransposeMatMul", f("K", "M"), f("K", "N"), transA=1),
    case("FusedGemm", f("K", "M"), f("K", "N"), f("N"), transA=1, activation="Relu"),
    case("MatMulIntegerToFloat", u8("B", "M", "K"), u8("K", "N"), SCALE, f("N")),
    case("DynamicQuantizeMatMul", f("B", "M", "K"), u8("K", "N"), f("N"), u8("N"), f("N")),
    case("MatMulInteger16", Given(TensorProto.INT16, ("B", "M", "K")), Given(TensorProto.INT16, ("K", "N"))),
    case("MatMulNBits", f("B", "S", 40), u8(5, 2, 16), f(10), u8(5), None, f(5), K=40, N=5, block_size=32, bits=4),
    case("MatMulNBits", f("M", 64), u8(5, 2, 16), f(5, 2), u8(5, 1), K=64, N=5, block_size=32, bits=4),
    case("MatMulNBits", f(64), u8(5, 2, 32), f(10), None, K=64, N=5, block_size=32, bits=8),
    case("MatMulBnb4", f("B", 32), u8(48), f(6), K=32, N=3, block_size=16, quant_type=1),
    case("QGemm", u8("M", "K"), SCALE, ZERO, u8("K", "N"), SCALE, ZERO, None, SCALE, ZERO),
    case("QGemm", u8("M", "K"), SCALE, ZERO, u8("N", "K"), SCALE, ZERO, transB=1),
    case("Attention", f("B", "S", 6), f(6, 24), f(24), outputs=2, num_heads=2),
    case("Attention", f("B", "S", 6), f(6, 28), f(28), num_heads=2, qkv_hidden_sizes=[8, 8, 12]),
    case("Attention", f("B", "S", 6), f(6, 24), f(24), None, f(2, "B", 2, "P", 4), outputs=2, num_heads=2),
    case("MultiHeadAttention", f("B", "S", 8), f("B", "L", 8), f("B", "L", 12), num_heads=2),
    case("MultiHeadAttention", f("B", "S", 8), f("B", "L", 8), f("B", "L", 8), outputs=3, num_heads=2),
    case(
        "MultiHeadAttention",
        *(f("B", "S", 8), f("B", "S", 8), f("B", "S", 8), None, None, None, f("B", 2, "P", 4), f("B", 2, "P", 4)),
        outputs=3,
        num_heads=2,
    ),
    case("MultiHeadAttention", f("B", "S", 8), f("B", 2, "L", 4), f("B", 2, "L", 4), num_heads=2),
    case(
        "GroupQueryAttention",
        *(f("B", 1, 32), f("B", 1, 16), f("B", 1, 16), f("B", 2, "P", 8), f("B", 2, "P", 8)),
        *(i32("B", low=4, high=5), np.array(5, np.int32)),
        outputs=3,
        num_heads=4,
        kv_num_heads=2,
    ),
    case(
        "GroupQueryAttention",
        *(f("B", "S", 64), None, None, f("B", 2, "P", 8), f("B", 2, "P", 8)),
        *(i32("B", low=2, high=3), np.array(3, np.int32)),
        outputs=3,
        num_heads=4,
        kv_num_heads=2,
    ),
    case(
        "GroupQueryAttention",
        *(f("B", "S", 64), None, None, None, None, i32("B", low=2, high=3), np.array(3, np.int32)),
        outputs=3,
        num_heads=4,
        kv_num_heads=2,
    ),
    case(
        "GroupQueryAttention",
        *(
            f(1, "S", 64),
            None,
            None,
            f(1, 2, 2, 8),
            f(1, 2, 2, 8),
            i32(1, low=4, high=5),
            np.array(5, np.int32),
        ),
        outputs=3,
        num_heads=4,
        kv_num_heads=2,
    ),
    case(
        "QAttention",
        *(u8("B", "S", 6), u8(6, 24), f(24), SCALE, SCALE, None, ZERO, ZERO),
        outputs=2,
        num_heads=2,
    ),
    case("RotaryEmbedding", f("B", "S", 8), i64("B", "S"), f("V", 2), f("V", 2), num_heads=2),
    case("RotaryEmbedding", f("B", 2, "S", 4), i64("B", "S"), f("V", 2), f("V", 2)),
    case(
        "LinearAttention",
        f("B", "S", 8),
        f("B", "S", 8),
        f("B", "S", 12),
        outputs=2,
        q_num_heads=2,
        kv_num_heads=2,
        update_rule="linear",
    ),
    case("NGramRepeatBlock", i64("B", "S"), f("B", "V"), ngram_size=2),
    case("Gelu", f("B", "S")),
    case("QuickGelu", f("B", "S")),
    case("FastGelu", f("B", "S", "C"), f("C")),
    case("BiasGelu", f("B", "S", "C"), f("C")),
    case("SkipLayerNormalization", f("B", "S", "C"), f("B", "S", "C"), f("C"), f("C"), f("C")),
    case("SkipSimplifiedLayerNormalization", f("B", "S", "C"), f("B", "S", "C"), f("C")),
    case(
        "EmbedLayerNormalization",
        *(i32("B", "S"), i32("B", "S"), f("V", 4), f("V", 4), f(2, 4), f(4), f(4)),
        outputs=3,
    ),
    case("FusedConv", f("B", "C", "H", "W"), f(6, "C", 3, 3), f(6), pads=[1, 1, 0, 0], strides=[2, 1]),
    case("FusedConv", f("B", "C", "H"), f(6, 2, 3), group=2, auto_pad="SAME_UPPER", activation="Relu"),
    case("ConvTransposeWithDynamicPads", f("B", "C", "H"), f("C", 2, 3), np.array([1, 0]), strides=[2]),
    case("NhwcMaxPool", u8("B", "H", "W", "C"), kernel_shape=[2, 3], strides=[2, 2], pads=[1, 0, 0, 1], ceil_mode=1),
    case("NhwcMaxPool", u8("B", "H", "W", "C"), kernel_shape=[2, 3], dilations=[2, 1]),
    case(
        "QLinearAveragePool",
        *(u8("B", "C", "H", "W"), SCALE, ZERO, SCALE, ZERO),
        kernel_shape=[3, 3],
        strides=[2, 2],
        ceil_mode=1,
    ),
    case(
        "QLinearAveragePool",
        *(u8("B", "H", "W", "C"), SCALE, ZERO, SCALE, ZERO),
        kernel_shape=[3, 3],
        auto_pad="SAME_LOWER",
        channels_last=1,
    ),
    case("QLinearGlobalAveragePool", u8("B", "H", "W", "C"), SCALE, ZERO, SCALE, ZERO, channels_last=1),
    case("QLinearConv", u8("B", "C", "H"), SCALE, ZERO, u8(6, "C", 3), SCALE, ZERO, SCALE, ZERO, i32(6)),
    case(
        "QLinearConv",
        *(u8("B", "H", "W", "C"), SCALE, ZERO, u8(6, "C", 3, 3), SCALE, ZERO, SCALE, ZERO),
        channels_last=1,
    ),
    case("MaxpoolWithMask", f("B", "C", "H", "W"), i32("B", "C", "H", "W"), kernel_shape=[2, 2]),
    case("QLinearAdd", u8("B", "S", "C"), SCALE, ZERO, u8("S", 1), SCALE, ZERO, SCALE, ZERO),
    case("QLinearMul", u8("B", 1, "C"), SCALE, ZERO, u8("S", 1), SCALE, ZERO, SCALE, ZERO),
    case(
        "QLinearWhere",
        *(Given(TensorProto.BOOL, ("S", 1)), u8("B", "S", "C"), SCALE, ZERO, u8("C"), SCALE, ZERO, SCALE, ZERO),
    ),
    case("QLinearSigmoid", u8("B", "S"), SCALE, ZERO, SCALE, ZERO),
    case("QLinearLeakyRelu", u8("B", "S"), SCALE, ZERO, SCALE, ZERO),
    case("QLinearConcat", SCALE, ZERO, u8("B", "S", "C"), SCALE, ZERO, u8("B", "L", "C"), SCALE, ZERO, axis=1),
    case("QuantizeLinear", f("B", "C"), f("C"), u8("C"), axis=1),
    case("QuantizeLinear", f("B", "C"), SCALE),
    case("DequantizeLinear", u8("B", "C"), SCALE, ZERO),
    case(
        "DynamicQuantizeLSTM",
        *(f("S", "B", 5), u8(1, 5, 16), u8(1, 4, 16), None, None, None, None, None),
        *(f(1), u8(1), f(1), u8(1)),
        outputs=3,
        hidden_size=4,
    ),
    case("GatherBlockQuantized", u8(6, 32), i64("B", "S"), f(6, 4), block_size=16, quantize_axis=1, bits=4),
    case("CausalConvWithState", f("B", "C", "H"), f("C", 1, 4), outputs=2, dilation=2),
    case("GatedRMSNorm", f("B", "S", 8), f(4), f("B", "S", 8)),
    case("LinearAttentionGate", f("B", "S", 8), f(8), f(8), f("B", "S", 8), outputs=2),
    case("SkipLayerNormalization", f("B", "C"), f("B", "C"), f("C"), outputs=4),
    case("MultiHeadAttention", f("B", "S", 8), f("B", 2, "L", 4), f("B", 2, "L", 4), outputs=3, num_heads=2),
    case("Attention", f("B", "S", 6), f(6, 28), f(28), outputs=2, num_heads=2, qkv_hidden_sizes=[8, 8, 12]),
    case("FusedMatMul", f("B", "M", "K"), f("K"), transB=1),
    case("CDist", f("M", "K"), f("N", "K"), metric="euclidean"),
    case("CropAndResize", f("B", "C", "H", "W"), f("N", 4), i32("N"), np.array([3, 5], np.int32)),
    case("DynamicTimeWarping", f(1, "M", "N")),
    case("ExpandDims", f("B", "C"), np.array(-2, np.int32)),
    case("GatherND", f("B", "C", "H"), i64("S", 2)),
    case("GridSample", f("B", "C", "H", "W"), f("B", "M", "N", 2)),
    case("Inverse", f("B", "C", "C")),
    case("MurmurHash3", i32("B", "S"), positive=0),
    case("MurmurHash3", i32("B", "S")),
    case("Pad", f("B", "C"), np.array([1, 0, 2, 3])),
    case("Pad", f("B", "C"), np.array([[1, 0, 2, -1]])),
    case("Range", np.array(1, np.int64), np.array(9, np.int64), np.array(3, np.int64)),
    case("Range", np.array([7], np.int64), np.array([1], np.int64), np.array([-2], np.int64)),
    case("SampleOp", f("B", "C")),
    case("Trilu", f("B", "H", "W")),
    case("Unique", f("L"), outputs=3),
    case("UnfoldTensor", f("B", "H", "C"), dim=1, size=3, step=2),
    case("MoE", f("B", "S", 4), f(6, 2), f(2, 8, 4), None, f(2, 4, 8), None),
    case("BifurcationDetector", i64("L"), i64("P"), np.array(0), i64(6), outputs=2),
    case(
        "WordConvEmbedding",
        i32("B", 8, high=5),
        f(6, 1, 2, 3),
        f(6),
        f("V", 3),
        conv_window_size=2,
        embedding_size=6,
        char_embedding_size=3,
    ),
]


@pytest.mark.parametrize(("op", "inputs", "outputs", "attributes"), CASES)
def test_claims_hold(op: str, inputs: tuple[Any, ...], outputs: int, attributes: dict[str, Any]) -> None:
    declared = [(each.elem, each.shape) if isinstance(each, Given) else each for each in inputs]
    proto = node_model(op, declared, 17, outputs, MS, **attributes)
    proto.ir_version = 9
    feeds = {f"x{i}": values(each) for i, each in enumerate(inputs) if isinstance(each, Given)}
    assert_rule_agrees(proto, feeds)
