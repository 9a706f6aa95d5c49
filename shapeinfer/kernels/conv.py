"""Conv and ConvTranspose, in any number of spatial dims.

A convolution is one matrix product per group: the elements under each window become a column, by a strided view and one
copy. Where each group has a single channel the columns are made tap by tap, which copies whole lines.
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
TAPS_LIMIT: Final = 1 << 18
"""As above, for groups of a single channel, where the columns of one group are the least."""


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
        if max(over.kernel) == 1 and _gaps(result):
            result = _by_columns(padded.astype(np.float64), weights.astype(np.float64), over, group)
            result = result.astype(np.float32)
    if b is not None:
        result += widen(b).reshape((-1,) + (1,) * len(size))
    return narrow(result, x.dtype)


def _gaps(values: Array) -> bool:
    """Whether float32 is too coarse for these values: some are so large that its numbers lie further apart than 1.

    The order in which BLAS adds then shows: filters that are equal would give results that differ by whole numbers,
    which is a different answer once they go through Softmax.
    """
    if values.dtype != np.float32 or not values.size:
        return False
    return bool(max(values.max(), -values.min()) >= 1 << np.finfo(np.float32).nmant + 1)


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

    Windows of one element that lie side by side are columns already, and are not copied.
    """
    n, maps, depth = padded.shape[0], weights.shape[0] // group, weights.shape[1] * prod(over.kernel)
    rows = weights.reshape(group, maps, depth)
    view = over.view(padded)
    first = 2 + len(over.kernel)
    result = np.empty((n, group, maps, *over.out), dtype=padded.dtype)
    line = max(1, group * depth * prod(over.out[1:]))
    lines = max(1, min(over.out[0], COLUMN_LIMIT // line))
    images = max(1, COLUMN_LIMIT // (line * lines)) if lines >= over.out[0] else 1
    for i in range(0, n, images):
        for j in range(0, over.out[0], lines):
            part = view[(slice(i, i + images), *(slice(None),) * (first - 1), slice(j, j + lines))]
            columns = part.reshape(part.shape[0], group, depth, prod(part.shape[first:]))
            place = result[i : i + images, :, :, j : j + lines]
            if lines >= over.out[0]:
                np.matmul(rows, columns, out=place.reshape(*place.shape[:3], columns.shape[3]))
            else:
                place[...] = np.matmul(rows, columns).reshape(place.shape)
    return result.reshape(n, weights.shape[0], *over.out)


def _by_taps(padded: Array, weights: Array, over: Windows) -> Array:
    """For groups of a single channel: what each tap meets as a row, times the weights; some groups at a time.

    With strides of one, what a tap meets lies in one run of the flattened input: whole runs are taken, and what they
    have in excess at the end of each line is cut off.
    """
    n, group = padded.shape[:2]
    taps, each = prod(over.kernel), weights.shape[0] // group
    rows = weights.reshape(group, each, taps)
    flat = max(over.strides) == 1 and min(over.out) > 0
    lines = (over.out[0], *padded.shape[3:]) if flat else over.out
    length = prod(lines)
    if flat:
        steps = [prod(padded.shape[3 + axis :]) for axis in range(len(over.out))]
        length = sum((size - 1) * step for size, step in zip(over.out, steps, strict=True)) + 1
        runs = padded.reshape(n, group, -1)
    result = np.empty((n, group, each, prod(lines)), dtype=padded.dtype)
    some = max(1, TAPS_LIMIT // max(1, n * taps * length))
    for i in range(0, group, some):
        part = slice(i, i + some)
        columns = np.empty((n, min(some, group - i), taps, length), dtype=padded.dtype)
        for number, (tap, place) in enumerate(over.taps()):
            if flat:
                first = sum(t * d * step for t, d, step in zip(tap, over.dilations, steps, strict=True))
                columns[:, :, number] = runs[:, part, first : first + length]
            else:
                columns[:, :, number].reshape(n, -1, *over.out)[...] = padded[(slice(None), part, *place)]
        np.matmul(rows[part], columns, out=result[:, part, :, :length])
    inside = tuple(map(slice, over.out))
    cut: Array = result.reshape(n, weights.shape[0], *lines)[(slice(None), slice(None), *inside)]
    return cut


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
