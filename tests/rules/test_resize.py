from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from onnx import TensorProto

from shapeinfer.diagnostics import type_text
from shapeinfer.engine import analyse
from tests.support import (
    Array,
    Feeds,
    assert_rule_agrees,
    errors,
    model,
    node_model,
    onnxruntime,
    requirements,
    type_of,
)

FLOAT = int(TensorProto.FLOAT)
INT64 = int(TensorProto.INT64)


def scales(x: str, *values: float, opset: int = 19, attributes: str = "") -> onnx.ModelProto:
    inputs = "x, s" if opset == 10 else "x, , s"
    body = f"y = Resize {attributes} ({inputs})"
    listed = ", ".join(map(str, values))
    return model(f"g (float{x} x) => (y) <float[{len(values)}] s = {{{listed}}}> {{ {body} }}", opset)


def sizes(x: str, *values: int, opset: int = 19, attributes: str = "") -> onnx.ModelProto:
    listed = ", ".join(map(str, values))
    body = f"y = Resize {attributes} (x, , , s)"
    return model(f"g (float{x} x) => (y) <int64[{len(values)}] s = {{{listed}}}> {{ {body} }}", opset)


def shape(proto: onnx.ModelProto) -> str:
    return type_text(analyse(proto).values["y"].type)


@pytest.mark.parametrize("opset", [10, 13, 18, 19])
def test_scales_round_down(opset: int) -> None:
    assert shape(scales("[N, C, H, 5]", 1, 1, 2, 0.5, opset=opset)) == "float[N, C, 2*H, 2]"
    assert shape(scales("[N, W]", 1, 0.5, opset=opset)) == "float[N, W//2]"
    assert shape(scales("[N, W]", 1, 1.5, opset=opset)) == "float[N, (3*W)//2]"
    assert shape(scales("[]", 1, 1.5, opset=opset)) == "float[u0, u1]"
    assert errors(scales("[N, 3, 4]", 1, 2, opset=opset)) == ["length"]
    assert errors(scales("[N, 3]", 1, 0, opset=opset)) == ["size-value"]
    assert errors(scales("[N, 3]", 1, -1, opset=opset)) == ["size-value"]


def test_scales_that_are_no_short_binary_fractions() -> None:
    assert shape(scales("[N, W]", 1, 0.6)) == "float[N, (3*W)//5]"  # 0.6 is stored as a bit more than 3/5
    assert requirements(scales("[N, W]", 1, 0.6)) == ["W <= 3355443"]
    assert shape(scales("[N, W]", 1, 0.7)) == "float[N, u0]"  # and 0.7 as a bit less than 7/10
    assert shape(scales("[N, 10]", 1, 0.7)) == "float[N, u0]"  # exactly 6.99999988: 6, in 32 bits 7
    assert shape(scales("[N, 11]", 1, 0.7)) == "float[N, 7]"
    assert shape(scales("[N, W]", 1, 0.123456)) == "float[N, u0]"


@pytest.mark.parametrize("opset", [13, 18, 19])
def test_sizes(opset: int) -> None:
    assert shape(sizes("[N, C, H]", 1, 3, 7, opset=opset)) == "float[1, 3, 7]"
    assert shape(sizes("[]", 1, 3, 7, opset=opset)) == "float[1, 3, 7]"
    assert errors(sizes("[N, C, H]", 3, 7, opset=opset)) == ["length"]
    assert errors(sizes("[N, C]", 3, -7, opset=opset)) == ["size-value"]


@pytest.mark.parametrize("opset", [18, 19])
def test_axes(opset: int) -> None:
    assert shape(sizes("[N, C, H, W]", 5, 7, opset=opset, attributes="<axes = [3, -2]>")) == "float[N, C, 7, 5]"
    assert shape(scales("[N, C, H]", 2, opset=opset, attributes="<axes = [1]>")) == "float[N, 2*C, H]"
    assert shape(scales("[]", 2, opset=opset, attributes="<axes = [1]>")) == "float[...]"
    assert errors(sizes("[N, C]", 5, opset=opset, attributes="<axes = [2]>")) == ["axis-range"]
    assert errors(sizes("[N, C]", 5, 5, opset=opset, attributes="<axes = [1, -1]>")) == ["repeated-axis"]
    assert errors(sizes("[N, C]", 5, 5, opset=opset, attributes="<axes = [1]>")) == ["length"]


def test_sizes_that_keep_the_proportions() -> None:
    larger, smaller = ('<axes = [1, 2], keep_aspect_ratio_policy = "not_' + word for word in ("larger", "smaller"))
    assert shape(sizes("[N, 2, 4]", 7, 8, attributes=f'{larger}">')) == "float[N, 4, 8]"
    assert shape(sizes("[N, 2, 4]", 7, 8, attributes=f'{smaller}">')) == "float[N, 7, 14]"
    assert shape(sizes("[N, H, H]", 7, 8, attributes=f'{larger}">')) == "float[N, 7, 7]"
    symbolic = sizes("[N, H, W]", 6, 8, attributes=f'{larger}">')
    assert shape(symbolic) == "float[N, min((16*H + W)//(2*W), 6), min((12*W + H)//(2*H), 8)]"
    assert errors(sizes("[N, H, W]", 6, 8, attributes='<keep_aspect_ratio_policy = "none">')) == ["attribute-value"]


