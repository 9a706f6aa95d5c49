from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto

from shapeinfer import dims
from shapeinfer.engine import analyse
from shapeinfer.types import TensorType
from tests.support import (
    Array,
    Feeds,
    assert_rule_agrees,
    errors,
    graph,
    model,
    node_model,
    onnxruntime,
    requirements,
    type_of,
)

FLOAT = int(TensorProto.FLOAT)
POOLS = {"MaxPool": (1, 8, 10, 11, 12, 22), "AveragePool": (1, 7, 10, 11, 19, 22), "LpPool": (2, 11, 18, 22)}
VERSIONS = [(op, opset) for op, opsets in POOLS.items() for opset in opsets]


def pooled(op: str, x: str, attributes: str, opset: int = 22) -> str:
    return type_of(graph(f"float{x} x", f"y = {op} <{attributes}> (x)"), opset=opset)


def pool_errors(x: str, attributes: str, op: str = "MaxPool", opset: int = 22) -> list[str]:
    return errors(model(graph(f"float{x} x", f"y = {op} <{attributes}> (x)"), opset))


@pytest.mark.parametrize(("op", "opset"), VERSIONS)
def test_windows_along_each_axis(op: str, opset: int) -> None:
    assert pooled(op, "[N, C, H, W]", "kernel_shape = [2, 2], strides = [2, 2]", opset) == "float[N, C, H//2, W//2]"
    assert pooled(op, "[N, C, 7, 8]", "kernel_shape = [3, 2], pads = [1, 0, 1, 0]", opset) == "float[N, C, 7, 7]"
    same = 'kernel_shape = [3], strides = [2], auto_pad = "SAME_UPPER"'
    assert pooled(op, "[N, C, L]", same, opset) == "float[N, C, (L + 1)//2]"  # AveragePool-11 says floor(L/2) once
    assert pooled(op, "[]", "kernel_shape = [3, 3]", opset) == "float[u0, u1, u2, u3]"


@pytest.mark.parametrize(("op", "opset"), [(op, v) for op, v in VERSIONS if v >= (18 if op == "LpPool" else 10)])
def test_ceil_mode_leaves_out_windows_that_start_in_the_padding_at_the_end(op: str, opset: int) -> None:
    ceil = "kernel_shape = [{}], strides = [{}], ceil_mode = 1, pads = [{}, {}]"
    assert pooled(op, "[N, C, L]", ceil.format(3, 2, 0, 0), opset) == "float[N, C, L//2]"
    # The text says so since 22; runtimes do it in all versions, the C++ inference only since 22: it gives 2 here.
    assert pooled(op, "[1, 1, 2]", ceil.format(2, 3, 0, 1), opset) == "float[1, 1, 1]"
    assert pooled(op, "[N, C, L]", ceil.format(2, 3, 0, 1), opset) == "float[N, C, (L + 2)//3]"


def test_valid_with_ceil_mode_is_claimed_where_text_and_onnxruntime_agree() -> None:
    # The text: ceil((L - 3 + 1) / 2), which does not round up; ONNX Runtime and the C++ inference do.
    valid = 'kernel_shape = [3], ceil_mode = 1, auto_pad = "VALID"'
    assert pooled("MaxPool", "[N, C, L]", valid) == "float[N, C, L - 2]"
    assert pooled("MaxPool", "[N, C, 7]", f"strides = [2], {valid}") == "float[N, C, 3]"
    assert pooled("MaxPool", "[N, C, 6]", f"strides = [2], {valid}") == "float[N, C, u0]"


def test_dilations() -> None:
    assert pooled("MaxPool", "[N, C, L]", "kernel_shape = [3], dilations = [2]", 10) == "float[N, C, L - 4]"
    assert pooled("AveragePool", "[N, C, L]", "kernel_shape = [3], dilations = [2]", 19) == "float[N, C, L - 4]"


@pytest.mark.parametrize("opset", POOLS["MaxPool"][1:])
def test_indices(opset: int) -> None:
    text = graph("float[N, C, L] x", "y, i = MaxPool <kernel_shape = [3]> (x)")
    assert type_of(text, "i", opset) == "int64[N, C, L - 2]"


