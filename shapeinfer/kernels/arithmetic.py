"""Arithmetic on two tensors or on many: Add, Sub, Mul, Div, Pow, Mod; Sum, Mean, Max, Min."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import numpy as np

from shapeinfer.kernels.arguments import type_text
from shapeinfer.kernels.broadcasting import legacy
from shapeinfer.kernels.dtypes import Array, is_float, is_integer, narrow, widen
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.registry import kernel

Binary = Callable[[Array, Array], Array]


def add(a: Array, b: Array) -> Array:
    """``a + b``; integers wrap around."""
    return narrow(np.add(widen(a), widen(b)), a.dtype)


def sub(a: Array, b: Array) -> Array:
    """``a - b``; integers wrap around."""
    return narrow(np.subtract(widen(a), widen(b)), a.dtype)


def mul(a: Array, b: Array) -> Array:
    """``a * b``; integers wrap around."""
    return narrow(np.multiply(widen(a), widen(b)), a.dtype)


def div(a: Array, b: Array) -> Array:
    """``a / b``; for integers rounded toward zero, and an error where ``b`` is 0."""
    if not is_integer(a.dtype):
        return narrow(np.divide(widen(a), widen(b)), a.dtype)
    _refuse_zero(b)
    quotient = np.floor_divide(a, b)
    if a.dtype.kind == "u":
        return quotient
    inexact = (a < 0) != (b < 0)
    inexact &= np.remainder(a, b) != 0
    return narrow(quotient + inexact, a.dtype)


def power(a: Array, b: Array) -> Array:
    """``a`` to the power of ``b``, of the type of ``a``; for integers rounded toward zero."""
    if is_integer(a.dtype):
        if is_integer(b.dtype) and not (b < 0).any():
            return narrow(np.power(a, b.astype(a.dtype)), a.dtype)
        return narrow(np.power(a.astype(np.float64), b.astype(np.float64)), a.dtype)
    base = widen(a)
    exponent = widen(b) if is_float(b.dtype) else b.astype(np.float64)
    return narrow(np.power(base, exponent), a.dtype)


@kernel("Mod", since=(10, 13, 28), needs=("version",))
def mod(a: Array, b: Array, *, fmod: int, _version: int) -> Array:
    """The remainder: with the sign of ``b``, or with ``fmod`` of ``a``. Before 28 floats need ``fmod``."""
    if is_integer(a.dtype):
        _refuse_zero(b)
    elif not fmod and _version < 28:
        raise KernelError("fmod must be 1 for floats before version 28")
    return narrow((np.fmod if fmod else np.remainder)(widen(a), widen(b)), a.dtype)


def _refuse_zero(divisor: Array) -> None:
    if not divisor.all():
        raise KernelError("integers are divided by 0")


def _register_binary(op: str, function: Binary, attribute: tuple[int, ...], numpy_style: tuple[int, ...]) -> None:
    @kernel(op, since=attribute)
    def run_legacy(a: Array, b: Array, *, broadcast: int, axis: int | None = None) -> Array:
        return function(a, legacy(a, b, broadcast, axis))

    @kernel(op, since=numpy_style)
    def run(a: Array, b: Array) -> Array:
        return function(a, b)


for _op, _function in (("Add", add), ("Sub", sub), ("Mul", mul), ("Div", div)):
    _register_binary(_op, _function, (1, 6), (7, 13, 14))
_register_binary("Pow", power, (1,), (7, 12, 13, 15))


def total(*inputs: Array) -> Array:
    """The sum of all inputs."""
    return narrow(reduce(np.add, map(widen, inputs)), inputs[0].dtype)


def mean(*inputs: Array) -> Array:
    """The mean of all inputs."""
    return narrow(reduce(np.add, map(widen, inputs)) / len(inputs), inputs[0].dtype)


def largest(*inputs: Array) -> Array:
    """The largest of all inputs; NaN where one is."""
    return narrow(reduce(np.maximum, map(widen, inputs)), inputs[0].dtype)


def smallest(*inputs: Array) -> Array:
    """The smallest of all inputs; NaN where one is."""
    return narrow(reduce(np.minimum, map(widen, inputs)), inputs[0].dtype)


def _register_variadic(op: str, function: Callable[..., Array], numpy_style: tuple[int, ...]) -> None:
    @kernel(op, since=(1, 6))
    def run_alike(*inputs: Array) -> Array:
        for each in inputs[1:]:
            if each.shape != inputs[0].shape:
                raise KernelError(f"{type_text(inputs[0])} and {type_text(each)} differ in shape")
        return run(*inputs)

    @kernel(op, since=numpy_style)
    def run(*inputs: Array) -> Array:
        if not inputs:
            raise KernelError("at least one input is required")
        return function(*inputs)


_register_variadic("Sum", total, (8, 13))
_register_variadic("Mean", mean, (8, 13))
_register_variadic("Max", largest, (8, 12, 13))
_register_variadic("Min", smallest, (8, 12, 13))