def test_exactly_one_of_scales_and_sizes() -> None:
    both = "g (float[N, C] x) => (y) <float[{0}] s = {{{1}}}, int64[2] z = {{3, 4}}> {{ y = Resize (x, , s, z) }}"
    assert errors(both.format(2, "1, 1")) == ["resize-target"]
    assert type_of(both.format(0, "")) == "float[3, 4]"
    assert errors("g (float[N, C] x) => (y) { y = Resize (x) }") == ["resize-target"]
    unknown = "g (float[N, C] x, float[{}] s, int64[{}] z) => (y) {{ y = Resize (x, , s, z) }}"
    assert type_of(unknown.format("K", "L")) == "float[u0, u1]"
    assert type_of(unknown.format(0, 2)) == "float[u0, u1]"
    assert type_of(unknown.format("K", 2)) == "float[u0, u1]"
    assert type_of("g (float[] x, int64[3] z) => (y) { y = Resize (x, , , z) }") == "float[u0, u1, u2]"


def test_sizes_computed_in_the_graph() -> None:
    text = """g (float[N, C, H, W] x, float[A, B, P, Q] z) => (y)
    { s = Shape (z) y = Resize (x, , , s) }"""
    assert type_of(text) == "float[A, B, P, Q]"


def test_crop_and_resize_with_scales_is_decided_for_whole_regions_only() -> None:
    # The text multiplies by the extent of roi; ONNX Runtime, onnx.reference and the C++ inference do not.
    text = (
        "g (float[N, H] x) => (y) <float[4] r = {{0, 0, {}}}, float[2] s = {{1, 2}}> "
        '{{ y = Resize <coordinate_transformation_mode = "tf_crop_and_resize"> (x, r, s) }}'
    )
    assert type_of(text.format("1, 1")) == "float[N, 2*H]"
    assert type_of(text.format("1, 0.5")) == "float[N, u0]"


def test_modes() -> None:
    assert errors(scales("[N, H]", 1, 2, attributes='<mode = "bilinear">')) == ["attribute-value"]
    assert errors(scales("[N, H]", 1, 2, opset=10, attributes='<mode = "cubic">')) == ["attribute-value"]
    half = '<coordinate_transformation_mode = "half_pixel_symmetric">'
    assert errors(scales("[N, H]", 1, 2, attributes=half)) == []
    assert errors(scales("[N, H]", 1, 2, opset=18, attributes=half)) == ["attribute-value"]


def test_upsample() -> None:
    first = "g (float{} x) => (y) {{ y = Upsample <height_scale = {}, width_scale = 1.5> (x) }}"
    assert type_of(first.format("[N, C, H, W]", 2.0), opset=1) == "float[N, C, 2*H, (3*W)//2]"
    assert type_of(first.format("[]", 2.0), opset=1) == "float[u0, u1, u2, u3]"
    assert errors(model(first.format("[N, C, H]", 2.0), 1)) == ["rank"]
    assert errors(model(first.format("[N, C, H, W]", 0.5), 1)) == ["size-value"]
    seventh = "g (float[N, H] x) => (y) {{ y = Upsample <scales = [{}]> (x) }}"
    assert type_of(seventh.format("1.0, 2.0"), opset=7) == "float[N, 2*H]"
    assert errors(model(seventh.format("1.0"), 7)) == ["length"]
    assert errors(model(seventh.format("1.0, 0.5"), 7)) == ["size-value"]
    ninth = "g (float[N, H] x) => (y) <float[2] s = {{1, {}}}> {{ y = Upsample (x, s) }}"
    assert type_of(ninth.format(2), opset=9) == "float[N, 2*H]"
    assert errors(model(ninth.format(0.5), 9)) == ["size-value"]
    assert type_of("g (float[] x, float[3] s) => (y) { y = Upsample (x, s) }", opset=9) == "float[u0, u1, u2]"


@st.composite
def cases(draw: st.DrawFn) -> tuple[dict[str, Any], Array | None, Array | None]:
    attributes: dict[str, Any] = {"axes": draw(st.sampled_from([[2, 3], [3, 2], [-1, -2]]))}
    if draw(st.booleans()):
        one = st.one_of(st.sampled_from([0.5, 2.0, 1.5, 0.1, 0.7, 1 / 3, 0.6, 2.3]), st.floats(0.125, 4, width=32))
        return attributes, np.array([draw(one), draw(one)], np.float32), None
    attributes["axes"] = draw(st.sampled_from([[2, 3], [3, 2]]))  # ONNX Runtime goes wrong with negative ones here
    attributes["keep_aspect_ratio_policy"] = draw(st.sampled_from(["stretch", "not_larger", "not_smaller"]))
    return attributes, None, np.array([draw(st.integers(1, 12)), draw(st.integers(1, 12))], np.int64)


@settings(max_examples=120, deadline=None)
@given(cases(), st.lists(st.integers(1, 30), min_size=2, max_size=2), st.booleans())
def test_claims_hold_whenever_onnxruntime_runs(
    case: tuple[dict[str, Any], Array | None, Array | None], image: list[int], symbolic: bool
) -> None:
    attributes, by, to = case
    declared: list[int | str] = [1, 1, *(["H", "W"] if symbolic else image)]
    proto = node_model("Resize", [(FLOAT, declared), None, by, to], 19, **attributes)
    feeds = {"x0": np.zeros((1, 1, *image), np.float32)}
    try:
        run(proto, feeds)
    except Exception:  # whatever the runtime refuses is no run
        assume(False)
    assert errors(proto) == []
    assert_rule_agrees(proto, feeds, run)


def run(proto: onnx.ModelProto, feeds: Feeds) -> list[Array]:
    copy = onnx.ModelProto()
    copy.CopyFrom(proto)
    copy.ir_version = 10
    return onnxruntime(copy, feeds)
