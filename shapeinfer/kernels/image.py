"""Images put together again or cut to size: Col2Im, CenterCropPad and MaxUnpool."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np

from shapeinfer.kernels.arguments import integers, normalise_axes, shape_text, sizes
from shapeinfer.kernels.dtypes import STRING, Array, narrow, widen
from shapeinfer.kernels.errors import OUT_OF_RANGE, KernelError
from shapeinfer.kernels.registry import kernel
from shapeinfer.kernels.windows import spatial, windows


@kernel("Col2Im", since=(18,))
def col2im(
    input: Array,
    image_shape: Array,
    block_shape: Array,
    *,
    dilations: Sequence[int] | None = None,
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Array:
    """``[N, C * prod(block), blocks]`` to ``[N, C, *image]``: where blocks overlap they are added."""
    size, block = sizes(image_shape, "image_shape"), sizes(block_shape, "block_shape")
    if len(size) != len(block) or not size:
        raise KernelError(f"blocks {shape_text(block)} of an image {shape_text(size)}")
    over = windows(size, block, strides=strides, dilations=dilations, pads=pads, auto_pad="NOTSET")
    if input.ndim != 3 or input.shape[1] % prod(block) or input.shape[2] != prod(over.out):
        raise KernelError(f"{shape_text(input.shape)} are not {prod(over.out)} blocks of {shape_text(block)}")
    wide = widen(input)
    n, channels = input.shape[0], input.shape[1] // prod(block)
    columns = wide.reshape(n, channels, *block, *over.out)
    full = [b + s + e for b, s, e in zip(over.begin, size, over.end, strict=True)]
    result = np.zeros((n, channels, *full), wide.dtype)
    every: tuple[Any, ...] = (slice(None), slice(None))
    for tap, place in over.taps():
        result[(*every, *place)] += columns[(*every, *tap)]
    kept = tuple(slice(b, b + s) for b, s in zip(over.begin, size, strict=True))
    return narrow(result[(*every, *kept)], input.dtype)


@kernel("CenterCropPad", since=(18,))
def center_crop_pad(input_data: Array, shape: Array, *, axes: Sequence[int] | None = None) -> Array:
    """The middle of the data, or the data in the middle of zeros; of an odd rest the smaller part is in front."""
    wanted = sizes(shape, "shape")
    along = tuple(range(input_data.ndim)) if axes is None else normalise_axes(axes, input_data.ndim)
    if len(wanted) != len(along):
        raise KernelError(f"the shape {shape_text(wanted)} for {len(along)} axes")
    target = list(input_data.shape)
    kept, placed = [slice(None)] * input_data.ndim, [slice(None)] * input_data.ndim
    for axis, size in zip(along, wanted, strict=True):
        target[axis], old = size, input_data.shape[axis]
        both = min(size, old)
        kept[axis] = slice((old - both) // 2, (old - both) // 2 + both)
        placed[axis] = slice((size - both) // 2, (size - both) // 2 + both)
    texts = input_data.dtype == STRING and any(isinstance(each, str) for each in input_data.flat)
    result = np.full(target, "" if texts else 0, dtype=input_data.dtype)
    result[tuple(placed)] = input_data[tuple(kept)]
    return result


@kernel("MaxUnpool", since=(9, 11, 22))
def max_unpool(
    x: Array,
    i: Array,
    output_shape: Array | None = None,
    *,
    kernel_shape: Sequence[int],
    pads: Sequence[int] | None = None,
    strides: Sequence[int] | None = None,
) -> Array:
    """Zeros, and the elements of X where their indices say: in the image that was pooled, by its size.

    With ``output_shape`` the image is put at the begin of an output of that shape, as in the operator's test.
    """
    size = spatial(x)
    rank = len(size)
    steps = (1,) * rank if strides is None else tuple(strides)
    padding = (0,) * (2 * rank) if pads is None or output_shape is not None else tuple(pads)
    if len(kernel_shape) != rank or len(steps) != rank or len(padding) != 2 * rank or i.shape != x.shape:
        raise KernelError(f"the attributes or the indices {shape_text(i.shape)} do not fit {shape_text(x.shape)}")
    full = tuple(
        (n - 1) * s + k - b - e
        for n, s, k, b, e in zip(size, steps, kernel_shape, padding[:rank], padding[rank:], strict=True)
    )
    shape = (*x.shape[:2], *full)
    if min(full) < 0 or ((i < 0) | (i >= prod(shape))).any():
        raise KernelError(f"an index is not in an image {shape_text(shape)}", code=OUT_OF_RANGE)
    result = np.zeros(prod(shape), x.dtype)
    result[i.reshape(-1)] = x.reshape(-1)
    result = result.reshape(shape)
    if output_shape is None:
        return result
    wanted = integers(output_shape, "output_shape")
    if len(wanted) != x.ndim or any(a < b for a, b in zip(wanted, shape, strict=True)):
        raise KernelError(f"output_shape {shape_text(wanted)} for an image {shape_text(shape)}")
    larger = np.zeros(wanted, x.dtype)
    larger[tuple(map(slice, shape))] = result
    return larger
