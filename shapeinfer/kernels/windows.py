"""Sliding windows over the spatial axes: where they lie, and the elements under them. For convolution and pooling."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from shapeinfer.kernels.arguments import shape_text
from shapeinfer.kernels.dtypes import Array
from shapeinfer.kernels.errors import KernelError

Sizes = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Windows:
    """Windows by spatial axis.

    Attributes:
        size: the input's sizes.
        kernel: elements per window.
        strides: from one window to the next.
        dilations: from one element of a window to the next.
        begin: padding before the input.
        end: padding after it.
        out: how many windows there are.
    """

    size: Sizes
    kernel: Sizes
    strides: Sizes
    dilations: Sizes
    begin: Sizes
    end: Sizes
    out: Sizes

    @property
    def reach(self) -> Sizes:
        """The sizes that all windows together cover, from the begin of the padding."""
        return tuple(
            (o - 1) * s + (k - 1) * d + 1
            for o, s, k, d in zip(self.out, self.strides, self.kernel, self.dilations, strict=True)
        )

    def padded(self, x: Array, fill: Any) -> Array:
        """``[N, C, *size]`` with padding, and with what a last window covers beyond it."""
        full = [max(b + n, r) for b, n, r in zip(self.begin, self.size, self.reach, strict=True)]
        if not any(self.begin) and tuple(full) == self.size:
            return x
        result = np.full((*x.shape[:2], *full), fill, dtype=x.dtype)
        inside = tuple(slice(b, b + n) for b, n in zip(self.begin, self.size, strict=True))
        result[(slice(None), slice(None), *inside)] = x
        return result

    def view(self, padded: Array) -> Array:
        """``[N, C, *kernel, *out]``, without a copy: the elements of every window."""
        n, c = padded.strides[:2]
        inner = padded.strides[2:]
        taps = tuple(step * d for step, d in zip(inner, self.dilations, strict=True))
        moves = tuple(step * s for step, s in zip(inner, self.strides, strict=True))
        shape = (*padded.shape[:2], *self.kernel, *self.out)
        return as_strided(padded, shape=shape, strides=(n, c, *taps, *moves), writeable=False)

    def axis_slice(self, axis: int, tap: int) -> slice:
        """Along one spatial axis of a padded input, the ``tap``-th element of every window."""
        first, stride = tap * self.dilations[axis], self.strides[axis]
        if not self.out[axis]:
            return slice(0)
        return slice(first, first + (self.out[axis] - 1) * stride + 1, stride)

    def taps(self) -> Iterator[tuple[Sizes, tuple[slice, ...]]]:
        """For each element of the kernel its place, and where its counterparts lie in a padded input's spatial axes."""
        for tap in product(*map(range, self.kernel)):
            yield tap, tuple(self.axis_slice(axis, each) for axis, each in enumerate(tap))


def windows(
    size: Sequence[int],
    kernel: Sequence[int],
    *,
    strides: Sequence[int] | None,
    dilations: Sequence[int] | None,
    pads: Sequence[int] | None,
    auto_pad: str,
    ceil_mode: int = 0,
) -> Windows:
    """The windows that the attributes describe.

    With ``ceil_mode`` a last window may reach beyond the padding, unless it would start in the padding at the end.

    Raises:
        KernelError: when an attribute has another length than there are spatial axes, or a value that makes no sense.
    """
    rank = len(size)
    stride = _checked("strides", strides, rank, 1)
    dilation = _checked("dilations", dilations, rank, 1)
    shape = _checked("kernel_shape", kernel, rank, 1)
    extent = tuple((k - 1) * d + 1 for k, d in zip(shape, dilation, strict=True))
    begin, end = padding(size, extent, stride, pads, auto_pad)
    out = []
    for n, e, s, b, t in zip(size, extent, stride, begin, end, strict=True):
        free = n + b + t - e
        count = (-(-free // s) if ceil_mode else free // s) + 1
        if ceil_mode and (count - 1) * s >= n + b and count > 1:
            count -= 1
        if count < 0:
            raise KernelError(f"a window of {e} does not fit into {n} with padding of {b} and {t}")
        out.append(count)
    return Windows(tuple(size), shape, stride, dilation, begin, end, tuple(out))


def padding(
    size: Sequence[int], extent: Sequence[int], strides: Sequence[int], pads: Sequence[int] | None, auto_pad: str
) -> tuple[Sizes, Sizes]:
    """The padding at the begin and at the end of each axis, explicit or by ``auto_pad``.

    Raises:
        KernelError: when there is both, or one is malformed.
    """
    given = _checked("pads", pads, 2 * len(size), 0)
    if auto_pad == "NOTSET":
        return given[: len(size)], given[len(size) :]
    if any(given):
        raise KernelError(f"pads {shape_text(given)} and auto_pad {auto_pad} exclude each other")
    if auto_pad == "VALID":
        return given[: len(size)], given[len(size) :]
    if auto_pad not in ("SAME_UPPER", "SAME_LOWER"):
        raise KernelError(f"there is no auto_pad {auto_pad!r}")
    needed = [max((-(-n // s) - 1) * s + e - n, 0) for n, e, s in zip(size, extent, strides, strict=True)]
    less, more = tuple(n // 2 for n in needed), tuple(n - n // 2 for n in needed)
    return (less, more) if auto_pad == "SAME_UPPER" else (more, less)


def _checked(name: str, values: Sequence[int] | None, length: int, least: int) -> Sizes:
    if values is None:
        return (least,) * length
    if len(values) != length or any(value < least for value in values):
        raise KernelError(f"{name} {shape_text(values)} must be {length} numbers from {least} on")
    return tuple(values)


def spatial(x: Array) -> Sizes:
    """The sizes after batch and channels.

    Raises:
        KernelError: when there are none.
    """
    if x.ndim < 3:
        raise KernelError(f"the input must be [N, C, D1, ...], not of shape {shape_text(x.shape)}")
    return x.shape[2:]
