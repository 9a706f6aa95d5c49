from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from onnx import TensorProto

from shapeinfer.kernels import KernelError
from shapeinfer.kernels.dtypes import SATURATING, element_type, to_dtype

Agrees = Callable[..., list[Any]]
Run = Callable[..., Any]
Versions = Callable[[str], list[int]]
T = TensorProto
NUMBERS = [T.FLOAT, T.DOUBLE, T.FLOAT16, T.INT8, T.INT16, T.INT32, T.INT64, T.UINT8, T.UINT16, T.UINT32, T.UINT64]
INF, NAN = float("inf"), float("nan")


def floats(*values: float) -> Any:
    return np.array(values, np.float32)


@pytest.mark.parametrize("source", NUMBERS)
@pytest.mark.parametrize("to", [*NUMBERS, T.BOOL, T.BFLOAT16])
def test_numbers(agrees: Agrees, source: int, to: int) -> None:
    x = np.array([0, 1, 100, 5]).astype(to_dtype(source))
    agrees("Cast", [x], 19, to=to)


def test_versions(run: Run, versions: Versions) -> None:
    assert run("Cast", [floats(1.9, -1.9)], 1, to="INT32").tolist() == [1, -1]
    for opset in versions("Cast")[1:]:
        assert run("Cast", [floats(1.9, -1.9)], opset, to=T.INT32).tolist() == [1, -1]
    for opset in versions("CastLike"):
        assert run("CastLike", [floats(1.9, -1.9), np.zeros(1, np.int32)], opset).dtype == np.int32


def test_whole_numbers_lose_their_higher_bits(run: Run) -> None:
    assert run("Cast", [np.array([200, -1, 511], np.int16)], 19, to=T.INT8).tolist() == [-56, -1, -1]
    assert run("Cast", [np.array([-1], np.int8)], 19, to=T.UINT64).tolist() == [2**64 - 1]
    assert run("Cast", [np.array([9, -9], np.int32)], 21, to=T.INT4).tolist() == [-7, 7]
    assert run("Cast", [np.array([17], np.int32)], 21, to=T.UINT4).tolist() == [1]


def test_too_large_floats_are_infinite(run: Run) -> None:
    assert run("Cast", [floats(1e30, -1e30)], 19, to=T.FLOAT16).tolist() == [INF, -INF]


@pytest.mark.parametrize("elem", [T.FLOAT, T.FLOAT16, T.BFLOAT16, T.FLOAT8E5M2])
def test_everything_but_zero_is_true(run: Run, elem: int) -> None:
    x = floats(0, -0.0, 0.5, NAN, -INF).astype(to_dtype(elem))
    assert run("Cast", [x], 19, to=T.BOOL).tolist() == [False, False, True, True, True]


@pytest.mark.parametrize("dtype", SATURATING)
def test_float8_saturates(run: Run, dtype: Any) -> None:
    largest = float(ml_dtypes.finfo(dtype).max)  # type: ignore[no-untyped-call]
    x = floats(1e6, -1e6, INF, -INF, 1, NAN)
    result = run("Cast", [x], 19, to=element_type(dtype)).astype(np.float32)
    assert result[:5].tolist() == [largest, -largest, largest, -largest, 1]
    assert np.isnan(result[5])


@pytest.mark.parametrize("dtype", SATURATING)
def test_float8_that_does_not_saturate(run: Run, dtype: Any) -> None:
    result = run("Cast", [floats(1e6, -INF)], 19, to=element_type(dtype), saturate=0).astype(np.float32)
    if dtype == ml_dtypes.float8_e5m2:
        assert result.tolist() == [INF, -INF]
    else:
        assert np.isnan(result).all()


@pytest.mark.parametrize(
    ("mode", "expected"), [("up", [1, 2, 2, 4, 0.5]), ("down", [1, 1, 1, 2, 0.5]), ("nearest", [1, 1, 2, 2, 0.5])]
)
def test_scales_are_rounded_to_powers_of_two(run: Run, mode: str, expected: list[float]) -> None:
    x = floats(1, 1.25, 1.5, 2.5, 0.5)
    result = run("Cast", [x], 24, to=T.FLOAT8E8M0, round_mode=mode)
    assert result.astype(np.float32).tolist() == expected


def test_scales_at_the_ends(run: Run) -> None:
    x = floats(0, NAN, INF)
    saturated = run("Cast", [x], 24, to=T.FLOAT8E8M0).view(np.uint8)
    assert saturated.tolist() == [0, 255, 254]
    assert run("Cast", [x], 24, to=T.FLOAT8E8M0, saturate=0, round_mode="nearest").view(np.uint8).tolist() == [255] * 3
    with pytest.raises(KernelError, match="no round_mode 'away'"):
        run("Cast", [x], 24, to=T.FLOAT8E8M0, round_mode="away")


def test_from_strings(run: Run) -> None:
    x = np.array(["3.14", "1e-5", "+INF", "-inf", "NaN", "1E8"], object)
    result = run("Cast", [x], 13, to=T.FLOAT)
    assert result[:4].tolist() == floats(3.14, 1e-5, INF, -INF).tolist()
    assert np.isnan(result[4])
    assert run("Cast", [np.array(["9223372036854775807", "100.5"], object)], 13, to=T.INT64).tolist() == [
        2**63 - 1,
        100,
    ]
    with pytest.raises(KernelError):
        run("Cast", [np.array(["Hello"], object)], 13, to=T.FLOAT)


def test_to_strings(run: Run) -> None:
    assert run("Cast", [floats(314.15926, 1, -0.5, INF, -INF, NAN)], 13, to=T.STRING).tolist() == [
        *("314.15927", "1", "-0.5", "INF", "-INF", "NaN"),
    ]
    assert run("Cast", [np.array([0.1])], 13, to=T.STRING).tolist() == ["0.1"]
    assert run("Cast", [np.array([-5])], 13, to=T.STRING).tolist() == ["-5"]
    assert run("Cast", [np.array([True, False])], 13, to=T.STRING).tolist() == ["1", "0"]
    half = np.array([0.1], ml_dtypes.bfloat16)
    assert run("Cast", [run("Cast", [half], 13, to=T.STRING)], 13, to=T.BFLOAT16).tolist() == half.tolist()


def test_what_is_no_type(run: Run) -> None:
    with pytest.raises(KernelError, match="99 is not an element type"):
        run("Cast", [floats(1)], 13, to=99)
    with pytest.raises(KernelError, match="no element type 'float'"):
        run("Cast", [floats(1)], 1, to="float")


def test_bit_cast(run: Run) -> None:
    assert run("BitCast", [floats(1)], 26, to=T.INT32).tolist() == [0x3F800000]
    assert run("BitCast", [np.array(-1, np.int8)], 26, to=T.UINT8).tolist() == 255
    with pytest.raises(KernelError, match="has not the width"):
        run("BitCast", [floats(1)], 26, to=T.INT64)
