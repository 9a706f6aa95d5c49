"""One step of Adagrad, Adam and Momentum, for any number of tensors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shapeinfer.kernels.arguments import scalar, type_text
from shapeinfer.kernels.dtypes import Array
from shapeinfer.kernels.errors import SIZES, KernelError
from shapeinfer.kernels.registry import kernel

DOMAIN = "ai.onnx.preview.training"


def _groups(inputs: tuple[Array, ...], count: int) -> list[tuple[Array, ...]]:
    """What belongs to each optimized tensor: all tensors come first, then all of the next kind."""
    if not inputs or len(inputs) % count:
        raise KernelError(f"{len(inputs)} tensors are not {count} of each kind")
    each = len(inputs) // count
    found = [tuple(inputs[at::each]) for at in range(each)]
    for group in found:
        if any(other.shape != group[0].shape or other.dtype != group[0].dtype for other in group):
            raise KernelError(f"{', '.join(map(type_text, group))} belong together but differ", code=SIZES)
    return found


def _by_kind(results: Sequence[tuple[Array, ...]]) -> tuple[Array, ...]:
    return tuple(each for kind in zip(*results, strict=True) for each in kind)


@kernel("Adagrad", since=(1,), domain=DOMAIN)
def adagrad(
    r: Array, t: Array, *inputs: Array, decay_factor: float, epsilon: float, norm_coefficient: float
) -> tuple[Array, ...]:
    """Tensors moved against their gradients, each element less the more it has moved; new sums of squares."""
    rate = float(scalar(r, "R")) / (1 + int(scalar(t, "T")) * decay_factor)
    results = []
    for x, gradient, squares in _groups(inputs, 3):
        g = norm_coefficient * x + gradient
        total = squares + g * g
        results.append((x - rate * g / (np.sqrt(total) + epsilon), total))
    return _by_kind([(x.astype(h.dtype), h) for x, h in results])


@kernel("Adam", since=(1,), domain=DOMAIN)
def adam(
    r: Array,
    t: Array,
    *inputs: Array,
    alpha: float,
    beta: float,
    epsilon: float,
    norm_coefficient: float,
    norm_coefficient_post: float,
) -> tuple[Array, ...]:
    """Tensors moved against averages of their gradients over the root of averages of their squares; the averages."""
    rate, count = float(scalar(r, "R")), int(scalar(t, "T"))
    if count > 0:
        rate *= np.sqrt(1 - beta**count) / (1 - alpha**count)
    results = []
    for x, gradient, momentum, squares in _groups(inputs, 4):
        g = norm_coefficient * x + gradient
        v = alpha * momentum + (1 - alpha) * g
        h = beta * squares + (1 - beta) * g * g
        moved = (1 - norm_coefficient_post) * (x - rate * v / (np.sqrt(h) + epsilon))
        results.append(tuple(each.astype(x.dtype) for each in (moved, v, h)))
    return _by_kind(results)


@kernel("Momentum", since=(1,), domain=DOMAIN)
def momentum(
    r: Array, t: Array, *inputs: Array, alpha: float, beta: float, mode: str, norm_coefficient: float
) -> tuple[Array, ...]:
    """Tensors moved by their momentum, which gradients change; the new momentum."""
    if mode not in ("standard", "nesterov"):
        raise KernelError(f"there is no mode {mode!r}")
    rate = float(scalar(r, "R"))
    weight = beta if int(scalar(t, "T")) > 0 else 1.0
    results = []
    for x, gradient, old in _groups(inputs, 3):
        g = norm_coefficient * x + gradient
        v = alpha * old + weight * g
        moved = x - rate * (v if mode == "standard" else g + alpha * v)
        results.append((moved.astype(x.dtype), v.astype(x.dtype)))
    return _by_kind(results)
