"""BatchNormalization."""

from __future__ import annotations

import numpy as np

from shapeinfer.kernels.arguments import shape_text
from shapeinfer.kernels.dtypes import Array, narrow, widen
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.registry import kernel


@kernel("BatchNormalization", since=(1, 6, 7, 9), needs=("outputs",))
def batch_normalization_by_outputs(
    x: Array,
    scale: Array,
    b: Array,
    mean: Array,
    var: Array,
    *,
    epsilon: float,
    momentum: float,
    is_test: int = 0,
    spatial: int = 1,
    _outputs: int,
) -> tuple[Array, ...]:
    """The batch normalised; it is training when more outputs are wanted: the running and the batch's mean and variance.

    Without ``spatial`` there is a scale, bias, mean and variance for each place, not only for each channel.
    """
    if _outputs == 1:
        return (_normalised(x, scale, b, mean, var, epsilon, bool(spatial)),)
    if is_test:
        raise KernelError("only the first output is made with is_test")
    batch_mean, batch_var = _statistics(x, mean, bool(spatial))
    result = _normalised(x, scale, b, batch_mean, batch_var, epsilon, bool(spatial))
    running_mean, running_var = _running(mean, batch_mean, momentum), _running(var, batch_var, momentum)
    return result, running_mean, running_var, narrow(batch_mean, mean.dtype), narrow(batch_var, var.dtype)


@kernel("BatchNormalization", since=(14, 15), needs=("outputs",))
def batch_normalization(
    x: Array,
    scale: Array,
    b: Array,
    input_mean: Array,
    input_var: Array,
    *,
    epsilon: float,
    momentum: float,
    training_mode: int,
    _outputs: int,
) -> tuple[Array, ...]:
    """The batch normalised by the given mean and variance or, in training, its own, with the updated running ones."""
    if not training_mode:
        if _outputs > 1:
            raise KernelError("only the first output is made without training_mode")
        return (_normalised(x, scale, b, input_mean, input_var, epsilon, True),)
    mean, var = _statistics(x, input_mean, True)
    result = _normalised(x, scale, b, mean, var, epsilon, True)
    return result, _running(input_mean, mean, momentum), _running(input_var, var, momentum)


def _normalised(x: Array, scale: Array, b: Array, mean: Array, var: Array, epsilon: float, per_channel: bool) -> Array:
    scale, b, mean, var = (_spread(each, x, per_channel) for each in (scale, b, mean, var))
    factor = scale / np.sqrt(var + np.asarray(epsilon, dtype=var.dtype))
    result = widen(x) * factor
    result += b - mean * factor
    return narrow(result, x.dtype)


def _spread(value: Array, x: Array, per_channel: bool) -> Array:
    """A value per channel, or per place, in a shape that broadcasts to ``x``."""
    places = (x.shape[1] if x.ndim > 1 else 1,) if per_channel else x.shape[1:]
    if value.shape not in (places, x.shape[1:2]):
        raise KernelError(f"{shape_text(value.shape)}, where {shape_text(places)} is needed")
    wide = widen(value)
    return wide.reshape(wide.shape + (1,) * (x.ndim - 1 - wide.ndim)) if x.ndim > 1 else wide


def _statistics(x: Array, like: Array, per_channel: bool) -> tuple[Array, Array]:
    """Mean and population variance of the batch for each channel, or for each place."""
    wide = widen(x)
    axes = tuple(axis for axis in range(x.ndim) if axis == 0 or (per_channel and axis != 1))
    return wide.mean(axis=axes).reshape(like.shape), wide.var(axis=axes).reshape(like.shape)


def _running(old: Array, batch: Array, momentum: float) -> Array:
    return narrow(widen(old) * momentum + batch * (1 - momentum), old.dtype)
