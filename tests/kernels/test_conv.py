from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from shapeinfer.kernels import KernelError, conv

Agrees = Callable[..., list[Any]]
Run = Callable[..., Any]

GEOMETRY: list[tuple[tuple[int, ...], dict[str, Any]]] = [
    ((3,), {}),
    ((3,), {"strides": [2], "pads": [1, 0], "dilations": [2]}),
    ((3, 3), {}),
    ((1, 1), {"strides": [2, 2]}),
    ((3, 2), {"strides": [2, 1], "pads": [1, 0, 2, 1], "dilations": [1, 2]}),
    ((3, 3), {"auto_pad": "SAME_UPPER", "strides": [2, 2]}),
    ((2, 2), {"auto_pad": "SAME_LOWER"}),
    ((3, 3), {"auto_pad": "VALID", "strides": [2, 3]}),
    ((2, 1, 3), {"pads": [1, 0, 1, 0, 0, 1], "strides": [1, 2, 2]}),
]
GROUPS = [(1, 3, 4), (2, 4, 6), (4, 4, 4), (4, 4, 8), (3, 3, 3)]


def tensors(rng: np.random.Generator, shape: tuple[int, ...], group: tuple[int, int, int], transpose: bool) -> Any:
    count, channels, maps = group
    sizes = (7, 8, 6)[: len(shape)]
    x = rng.standard_normal((2, channels, *sizes)).astype(np.float32)
    outer, inner = (channels, maps // count) if transpose else (maps, channels // count)
    w = rng.standard_normal((outer, inner, *shape)).astype(np.float32)
    return x, w, rng.standard_normal(maps).astype(np.float32)


@pytest.mark.parametrize(("shape", "attributes"), GEOMETRY)
@pytest.mark.parametrize("group", GROUPS)
def test_conv(
    agrees: Agrees,
    rng: np.random.Generator,
    shape: tuple[int, ...],
    attributes: dict[str, Any],
    group: tuple[int, int, int],
) -> None:
    x, w, b = tensors(rng, shape, group, transpose=False)
    agrees("Conv", [x, w], 22, rtol=1e-4, atol=1e-4, group=group[0], **attributes)
    for opset in (1, 11, 22):
        agrees("Conv", [x, w, b], opset, rtol=1e-4, atol=1e-4, like=max(opset, 7), group=group[0], **attributes)


def test_images_are_taken_one_by_one_where_memory_is_short(
    agrees: Agrees, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(conv, "COLUMN_LIMIT", 1)
    x, w, b = tensors(rng, (3, 3), (2, 4, 6), transpose=False)
    agrees("Conv", [x, w, b], 11, rtol=1e-4, atol=1e-4, group=2)


def test_narrow_floats(run: Run, rng: np.random.Generator) -> None:
    x, w, b = tensors(rng, (3, 3), (1, 3, 4), transpose=False)
    exact = run("Conv", [x, w, b], 22)
    for dtype in (np.float16, ml_dtypes.bfloat16):
        result = run("Conv", [x.astype(dtype), w.astype(dtype), b.astype(dtype)], 22)
        assert result.dtype == dtype
        np.testing.assert_allclose(result.astype(np.float32), exact, rtol=0.05, atol=0.1)


def test_a_batch_of_nothing(run: Run) -> None:
    x, w = np.zeros((0, 3, 5, 5), np.float32), np.zeros((2, 3, 3, 3), np.float32)
    assert run("Conv", [x, w], 11).shape == (0, 2, 3, 3)
    assert run("ConvTranspose", [x, np.zeros((3, 2, 3, 3), np.float32)], 11).shape == (0, 2, 7, 7)


@pytest.mark.parametrize(
    ("shapes", "attributes", "message"),
    [
        (((1, 3, 5, 5), (2, 4, 3, 3)), {}, "do not fit"),
        (((1, 4, 5, 5), (3, 2, 3, 3)), {"group": 2}, "do not fit group 2"),
        (((1, 3, 5, 5), (2, 3, 3)), {}, "do not fit"),
        (((1, 3), (2, 3)), {}, r"must be \[N, C, D1, ...\]"),
        (((1, 3, 5, 5), (2, 3, 3, 3)), {"kernel_shape": [2, 2]}, "kernel_shape"),
        (((1, 3, 5, 5), (2, 3, 3, 3)), {"strides": [1]}, "strides"),
        (((1, 3, 5, 5), (2, 3, 3, 3)), {"strides": [0, 1]}, "strides"),
        (((1, 3, 5, 5), (2, 3, 3, 3)), {"pads": [0, 1]}, "pads"),
        (((1, 3, 5, 5), (2, 3, 3, 3)), {"auto_pad": "SAME"}, "auto_pad"),
        (((1, 3, 5, 5), (2, 3, 3, 3)), {"auto_pad": "VALID", "pads": [1, 1, 1, 1]}, "exclude each other"),
        (((1, 3, 2, 2), (2, 3, 5, 5)), {}, "does not fit"),
    ],
)
def test_what_does_not_fit(run: Run, shapes: Any, attributes: dict[str, Any], message: str) -> None:
    with pytest.raises(KernelError, match=message):
        run("Conv", [np.zeros(shape, np.float32) for shape in shapes], 11, **attributes)


@pytest.mark.parametrize(
    ("shape", "attributes"),
    [
        ((3,), {"strides": [2], "pads": [1, 0]}),
        ((3, 3), {}),
        ((3, 2), {"strides": [2, 3], "pads": [1, 0, 1, 1], "output_padding": [1, 2]}),
        ((3, 3), {"strides": [2, 2], "dilations": [2, 1]}),
        ((3, 3), {"auto_pad": "SAME_UPPER", "strides": [2, 2]}),
        ((3, 3), {"auto_pad": "SAME_LOWER", "strides": [2, 2]}),
        ((2, 2), {"strides": [2, 2], "output_shape": [14, 15]}),
        ((2, 1, 3), {"strides": [1, 2, 2], "pads": [0, 0, 1, 0, 0, 1]}),
    ],
)
@pytest.mark.parametrize("group", GROUPS[:3])
def test_conv_transpose(
    agrees: Agrees,
    rng: np.random.Generator,
    shape: tuple[int, ...],
    attributes: dict[str, Any],
    group: tuple[int, int, int],
) -> None:
    x, w, b = tensors(rng, shape, group, transpose=True)
    for opset in (1, 11, 22):
        like = max(opset, 11)
        agrees("ConvTranspose", [x, w, b], opset, rtol=1e-4, atol=1e-4, like=like, group=group[0], **attributes)


def test_conv_transpose_to_the_size_that_the_specification_says(run: Run) -> None:
    # SAME_UPPER: output_shape = input_shape * strides. ONNX Runtime gives 7 here, the kernel being less than a stride.
    x, w = np.ones((1, 1, 3), np.float32), np.ones((1, 1, 1), np.float32)
    assert run("ConvTranspose", [x, w], 11, auto_pad="SAME_UPPER", strides=[3]).shape == (1, 1, 9)


def test_conv_transpose_undoes_the_shape_of_conv(run: Run, rng: np.random.Generator) -> None:
    x, w, _ = tensors(rng, (3, 3), (1, 3, 4), transpose=False)
    down = run("Conv", [x, w], 11, pads=[1, 1, 1, 1])
    assert run("ConvTranspose", [down, w], 11, pads=[1, 1, 1, 1]).shape == x.shape
