"""Comparisons, logic, bits, and tests for NaN and infinity."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shapeinfer.kernels.broadcasting import legacy
from shapeinfer.kernels.dtypes import Array, widen
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.registry import kernel

Binary = Callable[[Array, Array], Array]


def _register(op: str, function: Binary, attribute: tuple[int, ...], numpy_style: tuple[int, ...]) -> None:
    def compared(a: Array, b: Array) -> Array:
        return np.asarray(function(widen(a), widen(b))).astype(bool, copy=False)

    @kernel(op, since=attribute)
    def run_legacy(a: Array, b: Array, *, broadcast: int, axis: int | None = None) -> Array:
        return compared(a, legacy(a, b, broadcast, axis))

    @kernel(op, since=numpy_style)
    def run(a: Array, b: Array) -> Array:
        return compared(a, b)


for _op, _function, _attribute, _numpy_style in (
    ("And", np.logical_and, (1,), (7,)),
    ("Or", np.logical_or, (1,), (7,)),
    ("Xor", np.logical_xor, (1,), (7,)),
    ("Equal", np.equal, (1,), (7, 11, 13, 19)),
    ("Less", np.less, (1,), (7, 9, 13)),
    ("Greater", np.greater, (1,), (7, 9, 13)),
    ("LessOrEqual", np.less_equal, (), (12, 16)),
    ("GreaterOrEqual", np.greater_equal, (), (12, 16)),
):
    _register(_op, _function, _attribute, _numpy_style)


@kernel("Not", since=(1,))
def logical_not(x: Array) -> Array:
    """True where the input is false."""
    return np.logical_not(x)


@kernel("BitwiseAnd", since=(18,))
def bitwise_and(a: Array, b: Array) -> Array:
    """The bits that are set in both."""
    return np.bitwise_and(a, b)


@kernel("BitwiseOr", since=(18,))
def bitwise_or(a: Array, b: Array) -> Array:
    """The bits that are set in one or both."""
    return np.bitwise_or(a, b)


@kernel("BitwiseXor", since=(18,))
def bitwise_xor(a: Array, b: Array) -> Array:
    """The bits that are set in just one."""
    return np.bitwise_xor(a, b)


@kernel("BitwiseNot", since=(18,))
def bitwise_not(x: Array) -> Array:
    """Every bit the other way."""
    return np.bitwise_not(x)


@kernel("BitShift", since=(11, 28))
def bit_shift(x: Array, y: Array, *, direction: str) -> Array:
    """The bits moved by ``y``; to the right with copies of the sign. What is moved by too much leaves only the sign."""
    bits = x.dtype.itemsize * 8
    inside = (y >= 0) & (y < bits)
    amount = np.where(inside, y, 0).astype(x.dtype)
    if direction == "LEFT":
        return np.where(inside, np.left_shift(x, amount), np.zeros((), dtype=x.dtype))
    if direction != "RIGHT":
        raise KernelError(f"there is no direction {direction!r}")
    sign = np.where(x < 0, np.array(-1).astype(x.dtype), np.zeros((), dtype=x.dtype))
    return np.where(inside, np.right_shift(x, amount), sign)


@kernel("IsNaN", since=(9, 13, 20))
def is_nan(x: Array) -> Array:
    """True where the input is NaN."""
    return np.isnan(widen(x))


@kernel("IsInf", since=(10, 20))
def is_inf(x: Array, *, detect_negative: int, detect_positive: int) -> Array:
    """True where the input is infinite, with a sign that is to be detected."""
    wide = widen(x)
    signs = (wide > 0) if not detect_negative else (wide < 0) if not detect_positive else np.ones(wide.shape, bool)
    found = np.isinf(wide) & signs
    return found if detect_negative or detect_positive else np.zeros(wide.shape, dtype=bool)
