from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto

from tests.support import assert_rule_agrees, errors, graph, model, node_model, reference, requirements, type_of


@pytest.mark.parametrize("opset", [1, 11, 13, 28])
def test_depth_to_space(opset: int) -> None:
    body = "y = DepthToSpace <blocksize = 2> (x)"
    assert type_of(graph("float[N, 12, H, W] x", body), opset=opset, ir=13) == "float[N, 3, 2*H, 2*W]"
    assert type_of(graph("float[N, C, H, W] x", body), opset=opset, ir=13) == "float[N, C//4, 2*H, 2*W]"
    assert type_of(graph("float[] x", body), opset=opset, ir=13) == "float[u0, u1, u2, u3]"
    assert errors(model(graph("float[N, 6, H, W] x", body), opset, 13)) == ["not-divisible"]
    assert errors(model(graph("float[N, 4, H] x", body), opset, 13)) == ["rank"]
    assert requirements(model(graph("float[N, C, H, W] x", body), opset, 13)) == ["C % 4 == 0"]


@pytest.mark.parametrize("opset", [1, 13, 28])
def test_space_to_depth(opset: int) -> None:
    body = "y = SpaceToDepth <blocksize = 2> (x)"
    assert type_of(graph("float[N, 3, H, 8] x", body), opset=opset, ir=13) == "float[N, 12, H//2, 4]"
    assert errors(model(graph("float[N, 3, 5, W] x", body), opset, 13)) == ["not-divisible"]
    assert errors(model(graph("float[N, 3, H, W] x", "y = SpaceToDepth <blocksize = 0> (x)"), opset, 13)) == [
        "size-value"
    ]


def test_modes_of_depth_to_space() -> None:
    text = graph("float[N, 4, H, W] x", 'y = DepthToSpace <blocksize = 2, mode = "XYZ"> (x)')
    assert errors(model(text, 13)) == ["attribute-value"]
    assert errors(model(text.replace("XYZ", "CRD"), 13)) == []
    text = graph("float[N, 4, H, 2] x", 'y = SpaceToDepth <blocksize = 2, mode = "CRD"> (x)')
    assert errors(model(text, 28, 13)) == []
    assert errors(model(text, 13)) == ["attribute-unknown"]


@pytest.mark.parametrize("opset", [16, 20, 22])
def test_grid_sample(opset: int) -> None:
    body = "y = GridSample (x, g)"
    assert type_of(graph("float[N, C, H, W] x, float[N, P, Q, 2] g", body), opset=opset) == "float[N, C, P, Q]"
    assert type_of(graph("float[] x, float[2, P, Q, 2] g", body), opset=opset) == "float[2, u0, P, Q]"
    assert type_of(graph("float[N, C, H, W] x, float[] g", body), opset=opset) == "float[N, C, u0, u1]"
    assert errors(model(graph("float[1, 3, 5, 5] x, float[2, 4, 4, 2] g", body), opset)) == ["sizes-differ"]
    assert errors(model(graph("float[1, 3, 5, 5] x, float[1, 4, 4, 3] g", body), opset)) == ["sizes-differ"]
    assert errors(model(graph("float[1, 3, 5, 5] x, float[1, 4, 2] g", body), opset)) == ["rank"]


def test_grid_sample_of_other_ranks_and_modes_came_with_20() -> None:
    volume = graph("float[N, C, D, H, W] x, float[N, A, P, Q, 3] g", "y = GridSample (x, g)")
    assert type_of(volume, opset=20) == "float[N, C, A, P, Q]"
    assert errors(model(volume, 16)) == ["rank"]
    assert type_of(graph("float[] x, float[] g", "y = GridSample (x, g)"), opset=16) == "float[u0, u1, u2, u3]"
    assert type_of(graph("float[] x, float[] g", "y = GridSample (x, g)"), opset=20) == "float[...]"
    text = graph("float[N, C, H, W] x, float[N, P, Q, 2] g", 'y = GridSample <mode = "linear"> (x, g)')
    assert errors(model(text, 16)) == ["attribute-value"]
    assert errors(model(text, 20)) == []