def test_faults() -> None:
    assert pool_errors("[N, C, L]", "kernel_shape = [2, 2]") == ["length"]
    assert pool_errors("[N, C]", "kernel_shape = [2, 2]") == ["rank"]
    assert pool_errors("[N, C, 8]", "kernel_shape = [2], strides = [0]") == ["size-value"]
    assert pool_errors("[N, C, 8]", "kernel_shape = [0]") == ["size-value"]
    assert pool_errors("[N, C, 8]", "kernel_shape = [2], storage_order = 2") == ["attribute-value"]
    assert pool_errors("[N, C, 8]", "kernel_shape = [11], strides = [2]") == ["too-small"]
    assert pool_errors("[N, C, 8]", "kernel_shape = [10]") == ["too-small"]
    assert pool_errors("[N, C, 8]", 'kernel_shape = [2], pads = [1, 1], auto_pad = "SAME_LOWER"') == [
        "pads-and-auto-pad"
    ]
    strided = graph("float[N, C, L] x", "y = MaxPool <kernel_shape = [3], strides = [2]> (x)")
    assert requirements(model(strided)) == ["L >= 3"]


@pytest.mark.parametrize(("op", "opset"), VERSIONS)
def test_a_pool_without_stride_runs_with_no_window_at_all(op: str, opset: int) -> None:
    assert pooled(op, "[1, 1, 3]", "kernel_shape = [4]", opset) == "float[1, 1, 0]"
    text = graph("float[N, C, L] x", f"y = {op} <kernel_shape = [3]> (x)")
    assert requirements(model(text, opset)) == ["L >= 2"]
    # By the text there is no window, ONNX Runtime takes (3 - 4) / 2 + 1 for 1.
    assert pooled(op, "[1, 1, 3]", "kernel_shape = [4], strides = [2]", opset) == "float[1, 1, u0]"
    assert_rule_agrees(node_model(op, [(FLOAT, [1, 1, 3])], max(opset, 7), kernel_shape=[4]), feeds_of(3), run)


@pytest.mark.parametrize(("op", "opset"), [("MaxPool", 10), ("AveragePool", 19), ("LpPool", 18)])
def test_same_with_dilation_is_not_claimed(op: str, opset: int) -> None:
    # ONNX Runtime pads as if there were no dilation, and so has fewer positions than ceil(L / stride).
    same = 'kernel_shape = [{}], dilations = [3], auto_pad = "SAME_UPPER"'
    assert pooled(op, "[N, C, L]", same.format(2), opset) == "float[N, C, u0]"
    assert pooled(op, "[N, C, L]", same.format(1), opset) == "float[N, C, L]"


def feeds_of(size: int) -> Feeds:
    return {"x0": np.zeros((1, 1, size), np.float32)}


@pytest.mark.parametrize("op", ["GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"])
@pytest.mark.parametrize("opset", [1, 2, 22])
def test_global_pools(op: str, opset: int) -> None:
    assert type_of(graph("float[N, C, H, W] x", f"y = {op} (x)"), opset=opset) == "float[N, C, 1, 1]"
    assert type_of(graph("float[] x", f"y = {op} (x)"), opset=opset) == "float[...]"
    assert errors(model(graph("float[N] x", f"y = {op} (x)"), opset)) == ["rank"]


def test_lp_pool_1_may_have_no_kernel_shape() -> None:
    assert pooled("LpPool", "[N, C, 8]", "p = 2.0", 1) == "float[N, C, u0]"


def test_max_roi_pool() -> None:
    body = "y = MaxRoiPool <pooled_shape = [2, 3]> (x, r)"
    assert type_of(graph("float[N, C, H, W] x, float[R, 5] r", body)) == "float[R, C, 2, 3]"
    assert type_of(graph("float[] x, float[] r", body)) == "float[u0, u1, 2, 3]"
    assert errors(model(graph("float[N, C, H] x, float[R, 5] r", body))) == ["rank"]
    assert errors(model(graph("float[N, C, H, W] x, float[R, 4] r", body))) == ["sizes-differ"]
    assert errors(model(graph("float[N, C, H, W] x, float[R, 5] r", "y = MaxRoiPool <pooled_shape = [2]> (x, r)"))) == [
        "length"
    ]


