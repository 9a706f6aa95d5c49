from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from onnx import TensorProto

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


def f32(*values: float) -> Any:
    return np.array(values, F32)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8])
@pytest.mark.parametrize("opset", [10, 13, 19, 21])
def test_quantize(agrees: Agrees, rng: np.random.Generator, dtype: type, opset: int) -> None:
    x = (rng.standard_normal((3, 4, 5)) * 100).astype(F32)
    agrees("QuantizeLinear", [x, F32(0.5), dtype(3)], opset)
    agrees("QuantizeLinear", [x, F32(0.5)], opset)
    if opset > 10:
        scales: Any = f32(0.5, 1, 2, 3)
        zeros: Any = np.array([1, 0, 2, 3], dtype)
        agrees("QuantizeLinear", [x, scales, zeros], opset, axis=1)
        agrees("QuantizeLinear", [x, scales, zeros], opset, axis=-2)


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int32])
@pytest.mark.parametrize("opset", [10, 13, 19, 21, 23])
def test_dequantize(agrees: Agrees, rng: np.random.Generator, dtype: type, opset: int) -> None:
    x: Any = rng.integers(0, 100, (3, 4, 5)).astype(dtype)
    agrees("DequantizeLinear", [x, F32(0.5)], opset)
    if dtype != np.int32:
        agrees("DequantizeLinear", [x, F32(0.5), dtype(3)], opset)
        if opset > 10:
            agrees("DequantizeLinear", [x, f32(0.5, 1, 2, 3), np.array([1, 0, 2, 3], dtype)], opset, axis=1)


@pytest.mark.parametrize("block", [2, 3])
def test_blocks(agrees: Agrees, rng: np.random.Generator, block: int) -> None:
    x = (rng.standard_normal((3, 5)) * 10).astype(F32)
    scales = rng.uniform(0.5, 2, (3, -(-5 // block))).astype(F32)
    zeros = rng.integers(0, 9, scales.shape).astype(np.uint8)
    y = agrees("QuantizeLinear", [x, scales, zeros], 21, axis=1, block_size=block)[0]
    agrees("DequantizeLinear", [y, scales, zeros], 21, axis=1, block_size=block)


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        (ml_dtypes.int4, [-8, -2, 0, 2, 7]),
        (ml_dtypes.uint4, [0, 0, 0, 2, 15]),
        (ml_dtypes.int2, [-2, -2, 0, 1, 1]),
        (ml_dtypes.uint2, [0, 0, 0, 2, 3]),
        (np.int16, [-32768, -2, 0, 2, 32767]),
        (ml_dtypes.float4_e2m1fn, [-6, -2.5, 0, 1.5, 6]),
        (ml_dtypes.float8_e4m3fn, [-448, -2.5, 0.5, 1.5, 448]),
    ],
)
def test_ranges(run: Run, dtype: type, expected: list[float]) -> None:
    # Halves go to the even neighbour, 2.5 to 2; floats are not rounded to integers first.
    x = f32(-1e6, -2.5, 0.5, 1.5, 1e6)
    y = run("QuantizeLinear", [x, F32(1), np.zeros((), dtype)], 28)
    wanted = np.array(expected, F32) if dtype != ml_dtypes.float4_e2m1fn else np.array([-6, -2, 0.5, 1.5, 6], F32)
    assert y.dtype == np.dtype(dtype)
    assert y.astype(F32).tolist() == wanted.tolist()


def test_float8_without_saturation(run: Run) -> None:
    zero = np.zeros((), ml_dtypes.float8_e5m2)
    assert np.isinf(run("QuantizeLinear", [f32(1e9), F32(1), zero], 19, saturate=0).astype(F32)).all()
    assert run("QuantizeLinear", [f32(1e9), F32(1), zero], 19).astype(F32).tolist() == [57344]


def test_types_by_attribute(run: Run) -> None:
    y = run("QuantizeLinear", [f32(3, -4), F32(2)], 21, output_dtype=int(TensorProto.INT8))
    assert y.dtype == np.int8
    assert y.tolist() == [2, -2]
    x = run("DequantizeLinear", [y, F32(2)], 23, output_dtype=int(TensorProto.FLOAT16))
    assert x.dtype == np.float16
    with pytest.raises(KernelError, match="output_dtype is int8"):
        run("QuantizeLinear", [f32(3), F32(2), np.uint8(1)], 21, output_dtype=int(TensorProto.INT8))


def test_precision_of_the_quotient(run: Run) -> None:
    # 2049 is not a float16; the scale's type, or the attribute, decides.
    x, zero = f32(2049), np.zeros((), np.int16)
    assert run("QuantizeLinear", [x, np.float16(1), zero], 23).tolist() == [2048]
    assert run("QuantizeLinear", [x, np.float16(1), zero], 23, precision=1).tolist() == [2049]


def test_a_scale_of_powers_of_two(run: Run) -> None:
    scale = np.array(2.0, F32).astype(ml_dtypes.float8_e8m0fnu)
    assert run("QuantizeLinear", [f32(-6, 7), scale, np.int8(0)], 28).tolist() == [-3, 4]


@pytest.mark.parametrize(
    ("scale", "attributes"),
    [
        (f32(1, 2, 3), {}),
        (np.ones((2, 2), F32), {}),
        (np.ones((2, 3), F32), {"block_size": 3}),
        (f32(1, 2), {"axis": 4}),
    ],
)
def test_what_does_not_fit(run: Run, scale: Any, attributes: dict[str, int]) -> None:
    for op, x in (("QuantizeLinear", np.ones((2, 4), F32)), ("DequantizeLinear", np.ones((2, 4), np.uint8))):
        with pytest.raises(KernelError):
            run(op, [x, scale], 21, **attributes)


def test_dynamic(agrees: Agrees, run: Run, rng: np.random.Generator) -> None:
    for x in (rng.standard_normal((3, 4)), rng.uniform(1, 2, 5), -rng.uniform(1, 2, (2, 2))):
        agrees("DynamicQuantizeLinear", [x.astype(F32)], 11, 3)
    assert [each.tolist() for each in run("DynamicQuantizeLinear", [f32(0, 0)], 11, 3)] == [[0, 0], 0, 0]