def test_affine_grid() -> None:
    sized = "g (float{} t) => (y) <int64[{}] s = {{{}}}> {{ y = AffineGrid (t, s) }}"
    assert type_of(sized.format("[N, 2, 3]", 4, "2, 3, 5, 6")) == "float[2, 5, 6, 2]"
    assert type_of(sized.format("[]", 5, "2, 3, 4, 5, 6")) == "float[2, 4, 5, 6, 3]"
    assert errors(sized.format("[N, 2, 3]", 5, "2, 3, 4, 5, 6")) == ["sizes-differ"]
    assert errors(sized.format("[1, 2, 3]", 4, "2, 3, 5, 6")) == ["sizes-differ"]
    assert errors(sized.format("[N, 2, 3]", 3, "2, 3, 5")) == ["length"]
    assert errors(sized.format("[N, 2]", 4, "2, 3, 5, 6")) == ["rank"]
    assert errors(sized.format("[N, 2, 3]", 4, "2, 3, 5, -6")) == ["size-value"]
    late = "g (float{} t, int64[{}] s) => (y) {{ y = AffineGrid (t, s) }}"
    assert type_of(late.format("[N, 3, 4]", "K")) == "float[N, u0, u1, u2, 3]"
    assert type_of(late.format("[N, M, 4]", "K")) == "float[N, u0, u1, u2, 3]"
    assert type_of(late.format("[N, K, L]", "4")) == "float[N, u0, u1, 2]"
    assert type_of(late.format("[]", "K")) == "float[...]"
    assert errors(late.format("[N, 4, 5]", "K")) == ["size-value"]


def test_center_crop_pad() -> None:
    sized = "g (float{} x) => (y) <int64[2] s = {{5, {}}}> {{ y = CenterCropPad {} (x, s) }}"
    assert type_of(sized.format("[H, W]", 7, "")) == "float[5, 7]"
    assert type_of(sized.format("[]", 7, "")) == "float[5, 7]"
    assert type_of(sized.format("[C, H, W]", 7, "<axes = [-1, 1]>")) == "float[C, 7, 5]"
    assert type_of(sized.format("[]", 7, "<axes = [-1, 1]>")) == "float[...]"
    assert errors(sized.format("[C, H, W]", 7, "")) == ["length"]
    assert errors(sized.format("[H, W]", -7, "")) == ["size-value"]
    assert errors(sized.format("[C, H, W]", 7, "<axes = [0, 3]>")) == ["axis-range"]
    assert errors(sized.format("[C, H, W]", 7, "<axes = [0, -3]>")) == ["repeated-axis"]
    assert type_of("g (float[C, H, W] x, int64[K] s) => (y) { y = CenterCropPad <axes = [0]> (x, s) }") == (
        "float[u0, H, W]"
    )


def test_image_decoder() -> None:
    assert type_of(graph("uint8[N] x", "y = ImageDecoder (x)")) == "uint8[u0, u1, 3]"
    assert type_of(graph("uint8[N] x", 'y = ImageDecoder <pixel_format = "Grayscale"> (x)')) == "uint8[u0, u1, 1]"
    assert errors(graph("uint8[N] x", 'y = ImageDecoder <pixel_format = "CMYK"> (x)')) == ["attribute-value"]
    assert errors(graph("uint8[N, 2] x", "y = ImageDecoder (x)")) == ["not-one-d"]


def test_reference_runs_as_claimed() -> None:
    elem = int(TensorProto.FLOAT)
    image = np.zeros((2, 8, 4, 6), np.float32)
    for op in ("DepthToSpace", "SpaceToDepth"):
        proto = node_model(op, [(elem, ["N", "C", "H", "W"])], 13, blocksize=2)
        assert_rule_agrees(proto, {"x0": image}, reference)
    crop = node_model("CenterCropPad", [(elem, ["N", "C", "H", "W"]), np.array([3, 9])], 18, axes=[1, -1])
    assert_rule_agrees(crop, {"x0": image}, reference)
    grid = node_model("GridSample", [(elem, ["N", "C", "H", "W"]), (elem, ["N", "P", "Q", 2])], 20)
    assert_rule_agrees(grid, {"x0": image, "x1": np.zeros((2, 3, 5, 2), np.float32)}, reference)
