from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from shapeinfer.kernels import KernelError
from tests.kernels.domains import agrees, run

MS = "com.microsoft"
Array = NDArray[Any]


def singles(values: Any) -> Array:
    return np.array(values, dtype=np.float32)


def whole(values: Any) -> Array:
    return np.array(values, dtype=np.int32)


def floats(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng((seed, *shape)).standard_normal(shape).astype(np.float32)


def test_matrices() -> None:
    agrees(MS, "Inverse", [floats(2, 3, 3)], rtol=1e-3)
    agrees(MS, "Trilu", [floats(2, 3, 4)], upper=0)
    agrees(MS, "Trilu", [floats(2, 3, 4), np.array(1)])
    for metric in ("euclidean", "sqeuclidean"):
        agrees(MS, "CDist", [floats(3, 4), floats(2, 4)], metric=metric)
    with pytest.raises(KernelError, match="no square"):
        run(MS, "Inverse", [floats(2, 3)])
    with pytest.raises(KernelError, match="singular"):
        run(MS, "Inverse", [np.zeros((2, 2), np.float32)])


def test_unique() -> None:
    agrees(MS, "Unique", [singles([3, 1, 3, 2, 1])], 3)
    agrees(MS, "Unique", [np.zeros(0, np.float32)], 3)


def test_slices() -> None:
    x = floats(2, 5, 3)
    agrees(MS, "ExpandDims", [x, np.array(-1, np.int32)])
    agrees(MS, "ExpandDims", [x, np.array(1, np.int32)])
    agrees(MS, "GatherND", [x, np.array([[0, 1], [1, -1]])])
    agrees(MS, "UnfoldTensor", [x], dim=1, size=2, step=2)
    agrees(MS, "UnfoldTensor", [x], size=3)
    agrees(MS, "Range", [np.array(1.0), np.array(4.0), np.array(0.7)])
    agrees(MS, "Range", [np.array(7), np.array(1), np.array(-2)])
    assert run(MS, "TorchEmbedding", [x[0], np.array([[4, 0]])]).tolist() == x[0][[[4, 0]]].tolist()
    with pytest.raises(KernelError, match="slices of 6"):
        run(MS, "UnfoldTensor", [x], dim=1, size=6)


@pytest.mark.parametrize("mode", ["constant", "reflect", "edge"])
def test_pad(mode: str) -> None:
    agrees(MS, "Pad", [floats(3, 4), np.array([1, 0, 2, 1]), singles([7])], mode=mode)


@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
@pytest.mark.parametrize("size", [(3, 4), (1, 2), (5, 5)])
def test_crop_and_resize(mode: str, size: tuple[int, int]) -> None:
    regions = singles([[0, 0, 1, 1], [0.1, 0.2, 0.72, 0.95], [-0.3, 0.2, 1.4, 0.5], [0.8, 0.9, 0.1, 0.2]])
    inputs = [floats(2, 3, 6, 5), regions, whole([0, 1, 1, 0]), whole(size)]
    agrees(MS, "CropAndResize", inputs, mode=mode, extrapolation_value=0.5)


def test_complex_product() -> None:  # only for GPUs in ONNX Runtime
    a, b = floats(3, 2), floats(3, 2, seed=1)
    left, right = a.view(np.complex64), b.view(np.complex64)
    np.testing.assert_allclose(run(MS, "ComplexMul", [a, b]).copy().view(np.complex64), left * right, rtol=1e-5)
    want = left * right.conj()
    np.testing.assert_allclose(run(MS, "ComplexMulConj", [a, b]).copy().view(np.complex64), want, rtol=1e-5)


@pytest.mark.parametrize("size", [1, 2, 3, 9])
def test_ngram_repeat_block(size: int) -> None:
    tokens = np.array([[1, 2, 3, 1, 2], [0, 0, 4, 0, 0]])
    agrees(MS, "NGramRepeatBlock", [tokens, floats(2, 6)], ngram_size=size)


def test_padding() -> None:  # only for GPUs in ONNX Runtime
    x = floats(2, 3, 4)
    got = run(MS, "RemovePadding", [x, whole([2, 1])], 4)
    assert got[0].tolist() == x[[0, 0, 1], [0, 1, 0]].tolist()
    assert [each.tolist() for each in got[1:]] == [[[0, 1, 3], [2, 4, 5]], [0, 2, 3], [2]]
    restored = run(MS, "RestorePadding", got[:2])
    assert restored.tolist() == (x * np.array([[1, 1, 0], [1, 0, 0]])[..., None]).tolist()


@pytest.mark.parametrize("source", [[1, 2, 3, 4, 5], [1, 2, 3, 1, 2], [3, 3, 3]])
@pytest.mark.parametrize("current", [[7, 2], [1, 2], [3]])
@pytest.mark.parametrize("predicted", [None, [3, 4, 9, 9, 9], [1, 2, 3, 1, 2, 6], [9, 4, 5, 6]])
def test_bifurcation_detector(source: list[int], current: list[int], predicted: list[int] | None) -> None:
    for begin in (0, 2):
        inputs = [np.array(source), np.array(current), np.array(begin)]
        if predicted is not None:
            inputs.append(np.array([*predicted, 8, 8, 8, 8][: len(source) + 1 - begin]))
        agrees(MS, "BifurcationDetector", inputs, 2)


def test_early_operators() -> None:
    x = floats(1, 2, 4, 5)
    run_early = {"Affine": 2 * x + 1, "Scale": 2 * x, "ScaledTanh": 2 * np.tanh(x)}
    attributes: dict[str, dict[str, Any]] = {
        "Affine": {"alpha": 2.0, "beta": 1.0}, "Scale": {"scale": 2.0}, "ScaledTanh": {"alpha": 2.0, "beta": 1.0},
    }  # fmt: skip
    for op, want in run_early.items():
        np.testing.assert_allclose(run("", op, [x], **attributes[op]), want, rtol=1e-5)
    assert run("", "Crop", [x], border=[1, 0, 2, 1]).tolist() == x[:, :, 0:3, 1:3].tolist()
    assert run("", "ImageScaler", [x], bias=[1.0, 2.0]).shape == x.shape
