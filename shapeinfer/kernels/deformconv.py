"""DeformConv: a convolution whose filters read at learned offsets."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from shapeinfer.kernels.arguments import shape_text
from shapeinfer.kernels.dtypes import Array, narrow, widen
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.registry import kernel
from shapeinfer.kernels.sampling import gathered, inside, linear_taps
from shapeinfer.kernels.windows import Windows, spatial, windows


@kernel("DeformConv", since=(19, 22))
def deform_conv(
    x: Array,
    w: Array,
    offset: Array,
    b: Array | None = None,
    mask: Array | None = None,
    *,
    group: int,
    offset_group: int,
    dilations: Sequence[int] | None = None,
    kernel_shape: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Array:
    """``[N, C, *D]`` convolved with ``[M, C/group, *K]``, each element under a window moved by its own offset.

    Values between elements are linear, those outside of the image zero; the mask weights what is read.
    """
    size = spatial(x)
    shape = tuple(w.shape[2:] if kernel_shape is None else kernel_shape)
    channels, filters = x.shape[1], w.shape[0]
    if w.ndim != x.ndim or w.shape[2:] != shape or group < 1 or w.shape[1] * group != channels or filters % group:
        raise KernelError(f"weights {shape_text(w.shape)} for {shape_text(x.shape)} with group {group}")
    if offset_group < 1 or channels % offset_group or (b is not None and b.shape != (filters,)):
        raise KernelError(f"offset_group {offset_group} or the bias does not fit {shape_text(x.shape)}")
    over = windows(size, shape, strides=strides, dilations=dilations, pads=pads, auto_pad="NOTSET")
    columns = _columns(widen(x), over, offset, mask, offset_group)
    rows = widen(w).reshape(group, filters // group, -1)
    parts = columns.reshape(x.shape[0], group, rows.shape[2], prod(over.out))
    result = np.matmul(rows, parts).reshape(x.shape[0], filters, *over.out)
    if b is not None:
        result = result + widen(b).reshape((-1,) + (1,) * len(size))
    return narrow(result, x.dtype)


def _columns(x: Array, over: Windows, offset: Array, mask: Array | None, groups: int) -> Array:
    """``[N, C, prod(kernel), prod(out)]``: what each element of each window reads."""
    n, channels = x.shape[:2]
    rank, taps, windows_ = len(over.size), prod(over.kernel), prod(over.out)
    _fits("offset", offset, (n, groups * taps * rank, *over.out))
    moved = widen(offset).reshape(n * groups, taps, rank, windows_)
    tap, window = np.indices(over.kernel).reshape(rank, taps), np.indices(over.out).reshape(rank, windows_)
    along = []
    for axis, size in enumerate(over.size):
        still = (window[axis] * over.strides[axis] - over.begin[axis])[None] + (tap[axis] * over.dilations[axis])[
            :, None
        ]
        at = np.clip(still.astype(x.dtype) + moved[:, :, axis], -2, size + 1)
        along.append(linear_taps(at.reshape(n * groups, -1)))
    data = x.reshape(n * groups, channels // groups, -1).swapaxes(1, 2)
    found = gathered(np.ascontiguousarray(data), over.size, along, inside)
    if mask is not None:
        _fits("mask", mask, (n, groups * taps, *over.out))
        found = found * widen(mask).reshape(n * groups, -1, 1)
    return found.swapaxes(1, 2).reshape(n, channels, taps, windows_)


def _fits(what: str, value: Array, shape: tuple[int, ...]) -> None:
    if value.shape != shape:
        raise KernelError(f"{what} is {shape_text(value.shape)}, not {shape_text(shape)}")
