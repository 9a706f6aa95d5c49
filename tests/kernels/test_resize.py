from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from shapeinfer.kernels import KernelError

Agrees = Callable[..., list[Any]]
Run = Callable[..., Any]
COORDINATES = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric")
NEAREST = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")


def floats(*values: float) -> Any:
    return np.array(values, np.float32)


@pytest.fixture
def image(rng: np.random.Generator) -> Any:
    return rng.standard_normal((1, 2, 4, 6)).astype(np.float32)


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("nearest", NEAREST)
@pytest.mark.parametrize("scale", [2.0, 0.5, 1.5])
def test_nearest(agrees: Agrees, image: Any, coordinates: str, nearest: str, scale: float) -> None:
    for opset in (11, 13, 18, 19):
        inputs = [image, None if opset > 11 else floats(), floats(1, 1, scale, scale)]
        agrees(
            "Resize", inputs, opset, nearest_mode=nearest, coordinate_transformation_mode=coordinates, mode="nearest"
        )


@pytest.mark.parametrize("coordinates", COORDINATES)
@pytest.mark.parametrize("mode", ["linear", "cubic"])
@pytest.mark.parametrize("sizes", [(10, 12), (3, 4), (7, 5), (1, 6)])
def test_sizes(agrees: Agrees, image: Any, coordinates: str, mode: str, sizes: tuple[int, int]) -> None:
    for opset in (11, 13, 19):
        empty = floats() if opset == 11 else None
        inputs = [image, empty, empty, np.array([1, 2, *sizes])]
        agrees("Resize", inputs, opset, rtol=1e-4, atol=1e-4, mode=mode, coordinate_transformation_mode=coordinates)


@pytest.mark.parametrize("mode", ["linear", "cubic"])
@pytest.mark.parametrize("scale", [2.0, 0.6, 1.3])
def test_scales(agrees: Agrees, image: Any, mode: str, scale: float) -> None:
    for coordinates in ("half_pixel", "asymmetric"):
        inputs = [image, None, floats(1, 1, scale, scale)]
        agrees("Resize", inputs, 13, rtol=1e-3, atol=1e-3, mode=mode, coordinate_transformation_mode=coordinates)


def test_align_corners_with_a_fractional_length(run: Run) -> None:
    # 4 * 0.6 = 2.4 is rounded to 2, but onnx's own test data place the second element at 3 / 1.4, not at 3 / 1 as
    # ONNX Runtime does: "output_width can be a fractional number" in the text of version 19.
    x = np.arange(1, 5, dtype=np.float32).reshape(1, 1, 1, 4)
    scales = floats(1, 1, 1, 0.6)
    result = run("Resize", [x, None, scales], 19, mode="linear", coordinate_transformation_mode="align_corners")
    np.testing.assert_allclose(result.reshape(-1), [1, 1 + 3 / 1.4], rtol=1e-5)


@pytest.mark.parametrize("policy", ["not_larger", "not_smaller", "stretch"])
@pytest.mark.parametrize("mode", ["nearest", "linear"])
def test_aspect_ratio(agrees: Agrees, image: Any, policy: str, mode: str) -> None:
    for opset in (18, 19):
        inputs = [image, None, None, np.array([7, 9])]
        agrees("Resize", inputs, opset, rtol=1e-4, mode=mode, axes=[2, 3], keep_aspect_ratio_policy=policy)


def test_aspect_ratio_rounds_half_up(run: Run) -> None:
    x = np.zeros((5, 2), np.float32)
    assert run("Resize", [x, None, None, np.array([9, 1])], 18, keep_aspect_ratio_policy="not_larger").shape == (3, 1)


@pytest.mark.parametrize("mode", ["linear", "cubic"])
@pytest.mark.parametrize("exclude", [0, 1])
def test_excluded_outside(run: Run, mode: str, exclude: int) -> None:
    x = np.ones((1, 1, 4, 4), np.float32)
    result = run("Resize", [x, None, floats(1, 1, 0.8, 1.7)], 18, mode=mode, exclude_outside=exclude)
    np.testing.assert_allclose(result, 1, rtol=1e-6)


@pytest.mark.parametrize("mode", ["linear", "cubic"])
def test_antialias_averages_when_the_axis_shrinks(run: Run, mode: str) -> None:
    x = np.tile(np.array([0.0, 1.0], np.float32), 8).reshape(1, 1, 1, 16)
    plain = run("Resize", [x, None, floats(1, 1, 1, 0.25)], 18, mode=mode)
    smooth = run("Resize", [x, None, floats(1, 1, 1, 0.25)], 18, mode=mode, antialias=1)
    assert smooth.std() < 0.1
    grown = [run("Resize", [x, None, floats(1, 1, 1, 2)], 18, mode=mode, antialias=each) for each in (0, 1)]
    np.testing.assert_allclose(grown[0], grown[1], rtol=1e-6)
    assert plain.shape == smooth.shape