def test_max_unpool() -> None:
    body = "y = MaxUnpool <kernel_shape = [2], strides = [2]> (x, i)"
    assert type_of(graph("float[N, C, L] x, int64[N, C, L] i", body)) == "float[N, C, 2*L]"
    assert type_of(graph("float[] x, int64[N, C, 3] i", body)) == "float[N, C, 6]"
    assert type_of(graph("float[] x, int64[] i", body)) == "float[u0, u1, u2]"
    assert errors(model(graph("float[1, 1, 3] x, int64[1, 1, 4] i", body))) == ["sizes-differ"]
    sized = (
        "g (float[N, C, L] x, int64[N, C, L] i) => (y) <int64[{}] s = {{{}}}> "
        "{{ y = MaxUnpool <kernel_shape = [2]> (x, i, s) }}"
    )
    assert type_of(sized.format(3, "1, 1, 9")) == "float[1, 1, 9]"
    assert errors(sized.format(1, "9")) == ["sizes-differ"]
    assert errors(sized.format(3, "1, 1, -9")) == ["size-value"]


@st.composite
def pools(draw: st.DrawFn) -> tuple[str, int, dict[str, Any]]:
    op, opset = draw(st.sampled_from(VERSIONS))
    kernel, stride = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    attributes: dict[str, Any] = {"kernel_shape": [kernel], "strides": [stride]}
    schema = onnx.defs.get_schema(op, opset)
    paddings = ["none", "pads", "SAME_UPPER", "SAME_LOWER", "VALID"]
    if "dilations" in schema.attributes and draw(st.booleans()):
        attributes["dilations"] = [2]
    padding = draw(st.sampled_from(paddings))
    if padding == "pads":
        attributes["pads"] = [draw(st.integers(0, kernel - 1)), draw(st.integers(0, kernel - 1))]
    elif padding != "none":
        attributes["auto_pad"] = padding
    if "ceil_mode" in schema.attributes:
        attributes["ceil_mode"] = draw(st.integers(0, 1))
    return op, opset, attributes


@settings(max_examples=150, deadline=None)
@given(pools())
def test_claims_hold_whenever_onnxruntime_runs_and_a_window_fits(case: tuple[str, int, dict[str, Any]]) -> None:
    op, opset, attributes = case
    proto = node_model(op, [(FLOAT, ["N", 1, "L"])], max(opset, 7), **attributes)
    analysis = analyse(proto)
    assert not [f for f in analysis.findings if f.code.severity == "error"]
    for size in range(1, 12):
        held = all(
            dims.evaluate(r.left, {"L": size}) >= dims.evaluate(r.right, {"L": size}) for r in analysis.requirements
        )
        feeds = {"x0": np.zeros((2, 1, size), np.float32)}
        if held and runs(proto, feeds):  # it also runs windows too long by less than a stride: it rounds -1/2 to 0
            assert_rule_agrees(proto, feeds, run)


def runs(proto: onnx.ModelProto, feeds: Feeds) -> bool:
    try:
        run(proto, feeds)
    except Exception:  # whatever the runtime refuses is no run
        return False
    return True


def run(proto: onnx.ModelProto, feeds: Feeds) -> list[Array]:
    copy = onnx.ModelProto()
    copy.CopyFrom(proto)
    copy.ir_version = 10
    return onnxruntime(copy, feeds)


def test_every_size_at_which_a_window_fits_gives_at_least_one_position() -> None:
    kind = analyse(node_model("MaxPool", [(FLOAT, ["N", 1, "L"])], 22, kernel_shape=[3], ceil_mode=1, strides=[2]))
    found = kind.values["y0"].type
    assert isinstance(found, TensorType)
    assert found.shape is not None
    assert [dims.evaluate(found.shape[2], {"L": size}) for size in range(2, 9)] == [1, 1, 2, 2, 3, 3, 4]
