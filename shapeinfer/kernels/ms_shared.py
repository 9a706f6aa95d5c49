"""What the kernels of com.microsoft share. Their semantics are those of ONNX Runtime's public documentation.

No schema of ``onnx`` tells the defaults of their attributes, so the keyword arguments have them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from shapeinfer.kernels.arguments import shape_text
from shapeinfer.kernels.dtypes import Array, extreme, label, widen
from shapeinfer.kernels.elementwise import sigmoid, softplus, softsign
from shapeinfer.kernels.erf import erf
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.registry import find
from shapeinfer.kernels.softmax import softmax

MS: Final = "com.microsoft"


def required(value: Array | None, what: str) -> Array:
    """An input behind optional ones that must be given all the same.

    Raises:
        KernelError: when it is left out.
    """
    if value is None:
        raise KernelError(f"the input {what} is required")
    return value


def standard(op: str, version: int, *inputs: Any, **attributes: Any) -> Any:
    """What ONNX's own operator gives.

    Raises:
        KernelError: when it has no kernel.
    """
    kernel = find("", op, version)
    if kernel is None:
        raise KernelError(f"the operator {op}-{version}, which this one is made of, has no kernel")
    if "version" in kernel.needs:
        attributes["_version"] = version
    if "outputs" in kernel.needs:
        attributes.setdefault("_outputs", 1)
    return kernel.function(*inputs, **attributes)


def gelu(x: Array) -> Array:
    """``0.5 * x * (1 + erf(x / sqrt(2)))``."""
    return np.asarray(0.5 * x * (1 + erf(x / math.sqrt(2))), dtype=x.dtype)


def gelu_tanh(x: Array) -> Array:
    """The approximation of :func:`gelu` by tanh."""
    return np.asarray(0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))), dtype=x.dtype)


def silu(x: Array, alpha: float = 1.0) -> Array:
    """``x * sigmoid(alpha * x)``."""
    return np.asarray(x * sigmoid(x * np.asarray(alpha, dtype=x.dtype)))


def activated(x: Array, name: str, parameters: Sequence[float | None] = ()) -> Array:
    """The activation that the attribute of a fused operator names.

    Args:
        parameters: its own parameters in the order of their names; ``None`` for the default.

    Raises:
        KernelError: when there is no such activation.
    """

    def parameter(index: int, default: float) -> float:
        value = parameters[index] if index < len(parameters) else None
        return default if value is None else value

    if name == "Relu":
        return np.maximum(x, 0)
    if name == "LeakyRelu":
        return np.where(x < 0, x * np.asarray(parameter(0, 0.01), dtype=x.dtype), x)
    if name == "Tanh":
        return np.asarray(np.tanh(x))
    if name == "Sigmoid":
        return sigmoid(x)
    if name == "Softplus":
        return softplus(x)
    if name == "Softsign":
        return softsign(x)
    if name == "Clip":
        return np.clip(x, parameter(0, -np.inf), parameter(1, np.inf))
    if name == "HardSigmoid":
        return np.asarray(np.clip(x * parameter(0, 0.2) + parameter(1, 0.5), 0, 1), dtype=x.dtype)
    if name == "Elu":
        return np.where(x < 0, np.expm1(x) * np.asarray(parameter(0, 1.0), dtype=x.dtype), x)
    if name == "Gelu":
        return gelu(x)
    if name == "Softmax":
        return softmax(x, -1)
    raise KernelError(f"there is no activation {name!r}")


def check_vector(value: Array | None, size: int, what: str) -> None:
    """Refuses an input that, where given, is not 1-D and of this length."""
    if value is not None and value.shape != (size,):
        raise KernelError(f"{what} must be of shape [{size}], not {shape_text(value.shape)}")


def along(value: Array, rank: int, axis: int, what: str) -> Array:
    """A scale or zero point of one element, or of one for each entry of an axis, in a shape that broadcasts."""
    if value.size == 1:
        return value.reshape(())
    if value.ndim != 1:
        raise KernelError(f"{what} must be a scalar or 1-D, not of shape {shape_text(value.shape)}")
    return value.reshape((-1,) + (1,) * (rank - 1 - axis % rank))


def dequantised(x: Array, scale: Array, zero: Array | None, axis: int = -1) -> Array:
    """``(x - zero) * scale`` in float32."""
    whole = x.astype(np.int32)
    if zero is not None:
        whole = whole - along(zero, x.ndim, axis, "the zero point").astype(np.int32)
    return np.asarray(whole.astype(np.float32) * along(widen(scale), x.ndim, axis, "the scale"))


def quantised(x: Array, scale: Array, zero: Array | None, dtype: np.dtype[Any], axis: int = -1) -> Array:
    """``x / scale`` rounded to even, plus the zero point, saturated to the type."""
    result = np.rint(x / along(widen(scale), x.ndim, axis, "the scale"))
    if zero is not None:
        result = result + along(zero, x.ndim, axis, "the zero point").astype(np.float32)
    return np.clip(result, extreme(dtype, -1), extreme(dtype, 1)).astype(np.int32).astype(dtype)


def whole_product(a: Array, a_zero: Array | None, b: Array, b_zero: Array | None) -> Array:
    """``(A - zero) @ (B - zero)`` of integers, exactly; as float64."""
    left, right = a.astype(np.float64), b.astype(np.float64)
    if a_zero is not None:
        left = left - (a_zero.reshape(()) if a_zero.size == 1 else a_zero[..., None]).astype(np.float64)
    if b_zero is not None:
        right = right - (b_zero.reshape(()) if b_zero.size == 1 else _columns(b_zero)).astype(np.float64)
    if a.ndim == 0 or b.ndim == 0 or a.shape[-1] != b.shape[-2 if b.ndim > 1 else 0]:
        raise KernelError(f"{label(a.dtype)}{shape_text(a.shape)} and {shape_text(b.shape)} cannot be multiplied")
    return np.asarray(np.matmul(left, right))


def _columns(value: Array) -> Array:
    """One entry per column: as it is when 1-D, else with an axis for the rows unless there is one."""
    return value if value.ndim == 1 or value.shape[-2] == 1 else value[..., None, :]
