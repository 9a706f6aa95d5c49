from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from shapeinfer.kernels import KernelError

Agrees = Callable[..., list[Any]]
Run = Callable[..., Any]
F32 = np.float32


@pytest.fixture
def run(run: Run) -> Run:
    """As elsewhere, of what can be made arrays."""
    return lambda op, inputs, *rest, **named: run(
        op, [i if i is None else np.asarray(i) for i in inputs], *rest, **named
    )


def some(rng: np.random.Generator, *shape: int, dtype: Any = np.uint8) -> Any:
    info = np.iinfo(dtype)
    return rng.integers(info.min, info.max + 1, shape).astype(dtype)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
def test_matmul_integer(agrees: Agrees, rng: np.random.Generator, dtype: Any) -> None:
    a, b = some(rng, 2, 3, 4), some(rng, 4, 5, dtype=dtype)
    agrees("MatMulInteger", [a, b], 10)
    agrees("MatMulInteger", [a, b, np.uint8(7), dtype(3)], 10)
    agrees("MatMulInteger", [a, b, np.uint8(7), some(rng, 5, dtype=dtype)], 10)


def test_zero_points_of_rows(run: Run, rng: np.random.Generator) -> None:
    a, b, rows = some(rng, 3, 4), some(rng, 4, 5), some(rng, 3)
    wanted = (a.astype(int) - rows[:, None].astype(int)) @ b.astype(int)
    assert run("MatMulInteger", [a, b, rows], 10).tolist() == wanted.tolist()


def test_sums_wrap_around(run: Run) -> None:
    a, b = np.full((1, 40000), 255, np.uint8), np.full((40000, 1), 255, np.uint8)
    total = 40000 * 255 * 255
    assert run("MatMulInteger", [a, b], 10).tolist() == [[(total + 2**31) % 2**32 - 2**31]]


@pytest.mark.parametrize("opset", [10, 21])
def test_qlinear_matmul(agrees: Agrees, rng: np.random.Generator, opset: int) -> None:
    a, b = some(rng, 2, 3, 4), some(rng, 4, 5)
    scalars = [F32(0.01), np.uint8(7)]
    agrees("QLinearMatMul", [a, *scalars, b, F32(0.02), np.uint8(100), F32(0.1), np.uint8(120)], opset)
    columns = rng.uniform(0.01, 0.03, 5).astype(F32)
    agrees("QLinearMatMul", [a, *scalars, b, columns, some(rng, 5), F32(0.1), np.uint8(120)], opset)


GEOMETRY: list[dict[str, Any]] = [
    {},
    {"pads": [1, 1, 1, 1]},
    {"strides": [2, 2], "dilations": [2, 1]},
    {"auto_pad": "SAME_UPPER"},
    {"group": 2},
]


@pytest.mark.parametrize("attributes", GEOMETRY)
def test_convolutions(agrees: Agrees, rng: np.random.Generator, attributes: dict[str, Any]) -> None:
    x, w = some(rng, 2, 4, 7, 6), some(rng, 6, 4 // attributes.get("group", 1), 3, 2)
    agrees("ConvInteger", [x, w, np.uint8(9), np.uint8(5)], 10, **attributes)
    scales = rng.uniform(0.01, 0.02, 6).astype(F32)
    zeros = np.full(6, 128, np.uint8)
    ends = [F32(0.05), np.uint8(128)]
    inputs = [x, F32(0.02), np.uint8(9), w, scales, zeros, *ends]
    agrees("QLinearConv", inputs, 10, **attributes)
    agrees("QLinearConv", [*inputs, rng.integers(-999, 999, 6).astype(np.int32)], 10, **attributes)


def test_what_does_not_fit(run: Run, rng: np.random.Generator) -> None:
    a, b = some(rng, 3, 4), some(rng, 4, 5)
    for bad in ([a, b[1:]], [a, b, some(rng, 2)], [a, b, None, some(rng, 4)], [np.uint8(1), b]):
        with pytest.raises(KernelError):
            run("MatMulInteger", bad, 10)
    with pytest.raises(KernelError, match="filters"):
        run("ConvInteger", [some(rng, 1, 1, 3, 3), some(rng, 2, 1, 2, 2), None, some(rng, 3)], 10)
