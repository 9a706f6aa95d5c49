"""Conv and ConvTranspose, in any number of spatial dims.

A convolution is one matrix product per group: the elements under each window become a column, by a strided view and one
copy. Where each group has a single channel the products would be thin, so the kernel's elements are added one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import Final

import numpy as np

from shapeinfer.kernels.arguments import shape_text
from shapeinfer.kernels.dtypes import Array, narrow, widen
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.registry import kernel
from shapeinfer.kernels.windows import Windows, padding, spatial, windows

COLUMN_LIMIT: Final = 1 << 23
"""So many elements of columns are held at a time, unless a single line of the output has more."""


@kernel("Conv", since=(1, 11, 22))
def conv(
    x: Array,
    w: Array,
    b: Array | None = None,
    *,
    group: int,
    auto_pad: str,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
    dilations: Sequence[int] | None = None,
    kernel_shape: Sequence[int] | None = None,
) -> Array:
    """``[N, C, *D]`` convolved with ``[M, C/group, *K]``: ``[N, M, *out]``."""
    size = spatial(x)
    _check(x, w, b, group, x.shape[1] == w.shape[1] * group if w.ndim == x.ndim else False, kernel_shape)
    if w.shape[0] % group or (b is not None and b.shape != (w.shape[0],)):
        raise KernelError(f"{w.shape[0]} output channels do not fit group {group} or the bias")
    over = windows(size, w.shape[2:], strides=strides, dilations=dilations, pads=pads, auto_pad=auto_pad)
    padded, weights = over.padded(widen(x), 0), widen(w)
    if w.shape[1] == 1 and group > 1:
        result = _by_taps(padded, weights, over)
    else:
        result = _by_columns(padded, weights, over, group)
    if b is not None:
        result += widen(b).reshape((-1,) + (1,) * len(size))
    return narrow(result, x.dtype)


def _check(
    x: Array, w: Array, b: Array | None, group: int, channels_fit: bool, kernel_shape: Sequence[int] | None
) -> None:
    if group < 1 or not channels_fit:
        raise KernelError(f"weights {shape_text(w.shape)} do not fit {shape_text(x.shape)} with group {group}")
    if kernel_shape is not None and tuple(kernel_shape) != w.shape[2:]:
        raise KernelError(f"kernel_shape {shape_text(kernel_shape)} is not that of the weights {shape_text(w.shape)}")
    if b is not None and b.ndim != 1:
        raise KernelError(f"the bias must be 1-D, not of shape {shape_text(b.shape)}")


def _by_columns(padded: Array, weights: Array, over: Windows, group: int) -> Array:
    """im2col: the windows of each group as columns, times the weights as rows; some images, or rows of one, at a time.

    float32 is summed in float64 and rounded once, so that equal filters give equal results in whatever order BLAS adds.
    """
    n, maps, depth = padded.shape[0], weights.shape[0] // group, weights.shape[1] * prod(over.kernel)
    wide = np.float64 if padded.dtype == np.float32 else padded.dtype
    rows = weights.reshape(group, maps, depth).astype(wide, copy=False)
    view = over.view(padded)
    first = 2 + len(over.kernel)
    result = np.empty((n, group, maps, *over.out), dtype=padded.dtype)
    line = max(1, group * depth * prod(over.out[1:]))
    lines = max(1, min(over.out[0], COLUMN_LIMIT // line))
    images = max(1, COLUMN_LIMIT // (line * lines)) if lines >= over.out[0] else 1
    for i in range(0, n, images):
        for j in range(0, over.out[0], lines):
            part = view[(slice(i, i + images), *(slice(None),) * (first - 1), slice(j, j + lines))]
            shape = (part.shape[0], group, depth, prod(part.shape[first:]))
            product = np.matmul(rows, part.astype(wide, order="C").reshape(shape))
            result[i : i + images, :, :, j : j + lines] = product.reshape(*product.shape[:3], *part.shape[first:])
    return result.reshape(n, weights.shape[0], *over.out)


def _by_taps(padded: Array, weights: Array, over: Windows) -> Array:
    """One product per element of the kernel, for groups of a single channel."""
    n, group = padded.shape[:2]
    each = weights.shape[0] // group
    spread = (1,) * len(over.out)
    result = np.zeros((n, group, each, *over.out), dtype=padded.dtype)
    term = np.empty_like(result)
    for tap, place in over.taps():
        factor = weights[(slice(None), slice(1), *map(_only, tap))].reshape(group, each, *spread)
        np.multiply(padded[(slice(None), slice(None), None, *place)], factor, out=term)
        result += term
    return result.reshape(n, weights.shape[0], *over.out)


def _only(place: int) -> slice:
    return slice(place, place + 1)


@kernel("ConvTranspose", since=(1, 11, 22))
def conv_transpose(
    x: Array,
    w: Array,
    b: Array | None = None,
    *,
    group: int,
    auto_pad: str,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
    dilations: Sequence[int] | None = None,
    kernel_shape: Sequence[int] | None = None,
    output_padding: Sequence[int] | None = None,
    output_shape: Sequence[int] | None = None,
) -> Array:
    """``[N, C, *D]`` and ``[C, M/group, *K]``: each input element adds its multiple of the kernel to ``[N, M, *out]``.

    Where the total padding is odd, its larger half is at the end for SAME_UPPER and at the begin otherwise, in version
    1 too, whose equation contradicts its own text on ``auto_pad``.
    """
    size = spatial(x)
    rank = len(size)
    _check(x, w, b, group, w.ndim == x.ndim and x.shape[1] == w.shape[0], kernel_shape)
    if w.shape[0] % group or (b is not None and b.shape != (w.shape[1] * group,)):
        raise KernelError(f"{w.shape[0]} input channels do not fit group {group} or the bias")
    steps, spread = _numbers(strides, rank, 1), _numbers(dilations, rank, 1)
    extra = _numbers(output_padding, rank, 0)
    full = tuple(
        s * (n - 1) + e + (k - 1) * d + 1 for s, n, e, k, d in zip(steps, size, extra, w.shape[2:], spread, strict=True)
    )
    begin, out = _cropped(size, full, steps, pads, auto_pad, output_shape)
    spreads = _spread(widen(x), widen(w), group, steps, spread, full)
    result = _window_of(spreads, begin, out)
    if b is not None:
        result += widen(b).reshape((-1,) + (1,) * rank)
    return narrow(result, x.dtype)


def _numbers(values: Sequence[int] | None, rank: int, default: int) -> tuple[int, ...]:
    found = (default,) * rank if values is None else tuple(values)
    if len(found) != rank or any(value < default for value in found):
        raise KernelError(f"{shape_text(found)} must be {rank} numbers from {default} on")
    return found


def _cropped(
    size: tuple[int, ...],
    full: tuple[int, ...],
    strides: tuple[int, ...],
    pads: Sequence[int] | None,
    auto_pad: str,
    output_shape: Sequence[int] | None,
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Where the output begins in the full result, and its sizes."""
    if output_shape is None and auto_pad in ("NOTSET", "VALID"):
        begin, end = padding(size, size, strides, pads, auto_pad)
        return begin, tuple(f - b - t for f, b, t in zip(full, begin, end, strict=True))
    if output_shape is None:
        output_shape = tuple(n * s for n, s in zip(size, strides, strict=True))
    if len(output_shape) != len(size):
        raise KernelError(f"output_shape {shape_text(output_shape)} for {len(size)} spatial axes")
    total = [f - o for f, o in zip(full, output_shape, strict=True)]
    if auto_pad == "SAME_UPPER":
        return tuple(t // 2 for t in total), tuple(output_shape)
    return tuple(t - t // 2 for t in total), tuple(output_shape)


def _spread(
    x: Array, w: Array, group: int, strides: tuple[int, ...], dilations: tuple[int, ...], full: tuple[int, ...]
) -> Array:
    n, channels = x.shape[:2]
    size, shape = x.shape[2:], w.shape[2:]
    rows = w.reshape(group, channels // group, w.shape[1] * prod(shape)).swapaxes(1, 2)
    columns = np.matmul(rows, x.reshape(n, group, channels // group, prod(size)))
    columns = columns.reshape(n, group * w.shape[1], *shape, *size)
    result = np.zeros((n, group * w.shape[1], *full), dtype=x.dtype)
    every = (slice(None), slice(None))
    for tap in product(*map(range, shape)):
        place = tuple(
            slice(t * d, t * d + (m - 1) * s + 1, s) if m else slice(0, 0)
            for t, d, m, s in zip(tap, dilations, size, strides, strict=True)
        )
        result[(*every, *place)] += columns[(*every, *tap)]
    return result


def _window_of(full: Array, begin: tuple[int, ...], out: tuple[int, ...]) -> Array:
    """The part of ``full`` of the sizes ``out`` from ``begin`` on; zeros where it reaches beyond."""
    if any(size < 0 for size in out):
        raise KernelError(f"the output would be of sizes {shape_text(out)}")
    result = np.zeros((*full.shape[:2], *out), dtype=full.dtype)
    source, target = [slice(None)] * 2, [slice(None)] * 2
    for start, size, limit in zip(begin, out, full.shape[2:], strict=True):
        first, last = max(start, 0), min(start + size, limit)
        source.append(slice(first, max(first, last)))
        target.append(slice(first - start, max(first, last) - start))
    result[tuple(target)] = full[tuple(source)]
    return result
