"""Cast, CastLike and BitCast."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import ml_dtypes
import numpy as np
from onnx import TensorProto

from shapeinfer.kernels.dtypes import FLOAT8E8M0, LOW_PRECISION, SATURATING, STRING, Array, is_float, label, to_dtype
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.registry import kernel


@kernel("Cast", since=(1,))
def cast_by_name(input: Array, *, to: str) -> Array:
    """The elements in the type that is named as in ``TensorProto.DataType``."""
    names = dict(TensorProto.DataType.items())
    if to not in names:
        raise KernelError(f"there is no element type {to!r}")
    return cast(input, to=names[to])


@kernel("Cast", since=(6, 9, 13, 19, 21, 23, 24, 25, 28))
def cast(input: Array, *, to: int, saturate: int = 1, round_mode: str = "up") -> Array:
    """The elements in the type ``to``; ``saturate`` and ``round_mode`` are for 8-bit floats."""
    return _converted(input, to_dtype(to), bool(saturate), round_mode)


@kernel("CastLike", since=(15, 19, 21, 23, 24, 25))
def cast_like(input: Array, target_type: Array, *, saturate: int = 1, round_mode: str = "up") -> Array:
    """The elements in the type of the second input."""
    return _converted(input, target_type.dtype, bool(saturate), round_mode)


@kernel("BitCast", since=(26,))
def bit_cast(input: Array, *, to: int) -> Array:
    """The bits of each element read as another type of the same width."""
    wanted = to_dtype(to)
    if (
        STRING in (wanted, input.dtype)
        or wanted.itemsize != input.dtype.itemsize
        or _bits(wanted) != _bits(input.dtype)
    ):
        raise KernelError(f"{label(wanted)} has not the width of {label(input.dtype)}")
    return np.ascontiguousarray(input).reshape(input.shape).view(wanted)


def _bits(dtype: np.dtype[Any]) -> int:
    narrow = {"int4": 4, "uint4": 4, "float4e2m1": 4, "int2": 2, "uint2": 2}
    return narrow.get(label(dtype), 8 * dtype.itemsize)


def _converted(data: Array, wanted: np.dtype[Any], saturate: bool, round_mode: str) -> Array:
    if data.dtype == wanted:
        return data
    if wanted == STRING:
        return _as_strings(data)
    if data.dtype == STRING:
        data = _parsed(data, wanted)
    if wanted == np.bool_:
        return np.asarray(np.not_equal(data.astype(np.float32) if data.dtype in LOW_PRECISION else data, 0))
    if wanted == FLOAT8E8M0:
        return _as_scale(data, saturate, round_mode)
    if wanted in SATURATING and saturate:
        limit = float(ml_dtypes.finfo(wanted).max)  # type: ignore[no-untyped-call]
        return np.clip(data.astype(np.float64), -limit, limit).astype(np.float32).astype(wanted)
    if not is_float(wanted) and data.dtype in LOW_PRECISION:
        data = data.astype(np.float32)
    if label(wanted) in ("int4", "uint4", "int2", "uint2"):
        return data.astype(np.int64).astype(np.int8).astype(wanted)
    return data.astype(wanted)


def _as_scale(data: Array, saturate: bool, round_mode: str) -> Array:
    """Rounded to a power of two: the exponent is stored with a bias of 127, and 255 stands for NaN."""
    fraction, exponent = np.frexp(data.astype(np.float64))
    if round_mode == "up":
        exponent = exponent - (fraction == 0.5)
    elif round_mode == "down":
        exponent = exponent - 1
    elif round_mode == "nearest":
        exponent = exponent - (fraction < 0.75)
    else:
        raise KernelError(f"there is no round_mode {round_mode!r}")
    biased = np.where(np.isposinf(fraction), 255, np.where(fraction == 0, -1, exponent + 127))
    if saturate:
        biased = np.clip(biased, 0, 254)
    known = (biased >= 0) & (biased <= 254) & (fraction >= 0)
    return np.where(known, biased, 255).astype(np.uint8).view(FLOAT8E8M0)


def _parsed(data: Array, wanted: np.dtype[Any]) -> Array:
    texts = [str(each).strip() for each in data.flat]
    if is_float(wanted):
        return np.array([float(text) for text in texts], dtype=np.float64).reshape(data.shape)
    return np.array([_whole(text) for text in texts], dtype=object).astype(wanted).reshape(data.shape)


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        return int(float(text))


def _as_strings(data: Array) -> Array:
    texts: Iterable[str]
    if data.dtype == np.bool_:
        texts = ("1" if each else "0" for each in data.flat)
    elif is_float(data.dtype):
        texts = map(_float_text, data.flat)
    else:
        texts = (str(int(each)) for each in data.flat)
    result = np.empty(data.shape, dtype=object)
    result.reshape(-1)[:] = list(texts)
    return result


def _float_text(value: Any) -> str:
    """The shortest text that reads back as the same number of its type."""
    number = float(value)
    if number != number:
        return "NaN"
    if number in (float("inf"), float("-inf")):
        return "INF" if number > 0 else "-INF"
    exact = value if isinstance(value, np.floating) else np.float32(value)
    size = abs(number)
    if size and not 1e-5 <= size < 1e16:
        return str(np.format_float_scientific(exact, unique=True, trim="-"))
    return str(np.format_float_positional(exact, unique=True, trim="-"))
