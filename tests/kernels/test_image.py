from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from shapeinfer.kernels import KernelError

Agrees = Callable[..., list[Any]]
Run = Callable[..., Any]
F32 = np.float32


def ints(*values: int) -> Any:
    return np.array(values, np.int64)


def boxes(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    first = rng.uniform(0, 10, (2, n, 2))
    return np.concatenate((first, first + rng.uniform(1, 6, (2, n, 2))), 2).astype(F32), rng.random((2, 3, n)).astype(
        F32
    )


@pytest.mark.parametrize("opset", [10, 11])
@pytest.mark.parametrize(
    ("most", "overlap", "score"), [(3, 0.3, 0.2), (100, 0.5, None), (100, None, 0.9), (0, 0.5, 0.1)]
)
def test_non_max_suppression(
    agrees: Agrees, rng: np.random.Generator, opset: int, most: int, overlap: float | None, score: float | None
) -> None:
    given, scores = boxes(rng, 30)
    rest = [None if each is None else np.array(each, F32) for each in (overlap, score)]
    agrees("NonMaxSuppression", [given, scores, np.array(most), *rest], opset)
    centred = np.concatenate(((given[..., :2] + given[..., 2:]) / 2, given[..., 2:] - given[..., :2]), 2)
    agrees("NonMaxSuppression", [centred, scores, np.array(most), *rest], opset, center_point_box=1)
    turned = given[..., [2, 1, 0, 3]]
    agrees("NonMaxSuppression", [turned, scores, np.array(most), *rest], opset)


def test_scores_at_the_threshold_stay(run: Run) -> None:
    # "Boxes with score less than score_threshold are removed"; ONNX Runtime removes equal ones too.
    given = [np.array([[[0, 0, 1, 1]]], F32), np.array([[[0.5]]], F32), np.array(1), None, np.array(0.5, F32)]
    assert run("NonMaxSuppression", given, 11).tolist() == [[0, 0, 0]]
    assert run("NonMaxSuppression", given[:2], 11).shape == (0, 3)
    with pytest.raises(KernelError, match="boxes"):
        run("NonMaxSuppression", [given[0], np.zeros((1, 1, 2), F32)], 11)


@pytest.mark.parametrize("mode", ["linear", "nearest", "cubic"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("aligned", [0, 1])
def test_grid_sample(agrees: Agrees, rng: np.random.Generator, mode: str, padding: str, aligned: int) -> None:
    x, grid = rng.standard_normal((2, 3, 5, 4)).astype(F32), rng.uniform(-1.8, 1.8, (2, 6, 7, 2)).astype(F32)
    given = {"padding_mode": padding, "align_corners": aligned}
    early = {"linear": "bilinear", "cubic": "bicubic"}.get(mode, mode)
    agrees("GridSample", [x, grid], 16, mode=early, rtol=1e-3, atol=1e-4, **given)
    agrees("GridSample", [x, grid], 22, like=20, mode=mode, rtol=1e-3, atol=1e-4, **given)
    if mode != "cubic":
        volume, points = rng.standard_normal((1, 2, 3, 4, 5)).astype(F32), rng.uniform(-1.5, 1.5, (1, 2, 3, 4, 3))
        agrees("GridSample", [volume, points.astype(F32)], 20, mode=mode, rtol=1e-3, atol=1e-4, **given)


def test_grid_sample_of_other_elements(run: Run) -> None:
    grid = np.array([[[[-1, -1], [9, 9]]]], F32)
    names = np.array([[[["a", "b"], ["c", "d"]]]], object)
    assert run("GridSample", [names, grid], 20, mode="nearest", align_corners=1).tolist() == [[[["a", ""]]]]
    numbers = np.array([[[[1, 2], [3, 5]]]], np.int32)
    assert run("GridSample", [numbers, grid * 0], 20).tolist() == [[[[2, 2]]]]  # 2.75 cut to an integer
    for bad in ([names, grid], [numbers, grid[..., :1]], [numbers[0], grid]):
        with pytest.raises(KernelError):
            run("GridSample", bad, 20)


@pytest.mark.parametrize("aligned", [0, 1])
@pytest.mark.parametrize("size", [(2, 3, 4, 5), (2, 3, 4, 5, 6)])
def test_affine_grid(agrees: Agrees, rng: np.random.Generator, aligned: int, size: tuple[int, ...]) -> None:
    theta = rng.standard_normal((2, len(size) - 2, len(size) - 1)).astype(F32)
    agrees("AffineGrid", [theta, ints(*size)], 20, align_corners=aligned, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("attributes", [{}, {"sampling_ratio": 3}, {"mode": "max", "sampling_ratio": 2}])
@pytest.mark.parametrize("half", ["half_pixel", "output_half_pixel"])
def test_roi_align(agrees: Agrees, rng: np.random.Generator, attributes: dict[str, Any], half: str) -> None:
    x = rng.standard_normal((2, 3, 12, 10)).astype(F32)
    first = rng.uniform(-2, 14, (6, 2))
    rois = np.concatenate((first, first + rng.uniform(0.1, 12, (6, 2))), 1).astype(F32)
    given = {"output_height": 3, "output_width": 2, "spatial_scale": 0.7, **attributes}
    inputs = [x, rois, rng.integers(0, 2, 6)]
    agrees("RoiAlign", inputs, 16, coordinate_transformation_mode=half, rtol=1e-3, atol=1e-4, **given)
    agrees("RoiAlign", inputs, 22, like=16, coordinate_transformation_mode=half, rtol=1e-3, atol=1e-4, **given)
    if half != "half_pixel":
        agrees("RoiAlign", inputs, 10, rtol=1e-3, atol=1e-4, **given)


def test_max_roi_pool(agrees: Agrees, run: Run, rng: np.random.Generator) -> None:
    x = rng.standard_normal((2, 3, 12, 10)).astype(F32)
    rois = np.array([[0, 0, 0, 9, 11], [1, 2, 3, 2, 3], [1, 5, 1, 8, 7], [0, 8, 8, 30, 30]], F32)
    for opset in (1, 22):
        agrees("MaxRoiPool", [x, rois], opset, like=7, pooled_shape=[3, 2])
        agrees("MaxRoiPool", [x, rois], opset, like=7, pooled_shape=[2, 2], spatial_scale=0.5)
    with pytest.raises(KernelError, match="not one of 2"):
        run("MaxRoiPool", [x, rois + 2], 22, pooled_shape=[2, 2])


DEFORMED: list[dict[str, Any]] = [
    {},
    {"pads": [1, 0, 1, 2]},
    {"strides": [2, 1], "dilations": [1, 2]},
    {"group": 2},
    {"offset_group": 2},
]


@pytest.mark.parametrize("attributes", DEFORMED)
def test_deform_conv(agrees: Agrees, run: Run, rng: np.random.Generator, attributes: dict[str, Any]) -> None:
    groups = attributes.get("offset_group", 1)
    x = rng.standard_normal((2, 4, 6, 7)).astype(F32)
    w = rng.standard_normal((6, 4 // attributes.get("group", 1), 3, 2)).astype(F32)
    plain: dict[str, Any] = {key: value for key, value in attributes.items() if key != "offset_group"}
    out = run("Conv", [x, w], 22, **plain)
    zero = np.zeros((2, groups * 12, *out.shape[2:]), F32)
    np.testing.assert_allclose(run("DeformConv", [x, w, zero], 22, **attributes), out, rtol=1e-4, atol=1e-4)
    offset: Any = rng.uniform(-3, 3, zero.shape)
    offset = offset.astype(F32)
    mask: Any = rng.random((2, groups * 6, *out.shape[2:])).astype(F32)
    bias = rng.standard_normal((6,)).astype(F32)
    agrees("DeformConv", [x, w, offset, bias, mask], 22, like=19, rtol=1e-3, atol=1e-4, **attributes)
    with pytest.raises(KernelError, match="offset is"):
        run("DeformConv", [x, w, offset[:, 1:]], 19, **attributes)


@pytest.mark.parametrize("attributes", [{}, {"pads": [1, 1, 0, 1]}, {"strides": [2, 2]}, {"dilations": [2, 1]}])
def test_col2im(agrees: Agrees, run: Run, rng: np.random.Generator, attributes: dict[str, Any]) -> None:
    image, block = ints(6, 5), ints(2, 3)
    pads, steps = attributes.get("pads", [0] * 4), attributes.get("strides", [1, 1])
    reach = [(b - 1) * d + 1 for b, d in zip((2, 3), attributes.get("dilations", [1, 1]), strict=True)]
    blocks = [(n + pads[i] + pads[i + 2] - reach[i]) // steps[i] + 1 for i, n in enumerate((6, 5))]
    x = rng.standard_normal((2, 3 * 6, blocks[0] * blocks[1])).astype(F32)
    agrees("Col2Im", [x, image, block], 18, **attributes)
    with pytest.raises(KernelError, match="blocks of"):
        run("Col2Im", [x[..., 1:], image, block], 18, **attributes)


def test_crop_and_pad_around_the_centre(agrees: Agrees, run: Run, rng: np.random.Generator) -> None:
    x = rng.standard_normal((5, 6, 3)).astype(F32)
    for shape, axes in (((2, 9, 3), None), ((4, 3), [0, 1]), ((8,), [-1])):
        agrees("CenterCropPad", [x, ints(*shape)], 18, **({} if axes is None else {"axes": axes}))
    assert run("CenterCropPad", [np.array(["a"], object), ints(2)], 18).tolist() == ["a", ""]
    with pytest.raises(KernelError, match="axes"):
        run("CenterCropPad", [x, ints(1)], 18)


@pytest.mark.parametrize("opset", [9, 11, 22])
def test_max_unpool(agrees: Agrees, run: Run, rng: np.random.Generator, opset: int) -> None:
    x = rng.standard_normal((2, 3, 6, 8)).astype(F32)
    given = {"kernel_shape": [2, 2], "strides": [2, 2]}
    pooled, places = run("MaxPool", [x], 12, 2, **given)
    image = agrees("MaxUnpool", [pooled, places], opset, like=11, **given)[0]
    assert np.array_equal(image[image != 0], x[image != 0])
    assert np.count_nonzero(image) == pooled.size
    larger = run("MaxUnpool", [pooled, places, ints(2, 3, 7, 8)], opset, **given)
    assert larger.shape == (2, 3, 7, 8)
    for bad in ([pooled, places + 999], [pooled, places[:1]], [pooled, places, ints(2, 3, 5, 8)]):
        with pytest.raises(KernelError):
            run("MaxUnpool", bad, opset, **given)
