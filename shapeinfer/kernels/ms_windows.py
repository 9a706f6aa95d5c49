"""com.microsoft: convolutions and pools, fused with an activation, on quantised input, or with the channels last."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shapeinfer.kernels.arguments import integers, shape_text
from shapeinfer.kernels.dtypes import Array, narrow, widen
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.ms_shared import MS, activated, dequantised, quantised, required, standard
from shapeinfer.kernels.registry import kernel

Ints = Sequence[int]


def _first(x: Array, last: int = 1) -> Array:
    """The channels behind the batch."""
    return np.moveaxis(x, -1, 1) if last and x.ndim > 1 else x


def _last(x: Array, last: int = 1) -> Array:
    """The channels at the end."""
    return np.moveaxis(x, 1, -1) if last and x.ndim > 1 else x


def _conv(
    x: Array,
    w: Array,
    b: Array | None,
    z: Array | None,
    channels_last: int,
    activation: str = "",
    parameters: Ints | Sequence[float] = (),
    **attributes: object,
) -> Array:
    result: Array = standard(
        "Conv", 22, widen(_first(x, channels_last)), widen(w), None if b is None else widen(b), **attributes
    )
    if z is not None:
        shift = widen(_first(z, channels_last))
        if shift.shape != result.shape:
            raise KernelError(f"Z is {shape_text(shift.shape)}, not {shape_text(result.shape)}")
        result = result + shift
    if activation:
        result = activated(result, activation, parameters)
    return narrow(_last(result, channels_last), x.dtype)


@kernel("FusedConv", since=(1,), domain=MS)
def fused_conv(
    x: Array,
    w: Array,
    b: Array | None = None,
    z: Array | None = None,
    *,
    activation: str = "",
    activation_params: Sequence[float] = (),
    auto_pad: str = "NOTSET",
    dilations: Ints | None = None,
    group: int = 1,
    kernel_shape: Ints | None = None,
    pads: Ints | None = None,
    strides: Ints | None = None,
) -> Array:
    """``activation(Conv(X, W) + B + Z)``."""
    return _conv(
        x, w, b, z, 0, activation, activation_params, auto_pad=auto_pad, dilations=dilations, group=group,
        kernel_shape=kernel_shape, pads=pads, strides=strides,
    )  # fmt: skip


@kernel("NhwcFusedConv", since=(1,), domain=MS)
def nhwc_fused_conv(
    x: Array,
    w: Array,
    b: Array | None = None,
    z: Array | None = None,
    *,
    activation: str = "",
    activation_params: Sequence[float] = (),
    auto_pad: str = "NOTSET",
    dilations: Ints | None = None,
    group: int = 1,
    kernel_shape: Ints | None = None,
    pads: Ints | None = None,
    strides: Ints | None = None,
) -> Array:
    """FusedConv with the channels last; the filters stay ``[M, C / group, kernel]``."""
    return _conv(
        x, w, b, z, 1, activation, activation_params, auto_pad=auto_pad, dilations=dilations, group=group,
        kernel_shape=kernel_shape, pads=pads, strides=strides,
    )  # fmt: skip


@kernel("NhwcConv", since=(1,), domain=MS)
def nhwc_conv(
    x: Array,
    w: Array,
    b: Array | None = None,
    *,
    auto_pad: str = "NOTSET",
    dilations: Ints | None = None,
    group: int = 1,
    kernel_shape: Ints | None = None,
    pads: Ints | None = None,
    strides: Ints | None = None,
) -> Array:
    """Conv with the channels last; the filters stay ``[M, C / group, kernel]``."""
    return _conv(
        x, w, b, None, 1, auto_pad=auto_pad, dilations=dilations, group=group, kernel_shape=kernel_shape,
        pads=pads, strides=strides,
    )  # fmt: skip


@kernel("QLinearConv", since=(1,), domain=MS)
def qlinear_conv(
    x: Array,
    x_scale: Array,
    x_zero: Array,
    w: Array,
    w_scale: Array,
    w_zero: Array,
    y_scale: Array,
    y_zero: Array,
    b: Array | None = None,
    *,
    auto_pad: str = "NOTSET",
    channels_last: int = 0,
    dilations: Ints | None = None,
    group: int = 1,
    kernel_shape: Ints | None = None,
    pads: Ints | None = None,
    strides: Ints | None = None,
) -> Array:
    """Conv of quantised input and filters; the bias has the scale of their product."""
    data = x.astype(np.float64) - x_zero.reshape(())
    spread = (-1,) + (1,) * (w.ndim - 1)
    filters = w.astype(np.float64) - w_zero.astype(np.float64).reshape(() if w_zero.size == 1 else spread)
    result = standard(
        "Conv", 22, _first(data, channels_last), filters, None if b is None else b.astype(np.float64),
        auto_pad=auto_pad, dilations=dilations, group=group, kernel_shape=kernel_shape, pads=pads, strides=strides,
    )  # fmt: skip
    factor = (x_scale.reshape(()) * w_scale).reshape(() if w_scale.size == 1 else (-1,) + (1,) * (x.ndim - 2))
    return _last(quantised(result.astype(np.float32) * factor, y_scale, y_zero, y_zero.dtype), channels_last)


@kernel("ConvTransposeWithDynamicPads", since=(1,), domain=MS)
def conv_transpose_with_dynamic_pads(
    x: Array,
    w: Array,
    pads: Array | None = None,
    b: Array | None = None,
    *,
    auto_pad: str = "NOTSET",
    dilations: Ints | None = None,
    group: int = 1,
    kernel_shape: Ints | None = None,
    output_padding: Ints | None = None,
    strides: Ints | None = None,
) -> Array:
    """ConvTranspose whose pads are an input."""
    result: Array = standard(
        "ConvTranspose", 22, x, w, b, auto_pad=auto_pad, dilations=dilations, group=group, kernel_shape=kernel_shape,
        output_padding=output_padding, pads=None if pads is None else integers(pads, "Pads"), strides=strides,
    )  # fmt: skip
    return result


@kernel("NhwcMaxPool", since=(1,), domain=MS)
def nhwc_max_pool(
    x: Array,
    *,
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    dilations: Ints | None = None,
    kernel_shape: Ints,
    pads: Ints | None = None,
    strides: Ints | None = None,
) -> Array:
    """MaxPool with the channels last."""
    result = standard(
        "MaxPool", 22, _first(x), auto_pad=auto_pad, ceil_mode=ceil_mode, dilations=dilations,
        kernel_shape=kernel_shape, pads=pads, storage_order=0, strides=strides,
    )  # fmt: skip
    return _last(result[0] if isinstance(result, tuple) else result)


@kernel("QLinearAveragePool", since=(1,), domain=MS)
def qlinear_average_pool(
    x: Array,
    x_scale: Array,
    x_zero: Array | None = None,
    y_scale: Array | None = None,
    y_zero: Array | None = None,
    *,
    auto_pad: str = "NOTSET",
    ceil_mode: int = 0,
    channels_last: int = 0,
    count_include_pad: int = 0,
    kernel_shape: Ints,
    pads: Ints | None = None,
    strides: Ints | None = None,
) -> Array:
    """AveragePool of a quantised tensor."""
    plain = dequantised(_first(x, channels_last), x_scale, x_zero)
    result = standard(
        "AveragePool", 22, plain, auto_pad=auto_pad, ceil_mode=ceil_mode, count_include_pad=count_include_pad,
        dilations=None, kernel_shape=kernel_shape, pads=pads, strides=strides,
    )  # fmt: skip
    return _last(quantised(result, required(y_scale, "y_scale"), y_zero, x.dtype), channels_last)


@kernel("QLinearGlobalAveragePool", since=(1,), domain=MS)
def qlinear_global_average_pool(
    x: Array, x_scale: Array, x_zero: Array, y_scale: Array, y_zero: Array, *, channels_last: int = 0
) -> Array:
    """The mean of each channel of a quantised tensor."""
    plain = dequantised(_first(x, channels_last), x_scale, x_zero)
    mean = plain.mean(axis=tuple(range(2, x.ndim)), keepdims=True)
    return _last(quantised(mean, y_scale, y_zero, x.dtype), channels_last)