@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
def test_a_region_of_interest(agrees: Agrees, image: Any, mode: str) -> None:
    roi = floats(0, 0, 0.42, 0.63, 1, 1, 0.83, 1.13)
    inputs = [image, roi, floats(), np.array([1, 2, 3, 4])]
    attributes = {"coordinate_transformation_mode": "tf_crop_and_resize", "extrapolation_value": 10.0}
    agrees("Resize", inputs, 11, rtol=1e-3, atol=1e-3, mode=mode, **attributes)
    part = [image, floats(0.42, 0.63, 0.83, 1.13), None, np.array([3, 4])]
    whole = agrees(
        "Resize", [image, roi, None, np.array([1, 2, 3, 4])], 13, rtol=1e-3, atol=1e-3, mode=mode, **attributes
    )
    axes = agrees("Resize", part, 18, rtol=1e-3, atol=1e-3, mode=mode, axes=[2, 3], **attributes)
    np.testing.assert_allclose(whole[0], axes[0], rtol=1e-5)


def test_scales_of_a_region(run: Run, image: Any) -> None:
    roi = floats(0, 0, 0, 0, 1, 1, 0.5, 0.5)
    result = run("Resize", [image, roi, floats(1, 1, 2, 2)], 11, coordinate_transformation_mode="tf_crop_and_resize")
    assert result.shape == (1, 2, 4, 6)


@pytest.mark.parametrize("mode", ["nearest", "linear"])
@pytest.mark.parametrize("scale", [1.0, 2.0, 3.0, 2.5])
def test_upsample(agrees: Agrees, run: Run, image: Any, mode: str, scale: float) -> None:
    expected = agrees("Upsample", [image, floats(1, 1, scale, scale)], 9, rtol=1e-4, atol=1e-5, mode=mode)[0]
    agrees("Upsample", [image], 7, rtol=1e-4, atol=1e-5, mode=mode, scales=[1.0, 1.0, scale, scale])
    agrees("Resize", [image, floats(1, 1, scale, scale)], 10, rtol=1e-4, atol=1e-5, mode=mode)
    first = run(
        "Upsample", [image], 1, mode="bilinear" if mode == "linear" else mode, height_scale=scale, width_scale=scale
    )
    assert first.tolist() == expected.tolist()


def test_elements_that_are_not_numbers(run: Run) -> None:
    words = np.array(["a", "b"], object)
    assert run("Resize", [words, None, floats(2)], 13).tolist() == ["a", "a", "b", "b"]


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.float16, np.float64])
def test_other_types(run: Run, dtype: type) -> None:
    x: Any = np.array([0, 10], dtype)
    result = run(
        "Resize", [x, None, None, np.array([3])], 13, mode="linear", coordinate_transformation_mode="align_corners"
    )
    assert result.dtype == dtype
    assert result.tolist() == [0, 5, 10]


def test_no_elements(run: Run) -> None:
    x = np.zeros((0, 2), np.float32)
    assert run("Resize", [x, None, floats(2, 2)], 13, mode="linear").shape == (0, 4)
    with pytest.raises(KernelError, match="size 0 cannot be resized"):
        run("Resize", [x, None, None, np.array([1, 2])], 13)


@pytest.mark.parametrize(
    ("inputs", "attributes", "message"),
    [
        ([None, None], {}, "one of scales and sizes"),
        ([None, floats(1, 1), np.array([1, 1])], {}, "one of scales and sizes"),
        ([None, floats(1)], {}, "must be 2 positive numbers"),
        ([None, floats(1, 0)], {}, "must be 2 positive numbers"),
        ([None, None, np.array([1])], {}, "must be 2 sizes"),
        ([None, floats(1, 2)], {"mode": "area"}, "no mode 'area'"),
        ([None, floats(1, 2)], {"nearest_mode": "up"}, "no nearest_mode 'up'"),
        ([None, floats(1, 2)], {"coordinate_transformation_mode": "x"}, "no coordinate_transformation_mode"),
        ([None, floats(1, 2)], {"coordinate_transformation_mode": "tf_crop_and_resize"}, "needs a roi"),
        ([None, None, np.array([1, 1])], {"keep_aspect_ratio_policy": "x"}, "no keep_aspect_ratio_policy"),
    ],
)
def test_what_does_not_fit(run: Run, inputs: list[Any], attributes: dict[str, Any], message: str) -> None:
    with pytest.raises(KernelError, match=message):
        run("Resize", [np.zeros((2, 2), np.float32), *inputs], 19, **attributes)
